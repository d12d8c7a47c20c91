//! Decoding a delivery and continuing its trace.

use lapin::message::Delivery;
use lapin::types::AMQPValue;
use opentelemetry::trace::SpanKind;
use opentelemetry::{Context, KeyValue};

use crate::outbox::{CloudEvent, DecodeError};
use crate::telemetry::{self, Work};

/// The event of a delivery, in the trace in which the relay sent it, or in that of the change if
/// the relay recorded none.
pub(super) fn decode(delivery: &Delivery) -> Result<CloudEvent, DecodeError> {
    let mut event = CloudEvent::decode(&delivery.data)?;
    event.traceparent = sent_in(delivery).or(event.traceparent);
    Ok(event)
}

fn sent_in(delivery: &Delivery) -> Option<String> {
    let headers = delivery.properties.headers().as_ref()?;
    match headers.inner().get(telemetry::TRACEPARENT)? {
        AMQPValue::LongString(text) => Some(text.to_string()),
        _ => None,
    }
}

/// The work of `consumer` on an event.
pub(super) fn begin(consumer: &str, event: &CloudEvent) -> Context {
    let work = Work {
        name: "event",
        kind: SpanKind::Consumer,
        fields: vec![
            KeyValue::new("consumer", consumer.to_owned()),
            KeyValue::new("event_type", event.event_type.clone()),
            KeyValue::new("event_id", event.id.to_string()),
        ],
    };
    let sent_in = telemetry::context_of(event.traceparent.as_deref());
    work.begin(&sent_in, |span| {
        span.update_name(format!("process {}", event.event_type));
        span.set_attribute(KeyValue::new("messaging.system", "rabbitmq"));
    })
}
