//! Plan's behaviour through its gRPC calls, with the real wallet and coupon beside it, on real
//! PostgreSQL and RabbitMQ.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    missing_docs,
    reason = "a test fails by panicking"
)]

mod access;
mod allotments;
mod audit;
mod batches;
mod costs;
mod delivery;
mod endings;
mod evidence;
mod follows;
mod helpers;
mod lists;
mod peers;
mod products;
mod proposals;
mod pushed;
mod puts;
mod quarantine;
mod recovery;
mod reports;
mod rights;
mod seals;
mod shown;
mod sources;
mod statistics;
mod supply;
mod waiting;
mod writers;
