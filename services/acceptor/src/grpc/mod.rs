//! The calls: parse, call the use case, encode. No rules and no SQL.

pub mod map;
mod staff;
mod user;

use adfolio_kit::apis;

use crate::app::App;

apis!(App: UserApi, StaffApi);
