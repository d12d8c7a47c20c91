//! Events as CloudEvents 1.0 in structured JSON.

use std::borrow::Cow;

use chrono::{DateTime, SecondsFormat, Utc};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use uuid::Uuid;

use crate::telemetry;

/// The content type of a structured CloudEvent.
pub const CONTENT_TYPE: &str = "application/cloudevents+json";

/// Larger messages are not our events.
const LONGEST_BODY: usize = 1024 * 1024;

/// An event could not be made: its data cannot be serialised as JSON.
#[derive(Debug, thiserror::Error)]
#[error("event data cannot be serialised")]
pub struct EventError(#[from] serde_json::Error);

/// An event to enqueue.
#[derive(Clone, Debug)]
pub struct Event {
    pub(crate) id: Uuid,
    pub(crate) kind: Cow<'static, str>,
    pub(crate) subject: String,
    pub(crate) sequence: Option<i64>,
    pub(crate) data: String,
    pub(crate) traceparent: Option<String>,
}

impl Event {
    /// An event of type `event_type` (`adfolio.wallet.v1.TransactionPosted`) about `subject`
    /// (usually a user's id), with the proto3 JSON of `data` and the current trace.
    #[allow(
        clippy::needless_pass_by_value,
        reason = "ids are Copy, and texts are mostly borrowed"
    )]
    pub fn new(
        event_type: impl Into<Cow<'static, str>>,
        subject: impl ToString,
        data: &impl Serialize,
    ) -> Result<Self, EventError> {
        Ok(Self {
            id: Uuid::now_v7(),
            kind: event_type.into(),
            subject: subject.to_string(),
            sequence: None,
            data: serde_json::to_string(data)?,
            traceparent: telemetry::traceparent(),
        })
    }

    /// Sets its position among the subject's events.
    #[must_use]
    pub fn sequence(mut self, sequence: i64) -> Self {
        self.sequence = Some(sequence);
        self
    }

    /// Sets the id: for tests, and for events whose id follows from their cause.
    #[must_use]
    pub fn with_id(mut self, id: Uuid) -> Self {
        self.id = id;
        self
    }

    /// Puts it into another trace than the current one.
    #[must_use]
    pub fn traced_by(mut self, traceparent: Option<&str>) -> Self {
        self.traceparent = traceparent.map(str::to_owned);
        self
    }

    /// The event's id.
    pub fn id(&self) -> Uuid {
        self.id
    }
}

/// A received event.
#[derive(Clone, Debug, PartialEq)]
pub struct CloudEvent {
    /// Unique per event; a redelivery has the same id.
    pub id: Uuid,
    /// `/adfolio/<service>`.
    pub source: String,
    /// The type: package and message.
    pub event_type: String,
    /// What it is about.
    pub subject: String,
    /// When it was written.
    pub time: DateTime<Utc>,
    /// Its position among the subject's events.
    pub sequence: Option<i64>,
    /// Its trace.
    pub traceparent: Option<String>,
    /// The message as proto3 JSON.
    pub data: serde_json::Value,
}

/// A message that is no event.
#[derive(Debug, thiserror::Error)]
pub enum DecodeError {
    /// Not a CloudEvent in structured JSON, or its data does not match the expected message.
    #[error("malformed event")]
    Json(#[from] serde_json::Error),
    /// Larger than any event.
    #[error("event is too large")]
    TooLarge,
    /// Another version of the envelope.
    #[error("unknown specversion")]
    Version,
}

impl CloudEvent {
    /// Decodes a message body.
    pub fn decode(body: &[u8]) -> Result<Self, DecodeError> {
        if body.len() > LONGEST_BODY {
            return Err(DecodeError::TooLarge);
        }
        let envelope: Received = serde_json::from_slice(body)?;
        if envelope.specversion != "1.0" {
            return Err(DecodeError::Version);
        }
        Ok(Self {
            id: envelope.id,
            source: envelope.source,
            event_type: envelope.event_type,
            subject: envelope.subject.unwrap_or_default(),
            time: envelope.time,
            sequence: envelope.sequence.and_then(|text| text.parse().ok()),
            traceparent: envelope.traceparent,
            data: envelope.data,
        })
    }

    /// The data as a message of `adfolio.events.v1`.
    pub fn data<T: DeserializeOwned>(&self) -> Result<T, DecodeError> {
        Ok(T::deserialize(&self.data)?)
    }
}

#[derive(Deserialize)]
struct Received {
    specversion: String,
    id: Uuid,
    source: String,
    #[serde(rename = "type")]
    event_type: String,
    subject: Option<String>,
    time: DateTime<Utc>,
    sequence: Option<String>,
    traceparent: Option<String>,
    #[serde(default)]
    data: serde_json::Value,
}

/// The published envelope. `data` is passed through byte by byte.
#[derive(Serialize)]
pub(crate) struct Envelope<'a> {
    specversion: &'static str,
    id: Uuid,
    source: &'a str,
    #[serde(rename = "type")]
    event_type: &'a str,
    subject: &'a str,
    time: String,
    datacontenttype: &'static str,
    /// The CloudEvents extension `sequence` is a string.
    #[serde(skip_serializing_if = "Option::is_none")]
    sequence: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    traceparent: Option<&'a str>,
    data: &'a RawValue,
}

/// The parts of an envelope, as stored in the outbox.
pub struct EnvelopeParts<'a> {
    /// The event's id.
    pub id: Uuid,
    /// The event's type.
    pub event_type: &'a str,
    /// Its subject.
    pub subject: &'a str,
    /// Its sequence.
    pub sequence: Option<i64>,
    /// When it was written.
    pub time: DateTime<Utc>,
    /// Its trace.
    pub traceparent: Option<&'a str>,
    /// Its data as JSON text.
    pub data: &'a str,
}

/// The message body of an event.
pub fn encode(source: &str, parts: &EnvelopeParts<'_>) -> Result<Vec<u8>, EventError> {
    let data: &RawValue = serde_json::from_str(parts.data)?;
    let envelope = Envelope {
        specversion: "1.0",
        id: parts.id,
        source,
        event_type: parts.event_type,
        subject: parts.subject,
        time: parts.time.to_rfc3339_opts(SecondsFormat::Millis, true),
        datacontenttype: "application/json",
        sequence: parts.sequence.map(|number| number.to_string()),
        traceparent: parts.traceparent,
        data,
    };
    Ok(serde_json::to_vec(&envelope)?)
}
