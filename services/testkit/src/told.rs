//! Events of other services, published twice and out of order.

use adfolio_kit::broker::Broker;
use adfolio_kit::outbox::{CONTENT_TYPE, EnvelopeParts, encode, subject_key};
use chrono::{DateTime, Utc};
use lapin::BasicProperties;
use lapin::options::BasicPublishOptions;
use lapin::types::{AMQPValue, FieldTable};
use serde::Serialize;
use uuid::Uuid;

/// An event of another service, with the id that all its copies have.
#[derive(Clone, Debug)]
pub struct Told {
    /// The event's id.
    pub id: Uuid,
    time: DateTime<Utc>,
    event_type: &'static str,
    subject: String,
    data: String,
}

impl Told {
    /// An event of this moment.
    pub fn new(
        event_type: &'static str,
        subject: impl std::fmt::Display,
        data: &impl Serialize,
    ) -> Self {
        Self {
            id: Uuid::now_v7(),
            time: Utc::now(),
            event_type,
            subject: subject.to_string(),
            data: serde_json::to_string(data).expect("serialisable data"),
        }
    }

    /// The same, written at another time.
    #[must_use]
    pub fn at(self, time: DateTime<Utc>) -> Self {
        Self { time, ..self }
    }

    /// The same content under another event id, as from a service that lost track.
    #[must_use]
    pub fn again(&self) -> Self {
        Self {
            id: Uuid::now_v7(),
            ..self.clone()
        }
    }
}

/// Publishes everything once, in this order, and returns once the broker has it.
pub async fn tell(broker: &Broker, told: &[Told]) {
    publish(broker, told.iter()).await;
}

/// Publishes everything twice, each copy far from its place, in an order that is the same in every
/// run. Events of one subject are handled in the order of their publication: once a later event of
/// a subject has been handled, all of these have been, too.
pub async fn deliver_twice_and_shuffled(broker: &Broker, told: &[Told]) {
    let places = told.len() * 2;
    // A step coprime to the number of places reaches every one of them.
    let step = (places * 3 / 8 + 1..=places + 1)
        .find(|step| common_factor(*step, places) == 1)
        .expect("a number of steps");
    let order = (0..places).map(|turn| turn * step % places % told.len());
    publish(broker, order.map(|place| &told[place])).await;
}

fn common_factor(one: usize, other: usize) -> usize {
    if other == 0 {
        one
    } else {
        common_factor(other, one % other)
    }
}

/// Like a service's relay.
async fn publish(broker: &Broker, told: impl Iterator<Item = &Told>) {
    let session = broker.open("test-tell").await.expect("the broker");
    session.confirm().await.expect("confirms");
    for one in told {
        let parts = EnvelopeParts {
            id: one.id,
            event_type: one.event_type,
            subject: &one.subject,
            sequence: None,
            time: one.time,
            traceparent: None,
            data: &one.data,
        };
        let body = encode("/adfolio/test", &parts).expect("an event");
        let mut headers = FieldTable::default();
        if let Ok(subject) = one.subject.parse() {
            let key = AMQPValue::LongString(subject_key(subject).into());
            headers.insert("BCC".into(), AMQPValue::FieldArray(vec![key].into()));
        }
        let properties = BasicProperties::default()
            .with_content_type(CONTENT_TYPE.into())
            .with_delivery_mode(2)
            .with_headers(headers);
        let options = BasicPublishOptions {
            mandatory: true,
            immediate: false,
        };
        let exchange = broker.events_exchange().into();
        let sent = session.channel.basic_publish(
            exchange,
            one.event_type.into(),
            options,
            &body,
            properties,
        );
        sent.await.expect("publish").await.expect("confirm");
    }
    session.close().await;
}
