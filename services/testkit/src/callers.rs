//! Callers of a test, and what a refused call reports.

use std::fmt::Debug;
use std::time::Duration;

use adfolio_kit::client::outgoing;
use adfolio_kit::identity::{Caller, StaffRole, UserId};
use adfolio_kit::refusal::{Reason, Refusal};
use adfolio_kit::time_zone::TimeZone;
use tonic::{Request, Status};
use uuid::Uuid;

/// The limit of a call in a test.
pub const CALL_LIMIT: Duration = Duration::from_secs(10);

/// A new user.
pub fn user() -> Caller {
    Caller::user(UserId(Uuid::now_v7()))
}

/// A new member of staff.
pub fn staff(role: StaffRole) -> Caller {
    Caller::staff(Uuid::now_v7(), role)
}

/// The id of the calling user, as messages carry it.
pub fn user_id(caller: &Caller) -> String {
    caller.user.expect("a user").to_string()
}

/// The same caller with an idempotency key.
pub fn with_key(caller: &Caller, key: &str) -> Caller {
    caller.clone().with_key(Some(key.parse().expect("a key")))
}

/// The same caller in another time zone.
pub fn in_zone(caller: &Caller, time_zone: &str) -> Caller {
    Caller {
        time_zone: TimeZone::parse(time_zone),
        ..caller.clone()
    }
}

/// The same caller in another language.
pub fn in_lang(caller: &Caller, lang: &str) -> Caller {
    Caller {
        lang: lang.to_owned(),
        ..caller.clone()
    }
}

/// A request of `caller`.
pub fn call<T>(caller: &Caller, message: T) -> Request<T> {
    outgoing(caller, message, CALL_LIMIT)
}

/// The refusal in a status; any other status fails the test.
#[allow(clippy::needless_pass_by_value, reason = "goes into map_err")]
pub fn refused(status: Status) -> Refusal {
    Refusal::from_status(&status).unwrap_or_else(|| panic!("no refusal: {status:?}"))
}

/// Reason and field of a refused call.
pub fn why<T: Debug>(outcome: Result<T, Refusal>) -> (Reason, Option<String>) {
    let refusal = outcome.expect_err("a refusal");
    (refusal.reason, refusal.field)
}
