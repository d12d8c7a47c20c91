//! Logs, traces and metrics. Their guard is flushed last.

mod handles;
mod lines;
mod metrics;
mod propagation;
mod traces;
mod work;

use std::time::Duration;

use anyhow::Context as _;
use opentelemetry::trace::TracerProvider as _;
use opentelemetry_otlp::WithExportConfig as _;
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::trace::{SdkTracer, SdkTracerProvider};
use tracing::Subscriber;
use tracing_subscriber::filter::{FilterExt as _, LevelFilter, Targets};
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::registry::LookupSpan;
use tracing_subscriber::util::SubscriberInitExt as _;
use tracing_subscriber::{EnvFilter, Layer as _};

use crate::config::TelemetryArgs;
use traces::traces;
use work::SPANS;

pub use handles::{Handle, Handles};
pub use lines::log_lines;
pub(crate) use metrics::EVENT_LAG;
pub use metrics::{install_metrics, render_metrics};
pub use propagation::{
    TRACEPARENT, context_of, context_of_headers, inject_headers, link, traceparent, traceparent_of,
};
pub(crate) use work::task;
pub use work::{Work, begin, fail, run};

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
    let tracer = args
        .traces_endpoint()
        .map(|endpoint| tracer_provider(service_name, endpoint))
        .transpose()?;
    let exported = tracer.as_ref().map(|tracer| tracer.tracer("adfolio"));
    let filter =
        EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new(DEFAULT_LOG_FILTER));
    let lines = log_lines(args.log_format, std::io::stderr);
    tracing_subscriber::registry()
        .with(lines.with_filter(filter.and(without_secrets())))
        .with(exported.clone().map(spans))
        .with(exported.map(traces))
        .try_init()
        .context("logging was already started")?;
    if tracer.is_some() {
        work::export();
    }
    install_metrics(service_name)?;
    Ok(TelemetryGuard { tracer })
}

/// Never enabled by any setting: what would print a secret (at trace level lapin prints the frame
/// with its password for the broker), and the exporter's spans, whose fields log lines have from
/// the context.
fn without_secrets() -> Targets {
    Targets::new()
        .with_default(LevelFilter::TRACE)
        .with_target("lapin", LevelFilter::DEBUG)
        .with_target(SPANS, LevelFilter::OFF)
}

/// The layer that exports the spans of recorded work.
fn spans<S>(tracer: SdkTracer) -> impl tracing_subscriber::Layer<S>
where
    S: Subscriber + for<'lookup> LookupSpan<'lookup>,
{
    tracing_opentelemetry::layer()
        .with_tracer(tracer)
        .with_location(false)
        .with_threads(false)
        .with_tracked_inactivity(false)
        .with_filter(Targets::new().with_target(SPANS, LevelFilter::INFO))
}

fn tracer_provider(
    service_name: &'static str,
    endpoint: &str,
) -> anyhow::Result<SdkTracerProvider> {
    let resource = Resource::builder()
        .with_service_name(format!("adfolio-{service_name}"))
        .build();
    let exporter = opentelemetry_otlp::SpanExporter::builder()
        .with_tonic()
        .with_endpoint(endpoint)
        .with_timeout(EXPORT_LIMIT)
        .build()
        .context("OTEL_EXPORTER_OTLP_ENDPOINT cannot be used")?;
    Ok(SdkTracerProvider::builder()
        .with_resource(resource)
        .with_batch_exporter(exporter)
        .build())
}
