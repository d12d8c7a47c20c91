//! What protects a wallet: the login password, the transaction password, and where its money may go.
//!
//! After one of them changes, no money leaves for a while, so that the owner has time to notice a takeover. Setting up
//! what was not there yet is no change, unless a session younger than a day does it that did not register the account:
//! whoever stole the login password would set up the wallet for himself. The time of the last change is in the wallet's
//! row and never moves back; the posting of what leaves checks it, and is written only if that row has not changed since
//! it was read.

pub mod entity;
mod repo;

pub use entity::CoolingOff;
pub use repo::changed_in_tx;
