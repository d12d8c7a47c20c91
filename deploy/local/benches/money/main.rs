//! How fast money moves, as ratios measured in one run on one machine, and what it leaves behind: `make bench`.
//! `deploy/local/bench.sh -- ledger puts` measures parts of it, named as below.
//!
//! 1. ledger: `pgbench` TPC-B, 16 clients, on the stack's own PostgreSQL, waiting for the disk: the yardstick.
//! 2. ledger: postings per second through wallet's gRPC, 16 and 128 callers, every posting for another user: holds that touch no
//!    platform account ("distinct"), and holds with a coupon, all of which touch the same one ("hot"). The relay, the broker
//!    and the consumers of the events work on the same cores meanwhile.
//! 3. puts: puts per second through nginx and the gateway, with their median and 99th percentile.
//! 4. reads: what the pages of the web client ask for, per second, likewise.
//! 5. statistics: a user's after 10,000 and after 1,000,000 reports, and how fast reports come in.
//! 6. growth: how large the rows are that this and some deposits have left behind, and how fast the books with them are verified and reconciled.
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

/// What can be named.
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

/// Whether the command line names this part, or none. Cargo's own arguments begin with a dash.
fn is_wanted(part: &str) -> bool {
    let mut named = std::env::args()
        .skip(1)
        .filter(|argument| !argument.starts_with('-'))
        .peekable();
    named.peek().is_none() || named.any(|name| name == part)
}
