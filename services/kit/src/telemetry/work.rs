//! The work in which log lines are written, calls are made and events are sent: a request, an event,
//! a run of a job.
//!
//! OpenTelemetry's own [`Context`] carries it, not a span of `tracing`. Attaching a context to a
//! future costs two reference counts; a span costs an entry in the registry, formatted fields and a
//! look-up in every poll, exported or not. Spans of `tracing`, which tracing-opentelemetry exports,
//! exist only in sampled traces, and the sampler decides before anything is gathered for them.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use opentelemetry::context::{FutureExt as _, WithContext};
use opentelemetry::trace::{
    SpanContext, SpanKind, SpanRef, Status, TraceContextExt as _, TraceFlags, TraceId, TraceState,
};
use opentelemetry::{Context, KeyValue, Value};
use opentelemetry_sdk::trace::{IdGenerator as _, RandomIdGenerator};
use tracing::Span;
use tracing_opentelemetry::OpenTelemetrySpanExt as _;
use tracing_subscriber::fmt::format::Writer;

/// The target of the spans: only the exporter sees them.
pub(super) const SPANS: &str = "adfolio::work";

/// Whether spans are exported.
static IS_EXPORTED: AtomicBool = AtomicBool::new(false);

/// From now on there are spans.
pub(super) fn export() {
    IS_EXPORTED.store(true, Ordering::Relaxed);
}

/// The span of a recorded context: it ends with the last clone of that.
struct Recorded(#[allow(dead_code, reason = "kept for its end")] Span);

/// Work that log lines name.
#[derive(Debug)]
pub struct Work {
    /// Its name in log lines.
    pub name: &'static str,
    /// Its side of a call or message.
    pub kind: SpanKind,
    /// Fields of its log lines and attributes of its span.
    pub fields: Vec<KeyValue>,
}

impl Work {
    /// Begins the work below `parent`, like [`begin`].
    pub fn begin(self, parent: &Context, describe: impl FnOnce(&SpanRef<'_>)) -> Context {
        let begun = begin(parent, &self.kind, |span| {
            span.set_attributes(self.fields.iter().cloned());
            describe(span);
        });
        let trace_id = begun.span().span_context().trace_id();
        begun.with_value(Named(Arc::new(Step {
            name: self.name,
            fields: self.fields,
            trace_id: Some(trace_id),
            outer: parent.get::<Named>().cloned(),
        })))
    }
}

/// Begins work below `parent`: in its trace, or in a new one if it has none. `describe` gives the
/// span its name and attributes; it is only called if the span is recorded.
///
/// An unsampled trace is passed on as it came, and so is every trace if nothing is exported.
pub fn begin(parent: &Context, kind: &SpanKind, describe: impl FnOnce(&SpanRef<'_>)) -> Context {
    let (is_in_trace, is_unsampled) = {
        let span = parent.span();
        let above = span.span_context();
        (above.is_valid(), above.is_valid() && !above.is_sampled())
    };
    if IS_EXPORTED.load(Ordering::Relaxed) && !is_unsampled {
        let begun = begin_span(parent, kind);
        if begun.span().is_recording() {
            describe(&begun.span());
        }
        begun
    } else if is_in_trace {
        parent.clone()
    } else {
        parent.with_remote_span_context(new_trace())
    }
}

/// A span below `parent`, recorded if the sampler says so.
fn begin_span(parent: &Context, kind: &SpanKind) -> Context {
    let span = tracing::info_span!(target: SPANS, "work", otel.kind = ?kind);
    // Fails only without the exporter's layer.
    let _ = span.set_parent(parent.clone());
    let begun = span.context();
    if begun.span().is_recording() {
        begun.with_value(Recorded(span))
    } else {
        begun
    }
}

/// Marks the span of `work` as failed.
pub fn fail(work: &Context) {
    work.span().set_status(Status::error(""));
}

/// One run of the background job `name`, in a trace of its own.
pub fn run<F>(name: &'static str, job: F) -> WithContext<F> {
    let work = begin(&Context::current(), &SpanKind::Internal, |span| {
        span.update_name(name);
    });
    job.with_context(work)
}

/// The context of the background task `name`: log lines name it. It has no trace, because it lives
/// as long as the process; its runs have.
pub(crate) fn task(name: &'static str) -> Context {
    Context::new().with_value(Named(Arc::new(Step {
        name: "task",
        fields: vec![KeyValue::new("name", name)],
        trace_id: None,
        outer: None,
    })))
}

/// Sampled, so that a service that exports records it.
fn new_trace() -> SpanContext {
    let ids = RandomIdGenerator::default();
    SpanContext::new(
        ids.new_trace_id(),
        ids.new_span_id(),
        TraceFlags::SAMPLED,
        false,
        TraceState::NONE,
    )
}

/// What log lines say about the work of a context, and about the work around it.
#[derive(Clone)]
pub(super) struct Named(Arc<Step>);

struct Step {
    name: &'static str,
    fields: Vec<KeyValue>,
    trace_id: Option<TraceId>,
    outer: Option<Named>,
}

impl Named {
    /// Outermost first.
    fn steps(&self) -> Vec<&Step> {
        let mut steps: Vec<&Step> = std::iter::successors(Some(&*self.0), |step| {
            step.outer.as_ref().map(|outer| &*outer.0)
        })
        .collect();
        steps.reverse();
        steps
    }

    /// Writes `grpc{method="…" trace_id=…}: `, as tracing-subscriber does for spans.
    pub(super) fn write(&self, writer: &mut Writer<'_>) -> fmt::Result {
        let style = |code| if writer.has_ansi_escapes() { code } else { "" };
        let (bold, italic, dim, plain) = (
            style("\x1b[1m"),
            style("\x1b[3m"),
            style("\x1b[2m"),
            style("\x1b[0m"),
        );
        for step in self.steps() {
            write!(writer, "{bold}{}{{{plain}", step.name)?;
            let mut gap = "";
            for field in &step.fields {
                write!(writer, "{gap}{italic}{}{plain}{dim}={plain}", field.key)?;
                match &field.value {
                    Value::String(text) => write!(writer, "{:?}", text.as_str())?,
                    value => write!(writer, "{value}")?,
                }
                gap = " ";
            }
            if let Some(trace_id) = step.trace_id {
                write!(
                    writer,
                    "{gap}{italic}trace_id{plain}{dim}={plain}{trace_id}"
                )?;
            }
            write!(writer, "{bold}}}{plain}{dim}:{plain}")?;
        }
        writer.write_char(' ')
    }

    /// The work as objects, outermost first.
    pub(super) fn to_json(&self) -> Vec<serde_json::Value> {
        self.steps().into_iter().map(Step::to_json).collect()
    }
}

impl Step {
    fn to_json(&self) -> serde_json::Value {
        let fields = self.fields.iter().map(|field| {
            let value = match &field.value {
                Value::I64(number) => (*number).into(),
                value => value.as_str().into(),
            };
            (field.key.to_string(), value)
        });
        let trace_id = self
            .trace_id
            .map(|id| ("trace_id".to_owned(), id.to_string().into()));
        // A field of that name, as of a task, replaces it.
        let name = [("name".to_owned(), self.name.into())];
        serde_json::Value::Object(name.into_iter().chain(fields).chain(trace_id).collect())
    }
}
