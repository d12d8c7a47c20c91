//! A process that ends what outlives its supervisor.
//!
//! The kernel tells Patroni when the supervisor is killed, and Patroni stops PostgreSQL, unless it is frozen or has just
//! begun to start it.

use std::process::Stdio;

use anyhow::{Context as _, Result};
use tokio::process::{Child, Command};

use super::machine::Machine;

/// Waits for the end of its input, which is the end of the supervisor, then for Patroni to stop PostgreSQL. Kills only
/// what works in a machine's folder: a process id may have been used again.
const SCRIPT: &str = r#"cat >/dev/null
sleep 10
for machine; do
    for file in "$machine/run/patroni.pid" "$machine/postgres/postmaster.pid"; do
        pid=$(head -n 1 "$file" 2>/dev/null)
        case $(readlink "/proc/$pid/cwd") in "$machine"/*) kill -9 "$pid" ;; esac
    done
done"#;

/// Starts the process, which ends when the child is dropped.
pub(super) fn start(machines: &[Machine; 3]) -> Result<Child> {
    Command::new("sh")
        .args(["-c", SCRIPT, "cluster-guard"])
        .args(machines.each_ref().map(|machine| machine.layout.root()))
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        // Ctrl-C at the terminal is for the supervisor alone.
        .process_group(0)
        .kill_on_drop(true)
        .spawn()
        .context("cannot start a shell")
}
