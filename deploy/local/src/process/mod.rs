//! Starting, watching and stopping child processes.

mod launch;
mod leftovers;
mod supervise;

pub(crate) use launch::{Account, Launch, find_program, run_to_end, spawn_tied};
pub(crate) use leftovers::{kill_leftovers, kill_marked, signal_marked};
pub(crate) use supervise::{Supervised, Unit};
