//! What every use case needs.

use adfolio_kit::clock::{Clock, Ids};
use adfolio_kit::outbox::Notifier;
use chrono::TimeDelta;
use sqlx::PgPool;

use crate::attempt::Limits;
use crate::password::Passwords;

/// What every use case needs. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Context {
    /// The database.
    pub pool: PgPool,
    /// The time.
    pub clock: Clock,
    /// New identifiers.
    pub ids: Ids,
    /// Wakes the relay after a commit with events.
    pub notifier: Notifier,
    /// Hashes passwords.
    pub passwords: Passwords,
    /// Limits of login.
    pub limits: Limits,
    /// Limits of sessions.
    pub sessions: SessionSettings,
}

/// How long sessions live and how many there may be.
#[derive(Clone, Copy, Debug)]
pub struct SessionSettings {
    /// A user's session dies this long after it was last seen.
    pub user_ttl: TimeDelta,
    /// A staff member's.
    pub staff_ttl: TimeDelta,
    /// Live sessions that one owner may have; a further one ends the one not seen for longest.
    pub most_per_owner: i64,
}
