//! A broker namespace per test, and publishing and collecting events.

use std::sync::{Arc, Mutex, PoisonError};

use adfolio_kit::broker::{Broker, Session};
use adfolio_kit::config::BrokerArgs;
use adfolio_kit::consumer::{EventSink, Subscription};
use adfolio_kit::outbox::{CONTENT_TYPE, CloudEvent, EnvelopeParts, encode};
use adfolio_kit::shutdown::Shutdown;
use chrono::{DateTime, Utc};
use lapin::options::{BasicPublishOptions, ExchangeDeleteOptions, QueueDeleteOptions};
use lapin::{BasicProperties, PublisherConfirm};
use serde::Serialize;
use uuid::Uuid;

use crate::eventually;

/// Queues of a test that died without cleaning up expire after this.
const QUEUE_EXPIRES_SECONDS: u32 = 600;

/// A namespace of its own; its exchanges and queues are deleted with this value.
#[derive(Debug)]
pub struct TestBroker {
    args: BrokerArgs,
    consumers: Mutex<Vec<(String, String)>>,
}

impl TestBroker {
    /// A fresh namespace on the server of `AMQP_URL`.
    pub fn namespace() -> Self {
        let url = std::env::var("AMQP_URL").expect("AMQP_URL names the RabbitMQ that tests use");
        Self::at(&url)
    }

    /// A fresh namespace on another server, or behind a proxy.
    pub fn at(url: &str) -> Self {
        let mut args = BrokerArgs::new(url, format!("test-{}", Uuid::now_v7().simple()));
        args.amqp_queue_expires_seconds = Some(QUEUE_EXPIRES_SECONDS);
        Self {
            args,
            consumers: Mutex::default(),
        }
    }

    /// Configuration of a service that uses this namespace.
    pub fn args(&self) -> BrokerArgs {
        self.args.clone()
    }

    /// The same namespace reached by another URL, such as a [`crate::Proxy`]'s.
    pub fn args_at(&self, url: &str) -> BrokerArgs {
        let mut args = BrokerArgs::new(url, self.args.amqp_namespace.clone());
        args.amqp_queue_expires_seconds = self.args.amqp_queue_expires_seconds;
        args
    }

    /// The broker as kit sees it.
    pub fn broker(&self) -> Broker {
        Broker::new(&self.args).expect("a valid URL")
    }

    /// Registers a consumer whose queues are deleted at the end; others expire by themselves.
    pub fn clean_up(&self, service: &str, consumer: &str) {
        let mut consumers = self
            .consumers
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        consumers.push((service.to_owned(), consumer.to_owned()));
    }

    /// Collects events of the given types (`*` and `#` as in bindings) from now on.
    pub async fn probe(&self, patterns: &[&str]) -> EventProbe {
        EventProbe::start(&self.broker(), patterns).await
    }
}

impl Drop for TestBroker {
    fn drop(&mut self) {
        let broker = self.broker();
        let consumers = std::mem::take(
            &mut *self
                .consumers
                .lock()
                .unwrap_or_else(PoisonError::into_inner),
        );
        // Drop is not async and may run inside a runtime: a thread with a small runtime of its own
        // does the work.
        let deleting = std::thread::spawn(move || {
            if let Ok(runtime) = tokio::runtime::Builder::new_current_thread()
                .enable_all()
                .build()
            {
                runtime.block_on(delete_all(&broker, &consumers));
            }
        });
        let _ = deleting.join();
    }
}

async fn delete_all(broker: &Broker, consumers: &[(String, String)]) {
    let Ok(session) = broker.open("test-clean-up").await else {
        return;
    };
    let channel = &session.channel;
    let queues = consumers.iter().flat_map(|(service, consumer)| {
        let mut queues = broker.former_queues(service, consumer);
        queues.push(broker.queue(service, consumer));
        queues.push(broker.dead_letter_queue(service, consumer));
        queues
    });
    for queue in queues.chain([broker.unrouted()]) {
        let _ = channel
            .queue_delete(queue.into(), QueueDeleteOptions::default())
            .await;
    }
    for exchange in [
        broker.events_exchange(),
        broker.unrouted(),
        broker.dead_letter_exchange(),
    ] {
        let _ = channel
            .exchange_delete(exchange.into(), ExchangeDeleteOptions::default())
            .await;
    }
    session.close().await;
}

/// Collects events.
#[derive(Debug)]
pub struct EventProbe {
    seen: Arc<Mutex<Vec<CloudEvent>>>,
    shutdown: Shutdown,
}

struct Collector {
    seen: Arc<Mutex<Vec<CloudEvent>>>,
    bound: Arc<std::sync::atomic::AtomicBool>,
}

impl EventSink for Collector {
    fn on_gap(&mut self) {
        self.bound.store(true, std::sync::atomic::Ordering::SeqCst);
    }

    fn on_event(&mut self, event: CloudEvent) {
        self.seen
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(event);
    }
}

impl EventProbe {
    /// Starts collecting; returns once everything published from now on is collected.
    pub async fn start(broker: &Broker, patterns: &[&str]) -> Self {
        let seen = Arc::new(Mutex::new(Vec::new()));
        let bound = Arc::new(std::sync::atomic::AtomicBool::new(false));
        let shutdown = Shutdown::manual();
        let subscription = patterns
            .iter()
            .fold(Subscription::ephemeral("probe"), |subscription, pattern| {
                subscription.bind(*pattern)
            });
        let collector = Collector {
            seen: Arc::clone(&seen),
            bound: Arc::clone(&bound),
        };
        tokio::spawn(subscription.run(broker.clone(), shutdown.clone(), collector));
        eventually("the probe is bound", || {
            std::future::ready(bound.load(std::sync::atomic::Ordering::SeqCst))
        })
        .await;
        Self { seen, shutdown }
    }

    /// The events so far.
    pub fn events(&self) -> Vec<CloudEvent> {
        self.seen
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    /// The events of one type so far.
    pub fn of_type(&self, event_type: &str) -> Vec<CloudEvent> {
        self.events()
            .into_iter()
            .filter(|event| event.event_type == event_type)
            .collect()
    }

    /// Waits for at least `count` events of one type.
    pub async fn wait_for(&self, event_type: &str, count: usize) -> Vec<CloudEvent> {
        eventually(&format!("{count} events of type {event_type}"), || {
            let found = self.of_type(event_type);
            std::future::ready((found.len() >= count).then_some(found))
        })
        .await
    }
}

impl Drop for EventProbe {
    fn drop(&mut self) {
        self.shutdown.trigger();
    }
}

/// Publishes an event like a service; returns its id once the broker has it.
pub async fn publish_event(
    broker: &Broker,
    event_type: &str,
    subject: &str,
    data: &impl Serialize,
) -> Uuid {
    let id = Uuid::now_v7();
    publish_event_with_id(broker, id, event_type, subject, data).await;
    id
}

/// Publishes an event with a known id, for instance twice.
pub async fn publish_event_with_id(
    broker: &Broker,
    id: Uuid,
    event_type: &str,
    subject: &str,
    data: &impl Serialize,
) {
    publish_event_at(broker, (id, Utc::now()), event_type, subject, data).await;
}

/// Publishes an event with a known id that was written at that time.
pub async fn publish_event_at(
    broker: &Broker,
    (id, time): (Uuid, DateTime<Utc>),
    event_type: &str,
    subject: &str,
    data: &impl Serialize,
) {
    let session = publishing(broker).await;
    let sent = send(&session, broker, (id, time), event_type, subject, data).await;
    sent.await.expect("confirm");
    session.close().await;
}

/// Publishes many events, one per subject and with the same data, as fast as the broker takes them.
pub async fn publish_events(
    broker: &Broker,
    event_type: &str,
    subjects: impl Iterator<Item = String>,
    data: &impl Serialize,
) {
    let session = publishing(broker).await;
    let mut sent = Vec::new();
    for subject in subjects {
        let id = (Uuid::now_v7(), Utc::now());
        sent.push(send(&session, broker, id, event_type, &subject, data).await);
    }
    for confirm in sent {
        confirm.await.expect("confirm");
    }
    session.close().await;
}

async fn publishing(broker: &Broker) -> Session {
    let session = broker
        .open("test-publish")
        .await
        .expect("connect to the broker");
    session.confirm().await.expect("confirms");
    session
}

async fn send(
    session: &Session,
    broker: &Broker,
    (id, time): (Uuid, DateTime<Utc>),
    event_type: &str,
    subject: &str,
    data: &impl Serialize,
) -> PublisherConfirm {
    let data = serde_json::to_string(data).expect("serialisable data");
    let parts = EnvelopeParts {
        id,
        event_type,
        subject,
        sequence: None,
        time,
        traceparent: None,
        data: &data,
    };
    let body = encode("/adfolio/test", &parts).expect("an event");
    let properties = BasicProperties::default()
        .with_content_type(CONTENT_TYPE.into())
        .with_delivery_mode(2);
    session
        .channel
        .basic_publish(
            broker.events_exchange().into(),
            event_type.into(),
            BasicPublishOptions {
                mandatory: true,
                immediate: false,
            },
            &body,
            properties,
        )
        .await
        .expect("publish")
}
