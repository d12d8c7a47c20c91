//! Every route of the contract. A handler parses, calls and maps; the rules are in the services.

mod acceptor;
mod admin;
mod auth;
mod coupon;
mod notification;
mod plan;
mod user;
mod wallet;

use crate::route::Route;

/// The table of all routes.
pub fn table() -> Vec<Route> {
    [
        auth::routes(),
        user::routes(),
        plan::routes(),
        wallet::routes(),
        coupon::routes(),
        notification::routes(),
        acceptor::routes(),
        admin::routes(),
    ]
    .into_iter()
    .flatten()
    .collect()
}
