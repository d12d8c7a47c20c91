//! What every use case works with.

use std::sync::Arc;

use adfolio_kit::clock::{Clock, Ids};
use adfolio_kit::db::PgPool;
use adfolio_kit::outbox::Notifier;
use tokio::sync::Notify;

use crate::config::Rules;
use crate::peers::Peers;

/// What every use case works with. Cheap to clone.
#[derive(Clone)]
pub struct App {
    /// The database.
    pub pool: PgPool,
    /// Time.
    pub clock: Clock,
    /// New identifiers.
    pub ids: Ids,
    /// What is configured.
    pub rules: Rules,
    /// The other services.
    pub peers: Peers,
    /// Tells the relay that there are new events.
    pub notifier: Notifier,
    /// Tells the worker of orders that there is something to do.
    pub work: Arc<Notify>,
}
