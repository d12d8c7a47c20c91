//! What protects a wallet: the login password, the transaction password, and where its money may go.
//!
//! After a change of one of them withdrawals wait, so that an owner whom somebody else got ahead of has time to notice. Who
//! sets up what was not there yet changes nothing. The time of the last change stands in the wallet's row and only ever moves
//! on; a withdrawal is held against it where it is posted, under the lock on that row (`migrations/0007_cooling_off.sql`).

pub mod entity;
mod repo;

pub use entity::CoolingOff;
pub use repo::changed_in_tx;
