//! How a process ends: one token that everything listens to, and a set of background tasks that are joined.

use std::future::Future;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use futures::FutureExt;
use tokio::signal::unix::{SignalKind, signal};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tracing::{Instrument, error, info, warn};

use crate::latch::Latch;

/// The request to end, seen by every part of the process. Cheap to clone.
#[derive(Clone, Debug, Default)]
pub struct Shutdown {
    token: CancellationToken,
}

impl Shutdown {
    /// Ends on SIGTERM or SIGINT. A second signal ends the process at once, for the impatient at a terminal.
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

    /// Ends only when told by [`Shutdown::trigger`]: for tests and for tools.
    pub fn manual() -> Self {
        Self::default()
    }

    /// Asks everything to end.
    pub fn trigger(&self) {
        self.token.cancel();
    }

    /// Whether the end has been asked for.
    pub fn is_triggered(&self) -> bool {
        self.token.is_cancelled()
    }

    /// The underlying token.
    pub fn token(&self) -> CancellationToken {
        self.token.clone()
    }

    /// Waits until the end is asked for.
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

    /// Sleeps, but not past the request to end; false when the end was asked for.
    pub async fn sleep(&self, duration: Duration) -> bool {
        tokio::select! {
            () = self.token.cancelled() => false,
            () = tokio::time::sleep(duration) => true,
        }
    }
}

/// When each part of a process gives up ending, counted from the request to end. Calls and background tasks end side by side,
/// what must outlive them after them, and at [`EndPlan::exit`] the process is gone, whatever still runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EndPlan {
    /// Running calls.
    pub calls: Duration,
    /// Background tasks.
    pub tasks: Duration,
    /// What must outlive them: the relay's last round, the admin port.
    pub last: Duration,
    /// The process.
    pub exit: Duration,
}

impl EndPlan {
    /// Kept for the relay's last round.
    const FLUSH_RESERVE: Duration = Duration::from_secs(3);

    /// Kept for what `main` does behind it all: the last of the traces.
    const EXIT_RESERVE: Duration = Duration::from_secs(1);

    /// For a process that has ended when `limit` is over. Where that is short, the reserves are, too.
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

/// The background tasks of a process. A task that panics or fails ends the process instead of leaving it half alive.
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

    /// Runs `future` until it ends; it is expected to watch the shutdown itself. A panic triggers the shutdown.
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
            .spawn(watched.instrument(tracing::info_span!("task", name)));
    }

    /// Runs `future` once the database has its schema; not at all when the end comes first.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_part_gives_up_before_the_process_is_to_be_gone() {
        for seconds in 1..=600 {
            let limit = Duration::from_secs(seconds);
            let plan = EndPlan::within(limit);
            assert!(plan.calls >= limit / 2, "{plan:?}");
            assert!(plan.calls <= plan.tasks, "{plan:?}");
            assert!(plan.tasks < plan.last, "{plan:?}");
            assert!(plan.last < plan.exit, "{plan:?}");
            assert_eq!(plan.exit, limit);
        }
        let usual = crate::config::ServerArgs::default().end_plan();
        assert_eq!(usual.exit, Duration::from_secs(20));
    }
}
