//! Withdrawals of all users.

use adfolio_kit::refusal::Reason;
use adfolio_proto::wallet::v1 as wallet;

use super::people::Names;
use crate::call::{Call, read, write_call};
use crate::dto::withdrawal::{
    DecideWithdrawalRequest, StaffWithdrawal, StaffWithdrawalListQuery, StaffWithdrawalPage,
    Withdrawal,
};
use crate::dto::{each, non_empty, page, present};
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
            "Withdrawals of all users with where they go, newest first.",
            list,
        )
        .staff(FINANCE),
        Route::post(
            "/admin/withdraw/decide",
            "decideWithdrawal",
            "Pays or rejects a withdrawal that waits. To pay a large one takes another member of staff.",
            decide,
        )
        .staff(FINANCE)
        .fails(&[
            Reason::NotFound,
            Reason::NothingChanged,
            Reason::ApprovalRequired,
        ])
        .says(Success::Update)
        .keyed(),
    ]
}

async fn list(
    call: Call,
    Query(query): Query<StaffWithdrawalListQuery>,
) -> Result<StaffWithdrawalPage, Failure> {
    let message = wallet::AdminListWithdrawalsRequest {
        status: query.status.map_or(0, Into::into),
        user_id: query.user_id.unwrap_or_default(),
        page: page(query.cursor, query.limit),
    };
    let response = read!(call, wallet_admin.admin_list_withdrawals, message)?;
    let names = Names::of(&call, response.items.iter().map(|item| &item.user_id)).await;
    Ok(StaffWithdrawalPage {
        items: each(response.items, |item| with_user(&names, item))?,
        next_cursor: non_empty(response.next_cursor),
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
    let response = write_call!(call, wallet_admin.decide_withdrawal, message)?;
    let withdrawal = present(response.withdrawal, "withdrawal")?;
    let names = Names::of(&call, [&withdrawal.user_id].into_iter()).await;
    with_user(&names, withdrawal)
}

fn with_user(names: &Names, withdrawal: wallet::Withdrawal) -> Result<StaffWithdrawal, Failure> {
    let user = names.user(withdrawal.user_id.clone());
    Ok(StaffWithdrawal {
        withdrawal: Withdrawal::from_proto(withdrawal)?,
        user,
    })
}
