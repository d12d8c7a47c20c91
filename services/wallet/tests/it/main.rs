//! Behaviour of the wallet service, through its gRPC client, against real PostgreSQL and RabbitMQ.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

mod approvals;
mod bank;
mod books;
mod checkpoints;
mod contract;
mod cooling_off;
mod destination;
mod disowned;
mod events;
mod exchange;
mod faults;
mod flow;
mod freezes;
mod helpers;
mod lists;
mod lone_postings;
mod model;
mod outflow;
mod pay_password;
mod pay_password_attempts;
mod payment_batches;
mod peers;
mod platform;
mod posting;
mod reconcile;
mod replay;
mod rights;
mod rotation;
mod staff;
mod statement;
mod streams;
mod waiting;
mod withdrawal;
