//! Connections to the primary of a database, wherever it is.
//!
//! [`Pool`] takes the place of sqlx's pool, which knows one server: each term of a primary (see
//! `primary`) has a pool of its own, so that no connection outlives the term of its server.
//! Statements run on it as on a pool.

use std::fmt;
use std::future::Future;
use std::ops::{Deref, DerefMut};
use std::pin::pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use async_stream::try_stream;
use futures::future::BoxFuture;
use futures::stream::{BoxStream, TryStreamExt as _};
use sqlx::pool::PoolConnection;
use sqlx::postgres::{
    PgConnectOptions, PgPoolOptions, PgQueryResult, PgRow, PgStatement, PgTypeInfo,
};
use sqlx::{
    ConnectOptions as _, Either, Execute, Executor, PgConnection, PgPool, Postgres, SqlStr,
};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, timeout, timeout_at};

use super::primary::{Found, Primary, Purpose, Term};
use super::servers::Servers;
use crate::refusal::is_unavailable;

/// Once there has been no primary for this long, statements are refused at once. Before that they
/// wait for one: a switchover takes less.
const PATIENCE: Duration = Duration::from_secs(2);

/// One of this many connections of a pool is left to reads.
const READS_SHARE: u32 = 4;

/// No server is the primary now, or its commits wait for a standby: nothing can be changed.
#[derive(Debug, thiserror::Error)]
#[error("no server of the database takes changes")]
pub struct NoPrimary;

/// The server of a statement stopped being the primary before it answered.
#[derive(Debug, thiserror::Error)]
#[error("the server is not the primary any more")]
pub(super) struct Replaced;

impl From<NoPrimary> for sqlx::Error {
    fn from(none: NoPrimary) -> Self {
        Self::Io(std::io::Error::other(none))
    }
}

impl From<Replaced> for sqlx::Error {
    fn from(replaced: Replaced) -> Self {
        Self::Io(std::io::Error::other(replaced))
    }
}

/// Connections to the primary of a service's database. Cheap to clone.
#[derive(Clone)]
pub struct Pool(Arc<Inner>);

struct Inner {
    source: Source,
    options: PgPoolOptions,
    /// A turn for each connection that may write. The rest is left to reads: commits that wait for a
    /// standby would take all.
    writing: Arc<Semaphore>,
}

impl Inner {
    fn new(source: Source, options: PgPoolOptions) -> Self {
        let turns = usize::try_from(most_writing(&options)).unwrap_or(Semaphore::MAX_PERMITS);
        Self {
            source,
            options,
            writing: Arc::new(Semaphore::new(turns)),
        }
    }
}

/// Connections of a pool that may write at once.
fn most_writing(options: &PgPoolOptions) -> u32 {
    let all = options.get_max_connections();
    all - all / READS_SHARE
}

/// Where connections come from.
enum Source {
    /// The primary among some servers.
    Primary {
        primary: Primary,
        servers: Servers,
        /// The pool of the latest term.
        pool: Mutex<Option<(u64, PgPool)>>,
        /// The pool of the server that was read last while there was no primary.
        readable: Mutex<Option<(usize, PgPool)>>,
    },
    /// One pool, whatever its server is.
    Pool(PgPool),
}

impl Pool {
    /// The primary among `servers`, whose connections are pooled with `options`. Connects when a
    /// connection is first needed. Must be called inside a runtime.
    pub(super) fn of(servers: Servers, options: PgPoolOptions) -> Self {
        Self::with(Primary::of(servers.clone()), servers, options)
    }

    fn with(primary: Primary, servers: Servers, options: PgPoolOptions) -> Self {
        let source = Source::Primary {
            primary,
            servers,
            pool: Mutex::new(None),
            readable: Mutex::new(None),
        };
        Self(Arc::new(Inner::new(source, options)))
    }

    /// The same database with other connections: their number, and the settings of their sessions.
    pub(super) fn beside(
        &self,
        options: PgPoolOptions,
        settings: impl Fn(PgConnectOptions) -> PgConnectOptions,
    ) -> Self {
        match &self.0.source {
            Source::Primary {
                primary, servers, ..
            } => Self::with(primary.clone(), servers.map(settings), options),
            Source::Pool(pool) => {
                let own = settings((*pool.connect_options()).clone());
                Self::from(options.connect_lazy_with(own))
            }
        }
    }

    /// The options of the pool.
    pub(crate) fn options(&self) -> &PgPoolOptions {
        &self.0.options
    }

    /// Connections that may write at once.
    pub(crate) fn most_writing(&self) -> u32 {
        most_writing(&self.0.options)
    }

    /// A connection to the primary.
    pub async fn acquire(&self) -> Result<Connection, sqlx::Error> {
        let until = self.acquire_until();
        if let Source::Primary { primary, .. } = &self.0.source {
            // Those that have a turn may all wait for a standby.
            let found = timeout_at(until, primary.find(Purpose::Write, PATIENCE)).await;
            found
                .map_err(|_| sqlx::Error::PoolTimedOut)?
                .ok_or(NoPrimary)?;
        }
        let turn = timeout_at(until, Arc::clone(&self.0.writing).acquire_owned()).await;
        let turn = turn
            .map_err(|_| sqlx::Error::PoolTimedOut)?
            .map_err(|_| sqlx::Error::PoolClosed)?;
        let mut connection = self.acquire_for(Purpose::Write, until).await?;
        connection.turn = Some(turn);
        Ok(connection)
    }

    /// A connection for several statements that only read: to the primary or, without one, to a
    /// server that can be read.
    pub async fn acquire_to_read(&self) -> Result<Connection, sqlx::Error> {
        self.acquire_for(Purpose::Read, self.acquire_until()).await
    }

    fn acquire_until(&self) -> Instant {
        Instant::now() + self.0.options.get_acquire_timeout()
    }

    async fn acquire_for(
        &self,
        purpose: Purpose,
        until: Instant,
    ) -> Result<Connection, sqlx::Error> {
        let Source::Primary { primary, .. } = &self.0.source else {
            return self.acquire_in(None).await;
        };
        loop {
            let found = timeout_at(until, primary.find(purpose, PATIENCE))
                .await
                .map_err(|_| sqlx::Error::PoolTimedOut)?
                .ok_or(NoPrimary)?;
            let term = match found {
                Found::Primary(term) => term,
                Found::Readable(server) => {
                    let inner = self.readable(server).acquire().await?;
                    return Ok(Connection {
                        inner,
                        lease: self.lease(None),
                        turn: None,
                    });
                }
            };
            let acquired = tokio::select! {
                acquired = self.acquire_in(Some(term.clone())) => acquired,
                () = primary.lost(&term) => continue,
            };
            match acquired {
                // Another term has begun.
                Err(sqlx::Error::PoolClosed) => {}
                Err(error) => {
                    primary.doubt();
                    return Err(error);
                }
                Ok(connection) => return Ok(connection),
            }
        }
    }

    async fn acquire_in(&self, term: Option<Term>) -> Result<Connection, sqlx::Error> {
        let inner = self.pool_of(term.as_ref()).acquire().await?;
        Ok(Connection {
            inner,
            lease: self.lease(term),
            turn: None,
        })
    }

    fn lease(&self, term: Option<Term>) -> Lease {
        Lease {
            pool: self.clone(),
            term,
        }
    }

    /// A connection of its own, with these settings beside those of the pool's.
    pub async fn open(
        &self,
        settings: impl Fn(PgConnectOptions) -> PgConnectOptions,
    ) -> Result<(PgConnection, Lease), sqlx::Error> {
        let (term, options) = match &self.0.source {
            Source::Primary {
                primary, servers, ..
            } => match primary.find(Purpose::Write, PATIENCE).await {
                Some(Found::Primary(term)) => {
                    let options = servers.get(term.server).clone();
                    (Some(term), options)
                }
                _ => return Err(NoPrimary.into()),
            },
            Source::Pool(pool) => (None, (*pool.connect_options()).clone()),
        };
        let lease = self.lease(term);
        let connection = lease.until_over(settings(options).connect()).await?;
        Ok((connection, lease))
    }

    /// The pool of a term. The one of an earlier term is closed: what is idle in it goes at once,
    /// and the rest when it is given back.
    fn pool_of(&self, term: Option<&Term>) -> PgPool {
        let (servers, pool) = match &self.0.source {
            Source::Pool(pool) => return pool.clone(),
            Source::Primary { servers, pool, .. } => (servers, pool),
        };
        let (number, server) = term.map_or((0, 0), |term| (term.number, term.server));
        let mut kept = pool.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((of, pool)) = &*kept
            && *of >= number
        {
            return pool.clone();
        }
        let options = self.0.options.clone();
        let fresh = options.connect_lazy_with(servers.get(server).clone());
        if let Some((_, former)) = kept.replace((number, fresh.clone())) {
            tokio::spawn(async move { former.close().await });
        }
        fresh
    }

    /// The pool of a server that is read while there is no primary.
    fn readable(&self, server: usize) -> PgPool {
        let (servers, readable) = match &self.0.source {
            Source::Pool(pool) => return pool.clone(),
            Source::Primary {
                servers, readable, ..
            } => (servers, readable),
        };
        let mut kept = readable.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((of, pool)) = &*kept
            && *of == server
        {
            return pool.clone();
        }
        let options = self.0.options.clone();
        let fresh = options.connect_lazy_with(servers.get(server).clone());
        if let Some((_, former)) = kept.replace((server, fresh.clone())) {
            tokio::spawn(async move { former.close().await });
        }
        fresh
    }

    /// Waits until it is known whether the server is still the primary: a statement said that it is
    /// not. Bounded.
    pub async fn recheck(&self) {
        if let Source::Primary { primary, .. } = &self.0.source {
            let _ = timeout(PATIENCE, primary.recheck()).await;
        }
    }

    fn doubt(&self) {
        if let Source::Primary { primary, .. } = &self.0.source {
            primary.doubt();
        }
    }

    /// Connections that are open, and those of them that nobody uses.
    pub(crate) fn counts(&self) -> (usize, usize) {
        let counts = |pool: &PgPool| {
            let open = usize::try_from(pool.size()).unwrap_or(usize::MAX);
            (open, pool.num_idle().min(open))
        };
        match &self.0.source {
            Source::Pool(pool) => counts(pool),
            Source::Primary { pool, .. } => {
                let pool = pool.lock().unwrap_or_else(PoisonError::into_inner);
                pool.as_ref().map_or((0, 0), |(_, pool)| counts(pool))
            }
        }
    }
}

/// A pool that others keep, such as a test's.
impl From<PgPool> for Pool {
    fn from(pool: PgPool) -> Self {
        let options = pool.options().clone();
        Self(Arc::new(Inner::new(Source::Pool(pool), options)))
    }
}

impl fmt::Debug for Pool {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Pool").finish_non_exhaustive()
    }
}

/// What a connection was opened for.
#[derive(Clone, Debug)]
pub struct Lease {
    pool: Pool,
    term: Option<Term>,
}

impl Lease {
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
    async fn lost(&self) {
        match (&self.pool.0.source, &self.term) {
            (Source::Primary { primary, .. }, Some(term)) => primary.lost(term).await,
            _ => std::future::pending().await,
        }
    }

    /// Has the server asked whether it is the primary, if the error may mean that it is not.
    pub fn observe(&self, error: &sqlx::Error) {
        if is_unavailable(error) {
            self.doubt();
        }
    }

    /// Has the server asked whether it is the primary.
    pub(super) fn doubt(&self) {
        self.pool.doubt();
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
    /// The server that it leads to.
    pub(super) fn lease(&self) -> &Lease {
        &self.lease
    }

    /// Closes it without a word to the server: what runs on it is unknown.
    pub(super) fn abandon(self) {
        drop(self.inner.detach());
    }

    /// Reads; given up as soon as the server does not answer any more, for then a standby may.
    async fn read<T>(
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
        outcome.inspect_err(|error| self.lease.observe(error))
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

/// Statements outside of a transaction. They only read: what writes goes through [`super::write`].
impl<'p> Executor<'p> for &'_ Pool {
    type Database = Postgres;

    fn fetch_many<'e, 'q: 'e, E>(
        self,
        query: E,
    ) -> BoxStream<'e, Result<Either<PgQueryResult, PgRow>, sqlx::Error>>
    where
        'p: 'e,
        E: 'q + Execute<'q, Postgres>,
    {
        let pool = self.clone();
        Box::pin(try_stream! {
            let mut connection = pool.acquire_to_read().await?;
            let is_whole = {
                let Connection { inner, lease, .. } = &mut connection;
                let mut rows = inner.fetch_many(query);
                let mut lost = pin!(lease.lost());
                loop {
                    let next = tokio::select! {
                        biased;
                        next = rows.try_next() => Some(next),
                        () = &mut lost => None,
                    };
                    let Some(next) = next else { break false };
                    match next.inspect_err(|error| lease.observe(error))? {
                        Some(row) => yield row,
                        None => break true,
                    }
                }
            };
            if !is_whole {
                connection.abandon();
                Err(sqlx::Error::from(Replaced))?;
            }
        })
    }

    fn fetch_optional<'e, 'q: 'e, E>(
        self,
        query: E,
    ) -> BoxFuture<'e, Result<Option<PgRow>, sqlx::Error>>
    where
        'p: 'e,
        E: 'q + Execute<'q, Postgres>,
    {
        let pool = self.clone();
        Box::pin(async move {
            let connection = pool.acquire_to_read().await?;
            connection
                .read(async move |connection| connection.fetch_optional(query).await)
                .await
        })
    }

    fn prepare_with<'e>(
        self,
        sql: SqlStr,
        parameters: &'e [PgTypeInfo],
    ) -> BoxFuture<'e, Result<PgStatement, sqlx::Error>>
    where
        'p: 'e,
    {
        let pool = self.clone();
        Box::pin(async move {
            let connection = pool.acquire_to_read().await?;
            connection
                .read(async move |connection| connection.prepare_with(sql, parameters).await)
                .await
        })
    }

    #[doc(hidden)]
    fn describe<'e>(
        self,
        sql: SqlStr,
    ) -> BoxFuture<'e, Result<sqlx::Describe<Postgres>, sqlx::Error>>
    where
        'p: 'e,
    {
        let pool = self.clone();
        Box::pin(async move {
            let connection = pool.acquire_to_read().await?;
            connection
                .read(async move |connection| connection.describe(sql).await)
                .await
        })
    }
}
