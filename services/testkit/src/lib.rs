//! What the tests of every crate share: databases, brokers, running services, and bounded waits.
//!
//! Servers come from the environment: `DATABASE_URL` (any database of a PostgreSQL, as its superuser)
//! and `AMQP_URL`. Every test has a database and a broker namespace of its own, so
//! tests run side by side.

#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::missing_panics_doc,
    reason = "this crate is only linked into tests, where a panic with a clear message is the way to fail"
)]

mod authenticator;
mod broker;
pub mod callers;
mod cost;
mod database;
pub mod directory;
mod files;
mod flags;
mod identity;
pub mod inboxes;
mod proxy;
mod queue;
mod rights;
pub mod saga;
mod service;
mod signer;
mod tamper;
mod tested;
mod told;
mod wait;

pub use authenticator::Authenticator;
pub use broker::{
    EventProbe, TestBroker, publish_event, publish_event_at, publish_event_with_id, publish_events,
};
pub use cost::{Cost, checked_query, cost};
pub use database::{MIGRATOR, OWNER, SERVICE, TestDatabase};
pub use files::raise_file_limit;
pub use flags::server_flags;
pub use identity::IdentityKeys;
pub use proxy::Proxy;
pub use rights::assert_rights;
pub use service::{RunningService, free_listener, spawn_service};
pub use signer::TestSigner;
pub use tamper::tamper;
pub use tested::{Builder, Environment, NOW, Run, TestService, Tested, config};
pub use told::{Told, deliver_twice_and_shuffled, tell};
pub use wait::{Settled, WAIT_LIMIT, answered, eventually, within_limit};

use adfolio_kit::clock::Clock;
use chrono::{DateTime, Utc};

/// A clock that stands at this RFC 3339 time until it is moved.
pub fn fixed_clock(rfc3339: &str) -> Clock {
    Clock::fixed(instant(rfc3339))
}

/// An instant from its RFC 3339 text.
pub fn instant(rfc3339: &str) -> DateTime<Utc> {
    rfc3339.parse().expect("an RFC 3339 time")
}
