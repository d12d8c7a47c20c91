//! Behaviour of adfolioctl: the program itself, against real services on real PostgreSQL and RabbitMQ.

#![allow(
    clippy::expect_used,
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test fails by panicking with a clear message"
)]

mod approval;
mod checkpoints;
mod dead;
mod demo;
mod desk;
mod helpers;
mod ledger;
mod mail;
mod operate;
mod setup;
mod staff;
mod today;
