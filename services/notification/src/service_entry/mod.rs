//! The customer-service entries, a part of the content that staff replace as a whole and everybody reads.

mod entity;
mod repo;

pub use entity::{Draft, ServiceEntry, check_id, check_list};
pub use repo::{from_json, list_from_json, replace_in_tx};
