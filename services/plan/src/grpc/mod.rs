//! gRPC: parse, call, map. No rules and no SQL.

mod admin;
mod convert;
mod user;

use adfolio_kit::identity::{Caller, StaffRole};
use adfolio_kit::refusal::Refusal;
use adfolio_money::Money;

use crate::app::App;

/// Every role may look.
const ANY_ROLE: [StaffRole; 3] = [StaffRole::Support, StaffRole::Finance, StaffRole::Operator];

/// Who may change products and plans.
const OPERATOR: [StaffRole; 1] = [StaffRole::Operator];

/// The services of plan.
#[derive(Clone)]
pub struct Grpc {
    app: App,
}

impl Grpc {
    /// For these use cases.
    pub fn new(app: App) -> Self {
        Self { app }
    }
}

/// An amount of money that must be positive.
fn amount(minor: i64, field: &str) -> Result<Money, Refusal> {
    if minor < 0 {
        Err(Refusal::invalid(field))
    } else {
        Ok(Money::from_minor(minor))
    }
}

/// A text of at most `longest` characters; may be empty.
fn text(value: &str, longest: usize, field: &str) -> Result<String, Refusal> {
    if value.chars().count() <= longest && !value.contains('\0') {
        Ok(value.trim().to_owned())
    } else {
        Err(Refusal::invalid(field))
    }
}

/// The caller's id for keys of staff calls.
fn staff_scope(caller: &Caller) -> uuid::Uuid {
    caller.staff.map_or(uuid::Uuid::nil(), |staff| staff.id)
}
