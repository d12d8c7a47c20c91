//! The speed of money, with its yardsticks measured in the same run, and the data it leaves: `make
//! bench`. `deploy/local/bench.sh -- ledger puts` measures parts of it, by their names in [`Part`].
//!
//! Measured in short rounds, all parts in turn ([`rounds`]), so that a slow moment of the machine
//! hits all of them alike. Ratios are computed within each round:
//!
//! 1. pgbench: TPC-B, 16 clients, on the stack's own PostgreSQL, waiting for the disk.
//! 2. broker: events per second into a quorum queue of the stack's own RabbitMQ, with confirms.
//! 3. ledger: postings through wallet's gRPC, 16 and 128 callers: holds of distinct users
//!    ("distinct"), and holds with a coupon, which all touch the same platform account ("hot"). The
//!    relay, the broker and the consumers of the events run on the same cores.
//! 4. events: events of an outbox until their last consumer has handled them.
//! 5. puts: puts through nginx and the gateway, and their latency at half of that load.
//! 6. bare: one row through nginx, axum, tonic and sqlx without any code of Adfolio.
//! 7. property: `GET /user/property`, which does the same through Adfolio.
//! 8. reads: the requests of the web client's pages; named "pages", each of them alone as well.
//!
//! Measured once, after the rounds:
//!
//! 9. statistics: a user's after 10,000 and after 1,000,000 reports, and how fast reports are
//!    imported.
//! 10. growth: the size of the rows left by all this and some deposits, and how fast the books with
//!     them are verified and reconciled.
//! 11. placing: a round of the placement algorithm for 10,000 plans on 100 placements, and how long a
//!     network's fetch of it takes.
//!
//! `compare OLD [NEW]` measures nothing and compares two results.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::float_arithmetic,
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::arithmetic_side_effects,
    reason = "a benchmark may stop by panicking, prints what it found, and its ratios are no money"
)]

mod api;
mod bare;
mod broker;
mod callers;
mod compare;
mod events;
mod growth;
mod ledger;
mod options;
mod pgbench;
mod placing;
mod processes;
mod proofs;
mod property;
mod puts;
mod reads;
mod results;
mod rounds;
mod statistics;
mod tables;

use adfolio_local::{Service, Stack};

use crate::options::{Options, Part};
use crate::processes::Processes;
use crate::results::Results;
use crate::rounds::Measurement;

#[tokio::main]
async fn main() {
    let arguments = options::named_arguments();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments[..] {
        [bare::GATEWAY] => bare::gateway::serve().await,
        [bare::SERVICE] => bare::service::serve().await,
        ["compare", old] => compare::print(&results::read(old), &results::latest()),
        ["compare", old, new] => compare::print(&results::read(old), &results::read(new)),
        _ => measure(&Options::from_environment(&arguments)).await,
    }
}

async fn measure(options: &Options) {
    if options.parts.is_empty() {
        return;
    }
    let stack = Stack::builder()
        .services(Service::ALL)
        .without_four_eyes()
        .without_second_factor()
        .durable(true)
        .extra_env(Service::Gateway, "FLOOD_LIMIT_PER_SECOND", "0")
        .extra_env(Service::Gateway, "FLOOD_LIMIT_SESSION_PER_SECOND", "0")
        .start()
        .await
        .expect("the stack starts");

    if options.wants(Part::Growth) {
        growth::deposit(&stack).await;
    }
    let mut processes = Processes::of(&stack);
    let mut measurements = prepare(options, &stack, &mut processes).await;
    let mut results = Results::new(options);
    rounds::run(options, &processes, &mut measurements, &mut results).await;
    drop(measurements);

    if options.wants(Part::Statistics) {
        statistics::run(&stack, &mut results).await;
    }
    if options.wants(Part::Growth) {
        growth::run(&stack, &mut results).await;
        proofs::run(&stack, &mut results).await;
    }
    // Last: its plans have no postings, so the books do not balance any more.
    if options.wants(Part::Placing) {
        placing::run(&stack, &mut results).await;
    }
    stack.stop().await;

    tables::print(&results);
    let file = results.write();
    println!("\nwritten to {}", file.display());
    if let Some(baseline) = &options.baseline {
        println!();
        compare::print(baseline, &results);
    }
}

/// What the rounds measure, in their order: each yardstick is close to what is compared with it.
async fn prepare(options: &Options, stack: &Stack, processes: &mut Processes) -> Vec<Measurement> {
    let mut measurements = Vec::new();
    if options.wants(Part::Broker) {
        measurements.push(broker::prepare(stack).await);
    }
    if options.wants(Part::Ledger) {
        measurements.extend(ledger::prepare(stack).await);
    }
    if options.wants(Part::Pgbench) {
        measurements.push(pgbench::prepare(stack).await);
    }
    if options.wants(Part::Events) {
        measurements.push(events::prepare(stack).await);
    }
    if options.wants(Part::Puts) {
        measurements.extend(puts::prepare(stack).await);
    }
    if options.wants(Part::Reads) {
        measurements.extend(reads::prepare(stack, options.wants(Part::Pages)).await);
    }
    if options.wants(Part::Bare) {
        measurements.push(bare::prepare(stack, processes).await);
    }
    if options.wants(Part::Property) {
        measurements.push(property::prepare(stack).await);
    }
    measurements
}
