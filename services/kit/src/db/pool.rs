//! Connections to the primary of a database, wherever it is.
//!
//! [`Pool`] takes the place of sqlx's pool, which knows one server: each term of a primary (see
//! `primary`) has a pool of its own, so that no connection outlives the term of its server.
//! Statements run on it as on a pool (`executor`).

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use sqlx::pool::PoolConnection;
use sqlx::postgres::{PgConnectOptions, PgPoolOptions};
use sqlx::{ConnectOptions as _, PgConnection, PgPool, Postgres};
use tokio::sync::Semaphore;
use tokio::time::{Instant, sleep, timeout, timeout_at};

use super::connection::{Connection, Lease};
use super::primary::{Found, Primary, Purpose, Term};
use super::servers::Servers;
use super::standbys::{OfStandby, Position, Standbys};
use crate::attempt::Attempt;

/// Once there has been no primary for this long, statements are refused at once. Before that they
/// wait for one: a switchover takes less.
const PATIENCE: Duration = Duration::from_secs(2);

/// How often a standby is looked for while there is no primary.
const STANDBY_POLL: Duration = Duration::from_millis(50);

/// One of this many connections of a pool is left to reads.
const READS_SHARE: u32 = 4;

/// No server is the primary now, or its commits wait for a standby: nothing can be changed.
#[derive(Debug, thiserror::Error)]
#[error("no server of the database takes changes")]
pub struct NoPrimary;

impl From<NoPrimary> for sqlx::Error {
    fn from(none: NoPrimary) -> Self {
        Self::Io(std::io::Error::other(none))
    }
}

/// Connections to the primary of a service's database. Cheap to clone.
#[derive(Clone)]
pub struct Pool(Arc<Inner>);

struct Inner {
    source: Arc<Source>,
    options: PgPoolOptions,
    /// A turn for each connection that may write. The rest is left to reads: commits that wait for a
    /// standby would take all.
    writing: Arc<Semaphore>,
    standbys: Option<Arc<Standbys>>,
    /// Whether reads go to the standbys first, not only while there is no primary.
    prefers_standbys: bool,
}

impl Inner {
    fn new(source: Source, options: PgPoolOptions) -> Self {
        let turns = usize::try_from(most_writing(&options)).unwrap_or(Semaphore::MAX_PERMITS);
        Self {
            source: Arc::new(source),
            options,
            writing: Arc::new(Semaphore::new(turns)),
            standbys: None,
            prefers_standbys: false,
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

    /// The same connections, except that reads go to the standbys among `servers` while there is no
    /// primary. Must be called inside a runtime.
    pub(super) fn with_standbys(&self, servers: &Servers) -> Self {
        let standbys = Standbys::of(servers, &self.0.options, self.clone());
        self.reading(Some(Arc::new(standbys)), false)
    }

    /// The same connections, except that reads go to standbys, if there are any, as far as these
    /// show all that was committed before.
    #[must_use]
    pub fn preferring_standbys(&self) -> Self {
        self.reading(self.0.standbys.clone(), true)
    }

    fn reading(&self, standbys: Option<Arc<Standbys>>, prefers_standbys: bool) -> Self {
        Self(Arc::new(Inner {
            source: Arc::clone(&self.0.source),
            options: self.0.options.clone(),
            writing: Arc::clone(&self.0.writing),
            standbys,
            prefers_standbys,
        }))
    }

    /// The same database with other connections: their number, and the settings of their sessions.
    pub(super) fn beside(
        &self,
        options: PgPoolOptions,
        settings: impl Fn(PgConnectOptions) -> PgConnectOptions,
    ) -> Self {
        match &*self.0.source {
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
        if let Some(primary) = self.primary() {
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
        Ok(self
            .acquire_for(Purpose::Write, until)
            .await?
            .with_turn(turn))
    }

    /// A connection for several statements that only read: to a standby if this pool prefers them,
    /// else to the primary or, without one, to a server that can be read. A call that changes
    /// something reads nothing without a primary.
    pub async fn acquire_to_read(&self) -> Result<Connection, sqlx::Error> {
        if !self.has_primary().await {
            return self.acquire_to_read_without_primary().await;
        }
        if let Some(standbys) = &self.0.standbys
            && self.0.prefers_standbys
        {
            let found = standbys.acquire().await;
            let at = found.as_ref().map_or("primary", |_| "standby");
            metrics::counter!("db_reads_total", "at" => at).increment(1);
            if let Some(found) = found {
                return Ok(self.connection_to_standby(found));
            }
        }
        self.acquire_for(Purpose::Read, self.acquire_until()).await
    }

    async fn acquire_to_read_without_primary(&self) -> Result<Connection, sqlx::Error> {
        if Attempt::is_of_change() {
            return self.acquire_for(Purpose::Write, self.acquire_until()).await;
        }
        if let Some(standbys) = &self.0.standbys {
            // Standbys come and go while one of them is being promoted.
            let until = Instant::now() + PATIENCE;
            loop {
                if let Some(found) = standbys.acquire_any().await {
                    return Ok(self.connection_to_standby(found));
                }
                if self.has_primary().await || Instant::now() > until {
                    break;
                }
                sleep(STANDBY_POLL).await;
            }
        }
        self.acquire_for(Purpose::Read, self.acquire_until()).await
    }

    fn connection_to_standby(&self, (inner, over): OfStandby) -> Connection {
        Connection::new(inner, Lease::of_standby(self.clone(), over))
    }

    pub(super) fn has_standbys(&self) -> bool {
        self.0.standbys.is_some()
    }

    /// Whether the primary is known and answers.
    async fn has_primary(&self) -> bool {
        let Some(primary) = self.primary() else {
            return true;
        };
        let found = primary.find(Purpose::Read, Duration::ZERO).await;
        matches!(found, Some(Found::Primary(_)))
    }

    /// How far the primary's log is on its disk; none without a primary.
    pub(super) async fn position(&self) -> Result<Option<Position>, sqlx::Error> {
        if !self.has_primary().await {
            return Ok(None);
        }
        let connection = self
            .acquire_for(Purpose::Read, self.acquire_until())
            .await?;
        if self.primary().is_some() && !connection.lease().is_of_primary() {
            return Ok(None);
        }
        let position = connection.read(async |connection| {
            sqlx::query_as!(
                Position,
                r#"SELECT pg_current_wal_flush_lsn()::text AS "lsn!",
                          left(pg_walfile_name(pg_current_wal_flush_lsn()), 8) AS "timeline!""#,
            )
            .fetch_one(connection)
            .await
        });
        position.await.map(Some)
    }

    /// Reads with one statement.
    pub(super) async fn read<T>(
        &self,
        work: impl AsyncFnOnce(&mut PgConnection) -> Result<T, sqlx::Error>,
    ) -> Result<T, sqlx::Error> {
        self.acquire_to_read().await?.read(work).await
    }

    fn acquire_until(&self) -> Instant {
        Instant::now() + self.0.options.get_acquire_timeout()
    }

    async fn acquire_for(
        &self,
        purpose: Purpose,
        until: Instant,
    ) -> Result<Connection, sqlx::Error> {
        let Some(primary) = self.primary() else {
            return self.acquire_in(None, until).await;
        };
        loop {
            let found = timeout_at(until, primary.find(purpose, PATIENCE))
                .await
                .map_err(|_| sqlx::Error::PoolTimedOut)?
                .ok_or(NoPrimary)?;
            let term = match found {
                Found::Primary(term) => term,
                Found::Readable(server) => {
                    let inner = acquire_until(&self.readable(server), until).await?;
                    return Ok(Connection::new(inner, self.lease(None)));
                }
            };
            let acquired = tokio::select! {
                acquired = self.acquire_in(Some(term.clone()), until) => acquired,
                () = primary.lost(&term, self.has_standbys()) => continue,
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

    async fn acquire_in(
        &self,
        term: Option<Term>,
        until: Instant,
    ) -> Result<Connection, sqlx::Error> {
        let inner = acquire_until(&self.pool_of(term.as_ref()), until).await?;
        Ok(Connection::new(inner, self.lease(term)))
    }

    fn lease(&self, term: Option<Term>) -> Lease {
        Lease::new(self.clone(), term)
    }

    /// What knows the primary; none of a pool that others keep.
    pub(super) fn primary(&self) -> Option<&Primary> {
        match &*self.0.source {
            Source::Primary { primary, .. } => Some(primary),
            Source::Pool(_) => None,
        }
    }

    /// A connection of its own, with these settings beside those of the pool's.
    pub async fn open(
        &self,
        settings: impl Fn(PgConnectOptions) -> PgConnectOptions,
    ) -> Result<(PgConnection, Lease), sqlx::Error> {
        let (term, options) = match &*self.0.source {
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
        let (servers, pool) = match &*self.0.source {
            Source::Pool(pool) => return pool.clone(),
            Source::Primary { servers, pool, .. } => (servers, pool),
        };
        let (number, server) = term.map_or((0, 0), |term| (term.number, term.server));
        let is_present = |of: &u64| *of >= number;
        let fresh = || (number, self.connect_to(servers.get(server)));
        present(pool, is_present, fresh)
    }

    /// The pool of a server that is read while there is no primary.
    fn readable(&self, server: usize) -> PgPool {
        let (servers, readable) = match &*self.0.source {
            Source::Pool(pool) => return pool.clone(),
            Source::Primary {
                servers, readable, ..
            } => (servers, readable),
        };
        let is_present = |of: &usize| *of == server;
        let fresh = || (server, self.connect_to(servers.get(server)));
        present(readable, is_present, fresh)
    }

    fn connect_to(&self, server: &PgConnectOptions) -> PgPool {
        let options = self.0.options.clone();
        options.connect_lazy_with(server.clone())
    }

    /// Waits until it is known whether the server is still the primary: a statement said that it is
    /// not. Bounded.
    pub async fn recheck(&self) {
        if let Some(primary) = self.primary() {
            let _ = timeout(PATIENCE, primary.recheck()).await;
        }
    }

    /// Connections that are open, and those of them that nobody uses.
    pub(crate) fn counts(&self) -> (usize, usize) {
        let counts = |pool: &PgPool| {
            let open = usize::try_from(pool.size()).unwrap_or(usize::MAX);
            (open, pool.num_idle().min(open))
        };
        match &*self.0.source {
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

/// Like sqlx's, whose own limit begins anew with each attempt.
async fn acquire_until(
    pool: &PgPool,
    until: Instant,
) -> Result<PoolConnection<Postgres>, sqlx::Error> {
    timeout_at(until, pool.acquire())
        .await
        .unwrap_or(Err(sqlx::Error::PoolTimedOut))
}

/// The pool that is kept, or a fresh one in place of one that is not the present one any more, which
/// is closed.
fn present<K>(
    kept: &Mutex<Option<(K, PgPool)>>,
    is_present: impl FnOnce(&K) -> bool,
    fresh: impl FnOnce() -> (K, PgPool),
) -> PgPool {
    let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((of, pool)) = &*kept
        && is_present(of)
    {
        return pool.clone();
    }
    let (of, pool) = fresh();
    if let Some((_, former)) = kept.replace((of, pool.clone())) {
        tokio::spawn(async move { former.close().await });
    }
    pool
}
