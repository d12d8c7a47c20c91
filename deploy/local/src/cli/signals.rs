//! The signals that stop the supervisor.

use anyhow::{Context as _, Result};
use tokio::signal::unix::{Signal, SignalKind, signal};

/// Exit code of an interrupted command, as in shells.
pub(super) const INTERRUPTED: u8 = 130;

/// Ctrl-C, SIGTERM, and SIGHUP unless `nohup` ignores it.
pub(super) struct Interrupts {
    interrupt: Signal,
    terminate: Signal,
    hangup: Option<Signal>,
}

impl Interrupts {
    pub(super) fn listen() -> Result<Self> {
        let listen = |kind| signal(kind).context("cannot listen for signals");
        Ok(Self {
            interrupt: listen(SignalKind::interrupt())?,
            terminate: listen(SignalKind::terminate())?,
            hangup: if ignores_hangup() {
                None
            } else {
                Some(listen(SignalKind::hangup())?)
            },
        })
    }

    /// Waits for the next signal.
    pub(super) async fn next(&mut self) {
        let hangup = async {
            match &mut self.hangup {
                Some(hangup) => hangup.recv().await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            _ = self.interrupt.recv() => {}
            _ = self.terminate.recv() => {}
            _ = hangup => {}
        }
    }
}

fn ignores_hangup() -> bool {
    const HANGUP_BIT: u64 = 1;
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    status
        .lines()
        .find_map(|line| line.strip_prefix("SigIgn:"))
        .and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok())
        .is_some_and(|mask| mask & HANGUP_BIT != 0)
}
