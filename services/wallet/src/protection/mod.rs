//! What protects a wallet: the login password, the transaction password, and where its money may go.
//!
//! After one of them changes, withdrawals wait, so that the owner has time to notice a takeover. Setting up what was
//! not there yet is no change. The time of the last change is in the wallet's row and never moves back; the posting of
//! a withdrawal checks it, and is written only if that row has not changed since it was read.

pub mod entity;
mod repo;

pub use entity::CoolingOff;
pub use repo::changed_in_tx;
