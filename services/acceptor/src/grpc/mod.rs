//! The calls: parse, call the use case, encode. No rules and no SQL.

mod map;
mod staff;
mod user;

use adfolio_proto::acceptor::v1 as proto;
use prost::Message as _;

use crate::app::App;
use crate::exchange::{Answers, Exchange};

/// Calls of users.
#[derive(Debug)]
pub struct UserApi(pub App);

/// Calls of staff.
#[derive(Debug)]
pub struct StaffApi(pub App);

/// The answers that exchange orders keep for repeats of the calls that opened and decided them.
pub const ANSWERS: Answers = Answers {
    opened: |exchange| proto::CreateExchangeResponse::from(exchange).encode_to_vec(),
    ended: |exchange| {
        if is_ended_by_owner(exchange) {
            proto::CancelExchangeResponse::from(exchange).encode_to_vec()
        } else {
            proto::DecideExchangeResponse::from(exchange).encode_to_vec()
        }
    },
};

/// A key's scope is the caller: the owner cancels, all others are staff.
fn is_ended_by_owner(exchange: &Exchange) -> bool {
    let call = exchange.ending_call.as_ref();
    call.is_some_and(|call| call.scope == exchange.user.0)
}
