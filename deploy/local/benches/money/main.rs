//! The speed of money, as ratios measured in one run on one machine, and the data it leaves: `make
//! bench`. `deploy/local/bench.sh -- ledger puts` measures parts of it, named as below.
//!
//! 1. ledger: `pgbench` TPC-B, 16 clients, on the stack's own PostgreSQL, waiting for the disk: the
//!    yardstick.
//! 2. ledger: postings per second through wallet's gRPC, 16 and 128 callers, every posting for
//!    another user: holds that touch no platform account ("distinct"), and holds with a coupon,
//!    which all touch the same one ("hot"). The relay, the broker and the consumers of the events
//!    run on the same cores.
//! 3. puts: puts per second through nginx and the gateway, with their median and 99th percentile.
//! 4. reads: the requests of the web client's pages, per second, likewise.
//! 5. statistics: a user's after 10,000 and after 1,000,000 reports, and how fast reports are
//!    imported.
//! 6. growth: the size of the rows left by all this and some deposits, and how fast the books with
//!    them are verified and reconciled.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::float_arithmetic,
    clippy::cast_precision_loss,
    clippy::arithmetic_side_effects,
    reason = "a benchmark may stop by panicking, prints what it found, and its ratios are no money"
)]

mod api;
mod callers;
mod growth;
mod ledger;
mod proofs;
mod puts;
mod reads;
mod statistics;
mod yardstick;

use adfolio_local::{Service, Stack};

/// The names of the parts.
const PARTS: [&str; 5] = ["ledger", "puts", "reads", "statistics", "growth"];

#[tokio::main]
async fn main() {
    if !PARTS.into_iter().any(is_wanted) {
        return;
    }
    let stack = Stack::builder()
        .services(Service::ALL)
        .durable(true)
        .extra_env(Service::Gateway, "FLOOD_LIMIT_PER_SECOND", "0")
        .extra_env(Service::Gateway, "FLOOD_LIMIT_SESSION_PER_SECOND", "0")
        .start()
        .await
        .expect("the stack starts");

    if is_wanted("growth") {
        growth::deposit(&stack).await;
    }
    if is_wanted("ledger") {
        let yardstick = yardstick::tpc_b(&stack).await;
        println!("pgbench TPC-B, 16 clients           {yardstick:>10.0} transactions/s");
        ledger::run(&stack, yardstick).await;
    }
    if is_wanted("puts") {
        puts::run(&stack).await;
    }
    if is_wanted("reads") {
        reads::run(&stack).await;
    }
    if is_wanted("statistics") {
        statistics::run(&stack).await;
    }
    if is_wanted("growth") {
        growth::run(&stack).await;
        proofs::run(&stack).await;
    }
    stack.stop().await;
}

/// Whether this part is selected on the command line, or none is. Cargo's own arguments begin with
/// a dash.
fn is_wanted(part: &str) -> bool {
    let mut named = std::env::args()
        .skip(1)
        .filter(|argument| !argument.starts_with('-'))
        .peekable();
    named.peek().is_none() || named.any(|name| name == part)
}
