//! The topology that all services share: names, arguments and bindings of exchanges, queues and
//! streams.
//!
//! Exchanges of a namespace:
//! - `{ns}.events` (topic): every event, routed by its type. Events without a bound queue go to its
//!   alternate exchange.
//! - `{ns}.unrouted` (fanout) with a bounded queue of the same name. Without it, an event without a
//!   consumer would be returned again and again and block the events behind it in its outbox. Here
//!   it is kept for a day for inspection. Consumers declare their queues before they report ready,
//!   so they miss nothing.
//! - `{ns}.dead` (direct): dead letters, routed by the name of their original queue.
//!
//! The arguments of an existing queue cannot change, so a queue with different arguments is used as
//! it is, with a warning and a gauge: replicas of two releases share it, and neither may stop
//! because of the other.
//!
//! The first process to connect to an empty broker declares the exchanges. After that nobody needs
//! the permission to: the RabbitMQ user of a service may be limited to its own queues.
//!
//! A service may also keep its events in a [`Stream`], which others can read any number of times.

use lapin::options::ExchangeDeclareOptions;
use lapin::types::{AMQPValue, FieldTable};
use lapin::{Channel, ExchangeKind};

use super::requests::{
    bind, declare_exchange, declare_queue, find_exchange, find_queue, is_not_found, short, text,
};
use super::{Broker, BrokerError, Session};

/// Deliveries of a message before it is dead-lettered.
pub const DELIVERY_LIMIT: i64 = 8;

/// The generation of the consumers' queues. Increase it whenever their arguments change: an
/// existing queue cannot take new arguments, so the queues of a new generation have new names.
/// Consumers retire the queues of earlier generations (`consumer::retire`), so replicas of two
/// releases run side by side and no event is lost.
///
/// 1. One replica consumes, the others stand by.
/// 2. All replicas share the queue.
const GENERATION: u32 = 2;

/// Most messages in a consumer's queue: beyond this publishing is rejected and events stay in their
/// outboxes.
const QUEUE_LENGTH_LIMIT: i64 = 1_000_000;

/// Most dead letters in a queue: beyond this messages stay in their own queue, because
/// dead-lettering is at-least-once.
const DEAD_LETTER_LIMIT: i64 = 100_000;

/// How long a stream keeps events, in RabbitMQ's notation.
const STREAM_AGE: &str = "30D";

/// A stream deletes whole segments of this size.
const STREAM_SEGMENT_BYTES: i64 = 50_000_000;

/// Most unrouted events; the oldest are dropped first.
const UNROUTED_LENGTH_LIMIT: i64 = 10_000;

/// How long unrouted events are kept.
const UNROUTED_AGE_MS: i64 = 24 * 3600 * 1000;

/// A replayable log of events: a stream queue that readers attach to at any offset.
#[derive(Clone, Debug)]
pub struct Stream {
    /// The queue's name as readers know it, without the namespace.
    pub name: String,
    /// The types of its events (`*` and `#` as in bindings).
    pub pattern: &'static str,
}

impl Broker {
    /// The exchange of all events.
    pub fn events_exchange(&self) -> String {
        format!("{}.events", self.namespace)
    }

    /// The exchange and the queue of events without a consumer.
    pub fn unrouted(&self) -> String {
        format!("{}.unrouted", self.namespace)
    }

    /// The exchange of dead letters.
    pub fn dead_letter_exchange(&self) -> String {
        format!("{}.dead", self.namespace)
    }

    /// The prefix of a service's queues.
    pub(crate) fn name(&self, service: &str, what: &str) -> String {
        format!("{}.{service}.{what}", self.namespace)
    }

    /// The queue of one consumer of one service.
    pub fn queue(&self, service: &str, consumer: &str) -> String {
        self.name(service, &format!("{consumer}.{GENERATION}"))
    }

    /// The queues that this consumer had in earlier generations. The name of the first has no
    /// generation.
    pub fn former_queues(&self, service: &str, consumer: &str) -> Vec<String> {
        (1..GENERATION)
            .map(|generation| match generation {
                1 => self.name(service, consumer),
                _ => self.name(service, &format!("{consumer}.{generation}")),
            })
            .collect()
    }

    /// The dead letters of a consumer, from queues of all generations.
    pub fn dead_letter_queue(&self, service: &str, consumer: &str) -> String {
        self.name(service, &format!("{consumer}.dead"))
    }

    /// Whether everything that [`Self::declare_exchanges`] makes exists.
    pub(super) async fn has_exchanges(&self, channel: &Channel) -> Result<bool, BrokerError> {
        let found = async {
            for exchange in [
                self.unrouted(),
                self.dead_letter_exchange(),
                self.events_exchange(),
            ] {
                find_exchange(channel, short(&exchange)?).await?;
            }
            find_queue(channel, short(&self.unrouted())?).await
        };
        match found.await {
            Ok(_) => Ok(true),
            Err(BrokerError::Amqp(error)) if is_not_found(&error) => Ok(false),
            Err(error) => Err(error),
        }
    }

    pub(super) async fn declare_exchanges(&self, channel: &Channel) -> Result<(), BrokerError> {
        // Durable: survives a restart of the broker. Not internal: relays publish to it.
        let options = ExchangeDeclareOptions {
            durable: true,
            ..ExchangeDeclareOptions::default()
        };
        let unrouted = short(&self.unrouted())?;
        let none = FieldTable::default;
        declare_exchange(
            channel,
            unrouted.clone(),
            ExchangeKind::Fanout,
            options,
            none(),
        )
        .await?;
        declare_queue(
            channel,
            &unrouted,
            self.quorum([
                (
                    "x-max-length",
                    AMQPValue::LongLongInt(UNROUTED_LENGTH_LIMIT),
                ),
                ("x-overflow", text("drop-head")),
                ("x-message-ttl", AMQPValue::LongLongInt(UNROUTED_AGE_MS)),
            ]),
        )
        .await?;
        bind(channel, &unrouted, &unrouted, "").await?;
        declare_exchange(
            channel,
            short(&self.dead_letter_exchange())?,
            ExchangeKind::Direct,
            options,
            none(),
        )
        .await?;
        let mut arguments = FieldTable::default();
        arguments.insert("alternate-exchange".into(), text(&self.unrouted()));
        declare_exchange(
            channel,
            short(&self.events_exchange())?,
            ExchangeKind::Topic,
            options,
            arguments,
        )
        .await
    }

    /// Declares the queue of a consumer, its dead-letter queue and its bindings. Existing queues
    /// with different arguments are accepted.
    pub async fn declare_consumer(
        &self,
        session: &mut Session,
        service: &str,
        consumer: &str,
        bindings: &[String],
    ) -> Result<(), BrokerError> {
        let queue = &self.queue(service, consumer);
        let (dead_letters, key) = (
            self.dead_letter_queue(service, consumer),
            self.name(service, consumer),
        );
        session
            .ensure_queue(
                &short(&dead_letters)?,
                self.quorum([
                    // A full queue delays dead-lettering; it does not lose letters.
                    ("x-max-length", AMQPValue::LongLongInt(DEAD_LETTER_LIMIT)),
                    ("x-overflow", text("reject-publish")),
                ]),
            )
            .await?;
        bind(
            &session.channel,
            &short(&dead_letters)?,
            &short(&self.dead_letter_exchange())?,
            &key,
        )
        .await?;
        session
            .ensure_queue(
                &short(queue)?,
                self.quorum([
                    // RabbitMQ 3.10 has no default: a message that always fails would be
                    // redelivered forever.
                    ("x-delivery-limit", AMQPValue::LongLongInt(DELIVERY_LIMIT)),
                    ("x-dead-letter-exchange", text(&self.dead_letter_exchange())),
                    ("x-dead-letter-routing-key", text(&key)),
                    // The default strategy loses dead letters if the broker stops at the wrong
                    // moment. This one requires the overflow `reject-publish`.
                    ("x-dead-letter-strategy", text("at-least-once")),
                    ("x-overflow", text("reject-publish")),
                    ("x-max-length", AMQPValue::LongLongInt(QUEUE_LENGTH_LIMIT)),
                ]),
            )
            .await?;
        self.bind_to_events(&session.channel, queue, bindings).await
    }

    /// Binds a queue to the events whose types match.
    pub(crate) async fn bind_to_events(
        &self,
        channel: &Channel,
        queue: &str,
        patterns: &[String],
    ) -> Result<(), BrokerError> {
        let (queue, exchange) = (short(queue)?, short(&self.events_exchange())?);
        for pattern in patterns {
            bind(channel, &queue, &exchange, pattern).await?;
        }
        Ok(())
    }

    /// Declares a stream and its binding. An existing stream with different arguments is accepted.
    pub async fn declare_stream(
        &self,
        session: &mut Session,
        stream: &Stream,
    ) -> Result<(), BrokerError> {
        let mut arguments = FieldTable::default();
        arguments.insert("x-queue-type".into(), text("stream"));
        arguments.insert("x-max-age".into(), text(STREAM_AGE));
        arguments.insert(
            "x-stream-max-segment-size-bytes".into(),
            AMQPValue::LongLongInt(STREAM_SEGMENT_BYTES),
        );
        let name = short(&stream.name)?;
        session.ensure_queue(&name, arguments).await?;
        bind(
            &session.channel,
            &name,
            &short(&self.events_exchange())?,
            stream.pattern,
        )
        .await
    }

    fn quorum<const N: usize>(&self, arguments: [(&'static str, AMQPValue); N]) -> FieldTable {
        let mut table = FieldTable::default();
        // Replicated if there are several nodes, and flushed to disk before a confirm.
        table.insert("x-queue-type".into(), text("quorum"));
        if let Some(seconds) = self.queue_expires_seconds {
            table.insert(
                "x-expires".into(),
                AMQPValue::LongLongInt(i64::from(seconds).saturating_mul(1000)),
            );
        }
        for (key, value) in arguments {
            table.insert(key.into(), value);
        }
        table
    }
}
