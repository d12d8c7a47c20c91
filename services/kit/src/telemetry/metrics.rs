//! Metrics in the Prometheus format: the process's recorder and its own metrics.

use std::sync::OnceLock;
use std::time::Duration;

use anyhow::Context as _;
use metrics_exporter_prometheus::{Matcher, PrometheusBuilder, PrometheusHandle};
use metrics_process::Collector;

/// How often histograms are folded.
const UPKEEP_INTERVAL: Duration = Duration::from_secs(5);

/// Bounds of the latency histograms in seconds: from a cached read to the default deadline.
const LATENCY_BUCKETS: [f64; 13] = [
    0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0,
];

/// From writing an event to applying it: a consumer may be away for hours.
pub(crate) const EVENT_LAG: &str = "consumer_lag_seconds";

/// Bounds of [`EVENT_LAG`], in seconds.
const LAG_BUCKETS: [f64; 12] = [
    0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 5.0, 30.0, 120.0, 600.0, 3600.0,
];

static RECORDER: OnceLock<PrometheusHandle> = OnceLock::new();

/// Installs the Prometheus recorder; later calls (several services in one test process) change
/// nothing.
pub fn install_metrics(service_name: &'static str) -> anyhow::Result<()> {
    if RECORDER.get().is_some() {
        return Ok(());
    }
    let handle = PrometheusBuilder::new()
        .set_buckets(&LATENCY_BUCKETS)?
        .set_buckets_for_metric(Matcher::Full(EVENT_LAG.to_owned()), &LAG_BUCKETS)?
        .add_global_label("service", service_name)
        .install_recorder()
        .context("a metrics recorder was already installed")?;
    let upkeep = handle.clone();
    let _ = RECORDER.set(handle);
    Collector::default().describe();
    if let Ok(runtime) = tokio::runtime::Handle::try_current() {
        // Histograms keep raw samples until they are folded, even if nobody scrapes.
        runtime.spawn(async move {
            loop {
                tokio::time::sleep(UPKEEP_INTERVAL).await;
                upkeep.run_upkeep();
            }
        });
    }
    Ok(())
}

/// The metrics as Prometheus text, including the process's current memory, processor time and open
/// files.
pub fn render_metrics() -> String {
    Collector::default().collect();
    RECORDER
        .get()
        .map(PrometheusHandle::render)
        .unwrap_or_default()
}

/// Whether the recorder is installed: a handle made before counts nothing.
pub(super) fn is_recording() -> bool {
    RECORDER.get().is_some()
}
