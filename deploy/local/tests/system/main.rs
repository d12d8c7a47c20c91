//! The whole system, driven over its REST contract: the six services, the gateway, nginx,
//! PostgreSQL and RabbitMQ as `make up` runs them, on free ports. The programs must be built first,
//! which `make test` does.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::arithmetic_side_effects,
    reason = "a test may fail by panicking"
)]

mod broker_outage;
mod chaos;
mod client;
mod deadlines;
mod ending;
mod frozen;
mod frozen_auth;
mod impressions;
mod journey;
mod overspending;
mod replica;
mod revocation;
mod secrets;
mod setup;
mod simnet;
mod tls;
mod tracing;
