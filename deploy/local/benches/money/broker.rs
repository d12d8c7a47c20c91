//! The performance of the machine's RabbitMQ alone, asked as the relay of an outbox asks it.

use std::sync::Arc;
use std::time::{Duration, Instant};

use adfolio_kit::outbox::{CONTENT_TYPE, EnvelopeParts, encode};
use adfolio_local::Stack;
use adfolio_proto::events::v1::TransactionPosted;
use chrono::Utc;
use futures::StreamExt as _;
use futures::stream::FuturesUnordered;
use lapin::options::{
    BasicAckOptions, BasicConsumeOptions, BasicPublishOptions, BasicQosOptions,
    ConfirmSelectOptions, QueueDeclareOptions,
};
use lapin::protocol::basic::AMQPProperties;
use lapin::types::{AMQPValue, FieldTable};
use lapin::{Channel, Confirmation, Connection, ConnectionProperties};
use uuid::Uuid;

use crate::rounds::{Measurement, Outcome};

const QUEUE: &str = "benchmark.events";

/// Like a batch of the relay: published together, and confirmed before the next.
const BATCH: usize = 500;

/// Deliveries that the consumer holds unacknowledged.
const PREFETCH: u16 = 100;

/// Persistent messages, as large as an event of a posting, into a quorum queue whose consumer
/// acknowledges each.
pub async fn prepare(stack: &Stack) -> Measurement {
    let publisher = Arc::new(Publisher::connect(stack).await);
    Measurement::new("broker", move |duration| {
        let publisher = Arc::clone(&publisher);
        Box::pin(async move { publisher.measure(duration).await })
    })
}

struct Publisher {
    channel: Channel,
    body: Vec<u8>,
    // They close when they are dropped.
    _connections: [Connection; 2],
}

impl Publisher {
    async fn connect(stack: &Stack) -> Self {
        let publishing = connect(stack).await;
        let channel = publishing.create_channel().await.unwrap();
        channel
            .confirm_select(ConfirmSelectOptions { nowait: false })
            .await
            .unwrap();
        declare_queue(&channel).await;
        let consuming = connect(stack).await;
        consume(consuming.create_channel().await.unwrap()).await;
        Self {
            channel,
            body: event(),
            _connections: [publishing, consuming],
        }
    }

    async fn measure(&self, duration: Duration) -> Outcome {
        let counted_from = Instant::now() + duration / 10;
        let until = counted_from + duration;
        let (mut confirmed, mut operations) = (0, 0);
        while Instant::now() < until {
            self.publish_batch().await;
            operations += BATCH;
            let now = Instant::now();
            if now > counted_from && now < until {
                confirmed += BATCH;
            }
        }
        Outcome {
            figures: vec![("per_second", confirmed as f64 / duration.as_secs_f64())],
            operations,
        }
    }

    async fn publish_batch(&self) {
        let mut confirms = FuturesUnordered::new();
        for _ in 0..BATCH {
            let properties = AMQPProperties::default()
                .with_content_type(CONTENT_TYPE.into())
                .with_delivery_mode(2);
            let options = BasicPublishOptions {
                mandatory: true,
                ..BasicPublishOptions::default()
            };
            // The nameless exchange routes to the queue of that name.
            let published = self.channel.basic_publish(
                "".into(),
                QUEUE.into(),
                options,
                &self.body,
                properties,
            );
            confirms.push(published.await.unwrap());
        }
        while let Some(confirmation) = confirms.next().await {
            assert!(matches!(confirmation.unwrap(), Confirmation::Ack(None)));
        }
    }
}

async fn connect(stack: &Stack) -> Connection {
    let properties = ConnectionProperties::default().with_connection_name("benchmark".into());
    Connection::connect(stack.amqp_url(), properties)
        .await
        .unwrap()
}

async fn declare_queue(channel: &Channel) {
    let mut arguments = FieldTable::default();
    arguments.insert(
        "x-queue-type".into(),
        AMQPValue::LongString("quorum".into()),
    );
    let options = QueueDeclareOptions {
        durable: true,
        ..QueueDeclareOptions::default()
    };
    channel
        .queue_declare(QUEUE.into(), options, arguments)
        .await
        .unwrap();
}

/// Acknowledges every message until the connection closes.
async fn consume(channel: Channel) {
    channel
        .basic_qos(PREFETCH, BasicQosOptions::default())
        .await
        .unwrap();
    let mut deliveries = channel
        .basic_consume(
            QUEUE.into(),
            "benchmark".into(),
            BasicConsumeOptions::default(),
            FieldTable::default(),
        )
        .await
        .unwrap();
    tokio::spawn(async move {
        while let Some(Ok(delivery)) = deliveries.next().await {
            delivery.ack(BasicAckOptions::default()).await.unwrap();
        }
    });
}

/// An event as wallet publishes it.
fn event() -> Vec<u8> {
    let hash = "5e".repeat(32);
    let posted = TransactionPosted {
        transaction_id: Uuid::now_v7().to_string(),
        user_id: Uuid::now_v7().to_string(),
        sequence: 1_000,
        r#type: "hold".to_owned(),
        time: Some(Utc::now().into()),
        available_change_minor: -10_000,
        to_be_consumed_change_minor: 10_000,
        available_minor: 100_000_000,
        to_be_consumed_minor: 10_000,
        reference: Uuid::now_v7().to_string(),
        previous_hash: hash.clone(),
        hash,
        ..TransactionPosted::default()
    };
    let parts = EnvelopeParts {
        id: Uuid::now_v7(),
        event_type: "adfolio.wallet.v1.TransactionPosted",
        subject: &posted.user_id,
        sequence: Some(posted.sequence),
        time: Utc::now(),
        traceparent: None,
        data: &serde_json::to_string(&posted).unwrap(),
    };
    encode("/adfolio/wallet", &parts).unwrap()
}
