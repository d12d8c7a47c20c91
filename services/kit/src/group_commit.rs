//! Group commit: the commands of many callers in one transaction.
//!
//! Callers hand commands to a [`Queue`]. One task, its [`Writer`], takes what has queued up while
//! its last transaction was under way, and makes one transaction of it. A commit that waits for the
//! disk, and the round trips to the database, are then shared by all callers of a batch. With a
//! pace ([`Limits::pace`]), small batches wait for more.
//!
//! | promise | how |
//! |---|---|
//! | each command is accepted or refused by itself | [`Work::commit`] answers one outcome per command |
//! | one bad command fails no other | a batch that the database refuses is repeated one by one |
//! | no command is committed whose caller gave up before its turn | deadlines are checked at the turn |
//! | a caller that goes away breaks nothing | the writer is a task of the process, not of a call |
//! | no wait and no queue without a limit | [`Limits`], the caller's deadline, the limits of `Work` |
//! | nothing accepted is lost at a shutdown | [`Queue::close`] lets the writer finish its queue |
//!
//! A failed batch may have been committed if the connection was lost. So every command has to be
//! safe to repeat: it carries an id or a key.

use std::error::Error;
use std::fmt::{self, Debug};
use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use metrics::{Counter, Gauge};
use opentelemetry::context::FutureExt as _;
use opentelemetry::trace::{SpanKind, TraceContextExt as _};
use opentelemetry::{Context, KeyValue};
use tokio::sync::{mpsc, oneshot};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use tracing::{error, warn};

use crate::attempt::Attempt;
use crate::deadline::Deadline;
use crate::refusal::chain;
use crate::telemetry;

/// How long a batch waits for the callers of the last one at most. The timer's resolution is a
/// millisecond.
const GATHERING_LIMIT: Duration = Duration::from_millis(1);

/// Commands that do not wait for more: a larger batch costs hardly less for each.
pub const LARGE_BATCH: usize = 16;

/// What a writer does with a batch.
pub trait Work: Send + 'static {
    /// What callers ask for.
    type Command: Debug + Send + Sync + 'static;
    /// What becomes of one command: done or refused.
    type Outcome: Send + 'static;
    /// Why a whole batch failed.
    type Failure: Error + Send + 'static;

    /// The name of the work in traces and logs.
    const NAME: &'static str;

    /// Commits a batch in one transaction, within a limit of its own; one outcome per command, in
    /// their order.
    fn commit(
        &mut self,
        batch: &[Arc<Queued<Self::Command>>],
    ) -> impl Future<Output = Result<Vec<Self::Outcome>, Self::Failure>> + Send;

    /// Whether a failed batch may have been committed. It is not repeated then.
    fn is_unconfirmed(failure: &Self::Failure) -> bool;

    /// Whether nothing was done because the database takes no changes now. No command would fare
    /// better alone.
    fn is_paused(failure: &Self::Failure) -> bool;

    /// Called with the outcomes of a committed batch before its callers are answered.
    fn committed(&mut self, _outcomes: &[Self::Outcome]) {}
}

/// A command in the queue.
#[derive(Debug)]
pub struct Queued<C> {
    /// The command.
    pub command: C,
    /// The trace of its caller.
    pub traceparent: Option<String>,
}

/// Why a command has no outcome.
#[derive(Debug, thiserror::Error)]
pub enum NotCommitted<F> {
    /// Too many commands wait, or the process is ending; nothing was done.
    #[error("queue is full")]
    QueueFull,
    /// The caller's deadline passed before its turn; nothing was done.
    #[error("deadline passed before the turn")]
    Overdue,
    /// The database did not confirm the batch; repeating the command is safe. Logged by the writer.
    #[error("outcome is unknown")]
    Unconfirmed,
    /// The database takes no changes now; nothing was done.
    #[error("changes are paused")]
    Paused,
    /// The command failed alone.
    #[error(transparent)]
    Failed(F),
}

/// How much waits and how much goes together.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Commands of one batch.
    pub batch_max: usize,
    /// Commands that wait; further ones are refused at once.
    pub queue_max: usize,
    /// Time between the turns of two batches, unless [`LARGE_BATCH`] commands wait. A transaction
    /// of few commands costs almost as much as one of many, so at moderate load a short wait frees
    /// much processor time. A command that comes after a longer pause does not wait.
    pub pace: Duration,
}

/// Metrics of a queue and its writer.
#[derive(Clone, Debug)]
pub struct Metrics {
    /// Commands that wait.
    pub depth: Gauge,
    /// Committed batches.
    pub batches: Counter,
    /// Commands that found the queue full.
    pub refused_when_full: Counter,
}

impl Metrics {
    /// The metrics of a queue by its name.
    pub fn of(queue: &'static str) -> Self {
        Self {
            depth: metrics::gauge!("group_commit_queue_depth", "queue" => queue),
            batches: metrics::counter!("group_commit_batches_total", "queue" => queue),
            refused_when_full: metrics::counter!(
                "group_commit_refused_by_full_queue_total", "queue" => queue
            ),
        }
    }
}

/// The result of a caller's command.
type Answer<W> = Result<<W as Work>::Outcome, NotCommitted<<W as Work>::Failure>>;

/// A command that waits, with its caller.
struct Job<W: Work> {
    queued: Arc<Queued<W::Command>>,
    deadline: Deadline,
    caller: oneshot::Sender<Answer<W>>,
}

impl<W: Work> Job<W> {
    /// No caller waits any more. Such a command is never committed, so that a caller who gave up
    /// can rely on it sooner.
    fn is_over(&self) -> bool {
        self.deadline.has_passed() || self.caller.is_closed()
    }

    /// The caller may be gone; the outcome stands.
    fn answer(self, answer: Answer<W>) {
        let _ = self.caller.send(answer);
    }
}

/// Hands commands to a writer. Cheap to clone.
pub struct Queue<W: Work> {
    sender: mpsc::Sender<Job<W>>,
    closing: CancellationToken,
    metrics: Metrics,
}

impl<W: Work> Clone for Queue<W> {
    fn clone(&self) -> Self {
        Self {
            sender: self.sender.clone(),
            closing: self.closing.clone(),
            metrics: self.metrics.clone(),
        }
    }
}

impl<W: Work> Debug for Queue<W> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Queue").finish_non_exhaustive()
    }
}

impl<W: Work> Queue<W> {
    /// Has a command committed and answers what became of it. It is committed even if the caller is
    /// gone by then, but not if the caller goes before its turn.
    pub async fn commit(
        &self,
        command: W::Command,
        deadline: Deadline,
    ) -> Result<W::Outcome, NotCommitted<W::Failure>> {
        let (caller, answered) = oneshot::channel();
        let queued = Arc::new(Queued {
            command,
            traceparent: telemetry::traceparent(),
        });
        let job = Job {
            queued,
            deadline,
            caller,
        };
        self.sender.try_send(job).map_err(|_| {
            self.metrics.refused_when_full.increment(1);
            NotCommitted::QueueFull
        })?;
        self.metrics.depth.increment(1.0);
        // The writer drops a sender only together with the process.
        let answer = answered.await.unwrap_or(Err(NotCommitted::Unconfirmed));
        if matches!(answer, Ok(_) | Err(NotCommitted::Unconfirmed)) {
            Attempt::writes();
        }
        answer
    }

    /// Ends the writer once its queue is empty. Later commands are refused.
    pub fn close(&self) {
        self.closing.cancel();
    }
}

/// The task behind a [`Queue`].
pub struct Writer<W: Work> {
    jobs: mpsc::Receiver<Job<W>>,
    closing: CancellationToken,
    work: W,
    limits: Limits,
    /// Earliest turn of the next batch.
    next_turn: Instant,
    /// Commands of the last batch.
    last_batch: usize,
    metrics: Metrics,
}

impl<W: Work> Debug for Writer<W> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Writer").finish_non_exhaustive()
    }
}

/// Makes a queue and its writer.
pub fn queue<W: Work>(work: W, limits: Limits, metrics: Metrics) -> (Queue<W>, Writer<W>) {
    let (sender, jobs) = mpsc::channel(limits.queue_max);
    let closing = CancellationToken::new();
    metrics.depth.set(0.0);
    let writer = Writer {
        jobs,
        closing: closing.clone(),
        work,
        limits,
        next_turn: Instant::now(),
        last_batch: 0,
        metrics: metrics.clone(),
    };
    let queue = Queue {
        sender,
        closing,
        metrics,
    };
    (queue, writer)
}

impl<W: Work> Writer<W> {
    /// Commits until the queue is closed and empty.
    pub async fn run(mut self) {
        while let Some(batch) = self.next_batch().await {
            self.commit(batch).await;
        }
    }

    /// Waits for the next batch. None at the end.
    async fn next_batch(&mut self) -> Option<Vec<Job<W>>> {
        loop {
            let mut batch = self.gather().await?;
            for job in batch.extract_if(.., |job| job.is_over()) {
                job.answer(Err(NotCommitted::Overdue));
            }
            if !batch.is_empty() {
                return Some(batch);
            }
        }
    }

    /// Waits for work, and takes what is there at its turn, at most a batch.
    ///
    /// The callers of the last batch have just been answered, and many will call again at once. If
    /// fewer commands are there than were in it, the others get a moment: two small batches cost
    /// much more than one.
    async fn gather(&mut self) -> Option<Vec<Job<W>>> {
        let mut batch = vec![self.wait().await?];
        self.metrics.depth.decrement(1.0);
        self.fill(&mut batch, LARGE_BATCH, self.next_turn).await;
        let turn = Instant::now();
        self.next_turn = turn + self.limits.pace;
        self.fill(&mut batch, self.last_batch, turn + GATHERING_LIMIT)
            .await;
        self.last_batch = batch.len();
        Some(batch)
    }

    /// Takes what is there, and waits for more until `enough` are in the batch or the time is up.
    async fn fill(&mut self, batch: &mut Vec<Job<W>>, enough: usize, until: Instant) {
        while batch.len() < self.limits.batch_max {
            let job = match self.jobs.try_recv() {
                Ok(job) => Some(job),
                Err(_) if batch.len() >= enough => None,
                Err(_) => tokio::time::timeout_at(until, self.wait())
                    .await
                    .unwrap_or_default(),
            };
            let Some(job) = job else { break };
            self.metrics.depth.decrement(1.0);
            batch.push(job);
        }
    }

    async fn wait(&mut self) -> Option<Job<W>> {
        tokio::select! {
            biased;
            job = self.jobs.recv() => job,
            () = self.closing.cancelled() => {
                // What came in meanwhile is still committed; nothing more comes in.
                self.jobs.close();
                self.jobs.recv().await
            }
        }
    }

    /// Commits a batch and answers its callers.
    async fn commit(&mut self, mut batch: Vec<Job<W>>) {
        let failure = match self.attempt(&batch).await {
            Ok(outcomes) => return self.answer(batch, outcomes),
            Err(failure) => failure,
        };
        if W::is_paused(&failure) {
            for job in batch {
                job.answer(Err(NotCommitted::Paused));
            }
        } else if W::is_unconfirmed(&failure) {
            warn!(
                error = chain(&failure),
                commands = batch.len(),
                "{} batch was not confirmed",
                W::NAME
            );
            for job in batch {
                job.answer(Err(NotCommitted::Unconfirmed));
            }
        } else if batch.len() > 1 {
            // The database refused the whole batch because of one of its commands: each alone, so
            // that no other pays.
            error!(
                error = chain(&failure),
                commands = batch.len(),
                "{} batch was refused, committing one by one",
                W::NAME
            );
            for job in batch {
                if job.is_over() {
                    job.answer(Err(NotCommitted::Overdue));
                } else {
                    Box::pin(self.commit(vec![job])).await;
                }
            }
        } else if let Some(job) = batch.pop() {
            job.answer(Err(NotCommitted::Failed(failure)));
        }
    }

    async fn attempt(&mut self, batch: &[Job<W>]) -> Result<Vec<W::Outcome>, W::Failure> {
        let queued: Vec<_> = batch.iter().map(|job| job.queued.clone()).collect();
        let work = in_traces_of::<W>(&queued);
        self.work.commit(&queued).with_context(work).await
    }

    fn answer(&mut self, batch: Vec<Job<W>>, outcomes: Vec<W::Outcome>) {
        self.metrics.batches.increment(1);
        self.work.committed(&outcomes);
        debug_assert_eq!(batch.len(), outcomes.len(), "one outcome per command");
        for (job, outcome) in batch.into_iter().zip(outcomes) {
            job.answer(Ok(outcome));
        }
    }
}

/// The work on the batch, in the first sampled trace of its commands; all of them are linked from
/// it.
fn in_traces_of<W: Work>(batch: &[Arc<Queued<W::Command>>]) -> Context {
    let traces = batch
        .iter()
        .filter_map(|queued| queued.traceparent.as_deref());
    let mut parents = traces
        .clone()
        .map(|trace| telemetry::context_of(Some(trace)));
    let sampled = parents.find(|parent| parent.span().span_context().is_sampled());
    let parent = sampled.unwrap_or_else(|| telemetry::context_of(traces.clone().next()));
    let commands = i64::try_from(batch.len()).unwrap_or(i64::MAX);
    let work = telemetry::Work {
        name: W::NAME,
        kind: SpanKind::Internal,
        fields: vec![KeyValue::new("commands", commands)],
    };
    work.begin(&parent, |span| {
        span.update_name(W::NAME);
        traces.for_each(|trace| telemetry::link(span, trace));
    })
}
