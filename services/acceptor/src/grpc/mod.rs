//! The calls: parse, call the use case, encode. No rules and no SQL.

pub mod map;
mod staff;
mod user;

use crate::app::App;

/// Calls of users.
#[derive(Debug)]
pub struct UserApi(pub App);

/// Calls of staff.
#[derive(Debug)]
pub struct StaffApi(pub App);
