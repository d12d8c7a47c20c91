//! The one rule for money that leaves a wallet to its owner's side of the world: by withdrawal or by exchange.
//!
//! [`Rules::check`] is asked by the posting itself, whatever the door, with what the wallet's row and the books say at
//! that moment. So a door that is added must only say which [`Exit`] it is.

pub mod entity;
mod repo;

pub use entity::{Exit, Left, Outflow, Rules};
pub(crate) use repo::read_left;
