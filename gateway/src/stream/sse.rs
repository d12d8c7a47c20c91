//! The format of event streams.

use std::convert::Infallible;
use std::time::Duration;

use axum::body::Body;
use axum::http::{HeaderName, HeaderValue, header};
use axum::response::Response;
use bytes::Bytes;
use futures::Stream;
use serde_json::Value;

/// Interval of heartbeats on an idle stream.
pub const BEAT_INTERVAL: Duration = Duration::from_secs(15);

/// Interval of checks of a stream's session, in case the broker is down.
pub const CHECK_INTERVAL: Duration = Duration::from_mins(1);

/// Start of a stream: how long a client waits before it reconnects.
pub const GREETING: &[u8] = b"retry: 3000\n\n";

/// A heartbeat.
pub const BEAT: &[u8] = b":\n\n";

/// Tells nginx not to buffer.
const UNBUFFERED: HeaderName = HeaderName::from_static("x-accel-buffering");

/// An answer that lasts until the stream ends.
pub fn response(
    pieces: impl Stream<Item = Result<Bytes, Infallible>> + Send + 'static,
) -> Response {
    let mut response = Response::new(Body::from_stream(pieces));
    let headers = response.headers_mut();
    headers.insert(
        header::CONTENT_TYPE,
        HeaderValue::from_static("text/event-stream"),
    );
    headers.insert(UNBUFFERED, HeaderValue::from_static("no"));
    response
}

/// An event.
pub fn event(name: &str, data: &Value) -> String {
    format!("event: {name}\ndata: {data}\n\n")
}
