//! RabbitMQ: connections, and the topology that every service agrees on.
//!
//! lapin's own recovery gives up after 16 attempts and then leaves consumers hanging, so it stays off: whoever uses a
//! [`Session`] drops it on the first error and opens a new one, with a jittered backoff and without a limit.
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

use std::time::Duration;

use lapin::options::{
    BasicQosOptions, ConfirmSelectOptions, ExchangeDeclareOptions, QueueBindOptions,
    QueueDeclareOptions, QueueDeleteOptions,
};
use lapin::protocol::{AMQPErrorKind, AMQPSoftError};
use lapin::types::{AMQPValue, FieldTable, ShortString};
use lapin::{Channel, Connection, ConnectionProperties, ExchangeKind, Queue};
use secrecy::{ExposeSecret, SecretString};
use tracing::warn;

use crate::config::{BrokerArgs, ConfigError};

/// Every step of opening a connection must be done within this.
const OPEN_LIMIT: Duration = Duration::from_secs(10);

/// Every single request to the broker must be answered within this.
pub(crate) const REQUEST_LIMIT: Duration = Duration::from_secs(10);

/// Seconds between heartbeats: a silent broker is noticed within twice this.
const HEARTBEAT_SECONDS: u16 = 10;

/// Longest frame; a longer message comes in several. lapin keeps room for 64 frames per connection, which with the usual
/// 128 KiB would be 8 MiB.
const FRAME_BYTES: u32 = 16 * 1024;

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

/// The arguments that make a queue another kind: what relies on it would lose its messages or their order.
const KINDS: [&str; 5] = [
    "x-queue-type",
    "x-single-active-consumer",
    "durable",
    "exclusive",
    "auto_delete",
];

/// What went wrong between this process and the broker.
#[derive(Debug, thiserror::Error)]
pub enum BrokerError {
    /// The client library's error.
    #[error("broker request failed")]
    Amqp(#[from] lapin::Error),
    /// The broker did not answer in time.
    #[error("broker did not answer {0} in time")]
    TimedOut(&'static str),
    /// A name is longer than AMQP allows.
    #[error("name is longer than 255 bytes")]
    NameTooLong,
    /// The stream of deliveries ended.
    #[error("deliveries ended")]
    Ended,
    /// The channel is gone, so an acknowledgement did not reach the broker.
    #[error("acknowledgement was not taken")]
    NotAcknowledged,
    /// A publish was refused or returned.
    #[error("publish was not confirmed: {0}")]
    NotConfirmed(String),
}

/// A replayable log of events: a stream queue, which a reader attaches to at any offset.
#[derive(Clone, Debug)]
pub struct Stream {
    /// The queue's name, as readers know it: without the namespace.
    pub name: String,
    /// Types of the events in it (`*` and `#` as in bindings).
    pub pattern: &'static str,
}

/// How to reach the broker, and the prefix of everything there. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Broker {
    url: SecretString,
    namespace: String,
    queue_expires_seconds: Option<u32>,
}

impl Broker {
    /// Checks the configuration; connects to nothing.
    pub fn new(args: &BrokerArgs) -> Result<Self, ConfigError> {
        Ok(Self {
            url: args.url()?,
            namespace: args.amqp_namespace.clone(),
            queue_expires_seconds: args.amqp_queue_expires_seconds,
        })
    }

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

    /// Opens a connection with one channel, and declares the exchanges where there are none. The error callback of the channel needs no care:
    /// every use of a broken channel fails or times out.
    pub async fn open(&self, name: &str) -> Result<Session, BrokerError> {
        let properties =
            ConnectionProperties::default().with_connection_name(format!("adfolio-{name}").into());
        let mut uri: lapin::uri::AMQPUri = self
            .url
            .expose_secret()
            .parse()
            .map_err(|_| BrokerError::TimedOut("connect"))?;
        uri.query.heartbeat.get_or_insert(HEARTBEAT_SECONDS);
        uri.query.frame_max.get_or_insert(FRAME_BYTES);
        uri.query
            .connection_timeout
            .get_or_insert(u64::try_from(OPEN_LIMIT.as_millis()).unwrap_or(u64::MAX));
        let connection = bounded(
            "connect",
            OPEN_LIMIT,
            Connection::connect_uri(uri, properties),
        )
        .await?;
        let mut channel = bounded("channel.open", OPEN_LIMIT, connection.create_channel()).await?;
        if !self.has_exchanges(&channel).await? {
            // The broker closes a channel that asks for what is not there.
            channel = bounded("channel.open", OPEN_LIMIT, connection.create_channel()).await?;
            self.declare_exchanges(&channel).await?;
        }
        Ok(Session {
            connection,
            channel,
        })
    }

    /// Whether all that [`Self::declare_exchanges`] makes is there.
    async fn has_exchanges(&self, channel: &Channel) -> Result<bool, BrokerError> {
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

    async fn declare_exchanges(&self, channel: &Channel) -> Result<(), BrokerError> {
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
        for pattern in bindings {
            bind(
                &session.channel,
                &short(queue)?,
                &short(&self.events_exchange())?,
                pattern,
            )
            .await?;
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

/// One connection and one channel on it.
#[derive(Debug)]
pub struct Session {
    connection: Connection,
    /// The channel.
    pub channel: Channel,
}

impl Session {
    /// Turns publisher confirms on.
    pub async fn confirm(&self) -> Result<(), BrokerError> {
        let options = ConfirmSelectOptions { nowait: false };
        bounded(
            "confirm.select",
            REQUEST_LIMIT,
            self.channel.confirm_select(options),
        )
        .await
    }

    /// Declares a queue, or takes the one that is there although its arguments are others; not one of another kind.
    async fn ensure_queue(
        &mut self,
        name: &ShortString,
        arguments: FieldTable,
    ) -> Result<(), BrokerError> {
        let other = match declare_queue(&self.channel, name, arguments).await {
            Ok(()) => None,
            Err(BrokerError::Amqp(error)) => {
                Some(other_argument(&error).ok_or(BrokerError::Amqp(error))?)
            }
            Err(error) => return Err(error),
        };
        let differs = if other.is_some() { 1.0 } else { 0.0 };
        metrics::gauge!("broker_queue_differs", "queue" => name.to_string()).set(differs);
        if let Some(argument) = other {
            warn!(
                queue = name.as_str(),
                argument, "queue has other arguments and is used as it is"
            );
            // The broker has closed the channel that asked for it.
            let opening = self.connection.create_channel();
            self.channel = bounded("channel.open", OPEN_LIMIT, opening).await?;
        }
        Ok(())
    }

    /// Limits how many deliveries may be unacknowledged on this channel.
    pub async fn prefetch(&self, count: u16) -> Result<(), BrokerError> {
        // Quorum queues know no global prefetch.
        let options = BasicQosOptions { global: false };
        bounded(
            "basic.qos",
            REQUEST_LIMIT,
            self.channel.basic_qos(count, options),
        )
        .await
    }

    /// Whether both connection and channel say that they are usable. They may be wrong; requests tell.
    pub fn is_connected(&self) -> bool {
        self.connection.status().connected() && self.channel.status().connected()
    }

    /// Asks the broker something cheap on the channel in use: true liveness, unlike the library's own status.
    pub async fn probe(&self, queue: &str) -> Result<(), BrokerError> {
        find_queue(&self.channel, short(queue)?).await.map(|_| ())
    }

    /// How many messages wait in a queue and how many consume it; none where there is no such queue, and
    /// then the broker closes the channel. Asks for no right to it.
    pub(crate) async fn look(&self, queue: &str) -> Result<Option<(u32, u32)>, BrokerError> {
        match find_queue(&self.channel, short(queue)?).await {
            Ok(found) => Ok(Some((found.message_count(), found.consumer_count()))),
            Err(BrokerError::Amqp(error)) if is_not_found(&error) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Whether the queue of a consumer gets what it is meant to get: somebody consumes from it, which comes after its bindings,
    /// or something has reached it. That it is there is not enough. Asks like [`Self::look`].
    pub(crate) async fn is_bound(&self, queue: &str) -> Result<bool, BrokerError> {
        let found = self.look(queue).await?;
        Ok(found.is_some_and(|(waiting, consumers)| consumers > 0 || waiting > 0))
    }

    /// Removes a queue with all that is in it.
    pub(crate) async fn delete(&self, queue: &str) -> Result<(), BrokerError> {
        // Quorum queues know no conditions.
        let options = QueueDeleteOptions {
            if_unused: false,
            if_empty: false,
            nowait: false,
        };
        let deleted = self.channel.queue_delete(short(queue)?, options);
        bounded("queue.delete", REQUEST_LIMIT, deleted)
            .await
            .map(|_| ())
    }

    /// Closes in order, for as long as a second; the broker notices a dropped connection anyway.
    pub async fn close(&self) {
        let _ = tokio::time::timeout(
            Duration::from_secs(1),
            self.connection.close(200, "done".into()),
        )
        .await;
    }
}

/// Every request to the broker is bounded: a half-open connection never answers.
pub(crate) async fn bounded<T>(
    what: &'static str,
    limit: Duration,
    request: impl Future<Output = lapin::Result<T>>,
) -> Result<T, BrokerError> {
    match tokio::time::timeout(limit, request).await {
        Ok(outcome) => outcome.map_err(BrokerError::Amqp),
        Err(_) => Err(BrokerError::TimedOut(what)),
    }
}

/// lapin panics on longer names.
pub(crate) fn short(name: &str) -> Result<ShortString, BrokerError> {
    ShortString::try_new(name).map_err(|_| BrokerError::NameTooLong)
}

fn text(value: &str) -> AMQPValue {
    AMQPValue::LongString(value.into())
}

/// Whether the broker said that there is no such thing.
fn is_not_found(error: &lapin::Error) -> bool {
    match error.kind() {
        lapin::ErrorKind::ProtocolError(problem) => {
            *problem.kind() == AMQPErrorKind::Soft(AMQPSoftError::NOTFOUND)
        }
        _ => false,
    }
}

/// Which of its arguments the broker named, when it said that the queue is there with another one. None, where that makes it
/// another kind of queue.
fn other_argument(error: &lapin::Error) -> Option<String> {
    let lapin::ErrorKind::ProtocolError(problem) = error.kind() else {
        return None;
    };
    if *problem.kind() != AMQPErrorKind::Soft(AMQPSoftError::PRECONDITIONFAILED) {
        return None;
    }
    let (_, rest) = problem
        .get_message()
        .as_str()
        .split_once("inequivalent arg '")?;
    let (argument, _) = rest.split_once('\'')?;
    (!KINDS.contains(&argument)).then(|| argument.to_owned())
}

/// Fails when there is no such exchange, and asks for no right to it.
async fn find_exchange(channel: &Channel, name: ShortString) -> Result<(), BrokerError> {
    let options = ExchangeDeclareOptions {
        passive: true,
        ..ExchangeDeclareOptions::default()
    };
    // The kind of an exchange that is there is not looked at.
    declare_exchange(
        channel,
        name,
        ExchangeKind::Topic,
        options,
        FieldTable::default(),
    )
    .await
}

/// Fails when there is no such queue, and asks for no right to it.
async fn find_queue(channel: &Channel, name: ShortString) -> Result<Queue, BrokerError> {
    let options = QueueDeclareOptions {
        passive: true,
        ..QueueDeclareOptions::default()
    };
    let asked = channel.queue_declare(name, options, FieldTable::default());
    bounded("queue.declare", REQUEST_LIMIT, asked).await
}

async fn declare_exchange(
    channel: &Channel,
    name: ShortString,
    kind: ExchangeKind,
    options: ExchangeDeclareOptions,
    arguments: FieldTable,
) -> Result<(), BrokerError> {
    bounded(
        "exchange.declare",
        REQUEST_LIMIT,
        channel.exchange_declare(name, kind, options, arguments),
    )
    .await
}

async fn declare_queue(
    channel: &Channel,
    name: &ShortString,
    arguments: FieldTable,
) -> Result<(), BrokerError> {
    let options = QueueDeclareOptions {
        durable: true,
        ..QueueDeclareOptions::default()
    };
    let declared = channel.queue_declare(name.clone(), options, arguments);
    bounded("queue.declare", REQUEST_LIMIT, declared)
        .await
        .map(|_| ())
}

pub(crate) async fn bind(
    channel: &Channel,
    queue: &ShortString,
    exchange: &ShortString,
    routing_key: &str,
) -> Result<(), BrokerError> {
    let options = QueueBindOptions { nowait: false };
    let bound = channel.queue_bind(
        queue.clone(),
        exchange.clone(),
        short(routing_key)?,
        options,
        FieldTable::default(),
    );
    bounded("queue.bind", REQUEST_LIMIT, bound).await
}

pub(crate) async fn unbind(
    channel: &Channel,
    queue: &ShortString,
    exchange: &ShortString,
    routing_key: &str,
) -> Result<(), BrokerError> {
    let unbound = channel.queue_unbind(
        queue.clone(),
        exchange.clone(),
        short(routing_key)?,
        FieldTable::default(),
    );
    bounded("queue.unbind", REQUEST_LIMIT, unbound).await
}
