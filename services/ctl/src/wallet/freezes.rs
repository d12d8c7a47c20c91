//! `adfolioctl wallet freezes`.

use adfolio_proto::wallet::v1::{ListFreezesRequest, WalletFreeze};
use serde_json::json;

use crate::names::{text, time};
use crate::output::Row;
use crate::services::{Listing, Services, list, operator};

/// Lists the wallets that are frozen.
pub async fn print(listing: Listing, services: &Services) -> anyhow::Result<()> {
    let found = list!(
        services.wallet_admin,
        list_freezes,
        operator(),
        ListFreezesRequest { page: None },
        listing.max
    );
    listing.print(&found.await?, row);
    Ok(())
}

fn row(freeze: &WalletFreeze) -> Row {
    vec![
        ("id", json!(freeze.id)),
        ("user_id", json!(freeze.user_id)),
        ("frozen_at", time(freeze.frozen_at)),
        ("reason", text(&freeze.reason)),
        ("owner_agreed_at", time(freeze.owner_agreed_at)),
        ("staff_agreed_at", time(freeze.staff_agreed_at)),
        ("staff_id", text(&freeze.staff_id)),
        ("staff_reason", text(&freeze.staff_reason)),
    ]
}
