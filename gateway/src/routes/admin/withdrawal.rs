//! Withdrawals of all users.

use adfolio_kit::refusal::Reason;
use adfolio_proto::wallet::v1 as wallet;

use super::people::Names;
use crate::call::{Call, send};
use crate::dto::withdrawal::{
    DecideWithdrawalRequest, StaffWithdrawal, StaffWithdrawalListQuery, Withdrawal,
};
use crate::dto::{Page, non_empty, page, present};
use crate::errors::Failure;
use crate::input::{Json, Query};
use crate::messages::Success;
use crate::route::{FINANCE, Route};

/// The routes of this area.
pub fn routes() -> Vec<Route> {
    vec![
        Route::get(
            "/admin/withdraw/list",
            "listAllWithdrawals",
            "Withdrawals of all users with their destinations, newest first.",
            list,
        )
        .staff(FINANCE),
        Route::post(
            "/admin/withdraw/decide",
            "decideWithdrawal",
            "Pays or rejects a pending withdrawal. Paying a large one needs the approval of another member of staff.",
            decide,
        )
        .staff(FINANCE)
        .fails(&[
            Reason::NotFound,
            Reason::NothingChanged,
            Reason::ApprovalRequired,
            Reason::WalletFrozen,
        ])
        .says(Success::Update)
        .keyed(),
    ]
}

async fn list(
    call: Call,
    Query(query): Query<StaffWithdrawalListQuery>,
) -> Result<Page<StaffWithdrawal>, Failure> {
    let message = wallet::AdminListWithdrawalsRequest {
        status: query.status.map_or(0, Into::into),
        user_id: query.user_id.unwrap_or_default(),
        payment_batch_id: query.payment_batch_id.unwrap_or_default(),
        id: query.id.unwrap_or_default(),
        page: page(query.cursor, query.limit),
    };
    let response = send!(call.reading(), wallet_admin.admin_list_withdrawals, message).await?;
    let names = Names::of(&call, response.items.iter().map(|item| &item.user_id)).await;
    Page::compose(response.items, response.next_cursor, |item| {
        with_user(&names, item)
    })
}

async fn decide(
    call: Call,
    Json(request): Json<DecideWithdrawalRequest>,
) -> Result<StaffWithdrawal, Failure> {
    let message = wallet::DecideWithdrawalRequest {
        withdrawal_id: request.id,
        decision: request.decision.into(),
        reason: request.reason.unwrap_or_default(),
    };
    let response = send!(call.writing(), wallet_admin.decide_withdrawal, message).await?;
    named(&call, present(response.withdrawal, "withdrawal")?).await
}

/// A withdrawal with its user's name.
pub async fn named(
    call: &Call,
    withdrawal: wallet::Withdrawal,
) -> Result<StaffWithdrawal, Failure> {
    let names = Names::of(call, [&withdrawal.user_id].into_iter()).await;
    with_user(&names, withdrawal)
}

fn with_user(names: &Names, withdrawal: wallet::Withdrawal) -> Result<StaffWithdrawal, Failure> {
    Ok(StaffWithdrawal {
        user: names.user(withdrawal.user_id.clone()),
        payment_batch_id: non_empty(withdrawal.payment_batch_id.clone()),
        take_out_asked_by: non_empty(withdrawal.take_out_asked_by.clone()),
        withdrawal: Withdrawal::from_proto(withdrawal)?,
    })
}
