//! The group commit: one task that posts what has queued up while its last commit ran.
//!
//! The task belongs to the process, not to a call, so a caller that goes away breaks nothing: its posting is made or,
//! if its turn had not come, skipped. Every command may be repeated safely, because it carries an order or a key.

use std::time::Duration;

use adfolio_kit::chaos::{Defect, Moment, Site};
use adfolio_kit::clock::{Clock, Ids};
use adfolio_kit::deadline::Deadline;
use adfolio_kit::outbox::Notifier;
use adfolio_kit::refusal::{Reason, Refusal, chain, is_serialization_failure, is_unavailable};
use adfolio_kit::telemetry::{self, Work};
use chrono::{DateTime, Utc};
use metrics::{Counter, Gauge};
use opentelemetry::context::FutureExt as _;
use opentelemetry::trace::{SpanKind, TraceContextExt as _};
use opentelemetry::{Context, KeyValue};
use sqlx::{ConnectOptions, Connection, PgConnection, PgPool};
use tokio::sync::{mpsc, oneshot};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use tracing::{error, warn};

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

/// How long a batch waits for the callers of the last one at most. The timer's resolution is a millisecond.
const GATHERING_LIMIT: Duration = Duration::from_millis(1);

/// A session that was unused for longer is tested before it is used again, so that a restart of the server fails no
/// posting.
const SESSION_IDLE_LIMIT: Duration = Duration::from_millis(500);

/// A session is renewed, so that it follows a failover.
const SESSION_AGE_LIMIT: Duration = Duration::from_mins(30);

/// Limit of opening or testing a session.
const CONNECT_LIMIT: Duration = Duration::from_secs(3);

/// How the session is named in the server's list, behind the service's name.
const SESSION_NAME: &str = "adfolio-wallet-writer";

/// A command that waits for its batch.
#[derive(Debug)]
struct Job {
    command: Command,
    deadline: Deadline,
    traceparent: Option<String>,
    answer: oneshot::Sender<Result<Result<Done, Refused>, WalletError>>,
}

impl Job {
    /// No caller waits any more. Such a command is never posted, so that a caller who gave up can rely on it sooner.
    fn is_over(&self) -> bool {
        self.deadline.has_passed() || self.answer.is_closed()
    }
}

/// Hands commands to the writer. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Queue {
    sender: mpsc::Sender<Job>,
    closing: CancellationToken,
    depth: Gauge,
    refused_when_full: Counter,
}

impl Queue {
    /// Posts a command and answers what became of it. The posting is made even if the caller is gone by then.
    pub async fn post(&self, command: Command, deadline: Deadline) -> Result<Done, WalletError> {
        let (answer, answered) = oneshot::channel();
        let job = Job {
            command,
            deadline,
            traceparent: telemetry::traceparent(),
            answer,
        };
        self.sender.try_send(job).map_err(|_| {
            self.refused_when_full.increment(1);
            WalletError::QueueFull
        })?;
        self.depth.increment(1.0);
        // The writer drops a sender only together with the process.
        let outcome = answered.await.map_err(|_| WalletError::OutcomeUnknown)??;
        Ok(outcome?)
    }

    /// Ends the writer once its queue is empty.
    pub fn close(&self) {
        self.closing.cancel();
    }
}

/// The task behind a [`Queue`].
#[derive(Debug)]
pub struct Writer {
    jobs: mpsc::Receiver<Job>,
    closing: CancellationToken,
    pool: PgPool,
    clock: Clock,
    ids: Ids,
    notifier: Notifier,
    batch_max: usize,
    /// Commands of the last batch.
    last_batch: usize,
    session: Option<Session>,
    metrics: Metrics,
}

/// Handles of the writer's metrics: looking them up for each posting would cost more than counting.
#[derive(Debug)]
struct Metrics {
    depth: Gauge,
    batches: Counter,
    conflicts: Counter,
    outcomes: [(&'static str, Counter); OUTCOMES.len()],
}

impl Metrics {
    fn new(depth: Gauge) -> Self {
        Self {
            depth,
            batches: metrics::counter!("wallet_posting_batches_total"),
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
    opened: Instant,
    used: Instant,
}

impl Session {
    async fn is_usable(&mut self) -> bool {
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
pub fn queue(pool: PgPool, clock: Clock, notifier: Notifier, args: PostingArgs) -> (Queue, Writer) {
    let (sender, jobs) = mpsc::channel(args.posting_queue_max.into());
    let closing = CancellationToken::new();
    let depth = metrics::gauge!("wallet_posting_queue_depth");
    depth.set(0.0);
    let writer = Writer {
        jobs,
        closing: closing.clone(),
        pool,
        clock,
        ids: Ids::random(),
        notifier,
        batch_max: args.posting_batch_max.into(),
        last_batch: 0,
        session: None,
        metrics: Metrics::new(depth.clone()),
    };
    let queue = Queue {
        sender,
        closing,
        depth,
        refused_when_full: metrics::counter!("wallet_postings_refused_by_full_queue_total"),
    };
    (queue, writer)
}

impl Writer {
    /// Posts until the queue is closed and empty.
    pub async fn run(mut self) {
        while let Some(batch) = self.next_batch().await {
            self.post(batch).await;
        }
    }

    /// Waits for work and takes as much as is there, at most a batch. None at the end.
    ///
    /// The callers of the last batch have just been answered, and many will call again at once. If fewer commands are
    /// there than were in it, the others get a moment: two small batches cost much more than one.
    async fn next_batch(&mut self) -> Option<Vec<Job>> {
        let mut batch = Vec::new();
        while batch.is_empty() {
            let job = self.wait().await?;
            self.take(job, &mut batch);
        }
        let give_up = Instant::now() + GATHERING_LIMIT;
        while batch.len() < self.batch_max {
            let job = match self.jobs.try_recv() {
                Ok(job) => Some(job),
                Err(_) if batch.len() >= self.last_batch => None,
                Err(_) => tokio::time::timeout_at(give_up, self.wait())
                    .await
                    .unwrap_or_default(),
            };
            let Some(job) = job else { break };
            self.take(job, &mut batch);
        }
        self.last_batch = batch.len();
        Some(batch)
    }

    /// Takes a command into the batch, unless its caller has gone.
    fn take(&self, job: Job, batch: &mut Vec<Job>) {
        self.metrics.depth.decrement(1.0);
        if job.is_over() {
            let _ = job.answer.send(Err(WalletError::Overdue));
        } else {
            batch.push(job);
        }
    }

    async fn wait(&mut self) -> Option<Job> {
        tokio::select! {
            biased;
            job = self.jobs.recv() => job,
            () = self.closing.cancelled() => None,
        }
    }

    /// Posts a batch and answers its callers.
    async fn post(&mut self, batch: Vec<Job>) {
        match self.attempt(&batch).await {
            Ok(outcomes) => self.answer(batch, outcomes),
            Err(error) if is_outcome_unknown(&error) => {
                warn!(
                    error = chain(&error),
                    postings = batch.len(),
                    "batch was not confirmed"
                );
                for job in batch {
                    let _ = job.answer.send(Err(unconfirmed()));
                }
            }
            // The database refused the whole batch because of one of its commands: each alone, so that no other pays.
            Err(error) if batch.len() > 1 => {
                error!(
                    error = chain(&error),
                    postings = batch.len(),
                    "batch was refused, posting one by one"
                );
                for job in batch {
                    Box::pin(self.post(vec![job])).await;
                }
            }
            Err(error) => {
                for job in batch {
                    error!(error = chain(&error), command = ?job.command, "posting was refused by the database");
                    let _ = job.answer.send(Err(WalletError::PostingFailed));
                }
            }
        }
    }

    /// Posts a batch, again if another replica was at the same wallet, order or key at the same moment: what that one
    /// committed is seen by the next attempt.
    async fn attempt(&mut self, batch: &[Job]) -> Result<Outcomes, sqlx::Error> {
        let items: Vec<Item<'_>> = batch
            .iter()
            .map(|job| Item {
                command: &job.command,
                ids: [self.ids.next(), self.ids.next()],
                traceparent: job.traceparent.as_deref(),
            })
            .collect();
        let work = in_traces_of(batch);
        let mut outcome = self
            .attempt_once(&items, How::Optimistic)
            .with_context(work.clone())
            .await;
        for _ in 0..LOCKING_ATTEMPTS {
            match &outcome {
                Err(error) if is_conflict(error) => {
                    self.metrics.conflicts.increment(1);
                }
                _ => break,
            }
            outcome = self
                .attempt_once(&items, How::Locking)
                .with_context(work.clone())
                .await;
        }
        outcome
    }

    async fn attempt_once(
        &mut self,
        items: &[Item<'_>],
        how: How,
    ) -> Result<Outcomes, sqlx::Error> {
        let mut session = self.take_session().await?;
        // The writing statement commits by itself, so that before its commit is before all of it.
        let sites = items
            .iter()
            .map(|item| Site::caller().labelled(|| item.command.name()));
        sites
            .clone()
            .for_each(|site| site.pass(Moment::BeforeCommit));
        let posted = post(&mut session.connection, self.clock.now(), items, how);
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
        // Planning for each call would cost more than the call; and the one plan must be the one by index, whatever
        // the statistics of tables that were empty a moment ago say.
        let options = (*self.pool.connect_options())
            .clone()
            .application_name(SESSION_NAME)
            .options([
                ("plan_cache_mode", "force_generic_plan"),
                ("enable_seqscan", "off"),
                ("enable_hashjoin", "off"),
                ("enable_mergejoin", "off"),
                ("jit", "off"),
            ]);
        let connection = tokio::time::timeout(CONNECT_LIMIT, options.connect())
            .await
            .map_err(|_| sqlx::Error::PoolTimedOut)??;
        let now = Instant::now();
        Ok(Session {
            connection,
            opened: now,
            used: now,
        })
    }

    fn answer(&self, batch: Vec<Job>, outcomes: Outcomes) {
        self.metrics.batches.increment(1);
        let is_applied =
            |outcome: &Result<Done, Refused>| outcome.as_ref().is_ok_and(|done| !done.is_repeat);
        if outcomes.iter().any(is_applied) {
            self.notifier.notify();
        }
        for (job, outcome) in batch.into_iter().zip(outcomes) {
            self.metrics.count(&outcome);
            // The caller may be gone; the posting stands.
            let _ = job.answer.send(Ok(outcome));
        }
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

/// The work on the batch, in the first sampled trace of its postings; all of them are linked from it.
fn in_traces_of(batch: &[Job]) -> Context {
    let traces = batch.iter().filter_map(|job| job.traceparent.as_deref());
    let mut parents = traces
        .clone()
        .map(|trace| telemetry::context_of(Some(trace)));
    let sampled = parents.find(|parent| parent.span().span_context().is_sampled());
    let parent = sampled.unwrap_or_else(|| telemetry::context_of(traces.clone().next()));
    let postings = i64::try_from(batch.len()).unwrap_or(i64::MAX);
    let work = Work {
        name: "post",
        kind: SpanKind::Internal,
        fields: vec![KeyValue::new("postings", postings)],
    };
    work.begin(&parent, |span| {
        span.update_name("post");
        traces.for_each(|trace| telemetry::link(span, trace));
    })
}

/// The answer to the callers of a batch that failed but may have been committed.
fn unconfirmed() -> WalletError {
    if Defect::UnconfirmedIsRefused.is_enabled() {
        return Refusal::new(Reason::InsufficientBalance).into();
    }
    WalletError::OutcomeUnknown
}

/// Whether the batch may have been committed although it failed.
fn is_outcome_unknown(error: &sqlx::Error) -> bool {
    is_unavailable(error) || !matches!(error, sqlx::Error::Database(_))
}

/// Whether another batch got in the way: the same new order or key, or a deadlock.
fn is_conflict(error: &sqlx::Error) -> bool {
    is_serialization_failure(error)
        || error
            .as_database_error()
            .is_some_and(sqlx::error::DatabaseError::is_unique_violation)
}
