//! Requests by staff that another member of staff must approve.

use adfolio_kit::refusal::Reason;
use adfolio_proto::wallet::v1 as wallet;

use crate::call::{Call, send};
use crate::dto::approval::{Approval, ApprovalListQuery, DecideApprovalRequest};
use crate::dto::{Decode, Page, page};
use crate::errors::Failure;
use crate::input::{Json, Query};
use crate::messages::Success;
use crate::route::{FINANCE, Route};

/// The routes of this area.
pub fn routes() -> Vec<Route> {
    vec![
        Route::get(
            "/admin/approval/list",
            "listApprovals",
            "Requests by staff that another member of staff must approve, newest first.",
            list,
        )
        .staff(FINANCE),
        Route::post(
            "/admin/approval/decide",
            "decideApproval",
            "Approves what another person asked for, which posts it, or rejects it. Not for related accounts, nor for accounts \
             younger than a day.",
            decide,
        )
        .staff(FINANCE)
        .fails(&[
            Reason::NotFound,
            Reason::NothingChanged,
            Reason::InsufficientBalance,
            Reason::AmountOutOfRange,
            Reason::WalletFrozen,
        ])
        .says(Success::Update)
        .keyed(),
    ]
}

async fn list(
    call: Call,
    Query(query): Query<ApprovalListQuery>,
) -> Result<Page<Approval>, Failure> {
    let message = wallet::ListApprovalsRequest {
        state: query.state.map_or(0, Into::into),
        page: page(query.cursor, query.limit),
    };
    let response = send!(call.reading(), wallet_admin.list_approvals, message).await?;
    Page::from_proto(response.items, response.next_cursor)
}

async fn decide(
    call: Call,
    Json(request): Json<DecideApprovalRequest>,
) -> Result<Approval, Failure> {
    let message = wallet::DecideApprovalRequest {
        approval_id: request.id,
        decision: request.decision.into(),
        reason: request.reason,
    };
    let response = send!(call.writing(), wallet_admin.decide_approval, message).await?;
    Approval::decode(response.approval, "approval")
}
