//! What finance does with wallets, and the proof of the books. A posting above the configured amount is kept for another
//! member of staff (APPROVAL_REQUIRED); wallet looks at the amount.

use adfolio_kit::call;
use std::time::Duration;

use adfolio_kit::client;
use adfolio_kit::deadline::Deadline;
use adfolio_kit::identity::Caller;
use adfolio_kit::refusal::Reason;
use adfolio_proto::wallet::v1 as wallet;

use crate::call::{Call, send};
use crate::dto::Decode;
use crate::dto::staff::{
    MembershipRequest, Reconciliation, StartUpFundsRequest, WalletChangeRequest,
};
use crate::dto::wallet::FlowEntry;
use crate::errors::Failure;
use crate::input::{Json, Nothing};
use crate::messages::Success;
use crate::route::{FINANCE, Route};

/// Reading all the books takes longer than other calls, but no longer than proxies in front wait.
const RECONCILE_LIMIT: Duration = Duration::from_secs(50);

/// The routes of this area.
pub fn routes() -> Vec<Route> {
    let mut routes: Vec<Route> = posting_routes()
        .into_iter()
        .map(|route| route.staff(FINANCE).says(Success::Submission).keyed())
        .collect();
    routes.push(
        Route::get(
            "/admin/wallet/reconcile",
            "reconcile",
            "Proves that the books balance.",
            reconcile,
        )
        .staff(FINANCE),
    );
    routes
}

fn posting_routes() -> [Route; 5] {
    const TAKING: &[Reason] = &[
        Reason::NotFound,
        Reason::InsufficientBalance,
        Reason::ApprovalRequired,
    ];
    [
        Route::post(
            "/admin/wallet/deposit",
            "creditDeposit",
            "Credits a deposit.",
            deposit,
        )
        .fails(&[Reason::NotFound, Reason::ApprovalRequired]),
        Route::post(
            "/admin/wallet/chargeback",
            "chargeBack",
            "Takes a disputed payment back from the available funds.",
            charge_back,
        )
        .fails(TAKING),
        Route::post(
            "/admin/wallet/recharge_deduction",
            "deductRecharge",
            "Takes a virtual recharge back from the available funds.",
            deduct_recharge,
        )
        .fails(TAKING),
        Route::post(
            "/admin/wallet/membership",
            "openMembership",
            "Charges the membership fee; the user is a member then.",
            open_membership,
        )
        .fails(TAKING),
        Route::post(
            "/admin/wallet/start_up_funds",
            "changeStartUpFunds",
            "Grants start-up funds, or marks them as returned.",
            change_start_up_funds,
        )
        .fails(&[
            Reason::NotFound,
            Reason::AmountOutOfRange,
            Reason::InsufficientBalance,
            Reason::ApprovalRequired,
        ]),
    ]
}

async fn deposit(
    call: Call,
    Json(request): Json<WalletChangeRequest>,
) -> Result<FlowEntry, Failure> {
    let message = wallet::DepositRequest {
        user_id: request.user_id,
        amount_minor: request.amount.minor(),
        remark: request.remark,
    };
    let response = send!(call.writing(), wallet_admin.deposit, message).await?;
    FlowEntry::decode(response.entry, "entry")
}

async fn charge_back(
    call: Call,
    Json(request): Json<WalletChangeRequest>,
) -> Result<FlowEntry, Failure> {
    let message = wallet::ChargebackRequest {
        user_id: request.user_id,
        amount_minor: request.amount.minor(),
        remark: request.remark,
    };
    let response = send!(call.writing(), wallet_admin.chargeback, message).await?;
    FlowEntry::decode(response.entry, "entry")
}

async fn deduct_recharge(
    call: Call,
    Json(request): Json<WalletChangeRequest>,
) -> Result<FlowEntry, Failure> {
    let message = wallet::DeductRechargeRequest {
        user_id: request.user_id,
        amount_minor: request.amount.minor(),
        remark: request.remark,
    };
    let response = send!(call.writing(), wallet_admin.deduct_recharge, message).await?;
    FlowEntry::decode(response.entry, "entry")
}

async fn open_membership(
    call: Call,
    Json(request): Json<MembershipRequest>,
) -> Result<FlowEntry, Failure> {
    let message = wallet::OpenMembershipRequest {
        user_id: request.user_id,
        amount_minor: request.amount.minor(),
    };
    let response = send!(call.writing(), wallet_admin.open_membership, message).await?;
    FlowEntry::decode(response.entry, "entry")
}

async fn change_start_up_funds(
    call: Call,
    Json(request): Json<StartUpFundsRequest>,
) -> Result<FlowEntry, Failure> {
    let message = wallet::ChangeStartUpFundsRequest {
        user_id: request.user_id,
        action: request.action.into(),
        amount_minor: request.amount.minor(),
    };
    let response = send!(call.writing(), wallet_admin.change_start_up_funds, message).await?;
    FlowEntry::decode(response.entry, "entry")
}

async fn reconcile(call: Call, _: Nothing) -> Result<Reconciliation, Failure> {
    let caller = Caller {
        deadline: Deadline::after(RECONCILE_LIMIT),
        ..call.caller
    };
    let limits = client::Call::once(&caller, RECONCILE_LIMIT);
    let message = wallet::ReconcileRequest {};
    let response = call!(
        call.gateway.services().wallet_admin,
        reconcile,
        message,
        limits
    )
    .await?;
    Reconciliation::from_proto(response)
}
