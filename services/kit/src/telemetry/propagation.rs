//! The W3C trace context in headers and events.

use opentelemetry::Context;
use opentelemetry::propagation::{Extractor, Injector, TextMapPropagator};
use opentelemetry::trace::{SpanRef, TraceContextExt as _};
use opentelemetry_sdk::propagation::TraceContextPropagator;

/// The header of the W3C trace context.
pub const TRACEPARENT: &str = "traceparent";

struct Headers<'a>(&'a http::HeaderMap);

impl Extractor for Headers<'_> {
    fn get(&self, key: &str) -> Option<&str> {
        self.0.get(key).and_then(|value| value.to_str().ok())
    }

    fn keys(&self) -> Vec<&str> {
        self.0.keys().map(http::HeaderName::as_str).collect()
    }
}

struct Received<'a>(&'a str);

impl Extractor for Received<'_> {
    fn get(&self, key: &str) -> Option<&str> {
        (key == TRACEPARENT).then_some(self.0)
    }

    fn keys(&self) -> Vec<&str> {
        vec![TRACEPARENT]
    }
}

struct Sent(Option<String>);

impl Injector for Sent {
    fn set(&mut self, key: &str, value: String) {
        if key == TRACEPARENT {
            self.0 = Some(value);
        }
    }
}

/// The current context, in the trace of HTTP or gRPC headers if they name one.
pub fn context_of_headers(headers: &http::HeaderMap) -> Context {
    TraceContextPropagator::new().extract(&Headers(headers))
}

/// The current context, in the trace of a `traceparent`, as in events.
pub fn context_of(traceparent: Option<&str>) -> Context {
    traceparent.map_or_else(Context::current, |text| {
        TraceContextPropagator::new().extract(&Received(text))
    })
}

/// Links `span` to the trace of a `traceparent`: a batch can have only one parent.
pub fn link(span: &SpanRef<'_>, traceparent: &str) {
    let linked = context_of(Some(traceparent));
    span.add_link(linked.span().span_context().clone(), Vec::new());
}

/// The `traceparent` of the current work; none outside of a trace.
pub fn traceparent() -> Option<String> {
    Context::map_current(traceparent_of)
}

/// The `traceparent` of `work`; none outside of a trace.
pub fn traceparent_of(work: &Context) -> Option<String> {
    let mut sent = Sent(None);
    TraceContextPropagator::new().inject_context(work, &mut sent);
    sent.0
}

/// Writes the trace of `work` into outgoing HTTP or gRPC headers.
pub fn inject_headers(work: &Context, headers: &mut http::HeaderMap) {
    if let Some(value) =
        traceparent_of(work).and_then(|text| http::HeaderValue::try_from(text).ok())
    {
        headers.insert(TRACEPARENT, value);
    }
}
