//! Events for a process without a database: every replica receives every event from now on, and is
//! notified when it may have missed some.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use lapin::options::{BasicAckOptions, QueueDeclareOptions};
use lapin::types::{AMQPValue, FieldTable, ShortString};
use tokio::sync::Notify;
use tracing::{debug, info, warn};

use super::received;
use super::worker::{consume, next};
use crate::backoff::Backoff;
use crate::broker::{Broker, BrokerError, REQUEST_LIMIT, Session, bind, bounded, short, unbind};
use crate::outbox::CloudEvent;
use crate::refusal::chain;
use crate::shutdown::Shutdown;

/// Most deliveries in flight.
const PREFETCH: u16 = 100;

/// Most queued events; the oldest are dropped first, because a subscriber that far behind starts
/// over anyway.
const LENGTH_LIMIT: i64 = 10_000;

/// How often a quiet subscription probes its channel.
const PROBE_INTERVAL: Duration = Duration::from_secs(5);

/// Receives events without a guarantee: for caches, and for notifying browsers what to fetch again.
pub trait EventSink: Send + 'static {
    /// Events may have been missed: called before the first event and after every lost session,
    /// once the queue is bound again. Empty caches here.
    fn on_gap(&mut self);

    /// From now on events of this key of [`Interests`] are received; earlier ones were missed.
    fn on_interest(&mut self, _key: &str) {}

    /// One event. Must not block.
    fn on_event(&mut self, event: CloudEvent);
}

/// Routing keys of a running subscription besides its fixed ones. Cheap to clone.
#[derive(Clone, Debug, Default)]
pub struct Interests {
    keys: Arc<Mutex<BTreeSet<String>>>,
    changed: Arc<Notify>,
}

impl Interests {
    /// Subscribes to the events of `key`; the sink is notified when it takes effect.
    pub fn add(&self, key: String) {
        if self.lock().insert(key) {
            self.changed.notify_one();
        }
    }

    /// Unsubscribes from the events of `key`.
    pub fn remove(&self, key: &str) {
        if self.lock().remove(key) {
            self.changed.notify_one();
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, BTreeSet<String>> {
        self.keys.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The queue of a session, and the keys of [`Interests`] it is bound to.
struct Bound {
    queue: ShortString,
    exchange: ShortString,
    keys: BTreeSet<String>,
}

impl Bound {
    /// Binds and unbinds until the queue has the wanted keys. `on_bound` is called for every new
    /// key.
    async fn follow(
        &mut self,
        session: &Session,
        interests: &Interests,
        mut on_bound: impl FnMut(&str),
    ) -> Result<(), BrokerError> {
        // A change during this call has notified again, so the next round sees it.
        let wanted = interests.lock().clone();
        let over: Vec<String> = self.keys.difference(&wanted).cloned().collect();
        for key in over {
            unbind(&session.channel, &self.queue, &self.exchange, &key).await?;
            self.keys.remove(&key);
        }
        let new: Vec<String> = wanted.difference(&self.keys).cloned().collect();
        for key in new {
            bind(&session.channel, &self.queue, &self.exchange, &key).await?;
            on_bound(&key);
            self.keys.insert(key);
        }
        Ok(())
    }
}

/// A queue of this process, deleted with it.
#[derive(Clone, Debug)]
pub struct Subscription {
    service: &'static str,
    bindings: Vec<String>,
    interests: Interests,
}

impl Subscription {
    /// A subscription of one replica of `service`.
    pub fn ephemeral(service: &'static str) -> Self {
        Self {
            service,
            bindings: Vec::new(),
            interests: Interests::default(),
        }
    }

    /// Takes events whose type matches: `*` stands for one word between dots, `#` for any number of
    /// them.
    #[must_use]
    pub fn bind(mut self, pattern: impl Into<String>) -> Self {
        self.bindings.push(pattern.into());
        self
    }

    /// Also receives the events of `interests`, which may change while the subscription runs.
    #[must_use]
    pub fn with_interests(mut self, interests: Interests) -> Self {
        self.interests = interests;
        self
    }

    /// Passes events to `sink` until the shutdown, through any number of broker failures.
    pub async fn run(self, broker: Broker, shutdown: Shutdown, mut sink: impl EventSink) {
        let mut backoff = Backoff::reconnect();
        while !shutdown.is_triggered() {
            let outcome = tokio::select! {
                outcome = self.session(&broker, &mut sink, &mut backoff) => outcome,
                () = shutdown.cancelled() => return,
            };
            if let Err(error) = outcome {
                warn!(
                    service = self.service,
                    error = chain(&error),
                    "subscription lost its session"
                );
            }
            if !shutdown.sleep(backoff.next_wait()).await {
                return;
            }
        }
    }

    /// One session: from connecting to the first failure, or to a recall (`Ok`).
    async fn session(
        &self,
        broker: &Broker,
        sink: &mut impl EventSink,
        backoff: &mut Backoff,
    ) -> Result<(), BrokerError> {
        let session = broker
            .open(&format!("{}-subscription", self.service))
            .await?;
        let queue = self.declare(broker, &session).await?;
        session.prefetch(PREFETCH).await?;
        let mut deliveries = consume(&session, queue.as_str()).await?;
        // Not earlier: events before the binding were missed, events from here on are not.
        sink.on_gap();
        backoff.reset();
        let mut bound = Bound {
            queue: queue.clone(),
            exchange: short(&broker.events_exchange())?,
            keys: BTreeSet::new(),
        };
        bound
            .follow(&session, &self.interests, |key| sink.on_interest(key))
            .await?;
        info!(service = self.service, "subscribed");
        loop {
            tokio::select! {
                delivery = next(&mut deliveries) => {
                    let delivery = delivery?;
                    match received::decode(&delivery) {
                        Ok(event) => {
                            let _work = received::begin(self.service, &event).attach();
                            sink.on_event(event);
                        }
                        Err(problem) => debug!(error = chain(&problem), "message is no event"),
                    }
                    let acked = bounded("basic.ack", REQUEST_LIMIT, delivery.ack(BasicAckOptions { multiple: false }));
                    if !acked.await? {
                        return Err(BrokerError::NotAcknowledged);
                    }
                }
                () = self.interests.changed.notified() => {
                    bound.follow(&session, &self.interests, |key| sink.on_interest(key)).await?;
                }
                () = session.recalled() => {
                    session.close().await;
                    return Ok(());
                }
                () = tokio::time::sleep(PROBE_INTERVAL) => session.probe(queue.as_str()).await?,
            }
        }
    }

    async fn declare(
        &self,
        broker: &Broker,
        session: &Session,
    ) -> Result<ShortString, BrokerError> {
        // Exclusive and auto-delete: a stopped replica needs no events. Such a queue is always
        // classic.
        let options = QueueDeclareOptions {
            passive: false,
            durable: false,
            exclusive: true,
            auto_delete: true,
            nowait: false,
        };
        let mut arguments = FieldTable::default();
        arguments.insert("x-max-length".into(), AMQPValue::LongLongInt(LENGTH_LIMIT));
        arguments.insert(
            "x-overflow".into(),
            AMQPValue::LongString("drop-head".into()),
        );
        let name = broker.name(self.service, &format!("ephemeral.{}", uuid::Uuid::now_v7()));
        let declared = session
            .channel
            .queue_declare(short(&name)?, options, arguments);
        let queue = bounded("queue.declare", REQUEST_LIMIT, declared).await?;
        for pattern in &self.bindings {
            bind(
                &session.channel,
                queue.name(),
                &short(&broker.events_exchange())?,
                pattern,
            )
            .await?;
        }
        Ok(queue.name().clone())
    }
}
