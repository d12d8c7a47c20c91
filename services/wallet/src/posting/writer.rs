//! The group commit: one task that posts what has queued up while its last commit ran.
//!
//! The task belongs to the process, not to a call, so a caller that goes away breaks nothing: its posting is made or,
//! if its turn had not come, skipped. Every command may be repeated safely, because it carries an order or a key.

use std::collections::{HashSet, VecDeque};
use std::time::Duration;

use adfolio_kit::chaos::{Defect, Moment, Site};
use adfolio_kit::clock::{Clock, Ids};
use adfolio_kit::deadline::Deadline;
use adfolio_kit::outbox::Notifier;
use adfolio_kit::refusal::{Reason, Refusal, chain, is_serialization_failure, is_unavailable};
use adfolio_kit::telemetry;
use sqlx::pool::PoolConnection;
use sqlx::{PgPool, Postgres};
use tokio::sync::{mpsc, oneshot};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use tracing::field::Empty;
use tracing::{Instrument, Span, error, info_span, warn};

use super::entity::{Command, Subject};
use super::outcome::{Decision, Done};
use super::repo::{self, Item};
use crate::config::PostingArgs;
use crate::error::WalletError;

/// A batch must be posted within this; the database's own limits end it earlier.
const BATCH_LIMIT: Duration = Duration::from_secs(15);

/// Attempts at a batch that got in the way of another replica's, the first included.
const CONFLICT_ATTEMPTS: u32 = 4;

/// A connection that was unused for longer goes back to the pool, which tests it before it is used again.
const CONNECTION_IDLE_LIMIT: Duration = Duration::from_millis(500);

/// A command that waits for its batch.
#[derive(Debug)]
struct Job {
    command: Command,
    deadline: Deadline,
    traceparent: Option<String>,
    answer: oneshot::Sender<Result<Decision, WalletError>>,
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
            metrics::counter!("wallet_postings_refused_by_full_queue_total").increment(1);
            WalletError::QueueFull
        })?;
        // The writer drops a sender only together with the process.
        answered
            .await
            .map_err(|_| WalletError::OutcomeUnknown)?
            .and_then(Decision::into_answer)
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
    /// Commands whose subject was in the batch already: the next batch begins with them.
    postponed: VecDeque<Job>,
    connection: Option<(PoolConnection<Postgres>, Instant)>,
}

/// Makes a queue and its writer.
pub fn queue(pool: PgPool, clock: Clock, notifier: Notifier, args: PostingArgs) -> (Queue, Writer) {
    let (sender, jobs) = mpsc::channel(args.posting_queue_max.into());
    let closing = CancellationToken::new();
    let writer = Writer {
        jobs,
        closing: closing.clone(),
        pool,
        clock,
        ids: Ids::random(),
        notifier,
        batch_max: args.posting_batch_max.into(),
        postponed: VecDeque::new(),
        connection: None,
    };
    (Queue { sender, closing }, writer)
}

impl Writer {
    /// Posts until the queue is closed and empty.
    pub async fn run(mut self) {
        while let Some(batch) = self.next_batch().await {
            self.post(batch).await;
        }
    }

    /// Waits for work and takes as much as is there, at most a batch. Each subject is in it once: the statement decides
    /// about an order or a key by what was committed before it. None at the end.
    async fn next_batch(&mut self) -> Option<Vec<Job>> {
        self.record_depth();
        let mut batch: Vec<Job> = Vec::new();
        let mut subjects: HashSet<Subject> = HashSet::new();
        let mut again = VecDeque::new();
        let mut candidates = std::mem::take(&mut self.postponed);
        while batch.len() < self.batch_max && again.len() < self.batch_max {
            let job = match candidates.pop_front() {
                Some(job) => job,
                None => match self.jobs.try_recv() {
                    Ok(job) => job,
                    Err(_) if batch.is_empty() && again.is_empty() => self.wait().await?,
                    Err(_) => break,
                },
            };
            if job.is_over() {
                let _ = job.answer.send(Err(WalletError::Overdue));
                continue;
            }
            let about = job.command.subjects();
            if about.iter().any(|subject| subjects.contains(subject)) {
                again.push_back(job);
            } else {
                batch.push(job);
            }
            // What was put off keeps its subjects, too, so that later commands do not overtake it.
            subjects.extend(about);
        }
        again.append(&mut candidates);
        self.postponed = again;
        Some(batch)
    }

    /// Records in the metrics how many commands wait for the next batch.
    #[allow(clippy::cast_precision_loss, reason = "gauges are floats")]
    fn record_depth(&self) {
        let depth = self.jobs.len().saturating_add(self.postponed.len());
        metrics::gauge!("wallet_posting_queue_depth").set(depth as f64);
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
            Ok(decisions) => self.answer(batch, decisions),
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

    /// Posts a batch, again if another replica was at the same order or key at the same moment: what that one committed
    /// is seen by the next attempt.
    async fn attempt(&mut self, batch: &[Job]) -> Result<Vec<(usize, Decision)>, sqlx::Error> {
        let ids = batch.iter().map(|_| [self.ids.next(), self.ids.next()]);
        let items: Vec<Item<'_>> = batch
            .iter()
            .zip(ids)
            .map(|(job, ids)| Item {
                command: &job.command,
                ids,
                traceparent: job.traceparent.as_deref(),
            })
            .collect();
        let span = in_traces_of(batch);
        for _ in 1..CONFLICT_ATTEMPTS {
            match self.attempt_once(&items).instrument(span.clone()).await {
                Err(error) if is_conflict(&error) => {
                    metrics::counter!("wallet_posting_conflicts_total").increment(1);
                }
                outcome => return outcome,
            }
        }
        self.attempt_once(&items).instrument(span).await
    }

    async fn attempt_once(
        &mut self,
        items: &[Item<'_>],
    ) -> Result<Vec<(usize, Decision)>, sqlx::Error> {
        let kept = self
            .connection
            .take()
            .filter(|(_, used)| used.elapsed() < CONNECTION_IDLE_LIMIT);
        let mut connection = match kept {
            Some((connection, _)) => connection,
            None => self.pool.acquire().await?,
        };
        let posted = repo::post_commands(&mut connection, self.clock.now(), items);
        // The statement commits by itself, so that before its commit is before all of it.
        let sites = items
            .iter()
            .map(|item| Site::caller().labelled(|| item.command.name()));
        sites
            .clone()
            .for_each(|site| site.pass(Moment::BeforeCommit));
        match tokio::time::timeout(BATCH_LIMIT, posted).await {
            Ok(Ok(decisions)) => {
                sites.for_each(|site| site.pass(Moment::AfterCommit));
                self.connection = Some((connection, Instant::now()));
                Ok(decisions)
            }
            // The pool tests a connection that comes back after an error before it hands it out again.
            Ok(Err(error)) => Err(error),
            // The statement's future was dropped half way, so the state of the connection is unknown: it is closed.
            Err(_) => {
                drop(connection.detach());
                Err(sqlx::Error::PoolTimedOut)
            }
        }
    }

    fn answer(&self, batch: Vec<Job>, decisions: Vec<(usize, Decision)>) {
        let mut jobs: Vec<Option<Job>> = batch.into_iter().map(Some).collect();
        metrics::counter!("wallet_posting_batches_total").increment(1);
        if decisions
            .iter()
            .any(|(_, decision)| decision.outcome.is_applied())
        {
            self.notifier.notify();
        }
        for (place, decision) in decisions {
            if let Some(job) = jobs.get_mut(place).and_then(Option::take) {
                metrics::counter!("wallet_postings_total", "outcome" => decision.outcome.as_str())
                    .increment(1);
                // The caller may be gone; the posting stands.
                let _ = job.answer.send(Ok(decision));
            }
        }
    }
}

/// A span of the batch in the trace of its first posting; the traces of the others are linked from it.
fn in_traces_of(batch: &[Job]) -> Span {
    let span = info_span!("post", postings = batch.len(), trace_id = Empty);
    let mut traces = batch.iter().filter_map(|job| job.traceparent.as_deref());
    telemetry::continue_trace_from(&span, traces.next());
    traces.for_each(|trace| telemetry::link_trace(&span, trace));
    span
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
