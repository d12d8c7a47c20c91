//! The calls: parse, call the use case, encode. No rules and no SQL.

mod internal;
mod map;
mod staff;
mod user;

use adfolio_proto::wallet::v1 as proto;

use crate::app::App;
use crate::property::entity::Property;

/// Calls of users.
#[derive(Debug)]
pub struct UserApi(pub App);

/// Calls of staff.
#[derive(Debug)]
pub struct StaffApi(pub App);

/// Calls of other services, for orders of plans and of exchange.
#[derive(Debug)]
pub struct InternalApi(pub App);

/// The balances, and when withdrawals have cooled off.
fn property(app: &App, property: Property) -> proto::Property {
    let cooling_off = app.rules.cooling_off;
    let cooled_off_at = cooling_off.end(property.protection_changed_at, app.clock.now());
    map::property(property, cooled_off_at)
}
