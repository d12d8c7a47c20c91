//! The supervisor, with the real PostgreSQL and RabbitMQ.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a failed expectation is how a test fails"
)]

mod broker_users;
mod cluster;
mod command_line;
mod containers;
mod database_access;
mod edge;
mod helpers;
mod previous_release;
mod primary;
mod provision;
mod standbys;
mod supervision;
