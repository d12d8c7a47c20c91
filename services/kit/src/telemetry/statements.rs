//! A span for every SQL statement, made from sqlx's report.
//!
//! sqlx 0.9 has no spans: it reports each finished statement as an event of the target
//! `sqlx::query`, inside the caller's span. The span is made from that event, with a start time
//! computed from the reported duration.

use std::sync::OnceLock;
use std::time::{Duration, SystemTime};

use opentelemetry::KeyValue;
use opentelemetry::trace::{Span as _, SpanKind, TraceContextExt as _, Tracer as _};
use opentelemetry_sdk::trace::SdkTracer;
use tracing::dispatcher::WeakDispatch;
use tracing::field::{Field, Visit};
use tracing::{Dispatch, Event, Subscriber};
use tracing_opentelemetry::get_otel_context;
use tracing_subscriber::Layer;
use tracing_subscriber::layer::Context;
use tracing_subscriber::registry::LookupSpan;

const TARGET: &str = "sqlx::query";

/// Makes a span of every statement that is reported inside a span of a sampled trace.
pub(super) struct StatementSpans {
    tracer: SdkTracer,
    dispatch: OnceLock<WeakDispatch>,
}

impl StatementSpans {
    pub(super) fn new(tracer: SdkTracer) -> Self {
        Self {
            tracer,
            dispatch: OnceLock::new(),
        }
    }
}

impl<S> Layer<S> for StatementSpans
where
    S: Subscriber + for<'lookup> LookupSpan<'lookup>,
{
    fn on_register_dispatch(&self, dispatch: &Dispatch) {
        let _ = self.dispatch.set(dispatch.downgrade());
    }

    fn on_event(&self, event: &Event<'_>, context: Context<'_, S>) {
        if event.metadata().target() != TARGET {
            return;
        }
        let Some(parent) = context
            .event_span(event)
            .map(|span| span.id())
            .zip(self.dispatch.get().and_then(WeakDispatch::upgrade))
            .and_then(|(id, dispatch)| get_otel_context(&id, &dispatch))
        else {
            return;
        };
        if !parent.span().span_context().is_sampled() {
            return;
        }
        let mut statement = Statement::default();
        event.record(&mut statement);
        let ended = SystemTime::now();
        let began = ended.checked_sub(statement.elapsed).unwrap_or(ended);
        // Values are always bound, so the text contains none.
        let attributes = [
            KeyValue::new("db.system.name", "postgresql"),
            KeyValue::new("db.query.summary", statement.summary.clone()),
            KeyValue::new("db.query.text", statement.text),
            KeyValue::new("db.response.returned_rows", statement.returned_rows),
        ];
        self.tracer
            .span_builder(statement.summary)
            .with_kind(SpanKind::Client)
            .with_start_time(began)
            .with_attributes(attributes)
            .start_with_context(&self.tracer, &parent)
            .end_with_timestamp(ended);
    }
}

/// sqlx's report of a statement.
#[derive(Default)]
struct Statement {
    summary: String,
    text: String,
    returned_rows: i64,
    elapsed: Duration,
}

impl Visit for Statement {
    fn record_str(&mut self, field: &Field, value: &str) {
        match field.name() {
            "summary" => value.trim_end_matches(" …").clone_into(&mut self.summary),
            // Empty if the summary is the whole statement.
            "db.statement" => value.trim().clone_into(&mut self.text),
            _ => {}
        }
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        if field.name() == "rows_returned" {
            self.returned_rows = i64::try_from(value).unwrap_or(i64::MAX);
        }
    }

    fn record_f64(&mut self, field: &Field, value: f64) {
        if field.name() == "elapsed_secs" {
            self.elapsed = Duration::try_from_secs_f64(value).unwrap_or_default();
        }
    }

    fn record_debug(&mut self, _: &Field, _: &dyn std::fmt::Debug) {}
}
