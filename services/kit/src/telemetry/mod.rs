//! Logs, traces and metrics. Their guard is flushed last.

mod handles;
mod metrics;
mod propagation;
mod statements;

use std::time::Duration;

use anyhow::Context as _;
use opentelemetry::trace::TracerProvider as _;
use opentelemetry_otlp::WithExportConfig as _;
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::trace::SdkTracerProvider;
use tracing_subscriber::filter::{FilterExt as _, LevelFilter, Targets};
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;
use tracing_subscriber::{EnvFilter, Layer, fmt};

use crate::config::{LogFormat, TelemetryArgs};
use statements::StatementSpans;

pub use handles::{Handle, Handles};
pub(crate) use metrics::EVENT_LAG;
pub use metrics::{install_metrics, render_metrics};
pub use propagation::{
    TRACEPARENT, continue_trace, continue_trace_from, inject_headers, inject_metadata, link_trace,
    traceparent,
};

/// The log filter unless RUST_LOG is set. lapin's report of a closed channel is left out: the
/// caller gets the same error and logs it if it matters.
pub const DEFAULT_LOG_FILTER: &str = "info,lapin=warn,lapin::channel=off,sqlx=warn";

/// Limit of the last export of spans.
const FLUSH_LIMIT: Duration = Duration::from_secs(3);

/// Limit of an export of spans.
const EXPORT_LIMIT: Duration = Duration::from_secs(5);

/// Keeps telemetry alive; dropping it exports the remaining spans.
#[must_use = "telemetry ends when the guard is dropped"]
#[derive(Debug)]
pub struct TelemetryGuard {
    tracer: Option<SdkTracerProvider>,
}

impl Drop for TelemetryGuard {
    fn drop(&mut self) {
        if let Some(tracer) = self.tracer.take() {
            // A failure cannot be reported any more, and an unavailable collector must not keep the
            // process from ending.
            let _ = tracer.shutdown_with_timeout(FLUSH_LIMIT);
        }
    }
}

/// Starts logging, metrics and, if an endpoint is configured, the export of traces. Called once per
/// process.
pub fn init(service_name: &'static str, args: &TelemetryArgs) -> anyhow::Result<TelemetryGuard> {
    // Without an exporter spans go nowhere, but requests still get a trace id to answer and pass
    // on.
    let tracer = tracer_provider(service_name, args.traces_endpoint())?;
    // Adfolio's own spans only: without a filter this layer would enable every trace event of every
    // library, including each HTTP/2 frame, and a call would cost a multiple.
    let spans = tracing_opentelemetry::layer()
        .with_tracer(tracer.tracer("adfolio"))
        .with_filter(own_spans());
    // Statements are only recorded if spans are exported: each costs its text. An `Option` would
    // not do: in tracing-subscriber 0.3.23 it does not pass the dispatcher to its layer.
    let statements = StatementSpans::new(tracer.tracer("sqlx")).with_filter(
        if args.traces_endpoint().is_some() {
            own_spans().with_target("sqlx::query", LevelFilter::DEBUG)
        } else {
            Targets::new()
        },
    );
    let filter =
        EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new(DEFAULT_LOG_FILTER));
    let lines = match args.log_format {
        LogFormat::Human => fmt::layer().with_writer(std::io::stderr).boxed(),
        LogFormat::Json => fmt::layer()
            .json()
            .flatten_event(true)
            .with_writer(std::io::stderr)
            .boxed(),
    };
    tracing_subscriber::registry()
        .with(lines.with_filter(filter.and(without_secrets())))
        .with(spans)
        .with(statements)
        .try_init()
        .context("logging was already started")?;
    install_metrics(service_name)?;
    Ok(TelemetryGuard {
        tracer: Some(tracer),
    })
}

fn own_spans() -> Targets {
    Targets::new().with_target("adfolio", LevelFilter::INFO)
}

/// Never enabled by any setting, because it would print a secret: at trace level lapin prints the
/// frame with its password for the broker.
fn without_secrets() -> Targets {
    Targets::new()
        .with_default(LevelFilter::TRACE)
        .with_target("lapin", LevelFilter::DEBUG)
}

fn tracer_provider(
    service_name: &'static str,
    endpoint: Option<&str>,
) -> anyhow::Result<SdkTracerProvider> {
    let resource = Resource::builder()
        .with_service_name(format!("adfolio-{service_name}"))
        .build();
    let builder = SdkTracerProvider::builder().with_resource(resource);
    let Some(endpoint) = endpoint else {
        return Ok(builder.build());
    };
    let exporter = opentelemetry_otlp::SpanExporter::builder()
        .with_tonic()
        .with_endpoint(endpoint)
        .with_timeout(EXPORT_LIMIT)
        .build()
        .context("OTEL_EXPORTER_OTLP_ENDPOINT cannot be used")?;
    Ok(builder.with_batch_exporter(exporter).build())
}
