//! Between the contract's messages and this service's own types.

pub mod content;
pub mod feedback;
pub mod mails;
pub mod notices;
pub mod publications;
