//! Finding the processes that a stack left behind, and only those.

use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;
use std::time::Duration;

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use tokio::time::{Instant, sleep};

use crate::component::Component;
use crate::layout::Layout;

/// Set in the environment of every supervised process and inherited by its children, even if they
/// change their session.
pub(crate) const MARK_VARIABLE: &str = "ADFOLIO_SUPERVISED";

const DEATH_LIMIT: Duration = Duration::from_secs(5);
const DEATH_POLL: Duration = Duration::from_millis(20);

pub(crate) fn mark(layout: &Layout, component: Component) -> String {
    format!("{}|{component}", layout.root().display())
}

/// Kills what the last process of a component left behind, and waits until it is gone.
///
/// A killed postmaster orphans its backends, a killed nginx its workers, a killed Erlang its port
/// programs. While they live they hold shared memory and listeners, and the next start would fail.
pub(crate) async fn kill_leftovers(layout: &Layout, component: Component) {
    let deadline = Instant::now() + DEATH_LIMIT;
    while kill_marked(layout, Some(component)) > 0 && Instant::now() < deadline {
        sleep(DEATH_POLL).await;
    }
}

/// Sends SIGKILL to every process of the data directory (or of one component); returns how many.
pub(crate) fn kill_marked(layout: &Layout, component: Option<Component>) -> usize {
    let found = find(layout, component);
    for pid in &found {
        // It may have exited since it was found.
        let _ = kill(*pid, Signal::SIGKILL);
    }
    found.len()
}

/// Sends a signal to every process of a component: a server with a process per client stops only
/// when all of them do.
pub(crate) fn signal_marked(layout: &Layout, component: Component, signal: Signal) {
    for pid in find(layout, Some(component)) {
        // It may have exited since it was found.
        let _ = kill(pid, signal);
    }
}

fn find(layout: &Layout, component: Option<Component>) -> Vec<Pid> {
    let own = Pid::this();
    let Ok(processes) = fs::read_dir("/proc") else {
        return Vec::new();
    };
    processes
        .filter_map(|entry| {
            entry
                .ok()?
                .file_name()
                .to_str()?
                .parse()
                .ok()
                .map(Pid::from_raw)
        })
        .filter(|pid| *pid != own && belongs(*pid, layout, component))
        .collect()
}

fn belongs(pid: Pid, layout: &Layout, component: Option<Component>) -> bool {
    let process = Path::new("/proc").join(pid.to_string());
    let marked = fs::read(process.join("environ")).is_ok_and(|environment| {
        environment
            .split(|byte| *byte == 0)
            .any(|variable| is_mark(variable, layout, component))
    });
    // PostgreSQL writes its process titles over its environment, but always runs in its data
    // folder.
    let is_postgres = matches!(component, None | Some(Component::Postgres));
    (marked || is_postgres && works_in_database(&process, layout)) && !is_zombie(&process)
}

fn is_mark(variable: &[u8], layout: &Layout, component: Option<Component>) -> bool {
    let root = layout.root().as_os_str().as_bytes();
    let owner = variable
        .strip_prefix(MARK_VARIABLE.as_bytes())
        .and_then(|rest| rest.strip_prefix(b"="))
        .and_then(|rest| rest.strip_prefix(root))
        .and_then(|rest| rest.strip_prefix(b"|"));
    owner
        .is_some_and(|owner| component.is_none_or(|component| owner == component.name().as_bytes()))
}

fn works_in_database(process: &Path, layout: &Layout) -> bool {
    let program = fs::read_link(process.join("exe")).unwrap_or_default();
    fs::read_link(process.join("cwd"))
        .is_ok_and(|folder| folder == layout.folder(Component::Postgres.name()))
        && program.file_name().is_some_and(|name| name == "postgres")
}

/// A zombie holds nothing any more.
fn is_zombie(process: &Path) -> bool {
    let stat = fs::read_to_string(process.join("stat")).unwrap_or_default();
    // The name in parentheses may contain anything, so the state follows the last parenthesis.
    stat.rsplit(')')
        .next()
        .is_some_and(|rest| rest.trim_start().starts_with('Z'))
}
