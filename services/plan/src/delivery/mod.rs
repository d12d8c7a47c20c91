//! Delivery reports: what networks report for plans.
//!
//! | step | where |
//! |---|---|
//! | how a file's columns are read | [`mapping`] |
//! | a file in pieces, to rows with exact line numbers | [`reader`] |
//! | a row to a report, or a reason why not | [`row`] |
//! | a batch of reports: new, repeated, restated or rejected, and what is charged | [`entity`] |
//! | one transaction for a batch | [`intake`], [`repo`] |
//! | a file as a proposal, released by a second member of staff | [`proposal`] |
//! | what stands behind a plan's figures | [`evidence`] |
//! | the hash chain over all batches | [`seal`] |
//! | marks that the roll-ups of a release before lack | [`marks`] |
//!
//! | source | where |
//! |---|---|
//! | a file that staff import | [`import`] |
//! | a network's gRPC stream | [`stream`] |
//! | lines of JSON that a network sends with its key | [`lines`] |
//! | a network's events on the broker | [`crate::consumer`] |
//! | the simulator, where it is enabled | [`simulator`] |
//!
//! [`dry_run()`](dry_run::dry_run) reads a file without a database; fuzzing uses it.
//!
//! A batch takes its locks in this order: the released import, the source (an advisory lock, so that two imports of one
//! file queue up), the orders in order of id, the users in order of id.

pub mod dry_run;
pub mod entity;
pub mod evidence;
pub mod import;
pub mod intake;
pub mod lines;
mod mapping;
pub mod marks;
mod pricing;
pub mod proposal;
pub mod reader;
mod repo;
pub mod report;
pub mod row;
pub mod seal;
pub mod simulator;
pub mod stream;
pub mod summary;
#[cfg(test)]
mod tests;
