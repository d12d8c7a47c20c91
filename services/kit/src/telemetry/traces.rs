//! What a recorded span gets from log lines and from sqlx's reports.
//!
//! sqlx 0.9 has no spans: it reports each finished statement as an event of the target
//! `sqlx::query`. A span is made from that event, with a start time computed from the reported
//! duration. Adfolio's own log lines become events of the span in which they are written.

use std::time::{Duration, SystemTime};

use opentelemetry::trace::{Span as _, SpanKind, Status, TraceContextExt as _, Tracer as _};
use opentelemetry::{Context, KeyValue};
use opentelemetry_sdk::trace::SdkTracer;
use tracing::field::{Field, Visit};
use tracing::level_filters::LevelFilter;
use tracing::{Event, Level, Subscriber};
use tracing_subscriber::Layer;
use tracing_subscriber::filter::{FilterExt as _, Targets, dynamic_filter_fn};
use tracing_subscriber::layer;
use tracing_subscriber::registry::LookupSpan;

const STATEMENT: &str = "sqlx::query";

/// A layer that is only enabled inside recorded spans, so that sqlx does not even compose its report
/// elsewhere.
pub(super) fn traces<S>(tracer: SdkTracer) -> impl Layer<S>
where
    S: Subscriber + for<'lookup> LookupSpan<'lookup>,
{
    let targets = Targets::new()
        .with_target("adfolio", LevelFilter::INFO)
        .with_target(STATEMENT, LevelFilter::DEBUG);
    let recorded = dynamic_filter_fn(|metadata, _| metadata.is_event() && is_recording());
    // Without the hint it would enable every level of every library.
    Traces(tracer).with_filter(targets.and(recorded.with_max_level_hint(LevelFilter::DEBUG)))
}

fn is_recording() -> bool {
    Context::map_current(|context| context.span().is_recording())
}

struct Traces(SdkTracer);

impl<S: Subscriber> Layer<S> for Traces {
    fn on_event(&self, event: &Event<'_>, _: layer::Context<'_, S>) {
        let current = Context::current();
        if event.metadata().target() == STATEMENT {
            let mut statement = Statement::default();
            event.record(&mut statement);
            statement.record_below(&current, &self.0);
            return;
        }
        let level = *event.metadata().level();
        let mut line = Line::default();
        event.record(&mut line);
        line.attributes.push(KeyValue::new("level", level.as_str()));
        line.attributes
            .push(KeyValue::new("target", event.metadata().target()));
        let span = current.span();
        span.add_event(line.message, line.attributes);
        if level == Level::ERROR {
            span.set_status(Status::error(""));
        }
    }
}

/// A log line.
#[derive(Default)]
struct Line {
    message: String,
    attributes: Vec<KeyValue>,
}

impl Visit for Line {
    fn record_str(&mut self, field: &Field, value: &str) {
        self.attributes
            .push(KeyValue::new(field.name(), value.to_owned()));
    }

    fn record_debug(&mut self, field: &Field, value: &dyn std::fmt::Debug) {
        if field.name() == "message" {
            self.message = format!("{value:?}");
        } else {
            self.attributes
                .push(KeyValue::new(field.name(), format!("{value:?}")));
        }
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

impl Statement {
    fn record_below(self, parent: &Context, tracer: &SdkTracer) {
        let ended = SystemTime::now();
        let began = ended.checked_sub(self.elapsed).unwrap_or(ended);
        // Values are always bound, so the text contains none.
        let attributes = [
            KeyValue::new("db.system.name", "postgresql"),
            KeyValue::new("db.query.summary", self.summary.clone()),
            KeyValue::new("db.query.text", self.text),
            KeyValue::new("db.response.returned_rows", self.returned_rows),
        ];
        tracer
            .span_builder(self.summary)
            .with_kind(SpanKind::Client)
            .with_start_time(began)
            .with_attributes(attributes)
            .start_with_context(tracer, parent)
            .end_with_timestamp(ended);
    }
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
