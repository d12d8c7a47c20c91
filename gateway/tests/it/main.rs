//! The gateway, from the outside: its contract, and its behaviour in front of the real services.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test that cannot go on fails"
)]
#![allow(missing_docs, reason = "tests explain themselves by their names")]

mod access;
mod alone;
mod basic_config;
mod bucket;
mod checkpoints;
mod completeness;
mod contact;
mod contract;
mod contract_shape;
mod contract_table;
mod contract_walk;
mod devices;
mod edge;
mod ending;
mod fakes;
mod figures;
mod idempotency;
mod identity;
mod inboxes;
mod inputs;
mod journey;
mod network;
mod network_adapter;
mod outage;
mod page;
mod preferences;
mod recent;
mod retries;
mod revocation;
mod second_factor;
mod secrets;
mod services;
mod stack;
mod staff_reason;
mod staff_stream;
mod stale;
mod statement;
mod stream;
mod streams_of_services;
mod today;
mod uploads;
