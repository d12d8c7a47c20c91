//! Keeping a child process running.

use std::fs;
use std::os::unix::process::ExitStatusExt as _;
use std::process::ExitStatus;
use std::time::Duration;

use anyhow::{Context as _, Result, bail};
use nix::sys::signal::{Signal, kill, killpg};
use nix::unistd::Pid;
use tokio::process::Child;
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep, timeout};
use tokio_util::sync::CancellationToken;
use tracing::{info, warn};

use super::{Launch, kill_leftovers, signal_marked};
use crate::component::Component;
use crate::layout::Layout;
use crate::probe::Probe;

/// A first start that exits this often before it was ever ready is hopeless.
const HOPELESS_EXITS: u32 = 5;
/// The exit code for invalid configuration: a restart would not help.
const CONFIGURATION_EXIT: i32 = 2;
const BACKOFF_START: Duration = Duration::from_millis(100);
const BACKOFF_LIMIT: Duration = Duration::from_secs(5);
const PATIENCE_POLL: Duration = Duration::from_secs(1);

/// A supervised component: how to start it, probe it, and stop it.
#[derive(Clone, Debug)]
pub(crate) struct Unit {
    pub(crate) component: Component,
    pub(crate) launch: Launch,
    pub(crate) probe: Probe,
    pub(crate) stop_signal: Signal,
    /// The stop signal is followed by SIGKILL after this.
    pub(crate) stop_limit: Duration,
}

/// The present state of a child.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct State {
    pub(crate) pid: Option<u32>,
    pub(crate) ready: bool,
    was_ready: bool,
    exits: u32,
    misconfigured: bool,
}

/// A supervised child. Dropped without [`Supervised::stop`], it is killed.
#[derive(Debug)]
pub(crate) struct Supervised {
    component: Component,
    layout: Layout,
    state: watch::Receiver<State>,
    stop: CancellationToken,
    task: Option<JoinHandle<()>>,
}

impl Supervised {
    /// Starts the child and its supervision.
    pub(crate) fn start(unit: Unit, layout: &Layout) -> Self {
        Self::start_with(unit, layout, None)
    }

    /// The same; a child that was ready and then does not answer its probe for longer than `patience` is killed, and so
    /// started again, unless it is frozen.
    pub(crate) fn start_with(unit: Unit, layout: &Layout, patience: Option<Duration>) -> Self {
        let (sender, state) = watch::channel(State::default());
        let stop = CancellationToken::new();
        let component = unit.component;
        let keeper = Keeper {
            unit,
            patience,
            layout: layout.clone(),
            state: sender,
            stop: stop.clone(),
        };
        let task = Some(tokio::spawn(keeper.keep_running()));
        Self {
            component,
            layout: layout.clone(),
            state,
            stop,
            task,
        }
    }

    pub(crate) fn component(&self) -> Component {
        self.component
    }

    pub(crate) fn state(&self) -> State {
        *self.state.borrow()
    }

    /// Waits until the child is ready; fails with the end of its log if it does not get ready.
    pub(crate) async fn wait_ready(&self, limit: Duration) -> Result<()> {
        let mut state = self.state.clone();
        let settled = state.wait_for(|state| state.ready || state.is_hopeless());
        let ready = match timeout(limit, settled).await {
            Ok(state) => state.context("the supervision ended")?.ready,
            Err(_) => false,
        };
        if ready {
            return Ok(());
        }
        let log = self.layout.log(self.component.name());
        bail!(
            "{} does not get ready; the end of {}:\n{}",
            self.component,
            log.display(),
            self.layout.log_tail(self.component.name())
        )
    }

    /// Sends a signal; SIGSTOP and SIGCONT go to all processes of the child. After a signal that
    /// kills, returns once the death was noticed, so that a following [`Supervised::wait_ready`]
    /// waits for the restarted child.
    pub(crate) async fn signal(&self, signal: Signal) -> Result<()> {
        const NOTICE_LIMIT: Duration = Duration::from_secs(30);
        let pid = self
            .state()
            .pid
            .with_context(|| format!("{} is not running now", self.component))?;
        kill(raw(pid), signal).with_context(|| format!("cannot signal {}", self.component))?;
        if matches!(signal, Signal::SIGSTOP | Signal::SIGCONT) {
            // The main process is stopped by now, so it starts no more of them.
            signal_marked(&self.layout, self.component, signal);
        }
        if matches!(
            signal,
            Signal::SIGKILL | Signal::SIGTERM | Signal::SIGINT | Signal::SIGQUIT | Signal::SIGABRT
        ) {
            let mut state = self.state.clone();
            timeout(NOTICE_LIMIT, state.wait_for(|state| state.pid != Some(pid)))
                .await
                .with_context(|| format!("{} survives {signal}", self.component))??;
        }
        Ok(())
    }

    /// Stops the child in order, and kills what it left behind.
    pub(crate) async fn stop(mut self) {
        self.stop.cancel();
        if let Some(task) = self.task.take() {
            // The task cannot hang: every wait in it has a limit.
            let _ = task.await;
        }
    }
}

impl Drop for Supervised {
    fn drop(&mut self) {
        let Some(task) = self.task.take() else { return };
        task.abort();
        if let Some(pid) = self.state().pid {
            let _ = killpg(raw(pid), Signal::SIGKILL);
        }
    }
}

impl State {
    fn is_hopeless(&self) -> bool {
        !self.was_ready && (self.misconfigured || self.exits >= HOPELESS_EXITS)
    }
}

struct Keeper {
    unit: Unit,
    patience: Option<Duration>,
    layout: Layout,
    state: watch::Sender<State>,
    stop: CancellationToken,
}

impl Keeper {
    async fn keep_running(self) {
        let mut delay = BACKOFF_START;
        while !self.stop.is_cancelled() {
            let ready = match self
                .unit
                .launch
                .spawn(self.unit.component, &self.layout)
                .await
            {
                Ok(child) => self.run_once(child).await,
                Err(error) => {
                    warn!("{}: {error:#}", self.unit.component);
                    self.state.send_modify(|state| state.exits += 1);
                    false
                }
            };
            kill_leftovers(&self.layout, self.unit.component).await;
            // A component that had become ready is restarted at once; one that keeps failing must
            // not spin.
            delay = if ready {
                BACKOFF_START
            } else {
                (delay * 2).min(BACKOFF_LIMIT)
            };
            let pause = delay.mul_f64(rand::random_range(0.5..1.0));
            tokio::select! {
                () = sleep(pause) => {}
                () = self.stop.cancelled() => {}
            }
        }
        let _ = fs::remove_file(self.layout.pid_file(self.unit.component));
    }

    /// Watches one run of the child; true if it became ready.
    async fn run_once(&self, mut child: Child) -> bool {
        let pid = child.id();
        if let Some(pid) = pid
            && let Err(error) = fs::write(
                self.layout.pid_file(self.unit.component),
                format!("{pid}\n"),
            )
        {
            warn!(
                "cannot write the pid file of {}: {error}",
                self.unit.component
            );
        }
        self.state.send_modify(|state| state.pid = pid);
        let exit = tokio::select! {
            exit = self.watch(&mut child) => Some(exit),
            () = self.stop.cancelled() => None,
        };
        match exit {
            Some(exit) => self.record_exit(&exit),
            None => self.terminate(&mut child).await,
        }
        // Workers of a killed master share its process group.
        if let Some(pid) = pid {
            let _ = killpg(raw(pid), Signal::SIGKILL);
        }
        let ready = self.state.borrow().ready;
        self.state.send_modify(|state| {
            state.pid = None;
            state.ready = false;
        });
        ready
    }

    async fn watch(&self, child: &mut Child) -> std::io::Result<ExitStatus> {
        tokio::select! {
            exit = child.wait() => return exit,
            () = self.unit.probe.wait() => {}
        }
        let again = self.state.borrow().was_ready;
        if again {
            info!("{} is ready again", self.unit.component);
        }
        self.state.send_modify(|state| {
            state.ready = true;
            state.was_ready = true;
        });
        let Some(patience) = self.patience else {
            return child.wait().await;
        };
        let pid = child.id();
        tokio::select! {
            exit = child.wait() => return exit,
            () = self.lose_patience(pid, patience) => {}
        }
        warn!(
            "{} does not answer for {patience:?}, killing it",
            self.unit.component
        );
        child.start_kill()?;
        child.wait().await
    }

    /// Returns once the child has not answered for so long. One that is frozen is left alone.
    async fn lose_patience(&self, pid: Option<u32>, patience: Duration) {
        let mut answered = Instant::now();
        while answered.elapsed() < patience {
            sleep(PATIENCE_POLL).await;
            if self.unit.probe.holds().await || pid.is_some_and(is_frozen) {
                answered = Instant::now();
            }
        }
    }

    fn record_exit(&self, exit: &std::io::Result<ExitStatus>) {
        let exit = exit.as_ref().ok();
        let misconfigured = exit.and_then(ExitStatus::code) == Some(CONFIGURATION_EXIT);
        self.state.send_modify(|state| {
            state.exits += 1;
            state.misconfigured = misconfigured;
        });
        let how = match exit {
            Some(exit) => exit
                .signal()
                .map_or_else(|| exit.to_string(), |signal| format!("signal {signal}")),
            None => "unknown".to_owned(),
        };
        warn!("{} ended ({how}), starting it again", self.unit.component);
    }

    async fn terminate(&self, child: &mut Child) {
        if let Some(pid) = child.id() {
            // A stopped (SIGSTOP) child would never see the signal.
            let _ = kill(raw(pid), self.unit.stop_signal);
            let _ = kill(raw(pid), Signal::SIGCONT);
            signal_marked(&self.layout, self.unit.component, Signal::SIGCONT);
        }
        if timeout(self.unit.stop_limit, child.wait()).await.is_err() {
            warn!(
                "{} did not stop within {:?}, killing it",
                self.unit.component, self.unit.stop_limit
            );
            let _ = child.kill().await;
        }
    }
}

fn is_frozen(pid: u32) -> bool {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    // The state follows the name in parentheses, which may contain anything.
    let state = stat.rsplit(')').next().unwrap_or_default();
    state.trim_start().starts_with('T')
}

fn raw(pid: u32) -> Pid {
    // Linux has at most 2^22 processes.
    Pid::from_raw(i32::try_from(pid).unwrap_or(i32::MAX))
}
