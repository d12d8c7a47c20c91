//! Logs, traces and metrics, behind one guard that is flushed last.

use std::collections::BTreeMap;
use std::sync::OnceLock;
use std::time::Duration;

use anyhow::Context as _;
use metrics_exporter_prometheus::{PrometheusBuilder, PrometheusHandle};
use opentelemetry::propagation::{Extractor, Injector, TextMapPropagator};
use opentelemetry::trace::TracerProvider as _;
use opentelemetry_otlp::WithExportConfig as _;
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::propagation::TraceContextPropagator;
use opentelemetry_sdk::trace::SdkTracerProvider;
use tracing::Span;
use tracing_opentelemetry::OpenTelemetrySpanExt as _;
use tracing_subscriber::filter::{FilterExt as _, LevelFilter, Targets};
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;
use tracing_subscriber::{EnvFilter, Layer, fmt};

use crate::config::{LogFormat, TelemetryArgs};

/// The header of the W3C trace context.
pub const TRACEPARENT: &str = "traceparent";

/// How long the last spans may take to leave.
const FLUSH_LIMIT: Duration = Duration::from_secs(3);

/// How long an export of spans may take.
const EXPORT_LIMIT: Duration = Duration::from_secs(5);

/// How often histograms are folded.
const UPKEEP_INTERVAL: Duration = Duration::from_secs(5);

/// Bounds of the latency histograms, in seconds: from a cached read to the default deadline.
const LATENCY_BUCKETS: [f64; 13] = [
    0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0,
];

static METRICS: OnceLock<PrometheusHandle> = OnceLock::new();

/// Keeps telemetry alive; dropping it sends what has not been sent.
#[must_use = "telemetry ends when the guard is dropped"]
#[derive(Debug)]
pub struct TelemetryGuard {
    tracer: Option<SdkTracerProvider>,
}

impl Drop for TelemetryGuard {
    fn drop(&mut self) {
        if let Some(tracer) = self.tracer.take() {
            // Nobody is left to tell: a collector that is down must not keep the process from ending.
            let _ = tracer.shutdown_with_timeout(FLUSH_LIMIT);
        }
    }
}

/// Starts logging, metrics and, when an endpoint is configured, the export of traces. Called once per process.
pub fn init(service_name: &'static str, args: &TelemetryArgs) -> anyhow::Result<TelemetryGuard> {
    // Without an exporter spans go nowhere, but requests still get a trace id to answer and pass on.
    let tracer = tracer_provider(service_name, args.traces_endpoint())?;
    // Adfolio's own spans only: without a filter this layer would switch on every trace event of every library, each frame of
    // HTTP/2 included, and a call would cost a multiple.
    let spans = tracing_opentelemetry::layer()
        .with_tracer(tracer.tracer("adfolio"))
        .with_filter(Targets::new().with_target("adfolio", LevelFilter::INFO));
    let filter = EnvFilter::try_from_default_env()
        .unwrap_or_else(|_| EnvFilter::new("info,lapin=warn,sqlx=warn"));
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
        .try_init()
        .context("logging was already started")?;
    install_metrics(service_name)?;
    Ok(TelemetryGuard {
        tracer: Some(tracer),
    })
}

/// What no setting switches on, because it would print a secret: at its finest level lapin prints the frame in which it shows
/// its password to the broker.
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

/// Installs the Prometheus recorder; later calls (several services in one test process) change nothing.
pub fn install_metrics(service_name: &'static str) -> anyhow::Result<()> {
    if METRICS.get().is_some() {
        return Ok(());
    }
    let handle = PrometheusBuilder::new()
        .set_buckets(&LATENCY_BUCKETS)?
        .add_global_label("service", service_name)
        .install_recorder()
        .context("a metrics recorder was already installed")?;
    let upkeep = handle.clone();
    let _ = METRICS.set(handle);
    if let Ok(runtime) = tokio::runtime::Handle::try_current() {
        // Histograms keep raw samples until they are folded, whether or not anybody scrapes.
        runtime.spawn(async move {
            loop {
                tokio::time::sleep(UPKEEP_INTERVAL).await;
                upkeep.run_upkeep();
            }
        });
    }
    Ok(())
}

/// The metrics in Prometheus' text form, with the process' memory read at this moment.
pub fn render_metrics() -> String {
    if let Some(bytes) = resident_memory_bytes() {
        metrics::gauge!("process_resident_memory_bytes").set(bytes);
    }
    METRICS
        .get()
        .map(PrometheusHandle::render)
        .unwrap_or_default()
}

/// Resident memory from /proc, where there is one.
#[allow(
    clippy::float_arithmetic,
    clippy::cast_precision_loss,
    reason = "gauges are floats"
)]
fn resident_memory_bytes() -> Option<f64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kibibytes: u64 = line.split_whitespace().next()?.parse().ok()?;
    Some(kibibytes as f64 * 1024.0)
}

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

/// Makes `span` a child of the trace named in HTTP or gRPC headers.
pub fn continue_trace(span: &Span, headers: &http::HeaderMap) {
    // Fails only when no tracing layer is there to hold the parent.
    let _ = span.set_parent(TraceContextPropagator::new().extract(&HeaderExtractor(headers)));
}

/// Makes `span` a child of the trace named by a `traceparent` text, as events carry it.
pub fn continue_trace_from(span: &Span, traceparent: Option<&str>) {
    if let Some(text) = traceparent {
        let carrier = Carrier(BTreeMap::from([(TRACEPARENT.to_owned(), text.to_owned())]));
        let _ = span.set_parent(TraceContextPropagator::new().extract(&carrier));
    }
}

/// The `traceparent` of the current span; none when traces are not recorded.
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
