//! Backups of what a stack on this machine holds, and their restoring.
//!
//! The six databases lie in one PostgreSQL, so a base backup with the log that was written meanwhile is one point of all of
//! them: the moment at which the backup ended. For the sagas between the services a restore is what a loss of power at that
//! moment would have been. Uploads are copied afterwards: they never change and are never deleted, so each one that a
//! row names is there.
//!
//! Not in a backup: RabbitMQ, whose events the relays send again after a restore (`adfolio_kit::outbox`), and the secrets, which
//! must not lie beside what they protect.
//!
//! A backup is a folder that got its name when everything in it was complete and on the disk.

mod files;
mod manifest;
mod restore;
mod take;

pub(crate) use restore::{Restored, restore};
pub(crate) use take::{Taken, take};
