//! A recurring background job.

use std::fmt::Display;
use std::future::Future;
use std::time::Duration;

use tracing::warn;

use crate::shutdown::Shutdown;
use crate::telemetry;

/// Runs `job` every `interval` (plus or minus a tenth, so that replicas drift apart) until the
/// shutdown; each run is limited to `limit`. A failed run is logged and the next one runs as usual.
/// The future of a run may be dropped, so a job that writes uses [`crate::db::write`].
pub async fn every<F, Fut, E>(
    name: &'static str,
    interval: Duration,
    limit: Duration,
    shutdown: Shutdown,
    mut job: F,
) where
    F: FnMut() -> Fut + Send,
    Fut: Future<Output = Result<(), E>> + Send,
    E: Display,
{
    while shutdown.sleep(jittered(interval)).await {
        tokio::select! {
            () = shutdown.cancelled() => return,
            outcome = tokio::time::timeout(limit, telemetry::run(name, job())) => match outcome {
                Ok(Ok(())) => {}
                Ok(Err(error)) => warn!(job = name, %error, "periodic job failed"),
                Err(_) => warn!(job = name, limit_ms = limit.as_millis(), "periodic job took too long"),
            },
        }
    }
}

/// The interval, up to a tenth shorter or longer.
fn jittered(interval: Duration) -> Duration {
    let micros = u64::try_from(interval.as_micros()).unwrap_or(u64::MAX);
    let spread = micros / 10;
    Duration::from_micros(rand::random_range(
        micros.saturating_sub(spread)..=micros.saturating_add(spread),
    ))
}
