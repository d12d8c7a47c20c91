//! The calls: parse, call the use case, encode. No rules and no SQL.

mod bank;
mod internal;
mod map;
mod staff;
mod user;

use adfolio_kit::apis;
use adfolio_proto::wallet::v1 as proto;

use crate::app::App;
use crate::property::entity::Property;

apis!(App: UserApi, StaffApi, InternalApi);

/// The balances, and when money may leave again after a security change.
fn property(app: &App, property: Property) -> proto::Property {
    let cooling_off = app.rules.outflow.cooling_off;
    let cooled_off_at = cooling_off.end(property.protection_changed_at, app.clock.now());
    map::property(property, cooled_off_at, app.rules.start_up_funds_returnable)
}
