//! Reads at standbys.
//!
//! A reader must see what its user just did, whichever replica answers. So a read asks the primary
//! how far its log is on disk, and goes to a standby that has replayed that much within
//! [`REPLAY_LIMIT`], else to the primary. Reads that ask at the same time share one question.
//! Without a primary any standby will do that has replayed what it got: a synchronous one got every
//! acknowledged commit.
//!
//! Positions of two timelines cannot be compared: a former primary that is cut off and has become a
//! standby may be ahead of the new one, with commits that nobody acknowledged. So a standby must
//! have the primary's timeline. It notes that only when it writes pages: after a failover it may
//! take minutes until it is read again.
//!
//! One task for each server asks it every [`HEARTBEAT`] whether it is a standby. Connections to one
//! that is not, or that does not answer, are closed together, and what is read there is given up.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use rand::seq::SliceRandom as _;
use sqlx::pool::PoolConnection;
use sqlx::postgres::{PgConnectOptions, PgPoolOptions};
use sqlx::{ConnectOptions as _, PgConnection, PgPool, Postgres};
use tokio::sync::{mpsc, oneshot, watch};
use tokio::time::{Instant, sleep, timeout};
use tokio_util::sync::CancellationToken;
use tracing::{debug, info};

use super::Pool;
use super::servers::Servers;
use crate::refusal::is_without_primary;

/// How often a server is asked whether it is a standby.
const HEARTBEAT: Duration = Duration::from_millis(500);

/// How often one is asked that did not answer.
const SEEK_INTERVAL: Duration = Duration::from_millis(100);

/// A server that answers later than this is as good as gone.
const ANSWER_LIMIT: Duration = Duration::from_secs(1);

/// The session that asks is renewed, so that it follows an address that moved to another server.
const SESSION_AGE_LIMIT: Duration = Duration::from_secs(10);

/// A standby that has not replayed the log so far within this time is not read.
const REPLAY_LIMIT: Duration = Duration::from_millis(100);

/// How often a standby is asked meanwhile.
const REPLAY_POLL: Duration = Duration::from_millis(2);

/// A standby that gives no connection within this time is not read.
const CONNECT_LIMIT: Duration = Duration::from_millis(250);

/// A standby that was late is left alone for this long.
const REST: Duration = Duration::from_secs(1);

/// Reads that wait for one answer of the primary. Further ones go to the primary.
const WAITING_MAX: usize = 1_024;

/// How far a primary's log is on its disk.
#[derive(Clone, Debug)]
pub(super) struct Position {
    pub(super) lsn: String,
    /// In hexadecimal digits, as in the names of its files.
    pub(super) timeline: String,
}

/// What a standby must show.
#[derive(Clone, Debug)]
enum Wanted {
    /// The log of the primary until this position.
    Until(Position),
    /// What it has got: there is no primary.
    Everything,
    /// Nothing is known, because the primary does not say.
    Unknown,
}

/// Standbys of a database.
#[derive(Debug)]
pub(super) struct Standbys {
    standbys: Vec<Standby>,
    asking: mpsc::Sender<oneshot::Sender<Wanted>>,
}

#[derive(Debug)]
struct Standby {
    /// Its connections, while it is one.
    open: watch::Receiver<Option<Open>>,
    rests_until: Mutex<Instant>,
}

/// Connections to a standby.
#[derive(Clone, Debug)]
struct Open {
    pool: PgPool,
    /// It is no standby any more, or does not answer.
    over: CancellationToken,
}

impl Standbys {
    /// The standbys among `servers` of the database that `primary` leads to. Must be called inside a
    /// runtime.
    pub(super) fn of(servers: &Servers, options: &PgPoolOptions, primary: Pool) -> Self {
        let standbys = servers.iter().map(|server| {
            let (sender, open) = watch::channel(None);
            tokio::spawn(watch_server(server.clone(), options.clone(), sender));
            Standby {
                open,
                rests_until: Mutex::new(Instant::now()),
            }
        });
        let standbys = standbys.collect();
        let (asking, asked) = mpsc::channel(WAITING_MAX);
        tokio::spawn(answer(primary, asked));
        Self { standbys, asking }
    }

    /// A connection to a standby that shows all that was committed until now; none if there is none.
    pub(super) async fn acquire(&self) -> Option<OfStandby> {
        let now = Instant::now();
        let usable: Vec<_> = self
            .standbys
            .iter()
            .filter(|standby| standby.rests_until() <= now)
            .filter_map(Standby::usable)
            .collect();
        if usable.is_empty() {
            return None;
        }
        let (sender, answered) = oneshot::channel();
        self.asking.try_send(sender).ok()?;
        match answered.await.ok()? {
            Wanted::Until(position) => acquire_in_any(usable, Some(&position)).await,
            Wanted::Everything => acquire_in_any(usable, None).await,
            Wanted::Unknown => None,
        }
    }

    /// A connection to a standby that shows all that it has got, for reads without a primary.
    pub(super) async fn acquire_any(&self) -> Option<OfStandby> {
        let usable = self.standbys.iter().filter_map(Standby::usable).collect();
        acquire_in_any(usable, None).await
    }
}

/// A connection to a standby, and what ends with the standby.
pub(super) type OfStandby = (PoolConnection<Postgres>, CancellationToken);

async fn acquire_in_any(
    mut standbys: Vec<(&Standby, Open)>,
    position: Option<&Position>,
) -> Option<OfStandby> {
    standbys.shuffle(&mut rand::rng());
    for (standby, Open { pool, over }) in standbys {
        let acquired = tokio::select! {
            acquired = standby.acquire_in(&pool, position) => acquired,
            () = over.cancelled() => None,
        };
        if let Some(connection) = acquired {
            return Some((connection, over));
        }
    }
    None
}

impl Standby {
    fn usable(&self) -> Option<(&Self, Open)> {
        Some((self, self.open.borrow().clone()?))
    }

    fn rests_until(&self) -> Instant {
        *self
            .rests_until
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    async fn acquire_in(
        &self,
        pool: &PgPool,
        position: Option<&Position>,
    ) -> Option<PoolConnection<Postgres>> {
        // All its connections may be in use: then the primary helps.
        let mut connection = timeout(CONNECT_LIMIT, pool.acquire()).await.ok()?.ok()?;
        match timeout(REPLAY_LIMIT, replayed(&mut connection, position)).await {
            Ok(Ok(true)) => return Some(connection),
            Ok(Ok(false)) => {}
            Ok(Err(error)) => debug!(%error, "standby cannot be read"),
            // The question may still be under way.
            Err(_) => drop(connection.detach()),
        }
        let mut rests_until = self
            .rests_until
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        *rests_until = Instant::now() + REST;
        None
    }
}

/// Asks the primary once for all reads that wait.
async fn answer(primary: Pool, mut asked: mpsc::Receiver<oneshot::Sender<Wanted>>) {
    let mut waiting = Vec::new();
    while asked.recv_many(&mut waiting, WAITING_MAX).await > 0 {
        let wanted = match primary.position().await {
            Ok(Some(position)) => Wanted::Until(position),
            Ok(None) => Wanted::Everything,
            Err(error) if is_without_primary(&error) => Wanted::Everything,
            Err(_) => Wanted::Unknown,
        };
        for one in waiting.drain(..) {
            let _ = one.send(wanted.clone());
        }
    }
}

/// Waits until a standby has replayed the log so far, or all that it has got. False if it is none of
/// that primary.
async fn replayed(
    connection: &mut PgConnection,
    position: Option<&Position>,
) -> Result<bool, sqlx::Error> {
    let lsn = position.map(|position| position.lsn.as_str());
    loop {
        let answer = sqlx::query!(
            r#"SELECT pg_is_in_recovery() AS "is_standby!",
                      lpad(to_hex(min_recovery_end_timeline), 8, '0') AS "timeline!",
                      coalesce(pg_last_wal_replay_lsn()
                               >= coalesce($1::text::pg_lsn, pg_last_wal_receive_lsn()),
                               $1 IS NULL) AS "has_replayed!"
               FROM pg_control_recovery()"#,
            lsn,
        )
        .fetch_one(&mut *connection)
        .await?;
        let is_behind =
            |position: &Position| !position.timeline.eq_ignore_ascii_case(&answer.timeline);
        if !answer.is_standby || position.is_some_and(is_behind) {
            return Ok(false);
        }
        if answer.has_replayed {
            return Ok(true);
        }
        sleep(REPLAY_POLL).await;
    }
}

/// Opens and closes the connections to a server, as it is a standby or not.
async fn watch_server(
    server: PgConnectOptions,
    options: PgPoolOptions,
    open: watch::Sender<Option<Open>>,
) {
    let mut session = None;
    loop {
        let answer = timeout(ANSWER_LIMIT, is_standby(&server, &mut session)).await;
        let (is_standby, pause) = match answer {
            Ok(Ok(is_standby)) => (is_standby, HEARTBEAT),
            Ok(Err(error)) => {
                debug!(%error, "standby does not answer");
                (false, SEEK_INTERVAL)
            }
            Err(_) => (false, SEEK_INTERVAL),
        };
        settle(is_standby, &server, &options, &open);
        tokio::select! {
            () = sleep(pause) => {}
            () = open.closed() => return,
        }
    }
}

fn settle(
    is_standby: bool,
    server: &PgConnectOptions,
    options: &PgPoolOptions,
    open: &watch::Sender<Option<Open>>,
) {
    let was_standby = open.borrow().is_some();
    if is_standby == was_standby {
        return;
    }
    let (host, port) = (server.get_host(), server.get_port());
    let now = if is_standby {
        info!(host, port, "standby is read");
        Some(Open {
            pool: options.clone().connect_lazy_with(server.clone()),
            over: CancellationToken::new(),
        })
    } else {
        info!(host, port, "standby is not read any more");
        None
    };
    if let Some(former) = open.send_replace(now) {
        former.over.cancel();
        tokio::spawn(async move { former.pool.close().await });
    }
}

/// A session that asks, and when it was opened. None after a question that was not answered.
type Session = Option<(PgConnection, Instant)>;

async fn is_standby(server: &PgConnectOptions, kept: &mut Session) -> Result<bool, sqlx::Error> {
    let (mut session, opened) = match kept.take() {
        Some(kept) if kept.1.elapsed() < SESSION_AGE_LIMIT => kept,
        _ => (server.connect().await?, Instant::now()),
    };
    let is_standby = sqlx::query_scalar!(r#"SELECT pg_is_in_recovery() AS "is_standby!""#)
        .fetch_one(&mut session)
        .await?;
    *kept = Some((session, opened));
    Ok(is_standby)
}
