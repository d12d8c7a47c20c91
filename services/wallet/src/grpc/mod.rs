//! The gRPC services: parse, call, map. No rules, no SQL.

mod admin;
mod ledger;
mod map;
mod user;

use adfolio_kit::clock::{Clock, Ids};
use sqlx::PgPool;

use crate::destination::Destinations;
use crate::pay_password::PayPasswords;
use crate::peers::Peers;
use crate::posting::Queue;
use crate::withdrawal::Withdrawals;

/// What every call needs. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Grpc {
    /// For reads.
    pub pool: PgPool,
    /// For everything that moves money.
    pub queue: Queue,
    /// The other services.
    pub peers: Peers,
    /// Transaction passwords.
    pub passwords: PayPasswords,
    /// Where withdrawals go.
    pub destinations: Destinations,
    /// Withdrawals.
    pub withdrawals: Withdrawals,
    /// The time.
    pub clock: Clock,
    /// New identifiers.
    pub ids: Ids,
}
