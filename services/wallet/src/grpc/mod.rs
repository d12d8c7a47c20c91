//! The gRPC services: parse, call, map. No rules, no SQL.

mod admin;
mod ledger;
mod map;
mod user;

use adfolio_kit::clock::{Clock, Ids};
use sqlx::PgPool;

use crate::peers::Peers;
use crate::posting::Queue;

/// What every call needs. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Grpc {
    /// For reads.
    pub pool: PgPool,
    /// For everything that moves money.
    pub queue: Queue,
    /// The other services.
    pub peers: Peers,
    /// The time.
    pub clock: Clock,
    /// New identifiers.
    pub ids: Ids,
}
