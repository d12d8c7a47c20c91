//! The calls: parse, call, map. No rules and no SQL.

mod convert;
mod saga;
mod staff;
mod user;

pub use saga::SagaCalls;
pub use staff::StaffCalls;
pub use user::UserCalls;
