//! What every service agrees on at the broker: names, arguments and bindings of exchanges, queues and streams.
//!
//! Exchanges of a namespace:
//! - `{ns}.events` (topic): every event, routed by its type. Its alternate exchange takes what no queue is bound for.
//! - `{ns}.unrouted` (fanout) with a bounded queue of the same name. Without it an event that nobody consumes (yet) would
//!   be returned for ever and block the events behind it in its outbox; with it, the event is kept for a day for people to
//!   look at. Queues are declared by their consumers before these report ready, so a consumer misses nothing.
//! - `{ns}.dead` (direct): dead letters, routed by the name of the queue they came from.
//!
//! A queue's arguments cannot be changed in place, so a queue that is there with others is used as it is, with a warning and a
//! gauge: replicas of two releases share it, and neither may stop because of the other.
//!
//! Whoever connects first to a broker without these makes them. Where they are, nobody needs the right to: a service's user
//! may be kept to its own queues.
//!
//! A service may also keep its events in a [`Stream`], from which others read as often as they like.

use lapin::options::ExchangeDeclareOptions;
use lapin::types::{AMQPValue, FieldTable};
use lapin::{Channel, ExchangeKind};

use super::requests::{
    bind, declare_exchange, declare_queue, find_exchange, find_queue, is_not_found, short, text,
};
use super::{Broker, BrokerError, Session};

/// Deliveries of one message before it is a dead letter.
pub const DELIVERY_LIMIT: i64 = 8;

/// Which make of consumers' queues this is. To be raised whenever their arguments change, because a broker takes no others for a
/// queue that is there: the new queues have other names then, and whoever consumes them retires those of the makes before
/// (`consumer::retire`), so that replicas of both releases work side by side and nothing is lost.
///
/// 1. One replica consumed, the others stood by.
/// 2. All replicas share what there is.
const GENERATION: u32 = 2;

/// Messages that wait for one consumer at most: then publishing is refused and events wait in their outboxes.
const QUEUE_LENGTH_LIMIT: i64 = 1_000_000;

/// Dead letters that are kept at most: then messages stay in their queue, because dead-lettering is at-least-once.
const DEAD_LENGTH_LIMIT: i64 = 100_000;

/// A stream keeps events this long, in RabbitMQ's notation.
const STREAM_AGE: &str = "30D";

/// A stream forgets whole segments of this size.
const STREAM_SEGMENT_BYTES: i64 = 50_000_000;

/// Unrouted events that are kept at most; the oldest go first.
const UNROUTED_LENGTH_LIMIT: i64 = 10_000;

/// Unrouted events are kept this long.
const UNROUTED_AGE_MS: i64 = 24 * 3600 * 1000;

/// A replayable log of events: a stream queue, which a reader attaches to at any offset.
#[derive(Clone, Debug)]
pub struct Stream {
    /// The queue's name, as readers know it: without the namespace.
    pub name: String,
    /// Types of the events in it (`*` and `#` as in bindings).
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
    pub fn dead_exchange(&self) -> String {
        format!("{}.dead", self.namespace)
    }

    /// What belongs to a service begins with this.
    pub(crate) fn name(&self, service: &str, what: &str) -> String {
        format!("{}.{service}.{what}", self.namespace)
    }

    /// The queue of one consumer of one service.
    pub fn queue(&self, service: &str, consumer: &str) -> String {
        self.name(service, &format!("{consumer}.{GENERATION}"))
    }

    /// The queues that this consumer had in earlier generations. The first had none in its name.
    pub fn former_queues(&self, service: &str, consumer: &str) -> Vec<String> {
        (1..GENERATION)
            .map(|generation| match generation {
                1 => self.name(service, consumer),
                _ => self.name(service, &format!("{consumer}.{generation}")),
            })
            .collect()
    }

    /// The queue of the messages that one consumer could not take, whatever generation of queue they came from.
    pub fn dead_queue(&self, service: &str, consumer: &str) -> String {
        self.name(service, &format!("{consumer}.dead"))
    }

    /// Whether all that [`Self::declare_exchanges`] makes is there.
    pub(super) async fn has_exchanges(&self, channel: &Channel) -> Result<bool, BrokerError> {
        let found = async {
            for exchange in [
                self.unrouted(),
                self.dead_exchange(),
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
        // Durable: the topology outlives the broker's restart. Not internal: relays publish to it.
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
            short(&self.dead_exchange())?,
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

    /// Declares the queue of one consumer, its dead-letter queue and its bindings. Queues that are there with other arguments
    /// are taken as they are.
    pub async fn declare_consumer(
        &self,
        session: &mut Session,
        service: &str,
        consumer: &str,
        bindings: &[String],
    ) -> Result<(), BrokerError> {
        let queue = &self.queue(service, consumer);
        let (dead, key) = (
            self.dead_queue(service, consumer),
            self.name(service, consumer),
        );
        session
            .ensure_queue(
                &short(&dead)?,
                self.quorum([
                    // Full means that dead-lettering waits, not that letters are lost.
                    ("x-max-length", AMQPValue::LongLongInt(DEAD_LENGTH_LIMIT)),
                    ("x-overflow", text("reject-publish")),
                ]),
            )
            .await?;
        bind(
            &session.channel,
            &short(&dead)?,
            &short(&self.dead_exchange())?,
            &key,
        )
        .await?;
        session
            .ensure_queue(
                &short(queue)?,
                self.quorum([
                    // RabbitMQ 3.10 has no default: a message that always fails would circle for ever.
                    ("x-delivery-limit", AMQPValue::LongLongInt(DELIVERY_LIMIT)),
                    ("x-dead-letter-exchange", text(&self.dead_exchange())),
                    ("x-dead-letter-routing-key", text(&key)),
                    // The default strategy loses dead letters when the broker stops at the wrong moment; this one needs
                    // reject-publish as overflow.
                    ("x-dead-letter-strategy", text("at-least-once")),
                    ("x-overflow", text("reject-publish")),
                    ("x-max-length", AMQPValue::LongLongInt(QUEUE_LENGTH_LIMIT)),
                ]),
            )
            .await?;
        self.bind_to_events(&session.channel, queue, bindings).await
    }

    /// Binds a queue to the events whose types fit.
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

    /// Declares a stream and its binding. One that is there with other arguments is taken as it is.
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
        // Replicated where there are several nodes, and flushed before it confirms.
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
