//! The whole of Adfolio on one machine, without containers; and what must be made before it starts in containers
//! (`adfolio-local provision`, `adfolio-local prepare`).
//!
//! [`Stack`] starts a private PostgreSQL, a private RabbitMQ, the six services, the gateway and nginx below one data
//! directory, supervises them, and stops them again. `adfolio-local up` is this crate on the documented ports; tests and
//! benchmarks use it on free ports, several at a time in one process:
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
//! 1. Nothing outlives its supervisor: every child asks the kernel for a signal at the supervisor's death, and the next start
//!    on the same data directory ends whatever was left behind all the same.
//! 2. A child that ends without being told to is started again, at once the first time, then with a growing, jittered delay.
//! 3. Only processes that this crate started are ever signalled: they carry a mark in their environment.
//! 4. Everything is written below the data directory.

mod backup;
mod broker_users;
mod builder;
mod certificates;
pub mod cli;
mod component;
mod databases;
mod layout;
mod ports;
mod probe;
mod process;
mod provision;
mod servers;
mod stack;
mod staff;

pub use builder::StackBuilder;
pub use certificates::TlsFiles;
pub use component::{Component, Service};
pub use nix::sys::signal::Signal;
pub use ports::{Ports, ReplicaPorts};
pub use stack::Stack;
