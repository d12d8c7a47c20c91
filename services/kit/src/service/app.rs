//! What use cases work with.

use std::ops::Deref;
use std::time::Duration;

use sqlx::PgPool;

use super::Backend;
use crate::clock::{Clock, Ids};
use crate::outbox::Notifier;
use crate::saga::Context;

/// Handed to every use case: what all services have, and the `parts` of one service, which read like
/// fields of this struct. Cheap to clone.
#[derive(Clone, Debug)]
pub struct App<P> {
    /// The database.
    pub pool: PgPool,
    /// Time.
    pub clock: Clock,
    /// New ids.
    pub ids: Ids,
    /// Wakes the relay of the outbox.
    pub notifier: Notifier,
    parts: P,
}

impl<P> App<P> {
    /// The parts of a running service.
    pub fn new(backend: &Backend, clock: &Clock, parts: P) -> Self {
        Self {
            pool: backend.pool.clone(),
            clock: clock.clone(),
            ids: Ids::random(),
            notifier: backend.notifier.clone(),
            parts,
        }
    }

    /// What a saga works with whose leases run out after `lease`.
    pub fn saga_context(&self, lease: Duration) -> Context<'_> {
        Context {
            pool: &self.pool,
            clock: &self.clock,
            ids: &self.ids,
            notifier: &self.notifier,
            lease,
        }
    }
}

impl<P> Deref for App<P> {
    type Target = P;

    fn deref(&self) -> &P {
        &self.parts
    }
}
