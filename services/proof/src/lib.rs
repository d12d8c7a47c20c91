//! Checkpoints: what the ledger's keeper publishes, and what anybody checks with it.
//!
//! - [`tree`]: an append-only Merkle log (RFC 6962) whose leaves are heads of users' chains.
//! - [`note`]: checkpoints of the log as signed notes (C2SP signed-note, tlog-checkpoint, tlog-cosignature).
//! - [`statement`]: a statement's chain, recomputed from the CSV file alone.
//!
//! Nothing here reads a clock, a file or a database: wallet publishes with it, `adfolioctl` verifies with it.

pub mod note;
pub mod statement;
pub mod tree;
