//! Behaviour of the wallet service, through its gRPC client, against real PostgreSQL and RabbitMQ.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

mod books;
mod events;
mod faults;
mod flow;
mod helpers;
mod model;
mod peers;
mod posting;
mod reconcile;
