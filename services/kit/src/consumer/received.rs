//! Decoding a delivery and continuing its trace.

use lapin::message::Delivery;
use lapin::types::AMQPValue;
use tracing::field::Empty;
use tracing::{Span, info_span};

use crate::outbox::{CloudEvent, DecodeError};
use crate::telemetry;

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

/// A span for `consumer` handling an event.
pub(super) fn span(consumer: &str, event: &CloudEvent) -> Span {
    let span = info_span!(
        "event",
        otel.name = format!("process {}", event.event_type),
        otel.kind = "consumer",
        messaging.system = "rabbitmq",
        consumer,
        event_type = event.event_type,
        event_id = %event.id,
        trace_id = Empty
    );
    telemetry::continue_trace_from(&span, event.traceparent.as_deref());
    span
}
