//! What the contract promises about itself.

mod secrets;
