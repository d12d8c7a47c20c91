//! The platform's own accounts.

use adfolio_proto::wallet::v1 as wallet;

use super::people::Names;
use crate::call::{Call, send};
use crate::dto::platform::{
    PlatformAccounts, PlatformEntry, PlatformEntryListQuery, StaffPlatformEntry,
};
use crate::dto::{Page, page};
use crate::errors::Failure;
use crate::input::{Nothing, Query};
use crate::route::{FINANCE, Route};

/// The routes of this area.
pub fn routes() -> Vec<Route> {
    vec![
        Route::get(
            "/admin/platform/accounts",
            "listPlatformAccounts",
            "The platform's accounts with their balances, as the last proof of the books found them.",
            accounts,
        )
        .staff(FINANCE),
        Route::get(
            "/admin/platform/entries",
            "listPlatformEntries",
            "What moved a platform account, newest first.",
            entries,
        )
        .staff(FINANCE),
    ]
}

async fn accounts(call: Call, _: Nothing) -> Result<PlatformAccounts, Failure> {
    let message = wallet::ListPlatformAccountsRequest {};
    let response = send!(call.reading(), bank_admin.list_platform_accounts, message).await?;
    PlatformAccounts::from_proto(response)
}

async fn entries(
    call: Call,
    Query(query): Query<PlatformEntryListQuery>,
) -> Result<Page<StaffPlatformEntry>, Failure> {
    let message = wallet::ListPlatformEntriesRequest {
        account: query.account.into(),
        page: page(query.cursor, query.limit),
    };
    let response = send!(call.reading(), bank_admin.list_platform_entries, message).await?;
    let names = Names::of(&call, response.items.iter().map(|item| &item.user_id)).await;
    Page::compose(response.items, response.next_cursor, |item| {
        Ok(StaffPlatformEntry {
            user: names.user(item.user_id.clone()),
            entry: PlatformEntry::from_proto(item)?,
        })
    })
}
