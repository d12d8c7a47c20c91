//! The staff API.

mod account;
mod announcement;
mod approval;
mod bank;
mod claim;
mod coupon;
mod delivery;
mod desk;
mod exchange;
mod exchange_order;
mod freeze;
mod host;
mod ledger;
mod passkey;
mod payment_batch;
mod people;
mod plan;
mod platform;
mod quarantine;
mod second_factor;
mod source;
mod staff;
mod stream;
mod supply;
mod text;
mod today;
mod user;
mod user_page;
mod wallet;
mod withdrawal;

use crate::route::Route;

/// The routes of this area.
pub fn routes() -> Vec<Route> {
    [
        account::routes(),
        today::routes(),
        claim::routes(),
        stream::routes(),
        passkey::routes(),
        second_factor::routes(),
        user::routes(),
        user_page::routes(),
        host::routes(),
        wallet::routes(),
        withdrawal::routes(),
        approval::routes(),
        freeze::routes(),
        bank::routes(),
        payment_batch::routes(),
        platform::routes(),
        ledger::routes(),
        plan::routes(),
        delivery::routes(),
        quarantine::routes(),
        source::routes(),
        supply::routes(),
        coupon::routes(),
        exchange::routes(),
        exchange_order::routes(),
        desk::routes(),
        announcement::routes(),
        text::routes(),
    ]
    .into_iter()
    .flatten()
    .collect()
}
