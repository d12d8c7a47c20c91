//! Dead letters: look at them, and send them back to the queue that they came from.

use std::time::Duration;

use chrono::{DateTime, Utc};
use lapin::options::{
    BasicAckOptions, BasicGetOptions, BasicNackOptions, BasicPublishOptions, QueueDeclareOptions,
};
use lapin::types::FieldTable;
use lapin::{BasicProperties, Confirmation};

use crate::broker::{Broker, BrokerError, REQUEST_LIMIT, Session, bounded, short};
use crate::outbox::CloudEvent;

/// Letters that one call looks at or sends back at most.
pub const BATCH_LIMIT: u32 = 1000;

/// A confirm must be there within this.
const CONFIRM_LIMIT: Duration = Duration::from_secs(5);

/// Persistent, as it was.
const PERSISTENT: u8 = 2;

/// A dead letter.
#[derive(Clone, Debug)]
pub struct DeadLetter {
    /// The event's id, if the message is an event.
    pub event_id: Option<uuid::Uuid>,
    /// The event's type, or the routing key of what is no event.
    pub event_type: String,
    /// The event's subject.
    pub subject: String,
    /// When the event was written.
    pub time: Option<DateTime<Utc>>,
    /// The whole message as text.
    pub body: String,
}

/// How many letters wait behind `queue`; none when it has no dead-letter queue.
pub async fn count(broker: &Broker, service: &str, consumer: &str) -> Result<u32, BrokerError> {
    let session = broker.open("dead-count").await?;
    let name = broker.dead_queue(service, consumer);
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

/// Looks at up to `limit` letters without taking them.
pub async fn list(
    broker: &Broker,
    service: &str,
    consumer: &str,
    limit: u32,
) -> Result<Vec<DeadLetter>, BrokerError> {
    let session = broker.open("dead-list").await?;
    let name = broker.dead_queue(service, consumer);
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
        // All of them at once, back to where they were.
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

/// Sends up to `limit` letters back to their queue, each acknowledged only after the broker has confirmed the copy: a
/// failure in between leaves a letter twice, which the inbox tolerates, and never loses one.
pub async fn redrive(
    broker: &Broker,
    service: &str,
    consumer: &str,
    limit: u32,
) -> Result<u32, BrokerError> {
    let session = broker.open("dead-redrive").await?;
    session.confirm().await?;
    let queue = broker.queue(service, consumer);
    let dead = broker.dead_queue(service, consumer);
    let mut moved: u32 = 0;
    // No more than wait now: a letter that dies again meanwhile is not sent round and round.
    let waiting = count(broker, service, consumer).await?;
    while moved < limit.min(BATCH_LIMIT).min(waiting) {
        if !redrive_one(&session, &dead, &queue).await? {
            break;
        }
        moved = moved.saturating_add(1);
    }
    session.close().await;
    Ok(moved)
}

async fn redrive_one(session: &Session, dead: &str, queue: &str) -> Result<bool, BrokerError> {
    let got = session
        .channel
        .basic_get(short(dead)?, BasicGetOptions { no_ack: false });
    let Some(message) = bounded("basic.get", REQUEST_LIMIT, got).await? else {
        return Ok(false);
    };
    // Straight to the one queue, by the default exchange: other consumers have had the event. Without the old headers,
    // whose count of deliveries and deaths would follow it.
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
