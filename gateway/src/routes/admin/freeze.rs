//! What staff do about freezes of wallets.

use adfolio_kit::refusal::Reason;
use adfolio_proto::wallet::v1 as wallet;

use crate::call::{Call, send};
use crate::dto::freeze::{Freeze, FreezeListQuery, LiftFreezeRequest};
use crate::dto::{Decode, Page, page};
use crate::errors::Failure;
use crate::input::{Json, Query};
use crate::messages::Success;
use crate::route::{ANY_ROLE, FINANCE, Route};

/// The routes of this area.
pub fn routes() -> Vec<Route> {
    vec![
        Route::get(
            "/admin/wallet/freezes",
            "listFreezes",
            "Wallets that their owners have frozen, newest first.",
            list,
        )
        .staff(ANY_ROLE),
        Route::post(
            "/admin/wallet/unfreeze",
            "unfreezeWallet",
            "Agrees, after speaking with the owner, to lift the freeze. It ends once the owner has agreed, too.",
            agree_as_staff,
        )
        .staff(FINANCE)
        .fails(&[Reason::NotFound, Reason::NothingChanged])
        .says(Success::Update),
    ]
}

async fn list(call: Call, Query(query): Query<FreezeListQuery>) -> Result<Page<Freeze>, Failure> {
    let message = wallet::ListFreezesRequest {
        page: page(query.cursor, query.limit),
    };
    let response = send!(call.reading(), wallet_admin.list_freezes, message).await?;
    Page::from_proto(response.items, response.next_cursor)
}

async fn agree_as_staff(
    call: Call,
    Json(request): Json<LiftFreezeRequest>,
) -> Result<Freeze, Failure> {
    let message = wallet::AdminUnfreezeWalletRequest {
        user_id: request.user_id,
        reason: request.reason,
    };
    let response = send!(call.writing(), wallet_admin.admin_unfreeze_wallet, message).await?;
    Freeze::decode(response.freeze, "freeze")
}
