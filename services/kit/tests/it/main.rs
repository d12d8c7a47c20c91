//! kit against a real PostgreSQL and a real RabbitMQ.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "tests fail by panicking"
)]

mod broker_nodes;
mod cancelled_writes;
mod certificates;
mod clients;
mod configuration;
mod consumers;
mod crash_points;
mod group_commit;
mod hash_chain;
mod healthchecks;
mod helpers;
mod idempotency_keys;
mod identity_tokens;
mod metrics;
mod migrations;
mod moved_databases;
mod outbox_relay;
mod own_letters;
mod pages;
mod policy;
mod refusals;
mod saga;
mod servers;
mod shutdowns;
mod signing_keys;
mod subscriptions;
mod time_zones;
mod tls;
mod traces;
mod whole_services;
