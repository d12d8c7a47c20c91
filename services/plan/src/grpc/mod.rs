//! The calls: parse, call the use case, encode. No rules and no SQL.

mod internal;
mod map;
mod network;
mod placement;
mod staff;
mod user;

use adfolio_kit::apis;
use adfolio_proto::plan::v1 as proto;
use prost::Message as _;

use crate::app::App;
use crate::order::entity::Order;

apis!(App: UserApi, StaffApi, InternalApi);

/// The answer to a put.
pub fn encode_put(order: &Order) -> Vec<u8> {
    proto::PutPlanResponse::from(order).encode_to_vec()
}
