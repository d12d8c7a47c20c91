//! What use cases work with.

use std::ops::Deref;
use std::time::Duration;

use futures::future::BoxFuture;

use super::Backend;
use crate::clock::{Clock, Ids};
use crate::db::{self, Pool, Tx};
use crate::dead_letter::OwnLetters;
use crate::idempotency::ClaimError;
use crate::once::{Answer, Once};
use crate::outbox::Notifier;
use crate::saga::Context;

/// Handed to every use case: what all services have, and the `parts` of one service, which read like
/// fields of this struct. Cheap to clone.
#[derive(Clone, Debug)]
pub struct App<P> {
    /// The database.
    pub pool: Pool,
    /// The database for what only reads and reads much: at standbys, if there are any.
    pub reads: Pool,
    /// Time.
    pub clock: Clock,
    /// New ids.
    pub ids: Ids,
    /// Wakes the relay of the outbox.
    pub notifier: Notifier,
    /// Counts what the service's consumers could not handle.
    pub dead_letters: OwnLetters,
    parts: P,
}

impl<P> App<P> {
    /// The parts of a running service.
    pub fn new(backend: &Backend, clock: &Clock, parts: P) -> Self {
        Self {
            pool: backend.pool.clone(),
            reads: backend.pool.preferring_standbys(),
            clock: clock.clone(),
            ids: Ids::random(),
            notifier: backend.notifier.clone(),
            dead_letters: OwnLetters::new(backend.service.name, backend.broker.clone()),
            parts,
        }
    }

    /// Runs a write, see [`db::write`], and wakes the relay for its events.
    #[track_caller]
    pub fn write<T, E, F>(&self, work: F) -> impl Future<Output = Result<T, E>> + use<T, E, F, P>
    where
        F: for<'t> FnOnce(&'t mut Tx) -> BoxFuture<'t, Result<T, E>> + Send + 'static,
        T: Send + 'static,
        E: From<sqlx::Error> + Send + 'static,
    {
        let written = db::write(&self.pool, work);
        let notifier = self.notifier.clone();
        async move {
            let outcome = written.await;
            notifier.notify();
            outcome
        }
    }

    /// Like [`App::write`], once per idempotency key: a repeat gets the answer to the first call and
    /// does not run `work`.
    #[track_caller]
    pub fn write_once<T, E, F>(
        &self,
        once: Once<T>,
        work: F,
    ) -> impl Future<Output = Result<Answer<T>, E>> + use<T, E, F, P>
    where
        F: for<'t> FnOnce(&'t mut Tx) -> BoxFuture<'t, Result<T, E>> + Send + 'static,
        T: Send + 'static,
        E: From<sqlx::Error> + From<ClaimError> + Send + 'static,
    {
        self.write(move |tx| {
            Box::pin(async move {
                if let Some(earlier) = once.earlier_in_tx(tx).await? {
                    return Ok(earlier);
                }
                let made = work(tx).await?;
                Ok(once.keep_in_tx(tx, made).await?)
            })
        })
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
