//! Deliveries in progress: one lane per subject, so that each subject keeps its order and a bad
//! event delays only its own.

use std::collections::hash_map::Entry;
use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use chrono::Utc;
use futures::stream::{FuturesUnordered, StreamExt};
use futures::{FutureExt as _, future::BoxFuture};
use lapin::message::Delivery;
use lapin::options::{BasicAckOptions, BasicNackOptions};
use opentelemetry::context::FutureExt as _;
use tokio::time::Instant;
use tracing::{error, warn};

use super::worker::Worker;
use super::{Handler, HandlerError, received};
use crate::backoff::Backoff;
use crate::broker::{BrokerError, REQUEST_LIMIT};
use crate::chaos::{Defect, Site};
use crate::db;
use crate::inbox;
use crate::outbox::CloudEvent;
use crate::refusal::chain;
use crate::shutdown::Shutdown;

/// Attempts of a failing handler before the event goes back to its queue.
const ATTEMPTS_IN_PLACE: u32 = 3;

/// Most deliveries waiting for the lanes of their subjects in total; the prefetch keeps them lower.
const WAITING_LIMIT: usize = 4096;

/// How a delivery is settled.
enum Verdict {
    Ack,
    Requeue,
    DeadLetter,
    /// The process is ending: not settled, so that the broker redelivers it.
    Abandon,
}

struct Job {
    event: CloudEvent,
    delivery: Delivery,
}

/// The subject of a delivery (none if the message is no event), and whether it was settled.
type Finished = (Option<String>, Result<(), BrokerError>);

/// The deliveries in progress: at most one per subject, and as many subjects as the consumer's
/// concurrency.
pub(super) struct Lanes<H> {
    worker: Arc<Worker<H>>,
    shutdown: Shutdown,
    running: FuturesUnordered<BoxFuture<'static, Finished>>,
    /// The waiting deliveries of each subject in progress, oldest first.
    by_subject: HashMap<String, VecDeque<Job>>,
    /// Subjects waiting for a free lane, in order.
    waiting_subjects: VecDeque<String>,
    /// The number of deliveries in `by_subject`.
    waiting: usize,
}

impl<H: Handler> Lanes<H> {
    pub(super) fn new(worker: Arc<Worker<H>>, shutdown: Shutdown) -> Self {
        Self {
            worker,
            shutdown,
            running: FuturesUnordered::new(),
            by_subject: HashMap::new(),
            waiting_subjects: VecDeque::new(),
            waiting: 0,
        }
    }

    pub(super) fn is_busy(&self) -> bool {
        !self.running.is_empty()
    }

    pub(super) fn has_room(&self) -> bool {
        self.waiting < WAITING_LIMIT
    }

    /// Starts a delivery. A message that is no event gets a lane of its own and is dead-lettered.
    pub(super) fn start(&mut self, delivery: Delivery) {
        match received::decode(&delivery) {
            Ok(event) => self.enqueue(Job { event, delivery }),
            Err(problem) => {
                error!(
                    consumer = self.worker.consumer.inbox_name(),
                    error = chain(&problem),
                    "message is no event"
                );
                self.running.push(
                    async move { (None, settle(&delivery, Verdict::DeadLetter).await) }.boxed(),
                );
            }
        }
    }

    fn enqueue(&mut self, job: Job) {
        let subject = job.event.subject.clone();
        match self.by_subject.entry(subject) {
            Entry::Occupied(mut lane) => {
                lane.get_mut().push_back(job);
                self.waiting += 1;
            }
            Entry::Vacant(place) if self.running.len() < self.worker.consumer.concurrency => {
                place.insert(VecDeque::new());
                self.launch(job);
            }
            Entry::Vacant(place) => {
                self.waiting_subjects.push_back(place.key().clone());
                place.insert(VecDeque::from([job]));
                self.waiting += 1;
            }
        }
    }

    /// Starts the oldest waiting delivery of this subject; if there is none, removes the subject.
    fn launch_next_of(&mut self, subject: &str) -> bool {
        let Some(job) = self
            .by_subject
            .get_mut(subject)
            .and_then(VecDeque::pop_front)
        else {
            self.by_subject.remove(subject);
            return false;
        };
        self.waiting = self.waiting.saturating_sub(1);
        self.launch(job);
        true
    }

    fn launch(&mut self, job: Job) {
        let worker = Arc::clone(&self.worker);
        let shutdown = self.shutdown.clone();
        self.running.push(
            async move {
                if Defect::AckBeforeCommit.is_enabled() {
                    let settled = settle(&job.delivery, Verdict::Ack).await;
                    handle(&worker, &job.event, &shutdown).await;
                    return (Some(job.event.subject), settled);
                }
                let verdict = handle(&worker, &job.event, &shutdown).await;
                let settled = settle(&job.delivery, verdict).await;
                (Some(job.event.subject), settled)
            }
            .boxed(),
        );
    }

    /// Waits for a delivery to finish and starts the next one.
    pub(super) async fn next_finished(&mut self) -> Result<(), BrokerError> {
        let Some((subject, outcome)) = self.running.next().await else {
            return Ok(());
        };
        outcome?;
        if subject.is_some_and(|subject| self.launch_next_of(&subject)) {
            return Ok(());
        }
        if self.running.len() < self.worker.consumer.concurrency
            && let Some(subject) = self.waiting_subjects.pop_front()
        {
            self.launch_next_of(&subject);
        }
        Ok(())
    }

    /// Waits for the running deliveries without starting more.
    pub(super) async fn finish(&mut self) {
        while self.running.next().await.is_some() {}
    }
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
    let outcome = match verdict {
        Verdict::Ack => &measured.handled,
        Verdict::Requeue => &measured.requeued,
        Verdict::DeadLetter => &measured.dead,
        Verdict::Abandon => &measured.abandoned,
    };
    outcome.increment(1);
    measured.seconds.record(started.elapsed());
    if matches!(verdict, Verdict::Ack) {
        // The clocks of two machines may differ: a negative lag counts as none.
        let lag = Utc::now().signed_duration_since(event.time);
        measured.lag.record(lag.to_std().unwrap_or_default());
    }
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

/// Settles a delivery. lapin returns `false` if the channel is gone and the broker received
/// nothing.
async fn settle(delivery: &Delivery, verdict: Verdict) -> Result<(), BrokerError> {
    let settled = async {
        match verdict {
            Verdict::Ack => delivery.ack(BasicAckOptions { multiple: false }).await,
            Verdict::Requeue => {
                delivery
                    .nack(BasicNackOptions {
                        multiple: false,
                        requeue: true,
                    })
                    .await
            }
            Verdict::DeadLetter => {
                delivery
                    .nack(BasicNackOptions {
                        multiple: false,
                        requeue: false,
                    })
                    .await
            }
            Verdict::Abandon => Ok(true),
        }
    };
    match tokio::time::timeout(REQUEST_LIMIT, settled).await {
        Ok(Ok(true)) => Ok(()),
        Ok(Ok(false)) => Err(BrokerError::NotAcknowledged),
        Ok(Err(error)) => Err(error.into()),
        Err(_) => Err(BrokerError::TimedOut("acknowledgement")),
    }
}
