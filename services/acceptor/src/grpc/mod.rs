//! The calls: parse, call, map. No rules and no SQL.

mod convert;
mod staff;
mod user;

use prost::Message;

pub use staff::StaffCalls;
pub use user::UserCalls;

use crate::exchange::{Answers, Exchange};

/// The answers that exchange orders keep for the repeats of the calls that opened and decided them.
pub const ANSWERS: Answers = Answers {
    created: user::created,
    ended: |exchange| {
        if decided_by_owner(exchange) {
            user::cancelled(exchange).encode_to_vec()
        } else {
            staff::decided(exchange).encode_to_vec()
        }
    },
};

/// A key's scope is the caller: the owner cancels, everybody else is staff.
fn decided_by_owner(exchange: &Exchange) -> bool {
    exchange
        .ending_call
        .as_ref()
        .is_some_and(|call| call.scope == exchange.user.0)
}
