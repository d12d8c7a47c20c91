//! The W3C trace context in headers, metadata and events.

use std::collections::BTreeMap;

use opentelemetry::propagation::{Extractor, Injector, TextMapPropagator};
use opentelemetry::trace::TraceContextExt as _;
use opentelemetry::{Context, TraceId};
use opentelemetry_sdk::propagation::TraceContextPropagator;
use tracing::Span;
use tracing_opentelemetry::OpenTelemetrySpanExt as _;

/// The header of the W3C trace context.
pub const TRACEPARENT: &str = "traceparent";

struct HeaderExtractor<'a>(&'a http::HeaderMap);

impl Extractor for HeaderExtractor<'_> {
    fn get(&self, key: &str) -> Option<&str> {
        self.0.get(key).and_then(|value| value.to_str().ok())
    }

    fn keys(&self) -> Vec<&str> {
        self.0.keys().map(http::HeaderName::as_str).collect()
    }
}

struct Carrier(BTreeMap<String, String>);

impl Extractor for Carrier {
    fn get(&self, key: &str) -> Option<&str> {
        self.0.get(key).map(String::as_str)
    }

    fn keys(&self) -> Vec<&str> {
        self.0.keys().map(String::as_str).collect()
    }
}

impl Injector for Carrier {
    fn set(&mut self, key: &str, value: String) {
        self.0.insert(key.to_owned(), value);
    }
}

/// Makes `span` a child of the trace in HTTP or gRPC headers, or the root of a new one, and records
/// its field `trace_id`, so that every log line in it names the trace.
pub fn continue_trace(span: &Span, headers: &http::HeaderMap) {
    // Fails only if there is no tracing layer to hold the parent.
    let _ = span.set_parent(TraceContextPropagator::new().extract(&HeaderExtractor(headers)));
    record_trace_id(span);
}

/// Like [`continue_trace`], with a trace in the form of a `traceparent`, as in events.
pub fn continue_trace_from(span: &Span, traceparent: Option<&str>) {
    if let Some(text) = traceparent {
        let _ = span.set_parent(context_of(text));
    }
    record_trace_id(span);
}

/// Links `span` to the trace of a `traceparent`: a batch can have only one parent.
pub fn link_trace(span: &Span, traceparent: &str) {
    span.add_link(context_of(traceparent).span().span_context().clone());
}

fn context_of(traceparent: &str) -> Context {
    let carrier = Carrier(BTreeMap::from([(
        TRACEPARENT.to_owned(),
        traceparent.to_owned(),
    )]));
    TraceContextPropagator::new().extract(&carrier)
}

fn record_trace_id(span: &Span) {
    let context = span.context();
    let trace = context.span().span_context().trace_id();
    if trace != TraceId::INVALID {
        span.record("trace_id", tracing::field::display(trace));
    }
}

/// The `traceparent` of the current span; none if traces are not recorded.
pub fn traceparent() -> Option<String> {
    let mut carrier = Carrier(BTreeMap::new());
    TraceContextPropagator::new().inject_context(&Span::current().context(), &mut carrier);
    carrier.0.remove(TRACEPARENT)
}

/// Writes the current trace into outgoing HTTP headers.
pub fn inject_headers(headers: &mut http::HeaderMap) {
    if let Some(value) = traceparent().and_then(|text| http::HeaderValue::try_from(text).ok()) {
        headers.insert(TRACEPARENT, value);
    }
}

/// Writes the current trace into outgoing gRPC metadata.
pub fn inject_metadata(metadata: &mut tonic::metadata::MetadataMap) {
    if let Some(value) = traceparent().and_then(|text| text.parse().ok()) {
        metadata.insert(TRACEPARENT, value);
    }
}
