//! Which server of a database is the primary, and since when.
//!
//! PostgreSQL tells nobody that another server has taken over. The old one may be dead, frozen, cut
//! off, or alive and read-only with all its connections open, as after the failover of a managed
//! server. So one task per process asks: the primary every half second and as soon as a statement
//! met something strange, all servers while there is none.
//!
//! The time that a server is the primary is a [`Term`]. Pools of connections belong to a term: with
//! it, all of them go at once, and what runs on them is given up, because a frozen server would
//! never answer.
//!
//! A term ends when its server says that it is read-only, when it has been started anew, or when
//! another server is the primary. A server that only does not answer may come back: until then
//! there is no primary, but the term goes on. A primary of an older timeline than one that was seen
//! before is none: it does not know yet that it was replaced.

mod asking;

use std::sync::Arc;
use std::time::Duration;

use chrono::{DateTime, Utc};
use sqlx::postgres::PgConnectOptions;
use sqlx::postgres::types::PgInterval;
use sqlx::{ConnectOptions as _, PgConnection};
use tokio::sync::{Notify, watch};
use tokio::time::{Instant, timeout, timeout_at};
use tokio_util::sync::{CancellationToken, DropGuard};

use self::asking::Asking;
use super::servers::Servers;
use crate::chaos::Defect;

/// A primary whose standby is gone acknowledges no commit. Once one of this process has waited for
/// longer, no more are begun.
const STALL_LIMIT: Duration = Duration::from_secs(1);

/// A server that answers later than this is as good as gone.
const ANSWER_LIMIT: Duration = Duration::from_secs(1);

/// What a server says about itself.
#[derive(Clone, Copy, Debug)]
struct Seen {
    /// The timeline it writes; none if it is a standby or read-only.
    writes: Option<u32>,
    started_at: DateTime<Utc>,
    /// Whether commits wait for a standby.
    is_stalled: bool,
}

/// The time that a server is the primary.
#[derive(Clone, Debug)]
pub(super) struct Term {
    /// Counts terms from 1.
    pub(super) number: u64,
    /// The server's index.
    pub(super) server: usize,
    timeline: u32,
    started_at: DateTime<Utc>,
    over: CancellationToken,
}

impl Term {
    /// Waits until another term begins, or the server is read-only.
    pub(super) async fn over(&self) {
        self.over.cancelled().await;
    }

    pub(super) fn is_over(&self) -> bool {
        self.over.is_cancelled()
    }

    /// Whether the server says that it is the primary as it was.
    fn is_of(&self, seen: &Seen) -> bool {
        seen.writes == Some(self.timeline) && seen.started_at == self.started_at
    }
}

/// What is known now.
#[derive(Clone, Debug)]
enum Standing {
    /// The primary answers.
    Primary {
        term: Term,
        /// Since when its commits wait for a standby.
        stalled_since: Option<Instant>,
    },
    /// No server says that it is the primary.
    None {
        since: Instant,
        /// The last term. It goes on if its server answers again as it was.
        last: Option<Term>,
        /// A server that answers and can be read, by its index.
        readable: Option<usize>,
    },
}

/// What a connection may lead to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Purpose {
    /// The primary.
    Write,
    /// The primary or, without one, a server that can be read.
    Read,
}

/// Where a connection leads.
#[derive(Clone, Debug)]
pub(super) enum Found {
    /// To the primary of this term.
    Primary(Term),
    /// To a server that is not the primary, by its index.
    Readable(usize),
}

impl Standing {
    fn term(&self) -> Option<&Term> {
        match self {
            Self::Primary { term, .. } => Some(term),
            Self::None { .. } => None,
        }
    }

    fn is_stalled(&self) -> bool {
        matches!(
            self,
            Self::Primary {
                stalled_since: Some(_),
                ..
            }
        )
    }

    fn last(&self) -> Option<&Term> {
        match self {
            Self::Primary { term, .. } => Some(term),
            Self::None { last, .. } => last.as_ref(),
        }
    }
}

/// Knows the primary. Cheap to clone; the last clone ends the task that asks.
#[derive(Clone, Debug)]
pub(super) struct Primary {
    standing: watch::Receiver<Standing>,
    /// When the last question that is answered was asked.
    asked: watch::Receiver<Instant>,
    doubt: Arc<Notify>,
    /// Whether there is but one server, or one address.
    is_single: bool,
    _asking: Arc<DropGuard>,
}

impl Primary {
    /// Starts to ask. Must be called inside a runtime.
    pub(super) fn of(servers: Servers) -> Self {
        let none = Standing::None {
            since: Instant::now(),
            last: None,
            readable: None,
        };
        let (sender, standing) = watch::channel(none);
        let (asked_sender, asked) = watch::channel(Instant::now());
        let doubt = Arc::new(Notify::new());
        let stop = CancellationToken::new();
        let is_single = servers.iter().len() == 1;
        let asking = Asking {
            servers,
            standing: sender,
            asked: asked_sender,
            doubt: Arc::clone(&doubt),
            session: None,
        };
        let stopped = stop.clone();
        tokio::spawn(async move {
            tokio::select! {
                () = asking.run() => {}
                () = stopped.cancelled() => {}
            }
        });
        Self {
            standing,
            asked,
            doubt,
            is_single,
            _asking: Arc::new(stop.drop_guard()),
        }
    }

    /// Waits for a server, until there has been none for `patience`.
    pub(super) async fn find(&self, purpose: Purpose, patience: Duration) -> Option<Found> {
        let mut standing = self.standing.clone();
        loop {
            let since = match &*standing.borrow_and_update() {
                Standing::Primary {
                    stalled_since: Some(since),
                    ..
                } if purpose == Purpose::Write => *since,
                Standing::Primary { term, .. } => return Some(Found::Primary(term.clone())),
                Standing::None {
                    readable: Some(server),
                    ..
                } if purpose == Purpose::Read => return Some(Found::Readable(*server)),
                Standing::None { since, .. } => *since,
            };
            let changed = timeout_at(since + patience, standing.changed()).await;
            if !matches!(changed, Ok(Ok(()))) {
                return None;
            }
        }
    }

    /// Waits until this term's server is not known to answer any more. That is of no use if no other
    /// server could answer: this one may be slow. `has_others` says that there are some beside those
    /// that are known here.
    pub(super) async fn lost(&self, term: &Term, has_others: bool) {
        if self.is_single && !has_others {
            return term.over().await;
        }
        let mut standing = self.standing.clone();
        let is_other = |now: &Standing| now.term().is_none_or(|now| now.number != term.number);
        if standing.wait_for(is_other).await.is_err() {
            std::future::pending::<()>().await;
        }
    }

    /// Has the primary asked at once: a statement met something strange.
    pub(super) fn doubt(&self) {
        self.doubt.notify_one();
    }

    /// Has the primary asked at once, and waits until that is answered.
    pub(super) async fn recheck(&self) {
        let now = Instant::now();
        let mut asked = self.asked.clone();
        self.doubt();
        let _ = asked.wait_for(|at| *at >= now).await;
    }
}

/// A session with the first server that says that it is the primary or, without one, with one that
/// can be read.
pub(super) async fn open_best(servers: &Servers) -> Result<PgConnection, sqlx::Error> {
    let mut readable = None;
    let mut failed = sqlx::Error::PoolTimedOut;
    for server in servers.iter() {
        let answer = timeout(ANSWER_LIMIT, async {
            let mut session = open(server).await?;
            let seen = ask(&mut session).await?;
            Ok((session, seen.writes.is_some()))
        });
        match answer.await {
            Ok(Ok((session, true))) => return Ok(session),
            Ok(Ok((session, false))) => readable = Some(session),
            Ok(Err(error)) => failed = error,
            Err(_) => {}
        }
    }
    readable.ok_or(failed)
}

async fn open(server: &PgConnectOptions) -> Result<PgConnection, sqlx::Error> {
    server.connect().await
}

async fn ask(session: &mut PgConnection) -> Result<Seen, sqlx::Error> {
    let row = sqlx::query!(
        r#"SELECT CASE WHEN pg_is_in_recovery() THEN NULL
                       ELSE left(pg_walfile_name(pg_current_wal_lsn()), 8) END AS "timeline",
                  current_setting('transaction_read_only')::boolean AS "is_read_only!",
                  pg_postmaster_start_time() AS "started_at!",
                  EXISTS (SELECT FROM pg_stat_activity
                          WHERE usename = current_user AND wait_event = 'SyncRep'
                            AND state_change < clock_timestamp() - $1::interval) AS "is_stalled!""#,
        PgInterval::try_from(STALL_LIMIT).map_err(sqlx::Error::Encode)?,
    )
    .fetch_one(session)
    .await?;
    let is_read_only = row.is_read_only && !Defect::ReadOnlyUnnoticed.is_enabled();
    let writes = row
        .timeline
        .filter(|_| !is_read_only)
        .map(|hex| u32::from_str_radix(&hex, 16))
        .transpose()
        .map_err(|error| sqlx::Error::Decode(error.into()))?;
    Ok(Seen {
        writes,
        started_at: row.started_at,
        is_stalled: row.is_stalled,
    })
}
