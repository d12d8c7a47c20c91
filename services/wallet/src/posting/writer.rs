//! The group commit of postings: kit's queue, and what its writer does with a batch.
//!
//! Every command may be repeated safely, because it carries an order or a key.

use std::sync::Arc;
use std::time::Duration;

use adfolio_kit::chaos::{Defect, Moment, Site};
use adfolio_kit::clock::{Clock, Ids};
use adfolio_kit::db::{self, Lease, NoPrimary, Pool};
use adfolio_kit::deadline::Deadline;
use adfolio_kit::group_commit::{self, Limits, NotCommitted, Queued, Work};
use adfolio_kit::outbox::Notifier;
use adfolio_kit::refusal::{
    Reason, Refusal, chain, is_moved, is_read_only, is_serialization_failure, is_unavailable,
    is_without_primary,
};
use chrono::{DateTime, Utc};
use metrics::Counter;
use sqlx::{Connection, PgConnection};
use tokio::time::Instant;
use tracing::error;

use super::batch::Item;
use super::command::Command;
use super::outcome::{Done, OUTCOMES, Refused, outcome_name};
use super::repo::{self, Outcomes};
use crate::config::PostingArgs;
use crate::error::WalletError;

/// A batch must be posted within this; the database's own limits end it earlier.
const BATCH_LIMIT: Duration = Duration::from_secs(15);

/// Attempts under locks at a batch that got in the way of another replica's.
const LOCKING_ATTEMPTS: u32 = 3;

/// Attempts at a batch that met a server that had stopped being the primary.
const MOVED_ATTEMPTS: u32 = 3;

/// A session that was unused for longer is tested before it is used again, so that a restart of the server fails no
/// posting.
const SESSION_IDLE_LIMIT: Duration = Duration::from_millis(500);

/// A session is renewed, so that it follows a failover.
const SESSION_AGE_LIMIT: Duration = Duration::from_mins(30);

/// Limit of opening or testing a session.
const CONNECT_LIMIT: Duration = Duration::from_secs(3);

/// How the session is named in the server's list, behind the service's name.
const SESSION_NAME: &str = "adfolio-wallet-writer";

/// Hands commands to the writer. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Queue(group_commit::Queue<Posting>);

/// The task behind a [`Queue`].
pub type Writer = group_commit::Writer<Posting>;

impl Queue {
    /// Posts a command and answers what became of it. The posting is made even if the caller is gone by then.
    pub async fn post(&self, command: Command, deadline: Deadline) -> Result<Done, WalletError> {
        let outcome = self.0.commit(command, deadline).await;
        Ok(outcome??)
    }

    /// Ends the writer once its queue is empty.
    pub fn close(&self) {
        self.0.close();
    }
}

impl From<NotCommitted<sqlx::Error>> for WalletError {
    fn from(why: NotCommitted<sqlx::Error>) -> Self {
        match why {
            NotCommitted::QueueFull => Self::QueueFull,
            NotCommitted::Overdue => Self::Overdue,
            NotCommitted::Unconfirmed => unconfirmed(),
            NotCommitted::Paused => sqlx::Error::from(NoPrimary).into(),
            NotCommitted::Failed(_) => Self::PostingFailed,
        }
    }
}

/// What the writer does with a batch.
#[derive(Debug)]
pub struct Posting {
    pool: Pool,
    clock: Clock,
    ids: Ids,
    notifier: Notifier,
    session: Option<Session>,
    metrics: Metrics,
}

/// Handles of the writer's metrics: looking them up for each posting would cost more than counting.
#[derive(Debug)]
struct Metrics {
    conflicts: Counter,
    outcomes: [(&'static str, Counter); OUTCOMES.len()],
}

impl Metrics {
    fn new() -> Self {
        Self {
            conflicts: metrics::counter!("wallet_posting_conflicts_total"),
            outcomes: OUTCOMES.map(|name| {
                (
                    name,
                    metrics::counter!("wallet_postings_total", "outcome" => name),
                )
            }),
        }
    }

    fn count(&self, outcome: &Result<Done, Refused>) {
        let name = outcome_name(outcome);
        for (_, counter) in self.outcomes.iter().filter(|(it, _)| *it == name) {
            counter.increment(1);
        }
    }
}

/// The writer's own session with the database.
#[derive(Debug)]
struct Session {
    connection: PgConnection,
    lease: Lease,
    opened: Instant,
    used: Instant,
}

impl Session {
    async fn is_usable(&mut self) -> bool {
        if !self.lease.is_valid() {
            return false;
        }
        if self.used.elapsed() < SESSION_IDLE_LIMIT {
            return true;
        }
        let answered = tokio::time::timeout(CONNECT_LIMIT, self.connection.ping()).await;
        answered.is_ok_and(|pinged| pinged.is_ok())
    }
}

/// How a batch is kept apart from what others commit meanwhile.
#[derive(Clone, Copy, Debug)]
enum How {
    /// It fails if it was overtaken. Two round trips, and no transaction but the writing statement's own.
    Optimistic,
    /// It locks the wallets first.
    Locking,
}

/// Makes a queue and its writer.
pub fn queue(pool: Pool, clock: Clock, notifier: Notifier, args: PostingArgs) -> (Queue, Writer) {
    let posting = Posting {
        pool,
        clock,
        ids: Ids::random(),
        notifier,
        session: None,
        metrics: Metrics::new(),
    };
    let limits = Limits {
        batch_max: args.posting_batch_max.into(),
        queue_max: args.posting_queue_max.into(),
        // The postings of puts arrive together, by the pace of plan's batches.
        pace: Duration::ZERO,
    };
    let metrics = group_commit::Metrics {
        depth: metrics::gauge!("wallet_posting_queue_depth"),
        batches: metrics::counter!("wallet_posting_batches_total"),
        refused_when_full: metrics::counter!("wallet_postings_refused_by_full_queue_total"),
    };
    let (queue, writer) = group_commit::queue(posting, limits, metrics);
    (Queue(queue), writer)
}

impl Work for Posting {
    type Command = Command;
    type Outcome = Result<Done, Refused>;
    type Failure = sqlx::Error;

    const NAME: &'static str = "post";

    /// Posts a batch, again if another replica was at the same wallet, order or key at the same moment: what that one
    /// committed is seen by the next attempt.
    async fn commit(&mut self, batch: &[Arc<Queued<Command>>]) -> Result<Outcomes, sqlx::Error> {
        let items: Vec<Item<'_>> = batch
            .iter()
            .map(|queued| Item {
                command: &queued.command,
                ids: [self.ids.next(), self.ids.next()],
                traceparent: queued.traceparent.as_deref(),
            })
            .collect();
        let mut outcome = self.attempt(&items, How::Optimistic).await;
        for _ in 0..MOVED_ATTEMPTS {
            if !outcome.as_ref().is_err_and(is_read_only) {
                break;
            }
            // Nothing was posted. The next session waits for the primary.
            self.pool.recheck().await;
            outcome = self.attempt(&items, How::Optimistic).await;
        }
        for _ in 0..LOCKING_ATTEMPTS {
            match &outcome {
                Err(error) if is_conflict(error) => {
                    self.metrics.conflicts.increment(1);
                }
                _ => break,
            }
            outcome = self.attempt(&items, How::Locking).await;
        }
        if let (Err(error), [queued]) = (&outcome, batch)
            && !Self::is_unconfirmed(error)
            && !Self::is_paused(error)
        {
            error!(error = chain(error), command = ?queued.command, "posting was refused by the database");
        }
        outcome
    }

    fn is_unconfirmed(failure: &sqlx::Error) -> bool {
        is_unavailable(failure) || !matches!(failure, sqlx::Error::Database(_))
    }

    fn is_paused(failure: &sqlx::Error) -> bool {
        is_without_primary(failure)
    }

    fn committed(&mut self, outcomes: &[Result<Done, Refused>]) {
        let is_applied =
            |outcome: &Result<Done, Refused>| outcome.as_ref().is_ok_and(|done| !done.is_repeat);
        if outcomes.iter().any(is_applied) {
            self.notifier.notify();
        }
        for outcome in outcomes {
            self.metrics.count(outcome);
        }
    }
}

impl Posting {
    async fn attempt(&mut self, items: &[Item<'_>], how: How) -> Result<Outcomes, sqlx::Error> {
        let mut session = self.take_session().await?;
        // The writing statement commits by itself, so that before its commit is before all of it.
        let sites = items
            .iter()
            .map(|item| Site::caller().labelled(|| item.command.name()));
        sites
            .clone()
            .for_each(|site| site.pass(Moment::BeforeCommit));
        let posted = post(&mut session.connection, self.clock.now(), items, how);
        let posted = session.lease.until_over(posted);
        match tokio::time::timeout(BATCH_LIMIT, posted).await {
            Ok(Ok(outcomes)) => {
                sites.for_each(|site| site.pass(Moment::AfterCommit));
                session.used = Instant::now();
                self.session = Some(session);
                Ok(outcomes)
            }
            // A refused statement leaves the session as it was; one in a transaction of its own has ended that.
            Ok(Err(error)) => {
                if matches!(error, sqlx::Error::Database(_)) && !is_unavailable(&error) {
                    self.session = Some(session);
                }
                Err(error)
            }
            // The future was dropped half way, so the state of the session is unknown: it is closed.
            Err(_) => Err(sqlx::Error::PoolTimedOut),
        }
    }

    /// The writer's session: the one there is, or a new one if there is none or it is gone.
    async fn take_session(&mut self) -> Result<Session, sqlx::Error> {
        if let Some(mut session) = self.session.take()
            && session.opened.elapsed() < SESSION_AGE_LIMIT
            && session.is_usable().await
        {
            return Ok(session);
        }
        let mut attempts_left = MOVED_ATTEMPTS;
        loop {
            let error = match self.open_session().await {
                Ok(session) => return Ok(session),
                Err(error) => error,
            };
            attempts_left -= 1;
            if attempts_left == 0 || !is_moved(&error) {
                // Nothing was posted, so that the callers may be told so.
                return Err(if is_unavailable(&error) {
                    NoPrimary.into()
                } else {
                    error
                });
            }
            self.pool.recheck().await;
        }
    }

    async fn open_session(&self) -> Result<Session, sqlx::Error> {
        let opened = self
            .pool
            .open(|options| db::planned_once(options.application_name(SESSION_NAME)));
        let (connection, lease) = tokio::time::timeout(CONNECT_LIMIT, opened)
            .await
            .map_err(|_| sqlx::Error::PoolTimedOut)??;
        let now = Instant::now();
        Ok(Session {
            connection,
            lease,
            opened: now,
            used: now,
        })
    }
}

async fn post(
    connection: &mut PgConnection,
    now: DateTime<Utc>,
    items: &[Item<'_>],
    how: How,
) -> Result<Outcomes, sqlx::Error> {
    match how {
        How::Optimistic => repo::post(connection, now, items).await,
        How::Locking => {
            let mut tx = connection.begin().await?;
            let outcomes = repo::post_in_tx(&mut tx, now, items).await?;
            tx.commit().await?;
            Ok(outcomes)
        }
    }
}

/// The answer to the callers of a batch that failed but may have been committed.
fn unconfirmed() -> WalletError {
    if Defect::UnconfirmedIsRefused.is_enabled() {
        return Refusal::new(Reason::InsufficientBalance).into();
    }
    WalletError::OutcomeUnknown
}

/// Whether another batch got in the way: the same new order or key, or a deadlock.
fn is_conflict(error: &sqlx::Error) -> bool {
    is_serialization_failure(error)
        || error
            .as_database_error()
            .is_some_and(sqlx::error::DatabaseError::is_unique_violation)
}
