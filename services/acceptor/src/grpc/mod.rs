//! The calls: parse, call, map. No rules and no SQL.

mod convert;
mod staff;
mod user;

pub use staff::StaffCalls;
pub use user::UserCalls;
