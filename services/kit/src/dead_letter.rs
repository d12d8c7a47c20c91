//! Dead letters: listing them, and sending them back to their original queue.

use std::sync::Arc;
use std::time::Duration;

use chrono::{DateTime, Utc};
use lapin::options::{
    BasicAckOptions, BasicGetOptions, BasicNackOptions, BasicPublishOptions, QueueDeclareOptions,
};
use lapin::types::FieldTable;
use lapin::{BasicProperties, Confirmation};

use tokio::sync::Mutex;
use tokio::time::{Instant, timeout};
use tracing::debug;

use crate::broker::{Broker, BrokerError, REQUEST_LIMIT, Session, bounded, short};
use crate::consumer::CONSUMERS;
use crate::outbox::CloudEvent;
use crate::refusal::chain;
use crate::waiting::{Kind, Waiting};

/// Most letters that one call lists or sends back.
pub const BATCH_LIMIT: u32 = 1000;

/// Limit of a confirm.
const CONFIRM_LIMIT: Duration = Duration::from_secs(5);

/// How long the count of [`OwnLetters`] is kept: each one takes a connection to the broker.
const KEPT_FOR: Duration = Duration::from_secs(10);

/// Limit of a count of [`OwnLetters`], within the deadline of the call that asks for it.
const COUNT_LIMIT: Duration = Duration::from_secs(2);

/// Persistent, like the original.
const PERSISTENT: u8 = 2;

/// A dead letter.
#[derive(Clone, Debug)]
pub struct DeadLetter {
    /// The event's id, if the message is an event.
    pub event_id: Option<uuid::Uuid>,
    /// The event's type, or the routing key if the message is no event.
    pub event_type: String,
    /// The event's subject.
    pub subject: String,
    /// When the event was written.
    pub time: Option<DateTime<Utc>>,
    /// The whole message as text.
    pub body: String,
}

/// The number of dead letters of a consumer; none if there is no dead-letter queue.
pub async fn count(broker: &Broker, service: &str, consumer: &str) -> Result<u32, BrokerError> {
    let session = broker.open("dead-count").await?;
    let name = broker.dead_letter_queue(service, consumer);
    let options = QueueDeclareOptions {
        passive: true,
        ..QueueDeclareOptions::default()
    };
    let declared = session
        .channel
        .queue_declare(short(&name)?, options, FieldTable::default());
    let queue = bounded("queue.declare", REQUEST_LIMIT, declared).await?;
    let waiting = queue.message_count();
    session.close().await;
    Ok(waiting)
}

/// When dead letters were counted, and how many there were; none where the broker did not say.
type Counted = (Instant, Option<u32>);

/// Counts the dead letters of all consumers of one service, for its staff. Cheap to clone.
#[derive(Clone, Debug)]
pub struct OwnLetters {
    service: &'static str,
    broker: Broker,
    last: Arc<Mutex<Option<Counted>>>,
}

impl OwnLetters {
    /// Those of the consumers of `service` in [`CONSUMERS`]. Nothing is connected before the first count.
    pub fn new(service: &'static str, broker: Broker) -> Self {
        Self {
            service,
            broker,
            last: Arc::default(),
        }
    }

    /// How many there are, or were a few seconds ago; none while the broker does not say. Calls that come together wait
    /// for one count.
    pub async fn waiting(&self) -> Option<Waiting> {
        let mut last = self.last.lock().await;
        let count = match *last {
            Some((at, count)) if at.elapsed() < KEPT_FOR => count,
            _ => {
                let count = self.count().await;
                *last = Some((Instant::now(), count));
                count
            }
        };
        // RabbitMQ does not tell how old a message is without delivering it.
        Some(Waiting::counted(
            Kind::DeadLetters,
            (i64::from(count?), None),
        ))
    }

    async fn count(&self) -> Option<u32> {
        let mut queues = Vec::new();
        for (service, consumer) in CONSUMERS {
            if service == self.service {
                queues.push(self.broker.dead_letter_queue(service, consumer));
            }
        }
        if queues.is_empty() {
            return Some(0);
        }
        match timeout(COUNT_LIMIT, sum(&self.broker, &queues)).await {
            Ok(Ok(count)) => count,
            Ok(Err(error)) => {
                debug!(error = chain(&error), "dead letters cannot be counted");
                None
            }
            Err(_) => {
                debug!("dead letters were not counted in time");
                None
            }
        }
    }
}

/// The messages of queues; none if one of them does not exist yet.
async fn sum(broker: &Broker, queues: &[String]) -> Result<Option<u32>, BrokerError> {
    let session = broker.open("dead-count").await?;
    let mut sum: u32 = 0;
    for queue in queues {
        let Some((messages, _)) = session.inspect(queue).await? else {
            return Ok(None);
        };
        sum = sum.saturating_add(messages);
    }
    session.close().await;
    Ok(Some(sum))
}

/// Lists up to `limit` letters without removing them.
pub async fn list(
    broker: &Broker,
    service: &str,
    consumer: &str,
    limit: u32,
) -> Result<Vec<DeadLetter>, BrokerError> {
    let session = broker.open("dead-list").await?;
    let name = broker.dead_letter_queue(service, consumer);
    let mut letters = Vec::new();
    let mut last_tag = None;
    while letters.len() < limit.min(BATCH_LIMIT) as usize {
        let got = session
            .channel
            .basic_get(short(&name)?, BasicGetOptions { no_ack: false });
        let Some(message) = bounded("basic.get", REQUEST_LIMIT, got).await? else {
            break;
        };
        last_tag = Some(message.delivery.delivery_tag);
        letters.push(describe(
            message.delivery.routing_key.as_str(),
            &message.delivery.data,
        ));
    }
    if let Some(tag) = last_tag {
        // Requeues all of them.
        let options = BasicNackOptions {
            multiple: true,
            requeue: true,
        };
        bounded(
            "basic.nack",
            REQUEST_LIMIT,
            session.channel.basic_nack(tag, options),
        )
        .await?;
    }
    session.close().await;
    Ok(letters)
}

/// Sends up to `limit` letters back to their queue. Each is acknowledged only after the broker has
/// confirmed the copy: a failure in between duplicates a letter, which the inbox tolerates, and
/// never loses one.
pub async fn redrive(
    broker: &Broker,
    service: &str,
    consumer: &str,
    limit: u32,
) -> Result<u32, BrokerError> {
    let session = broker.open("dead-redrive").await?;
    session.confirm().await?;
    let queue = broker.queue(service, consumer);
    let dead_letters = broker.dead_letter_queue(service, consumer);
    let mut moved: u32 = 0;
    // No more than there are now: a letter that is dead-lettered again meanwhile does not loop.
    let waiting = count(broker, service, consumer).await?;
    while moved < limit.min(BATCH_LIMIT).min(waiting) {
        if !redrive_one(&session, &dead_letters, &queue).await? {
            break;
        }
        moved = moved.saturating_add(1);
    }
    session.close().await;
    Ok(moved)
}

async fn redrive_one(
    session: &Session,
    dead_letters: &str,
    queue: &str,
) -> Result<bool, BrokerError> {
    let got = session
        .channel
        .basic_get(short(dead_letters)?, BasicGetOptions { no_ack: false });
    let Some(message) = bounded("basic.get", REQUEST_LIMIT, got).await? else {
        return Ok(false);
    };
    // Directly to the one queue, through the default exchange: other consumers have received the
    // event. Without the old headers, because their delivery counts would carry over.
    let mut properties = BasicProperties::default().with_delivery_mode(PERSISTENT);
    if let Some(content_type) = message.delivery.properties.content_type() {
        properties = properties.with_content_type(content_type.clone());
    }
    let options = BasicPublishOptions {
        mandatory: true,
        immediate: false,
    };
    let published = session.channel.basic_publish(
        "".into(),
        short(queue)?,
        options,
        &message.delivery.data,
        properties,
    );
    let confirm = bounded("basic.publish", REQUEST_LIMIT, published).await?;
    match bounded("confirm", CONFIRM_LIMIT, confirm).await? {
        Confirmation::Ack(None) => {}
        _ => return Err(BrokerError::NotConfirmed(queue.to_owned())),
    }
    let acked = bounded(
        "basic.ack",
        REQUEST_LIMIT,
        message.delivery.ack(BasicAckOptions { multiple: false }),
    )
    .await?;
    if acked {
        Ok(true)
    } else {
        Err(BrokerError::NotAcknowledged)
    }
}

fn describe(routing_key: &str, body: &[u8]) -> DeadLetter {
    let event = CloudEvent::decode(body).ok();
    DeadLetter {
        event_id: event.as_ref().map(|event| event.id),
        event_type: event
            .as_ref()
            .map_or_else(|| routing_key.to_owned(), |event| event.event_type.clone()),
        subject: event
            .as_ref()
            .map(|event| event.subject.clone())
            .unwrap_or_default(),
        time: event.as_ref().map(|event| event.time),
        body: String::from_utf8_lossy(body).into_owned(),
    }
}
