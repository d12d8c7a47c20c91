//! The notification service through its clients, on a real PostgreSQL and a real RabbitMQ.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test may fail by panicking"
)]

mod announcing;
mod content;
mod costs;
mod deposits_and_legal;
mod disowning;
mod email_codes;
mod feedback;
mod feeding;
mod helpers;
mod mail;
mod marking;
mod notices;
mod push;
mod push_service;
mod reading;
mod rights;
mod scheduling;
mod smtp_server;
mod versions;
