//! A connection, and the term of the primary that it belongs to.

use std::future::Future;
use std::ops::{Deref, DerefMut};

use sqlx::pool::PoolConnection;
use sqlx::{PgConnection, Postgres};
use tokio::sync::OwnedSemaphorePermit;
use tokio_util::sync::CancellationToken;

use super::pool::Pool;
use super::primary::Term;
use crate::refusal::{is_serialization_failure, is_unavailable};

/// The server of a statement stopped being what it was, the primary or a standby, before it answered.
#[derive(Debug, thiserror::Error)]
#[error("the server is not what it was any more")]
pub(super) struct Replaced;

impl From<Replaced> for sqlx::Error {
    fn from(replaced: Replaced) -> Self {
        Self::Io(std::io::Error::other(replaced))
    }
}

/// The term that a connection belongs to, which ends when another server is the primary.
#[derive(Clone, Debug)]
pub struct Lease {
    pool: Pool,
    term: Option<Term>,
    /// Of a standby: cancelled when it is none any more, or does not answer.
    standby_over: Option<CancellationToken>,
}

impl Lease {
    pub(super) fn new(pool: Pool, term: Option<Term>) -> Self {
        Self {
            pool,
            term,
            standby_over: None,
        }
    }

    pub(super) fn of_standby(pool: Pool, over: CancellationToken) -> Self {
        Self {
            pool,
            term: None,
            standby_over: Some(over),
        }
    }

    /// Whether the server is a primary that is known as such.
    pub(super) fn is_of_primary(&self) -> bool {
        self.term.is_some()
    }

    /// Whether the server is still the primary, as far as is known.
    pub fn is_valid(&self) -> bool {
        self.term.as_ref().is_none_or(|term| !term.is_over())
    }

    /// Something that writes: given up once another server is the primary, since a frozen one never
    /// answers.
    pub async fn until_over<T>(
        &self,
        work: impl Future<Output = Result<T, sqlx::Error>>,
    ) -> Result<T, sqlx::Error> {
        let Some(term) = &self.term else {
            return work.await;
        };
        let outcome = tokio::select! {
            biased;
            outcome = work => outcome,
            () = term.over() => Err(Replaced.into()),
        };
        outcome.inspect_err(|error| self.observe(error))
    }

    /// Waits until another server is the primary. Work on a connection that is still under way then
    /// must be dropped with the connection.
    pub(super) async fn over(&self) {
        match &self.term {
            Some(term) => term.over().await,
            None => std::future::pending().await,
        }
    }

    /// Waits until the server does not answer any more.
    pub(super) async fn lost(&self) {
        match (&self.standby_over, self.pool.primary(), &self.term) {
            (Some(over), ..) => over.cancelled().await,
            (None, Some(primary), Some(term)) => {
                primary.lost(term, self.pool.has_standbys()).await;
            }
            _ => std::future::pending().await,
        }
    }

    /// The error of a read. A standby that must go on with the log cancels reads of what the log
    /// removes, with the code of a serialization failure: another server can be read.
    pub(super) fn judge(&self, error: sqlx::Error) -> sqlx::Error {
        if self.standby_over.is_some() {
            return if is_serialization_failure(&error) {
                Replaced.into()
            } else {
                error
            };
        }
        self.observe(&error);
        error
    }

    /// Has the server asked whether it is the primary, if the error may mean that it is not.
    pub fn observe(&self, error: &sqlx::Error) {
        if is_unavailable(error) {
            self.doubt();
        }
    }

    /// Has the server asked whether it is the primary.
    pub(super) fn doubt(&self) {
        if let Some(primary) = self.pool.primary() {
            primary.doubt();
        }
    }
}

/// A connection from the pool, which it goes back to.
#[derive(Debug)]
pub struct Connection {
    inner: PoolConnection<Postgres>,
    lease: Lease,
    /// Of one that may write.
    turn: Option<OwnedSemaphorePermit>,
}

impl Connection {
    pub(super) fn new(inner: PoolConnection<Postgres>, lease: Lease) -> Self {
        Self {
            inner,
            lease,
            turn: None,
        }
    }

    pub(super) fn with_turn(mut self, turn: OwnedSemaphorePermit) -> Self {
        self.turn = Some(turn);
        self
    }

    /// The connection itself, and the term that it belongs to.
    pub(super) fn parts(&mut self) -> (&mut PgConnection, &Lease) {
        (&mut self.inner, &self.lease)
    }

    /// The server that it leads to.
    pub(super) fn lease(&self) -> &Lease {
        &self.lease
    }

    /// Closes it without a word to the server: what runs on it is unknown.
    pub(super) fn abandon(self) {
        drop(self.inner.detach());
    }

    /// Reads; given up as soon as the server does not answer any more, for then a standby may.
    pub(super) async fn read<T>(
        mut self,
        work: impl AsyncFnOnce(&mut PgConnection) -> Result<T, sqlx::Error>,
    ) -> Result<T, sqlx::Error> {
        let outcome = tokio::select! {
            biased;
            outcome = work(&mut self.inner) => Some(outcome),
            () = self.lease.lost() => None,
        };
        let Some(outcome) = outcome else {
            self.abandon();
            return Err(Replaced.into());
        };
        outcome.map_err(|error| self.lease.judge(error))
    }
}

impl Deref for Connection {
    type Target = PgConnection;

    fn deref(&self) -> &PgConnection {
        &self.inner
    }
}

impl DerefMut for Connection {
    fn deref_mut(&mut self) -> &mut PgConnection {
        &mut self.inner
    }
}
