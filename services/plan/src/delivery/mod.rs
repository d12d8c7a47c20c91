//! Delivery reports: what networks say a plan delivered.
//!
//! | step | where |
//! |---|---|
//! | how a file's columns are read | [`mapping`] |
//! | a file in pieces, to rows with exact line numbers | [`reader`] |
//! | a row to a report, or a reason why not | [`row`] |
//! | a batch of reports against what is known: new, repeated, restated, rejected; what is charged | [`entity`] |
//! | one transaction for a batch | [`import`], [`repo`] |
//!
//! A batch takes its locks in this order: the source (an advisory lock, so that two imports of one file queue up), the
//! orders in order of id, the users in order of id.

pub mod entity;
pub mod import;
pub mod mapping;
mod pricing;
mod reader;
mod repo;
mod row;
#[cfg(test)]
mod tests;
