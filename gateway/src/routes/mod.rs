//! Every route of the contract. A handler parses, calls and maps; the rules are in the services.

mod acceptor;
mod admin;
mod auth;
mod basic_config;
mod checkpoint;
mod coupon;
mod feedback;
mod files;
mod follow;
mod freeze;
mod network;
mod notification;
mod plan;
mod profile;
mod push;
mod security;
mod statement;
mod stream;
mod user;
mod wallet;
mod withdrawal;

use crate::route::Route;

/// The table of all routes.
pub fn table() -> Vec<Route> {
    [
        auth::routes(),
        user::routes(),
        security::routes(),
        plan::routes(),
        follow::routes(),
        wallet::routes(),
        freeze::routes(),
        statement::routes(),
        checkpoint::routes(),
        withdrawal::routes(),
        coupon::routes(),
        notification::routes(),
        push::routes(),
        feedback::routes(),
        acceptor::routes(),
        network::routes(),
        files::routes(),
        basic_config::routes(),
        stream::routes(),
        admin::routes(),
    ]
    .into_iter()
    .flatten()
    .collect()
}
