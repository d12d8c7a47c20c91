//! All of Adfolio on one machine without containers, and the preparation of a system in containers
//! (`adfolio-local provision`, `adfolio-local prepare`).
//!
//! [`Stack`] starts a private PostgreSQL, a private RabbitMQ, the six services, the gateway and
//! nginx in one data directory, supervises them, and stops them. `adfolio-local up` does so on the
//! documented ports; tests and benchmarks use free ports, several stacks at a time in one process:
//!
//! ```no_run
//! # async fn example() -> anyhow::Result<()> {
//! use adfolio_local::{Service, Signal, Stack};
//!
//! let stack = Stack::builder().services(Service::ALL).start().await?;
//! stack.kill(Service::Wallet, Signal::SIGKILL).await?;
//! stack.wait_ready(Service::Wallet).await?;
//! println!("{} {}", stack.url(), stack.admin_url(Service::Wallet));
//! stack.stop().await;
//! # Ok(()) }
//! ```
//!
//! Invariants:
//! 1. Nothing outlives its supervisor: the kernel signals every child when the supervisor dies, and
//!    the next start on the same data directory kills any leftovers.
//! 2. A child that exits unexpectedly is restarted: the first time at once, then with a growing,
//!    jittered delay.
//! 3. Only processes started by this crate are signalled: they carry a mark in their environment.
//! 4. All files are written below the data directory.

mod backup;
mod broker_users;
mod builder;
mod certificates;
pub mod cli;
mod cluster;
mod component;
mod databases;
mod identity;
mod layout;
mod ports;
mod probe;
mod process;
mod provision;
mod servers;
mod stack;
mod staff;

pub use builder::{StackBuilder, Visitors};
pub use certificates::TlsFiles;
pub use cluster::{Cluster, ClusterBuilder, ClusterPorts, Cut, MachineId, Member, Part, Role};
pub use component::{Component, Service};
pub use nix::sys::signal::Signal;
pub use ports::{Ports, ReplicaPorts};
pub use servers::postgres::PostgresPair;
pub use stack::Stack;
