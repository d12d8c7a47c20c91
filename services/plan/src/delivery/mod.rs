//! Delivery reports: what networks say a plan delivered.
//!
//! | step | where |
//! |---|---|
//! | how a file's columns are read | [`mapping`] |
//! | a file in pieces, to rows with exact line numbers | [`reader`] |
//! | a row to a report, or a reason why not | [`row`] |
//! | a batch of reports against what is known: new, repeated, restated, rejected; what is charged | [`entity`] |
//! | one transaction for a batch | [`intake`], [`repo`] |
//!
//! | way in | where |
//! |---|---|
//! | a file that staff import | [`import`] |
//! | a gRPC stream of a network | [`stream`] |
//! | events of a network on the broker | [`consumer`] |
//! | made up, where that is switched on | [`simulator`] |
//!
//! What can be read without a database is fuzzed through [`dry_run`].
//!
//! A batch takes its locks in this order: the source (an advisory lock, so that two imports of one file queue up), the
//! orders in order of id, the users in order of id.

pub mod consumer;
pub mod dry_run;
pub mod entity;
pub mod import;
mod intake;
pub mod mapping;
mod pricing;
mod reader;
mod repo;
mod report;
mod row;
pub mod simulator;
pub mod stream;
#[cfg(test)]
mod tests;
