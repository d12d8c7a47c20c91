//! How fast money moves, as ratios measured in one run on one machine: `make bench`. `deploy/local/bench.sh -- ledger`,
//! `puts` or `statistics` measures parts of it.
//!
//! 1. `pgbench` TPC-B, 16 clients, on the stack's own PostgreSQL, waiting for the disk: the yardstick.
//! 2. Postings per second through wallet's gRPC, 16 and 128 callers, every posting for another user: holds that touch no
//!    platform account ("distinct"), and holds with a coupon, all of which touch the same one ("hot"). The relay, the broker
//!    and the consumers of the events work on the same cores meanwhile.
//! 3. Puts per second through nginx and the gateway, with their median and 99th percentile.
//! 4. Statistics of a user after 10,000 and of one after 1,000,000 reports.
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

mod ledger;
mod puts;
mod statistics;
mod yardstick;

use adfolio_local::{Service, Stack};

/// What can be named.
const PARTS: [&str; 3] = ["ledger", "puts", "statistics"];

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

    if is_wanted("ledger") {
        let yardstick = yardstick::tpc_b(&stack).await;
        println!("pgbench TPC-B, 16 clients           {yardstick:>10.0} transactions/s");
        ledger::run(&stack, yardstick).await;
    }
    if is_wanted("puts") {
        puts::run(&stack).await;
    }
    if is_wanted("statistics") {
        statistics::run(&stack).await;
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
