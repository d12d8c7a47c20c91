//! How a process ends: one token that everything watches, and a set of background tasks that are
//! joined.

use std::future::Future;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use futures::FutureExt as _;
use opentelemetry::context::FutureExt as _;
use tokio::signal::unix::{SignalKind, signal};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tracing::{error, info, warn};

use crate::latch::Latch;
use crate::telemetry;

/// The request to end, seen by every part of the process. Cheap to clone.
#[derive(Clone, Debug, Default)]
pub struct Shutdown {
    token: CancellationToken,
}

impl Shutdown {
    /// Shuts down on SIGTERM or SIGINT. A second signal ends the process at once.
    pub fn on_signals() -> std::io::Result<Self> {
        let mut terminate = signal(SignalKind::terminate())?;
        let mut interrupt = signal(SignalKind::interrupt())?;
        let shutdown = Self::default();
        let token = shutdown.token.clone();
        tokio::spawn(async move {
            for count in 0..2 {
                let name = tokio::select! {
                    _ = terminate.recv() => "SIGTERM",
                    _ = interrupt.recv() => "SIGINT",
                };
                if count == 0 {
                    info!(signal = name, "shutting down");
                    token.cancel();
                } else {
                    warn!(signal = name, "second signal, ending at once");
                    std::process::exit(1);
                }
            }
        });
        Ok(shutdown)
    }

    /// Shuts down only on [`Shutdown::trigger`]: for tests and tools.
    pub fn manual() -> Self {
        Self::default()
    }

    /// Requests the shutdown.
    pub fn trigger(&self) {
        self.token.cancel();
    }

    /// Whether the shutdown was requested.
    pub fn is_triggered(&self) -> bool {
        self.token.is_cancelled()
    }

    /// The underlying token.
    pub fn token(&self) -> CancellationToken {
        self.token.clone()
    }

    /// Waits for the shutdown.
    pub async fn cancelled(&self) {
        self.token.cancelled().await;
    }

    /// A shutdown that follows this one and can also be triggered by itself.
    #[must_use]
    pub fn child(&self) -> Self {
        Self {
            token: self.token.child_token(),
        }
    }

    /// Sleeps, but not past the shutdown; false if the shutdown came first.
    pub async fn sleep(&self, duration: Duration) -> bool {
        tokio::select! {
            () = self.token.cancelled() => false,
            () = tokio::time::sleep(duration) => true,
        }
    }
}

/// The time limits of a shutdown, from its request on. Calls and background tasks end in parallel,
/// then everything that must outlive them; at [`EndPlan::exit`] the process is gone, whatever is
/// still running.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EndPlan {
    /// For running calls.
    pub calls: Duration,
    /// For background tasks.
    pub tasks: Duration,
    /// For what must outlive them: the relay's last round, the admin port.
    pub last: Duration,
    /// For the process.
    pub exit: Duration,
}

impl EndPlan {
    /// Reserved for the relay's last round.
    const FLUSH_RESERVE: Duration = Duration::from_secs(3);

    /// Reserved for the end of `main`: the last traces.
    const EXIT_RESERVE: Duration = Duration::from_secs(1);

    /// The plan of a process that must be gone after `limit`. With a short limit the reserves
    /// shrink too.
    pub fn within(limit: Duration) -> Self {
        let last = limit.saturating_sub(Self::EXIT_RESERVE.min(limit / 10));
        let tasks = last.saturating_sub(Self::FLUSH_RESERVE.min(limit / 4));
        Self {
            calls: tasks,
            tasks,
            last,
            exit: limit,
        }
    }
}

/// The background tasks of a process. A task that panics ends the process instead of leaving it
/// half alive.
#[derive(Clone, Debug)]
pub struct Tasks {
    tracker: TaskTracker,
    shutdown: Shutdown,
    failed: Arc<AtomicBool>,
}

/// A background task died, or tasks did not end within the drain limit.
#[derive(Debug, thiserror::Error)]
pub enum TasksError {
    /// A task panicked; its name was logged.
    #[error("a background task died")]
    Died,
    /// Tasks were still running when the limit was over.
    #[error("{0} background tasks did not end in time")]
    TimedOut(usize),
}

impl Tasks {
    /// An empty set whose failures trigger `shutdown`.
    pub fn new(shutdown: Shutdown) -> Self {
        Self {
            tracker: TaskTracker::new(),
            shutdown,
            failed: Arc::default(),
        }
    }

    /// Runs `future` until it ends; it must watch the shutdown itself. A panic triggers the
    /// shutdown.
    pub fn spawn<F>(&self, name: &'static str, future: F)
    where
        F: Future<Output = ()> + Send + 'static,
    {
        let shutdown = self.shutdown.clone();
        let failed = Arc::clone(&self.failed);
        let watched = async move {
            if AssertUnwindSafe(future).catch_unwind().await.is_err() {
                error!(task = name, "background task panicked");
                failed.store(true, Ordering::SeqCst);
                shutdown.trigger();
            }
        };
        self.tracker
            .spawn(watched.with_context(telemetry::task(name)));
    }

    /// Runs `future` once the schema is current; not at all if the shutdown comes first.
    pub fn spawn_after<F>(&self, migrated: &Latch, name: &'static str, future: F)
    where
        F: Future<Output = ()> + Send + 'static,
    {
        let migrated = migrated.clone();
        let shutdown = self.shutdown.clone();
        self.spawn(name, async move {
            tokio::select! {
                biased;
                () = migrated.wait() => future.await,
                () = shutdown.cancelled() => {}
            }
        });
    }

    /// Waits for every task, at most for `limit`.
    pub async fn join(&self, limit: Duration) -> Result<(), TasksError> {
        self.tracker.close();
        let in_time = tokio::time::timeout(limit, self.tracker.wait())
            .await
            .is_ok();
        if self.failed.load(Ordering::SeqCst) {
            return Err(TasksError::Died);
        }
        if in_time {
            Ok(())
        } else {
            Err(TasksError::TimedOut(self.tracker.len()))
        }
    }
}
