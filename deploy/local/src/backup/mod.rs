//! Backups of a stack on this machine, and restores.
//!
//! The six databases share one PostgreSQL, so a base backup with the WAL written meanwhile captures
//! one point in time for all of them: the end of the backup. For the sagas between the services a
//! restore is like a power loss at that moment. Uploads are copied afterwards: they never change
//! and are never deleted, so every upload that a row names exists.
//!
//! A backup does not contain RabbitMQ, whose events the relays send again after a restore
//! (`adfolio_kit::outbox`), nor the secrets, which must not be stored next to the data they
//! protect.
//!
//! A backup folder gets its final name once it is complete and on the disk.

mod files;
mod manifest;
mod restore;
mod take;

pub(crate) use restore::{Restored, restore};
pub(crate) use take::{Taken, take};
