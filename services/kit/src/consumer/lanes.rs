//! Deliveries in progress: in batches, or by themselves.
//!
//! What has arrived while a batch ran is the next batch: its inbox rows and effects commit in one
//! transaction and are acknowledged together. If one effect fails, nothing of the batch has
//! happened, and each event is handled by itself. So is what was delivered before: it may be why a
//! batch failed. At most one piece of work is in progress per subject, so each subject keeps its
//! order and a bad event delays only its own.

use std::collections::{BTreeMap, BTreeSet, HashSet, VecDeque};
use std::future::pending;
use std::sync::Arc;
use std::time::Duration;

use futures::stream::{FuturesUnordered, StreamExt};
use futures::{FutureExt as _, future::BoxFuture};
use lapin::message::Delivery;
use lapin::options::{BasicAckOptions, BasicNackOptions};
use opentelemetry::context::FutureExt as _;
use tokio::time::Instant;
use tracing::{debug, error, warn};
use uuid::Uuid;

use super::worker::Worker;
use super::{Handler, HandlerError, received};
use crate::backoff::Backoff;
use crate::broker::{BrokerError, REQUEST_LIMIT};
use crate::chaos::{Defect, Site};
use crate::db::{self, Tx};
use crate::inbox;
use crate::outbox::CloudEvent;
use crate::refusal::chain;
use crate::shutdown::Shutdown;

/// Attempts of a failing handler before the event goes back to its queue.
const ATTEMPTS_IN_PLACE: u32 = 3;

/// Most deliveries waiting in total; the prefetch keeps them lower.
const WAITING_LIMIT: usize = 4096;

/// Most events of a batch.
const BATCH: usize = 64;

/// Batches in progress. With two, a batch that waits for something holds nobody up.
const BATCHES: usize = 2;

/// Most work in progress at once, batches and events by themselves.
const IN_PROGRESS: usize = 16;

/// Limit of the effects of a batch: an event that takes longer is handled by itself.
const BATCH_LIMIT: Duration = Duration::from_secs(1);

/// How a delivery is settled.
enum Verdict {
    Ack,
    Requeue,
    DeadLetter,
    /// The process is ending: not settled, so that the broker redelivers it.
    Abandon,
}

/// A delivery that is being handled.
pub(super) struct Job {
    event: CloudEvent,
    subject: Arc<str>,
    delivery: Delivery,
    /// Not in a batch.
    is_alone: bool,
}

/// Work that has ended.
pub(super) enum Finished {
    /// A delivery that was handled by itself, and whether it was settled. A message that is no
    /// event has no subject.
    Alone {
        subject: Option<Arc<str>>,
        tag: u64,
        settled: Result<(), BrokerError>,
    },
    Batch {
        jobs: Vec<Job>,
        is_handled: bool,
    },
}

/// The deliveries in progress, and those that wait for them.
pub(super) struct Lanes<H> {
    worker: Arc<Worker<H>>,
    shutdown: Shutdown,
    running: FuturesUnordered<BoxFuture<'static, Finished>>,
    /// The subjects in progress.
    busy: HashSet<Arc<str>>,
    batches: usize,
    /// Oldest first.
    waiting: VecDeque<Job>,
    /// The tags of all deliveries in progress.
    unfinished: BTreeSet<u64>,
    /// Deliveries of batches that were handled and not acknowledged yet, by tag.
    handled: BTreeMap<u64, Delivery>,
}

impl<H: Handler> Lanes<H> {
    pub(super) fn new(worker: Arc<Worker<H>>, shutdown: Shutdown) -> Self {
        Self {
            worker,
            shutdown,
            running: FuturesUnordered::new(),
            busy: HashSet::new(),
            batches: 0,
            waiting: VecDeque::new(),
            unfinished: BTreeSet::new(),
            handled: BTreeMap::new(),
        }
    }

    pub(super) fn is_busy(&self) -> bool {
        !self.running.is_empty() || !self.waiting.is_empty()
    }

    pub(super) fn has_room(&self) -> bool {
        self.waiting.len() < WAITING_LIMIT
    }

    /// Lets a delivery wait for [`Self::next_finished`]. A message that is no event is dead-lettered.
    pub(super) fn take(&mut self, delivery: Delivery) {
        let tag = delivery.delivery_tag;
        self.unfinished.insert(tag);
        match received::decode(&delivery) {
            Ok(event) => {
                let subject = Arc::from(event.subject.as_str());
                let is_alone = delivery.redelivered || is_defective();
                self.waiting.push_back(Job {
                    event,
                    subject,
                    delivery,
                    is_alone,
                });
            }
            Err(problem) => {
                error!(
                    consumer = self.worker.consumer.inbox_name(),
                    error = chain(&problem),
                    "message is no event"
                );
                let dead_lettered = async move {
                    Finished::Alone {
                        subject: None,
                        tag,
                        settled: settle(&delivery, Verdict::DeadLetter).await,
                    }
                };
                self.running.push(dead_lettered.boxed());
            }
        }
    }

    /// Starts the waiting deliveries whose subjects are free, as far as the limits allow.
    fn launch(&mut self) {
        let mut batch = Vec::new();
        // Subjects with an event that still waits: later ones stay behind it.
        let mut held = HashSet::new();
        let mut in_batch = HashSet::new();
        for job in std::mem::take(&mut self.waiting) {
            let is_free = !self.busy.contains(&job.subject) && !held.contains(&job.subject);
            if is_free && !job.is_alone && self.batches < BATCHES && batch.len() < BATCH {
                in_batch.insert(Arc::clone(&job.subject));
                batch.push(job);
            } else if is_free
                && job.is_alone
                && self.running.len() < IN_PROGRESS
                && !in_batch.contains(&job.subject)
            {
                self.busy.insert(Arc::clone(&job.subject));
                self.launch_alone(job);
            } else {
                held.insert(Arc::clone(&job.subject));
                self.waiting.push_back(job);
            }
        }
        if !batch.is_empty() {
            self.busy.extend(in_batch);
            self.launch_batch(batch);
        }
    }

    fn launch_batch(&mut self, mut jobs: Vec<Job>) {
        self.batches = self.batches.saturating_add(1);
        // Stable, so each subject keeps its order. Two batches lock in the same order.
        jobs.sort_by(|one, other| one.subject.cmp(&other.subject));
        let worker = Arc::clone(&self.worker);
        let batch = async move {
            let is_handled = handle_batch(&worker, &jobs).await;
            Finished::Batch { jobs, is_handled }
        };
        self.running.push(batch.boxed());
    }

    fn launch_alone(&mut self, job: Job) {
        let worker = Arc::clone(&self.worker);
        let shutdown = self.shutdown.clone();
        let alone = async move {
            let settled = if Defect::AckBeforeCommit.is_enabled() {
                let settled = settle(&job.delivery, Verdict::Ack).await;
                handle(&worker, &job.event, &shutdown).await;
                settled
            } else {
                let verdict = handle(&worker, &job.event, &shutdown).await;
                settle(&job.delivery, verdict).await
            };
            Finished::Alone {
                subject: Some(job.subject),
                tag: job.delivery.delivery_tag,
                settled,
            }
        };
        self.running.push(alone.boxed());
    }

    /// Starts what waits and may run, and waits for work to finish. Nothing is lost if the wait is
    /// given up; [`Self::end`] must not be.
    pub(super) async fn next_finished(&mut self) -> Finished {
        self.launch();
        match self.running.next().await {
            Some(finished) => finished,
            None => pending().await,
        }
    }

    /// Waits for the running deliveries without starting more.
    pub(super) async fn finish(&mut self) {
        while let Some(finished) = self.running.next().await {
            if let Err(error) = self.end(finished).await {
                debug!(error = chain(&error), "delivery was not settled");
            }
        }
    }

    /// Settles work that has ended.
    pub(super) async fn end(&mut self, finished: Finished) -> Result<(), BrokerError> {
        match finished {
            Finished::Alone {
                subject,
                tag,
                settled,
            } => {
                self.unfinished.remove(&tag);
                if let Some(subject) = subject {
                    self.busy.remove(&subject);
                }
                settled
            }
            Finished::Batch { jobs, is_handled } => {
                self.batches = self.batches.saturating_sub(1);
                for job in &jobs {
                    self.busy.remove(&job.subject);
                }
                for mut job in jobs.into_iter().rev() {
                    if is_handled {
                        let tag = job.delivery.delivery_tag;
                        self.unfinished.remove(&tag);
                        self.handled.insert(tag, job.delivery);
                    } else {
                        job.is_alone = true;
                        self.waiting.push_front(job);
                    }
                }
                self.acknowledge().await
            }
        }
    }

    /// Acknowledges with one request what was handled and is older than everything in progress. The
    /// rest waits for the batches that run, and is acknowledged one by one when there are none: an
    /// older event may be in progress for as long as a dependency is away.
    async fn acknowledge(&mut self) -> Result<(), BrokerError> {
        let unfinished = self.unfinished.first().copied().unwrap_or(u64::MAX);
        let rest = self.handled.split_off(&unfinished);
        let oldest = std::mem::replace(&mut self.handled, rest);
        if let Some(delivery) = oldest.values().next_back() {
            settled_in_time(delivery.ack(BasicAckOptions { multiple: true })).await?;
        }
        if self.batches == 0 {
            for delivery in std::mem::take(&mut self.handled).into_values() {
                settle(&delivery, Verdict::Ack).await?;
            }
        }
        Ok(())
    }
}

/// Whether the product has a defect of one of its tests, which batches would hide.
fn is_defective() -> bool {
    Defect::AckBeforeCommit.is_enabled() || Defect::InboxApart.is_enabled()
}

/// The inbox rows and effects of a batch in one transaction; false if one of them failed, and
/// nothing has happened.
async fn handle_batch<H: Handler>(worker: &Arc<Worker<H>>, jobs: &[Job]) -> bool {
    let events: Vec<_> = jobs
        .iter()
        .filter(|job| worker.handler.concerns(&job.event))
        .map(|job| job.event.clone())
        .collect();
    if events.is_empty() {
        return true;
    }
    let site = Site::caller().labelled_each(|| {
        let consumer = worker.consumer.inbox_name();
        let labels = events
            .iter()
            .map(|event| format!("{consumer} {}", event.event_type));
        labels.collect::<Vec<_>>()
    });
    let times: Vec<_> = events.iter().map(|event| event.time).collect();
    let started = Instant::now();
    let in_task = Arc::clone(worker);
    let handled = db::write_at(site, &worker.pool, move |tx| {
        async move {
            match tokio::time::timeout(BATCH_LIMIT, effects_in_tx(tx, &in_task, &events)).await {
                Ok(outcome) => outcome,
                Err(late) => Err(HandlerError::failed(late)),
            }
        }
        .boxed()
    })
    .await;
    if let Err(error) = handled {
        debug!(
            consumer = worker.consumer.inbox_name(),
            error = chain(&error),
            "batch failed, each event is handled by itself"
        );
        return false;
    }
    for time in times {
        worker.measured.record_handled(started, time);
    }
    true
}

async fn effects_in_tx<H: Handler>(
    tx: &mut Tx,
    worker: &Worker<H>,
    events: &[CloudEvent],
) -> Result<(), HandlerError> {
    let consumer = worker.consumer.inbox_name();
    let ids: Vec<Uuid> = events.iter().map(|event| event.id).collect();
    let mut new = inbox::record_all_in_tx(tx, &consumer, &ids).await?;
    for event in events {
        if new.remove(&event.id) {
            let work = received::begin(&consumer, event);
            worker.handler.handle(tx, event).with_context(work).await?;
        }
    }
    Ok(())
}

async fn handle<H: Handler>(
    worker: &Arc<Worker<H>>,
    event: &CloudEvent,
    shutdown: &Shutdown,
) -> Verdict {
    if !worker.handler.concerns(event) {
        return Verdict::Ack;
    }
    let work = received::begin(&worker.consumer.inbox_name(), event);
    let started = Instant::now();
    let verdict = attempts(worker, event, shutdown).with_context(work).await;
    let measured = &worker.measured;
    match verdict {
        Verdict::Ack => {
            measured.record_handled(started, event.time);
            return verdict;
        }
        Verdict::Requeue => measured.requeued.increment(1),
        Verdict::DeadLetter => measured.dead.increment(1),
        Verdict::Abandon => measured.abandoned.increment(1),
    }
    measured.seconds.record(started.elapsed());
    verdict
}

async fn attempts<H: Handler>(
    worker: &Arc<Worker<H>>,
    event: &CloudEvent,
    shutdown: &Shutdown,
) -> Verdict {
    let mut backoff = Backoff::new(Duration::from_millis(50), Duration::from_secs(5));
    let mut failures: u32 = 0;
    loop {
        match once(worker, event).await {
            Ok(()) => return Verdict::Ack,
            Err(HandlerError::Permanent(problem)) => {
                error!(
                    error = chain(problem.as_ref()),
                    "event cannot be handled, dead-lettering"
                );
                return Verdict::DeadLetter;
            }
            Err(HandlerError::Unavailable(problem)) => {
                warn!(
                    error = chain(problem.as_ref()),
                    "event waits for a dependency"
                );
            }
            Err(HandlerError::Failed(problem)) => {
                failures = failures.saturating_add(1);
                warn!(
                    error = chain(problem.as_ref()),
                    failures, "event was not handled"
                );
                if failures >= ATTEMPTS_IN_PLACE {
                    return Verdict::Requeue;
                }
            }
        }
        if !shutdown.sleep(backoff.next_wait()).await {
            return Verdict::Abandon;
        }
    }
}

/// The effect and the inbox row, in one transaction.
async fn once<H: Handler>(worker: &Arc<Worker<H>>, event: &CloudEvent) -> Result<(), HandlerError> {
    if Defect::InboxApart.is_enabled() {
        return apart(worker, event).await;
    }
    let in_task = Arc::clone(worker);
    let event = event.clone();
    let site = Site::caller()
        .labelled(|| format!("{} {}", worker.consumer.inbox_name(), event.event_type));
    db::write_at(site, &worker.pool, move |tx| {
        async move {
            if inbox::record_in_tx(tx, &in_task.consumer.inbox_name(), event.id).await? {
                in_task.handler.handle(tx, &event).await?;
            }
            Ok(())
        }
        .boxed()
    })
    .await
}

/// [`Defect::InboxApart`]: what dies in between never takes effect.
async fn apart<H: Handler>(
    worker: &Arc<Worker<H>>,
    event: &CloudEvent,
) -> Result<(), HandlerError> {
    let (consumer, id) = (worker.consumer.inbox_name(), event.id);
    let is_new: Result<_, sqlx::Error> = db::write(&worker.pool, move |tx| {
        async move { inbox::record_in_tx(tx, &consumer, id).await }.boxed()
    })
    .await;
    if !is_new? {
        return Ok(());
    }
    let in_task = Arc::clone(worker);
    let event = event.clone();
    db::write(&worker.pool, move |tx| {
        async move { in_task.handler.handle(tx, &event).await }.boxed()
    })
    .await
}

async fn settle(delivery: &Delivery, verdict: Verdict) -> Result<(), BrokerError> {
    let back = |requeue| BasicNackOptions {
        multiple: false,
        requeue,
    };
    match verdict {
        Verdict::Ack => settled_in_time(delivery.ack(BasicAckOptions { multiple: false })).await,
        Verdict::Requeue => settled_in_time(delivery.nack(back(true))).await,
        Verdict::DeadLetter => settled_in_time(delivery.nack(back(false))).await,
        Verdict::Abandon => Ok(()),
    }
}

/// Waits for a settlement. lapin returns `false` if the channel is gone and the broker received
/// nothing.
async fn settled_in_time(
    settled: impl Future<Output = lapin::Result<bool>>,
) -> Result<(), BrokerError> {
    match tokio::time::timeout(REQUEST_LIMIT, settled).await {
        Ok(Ok(true)) => Ok(()),
        Ok(Ok(false)) => Err(BrokerError::NotAcknowledged),
        Ok(Err(error)) => Err(error.into()),
        Err(_) => Err(BrokerError::TimedOut("acknowledgement")),
    }
}
