//! Postings: everything that moves money.
//!
//! | statement | what it does | where |
//! |---|---|---|
//! | `post_batch` | locks the wallets of a batch in order of id, decides about each command, writes transactions, entries, balances, chain heads, holds and events | `migrations/0002_posting.sql`, called by `repo::post_batch` |
//!
//! There is no other statement that writes to the books. A command is refused or done by itself, whatever else is in its
//! batch; any number of replicas post side by side.

pub mod entity;
mod repo;
mod writer;

pub use writer::{Queue, queue};
