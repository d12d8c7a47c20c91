//! The staff API.

mod account;
mod coupon;
mod delivery;
mod exchange;
mod plan;
mod text;
mod user;
mod wallet;

use crate::route::Route;

/// The routes of this area.
pub fn routes() -> Vec<Route> {
    [
        account::routes(),
        user::routes(),
        wallet::routes(),
        plan::routes(),
        delivery::routes(),
        coupon::routes(),
        exchange::routes(),
        text::routes(),
    ]
    .into_iter()
    .flatten()
    .collect()
}
