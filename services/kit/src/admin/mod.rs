//! The admin port: health, readiness and metrics for supervisors, orchestrators and Prometheus. It
//! is unencrypted: it serves no secrets and belongs on the private network.

mod health;

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use axum::Router;
use axum::extract::State;
use axum::http::StatusCode;
use axum::routing::get;
use futures::FutureExt;
use futures::future::BoxFuture;
use tokio::net::TcpListener;
use tracing::{info, warn};

use self::health::Probes;
use crate::shutdown::Shutdown;
use crate::telemetry;

/// A readiness check fails if it takes longer than this.
const CHECK_LIMIT: Duration = Duration::from_secs(2);

type Check = Arc<dyn Fn() -> BoxFuture<'static, bool> + Send + Sync>;

/// Whether the process can take work: every registered check passes and no shutdown was requested.
/// Cheap to clone.
#[derive(Clone)]
pub struct Readiness {
    checks: Arc<Mutex<Vec<(&'static str, Check)>>>,
    shutdown: Shutdown,
}

impl std::fmt::Debug for Readiness {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Readiness").finish_non_exhaustive()
    }
}

/// A readiness check that is switched on and off by hand. Off at first.
#[derive(Clone, Debug, Default)]
pub struct Flag(Arc<AtomicBool>);

impl Flag {
    /// Sets the flag.
    pub fn set(&self, value: bool) {
        self.0.store(value, Ordering::SeqCst);
    }

    /// Whether the flag is set.
    pub fn get(&self) -> bool {
        self.0.load(Ordering::SeqCst)
    }
}

impl Readiness {
    /// No checks yet; not ready from the shutdown on.
    pub fn new(shutdown: Shutdown) -> Self {
        Self {
            checks: Arc::default(),
            shutdown,
        }
    }

    /// Adds a check.
    pub fn register<F, Fut>(&self, name: &'static str, check: F)
    where
        F: Fn() -> Fut + Send + Sync + 'static,
        Fut: Future<Output = bool> + Send + 'static,
    {
        let check: Check = Arc::new(move || check().boxed());
        self.checks
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push((name, check));
    }

    /// Adds a check that is a flag.
    pub fn register_flag(&self, name: &'static str) -> Flag {
        let flag = Flag::default();
        let seen = flag.clone();
        self.register(name, move || std::future::ready(seen.get()));
        flag
    }

    /// The names of the failing checks; ready if there is none.
    pub async fn failing(&self) -> Vec<&'static str> {
        if self.shutdown.is_triggered() {
            return vec!["shutdown"];
        }
        let checks = self
            .checks
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone();
        let results =
            futures::future::join_all(checks.into_iter().map(|(name, check)| async move {
                let holds = tokio::time::timeout(CHECK_LIMIT, check())
                    .await
                    .unwrap_or(false);
                (name, holds)
            }))
            .await;
        results
            .into_iter()
            .filter(|(_, holds)| !holds)
            .map(|(name, _)| name)
            .collect()
    }

    /// Whether every check passes.
    pub async fn is_ready(&self) -> bool {
        self.failing().await.is_empty()
    }
}

/// The routes of the admin port.
pub fn router(readiness: Readiness) -> Router {
    let probes = Probes::new(readiness.clone());
    Router::new()
        .route("/healthz", get(|| async { "ok\n" }))
        .route("/readyz", get(ready))
        .route("/metrics", get(|| async { telemetry::render_metrics() }))
        .with_state(readiness)
        .route_service("/grpc.health.v1.Health/{method}", probes)
}

async fn ready(State(readiness): State<Readiness>) -> (StatusCode, String) {
    let failing = readiness.failing().await;
    if failing.is_empty() {
        (StatusCode::OK, "ready\n".to_owned())
    } else {
        (
            StatusCode::SERVICE_UNAVAILABLE,
            format!("not ready: {}\n", failing.join(", ")),
        )
    }
}

/// Serves the admin port until `end`. It stays open during the drain so that progress can be
/// observed.
pub async fn serve(listener: TcpListener, readiness: Readiness, end: Shutdown) {
    if let Ok(address) = listener.local_addr() {
        info!(%address, "admin port open");
    }
    let server = axum::serve(listener, router(readiness));
    tokio::select! {
        outcome = server => if let Err(error) = outcome {
            warn!(%error, "admin port failed");
        },
        () = end.cancelled() => {}
    }
}
