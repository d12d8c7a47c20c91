//! Postings by finance, and reconciliation. wallet keeps a posting above the configured amount for approval by
//! another member of staff (APPROVAL_REQUIRED).

use adfolio_kit::call;
use std::time::Duration;

use adfolio_kit::client;
use adfolio_kit::deadline::Deadline;
use adfolio_kit::identity::Caller;
use adfolio_kit::refusal::Reason;
use adfolio_proto::wallet::v1 as wallet;

use crate::call::{Call, send};
use crate::dto::staff::{
    GuaranteeRequest, MembershipRequest, Reconciliation, StartUpFundsRequest, WalletChangeRequest,
};
use crate::dto::wallet::{FlowEntry, Property};
use crate::dto::{Decode, present};
use crate::errors::Failure;
use crate::input::{Json, Nothing};
use crate::messages::Success;
use crate::route::{FINANCE, Route};

/// Limit of a reconciliation, which takes longer than other calls; below the timeouts of proxies.
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
            "Checks that the ledger balances.",
            reconcile,
        )
        .staff(FINANCE),
    );
    routes
}

fn posting_routes() -> [Route; 6] {
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
            "Charges the membership fee and makes the user a member.",
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
        Route::post(
            "/admin/wallet/guarantee",
            "changeGuarantee",
            "Moves money of the user from the available funds to the guarantee, or back; a repeat answers the present figures.",
            change_guarantee,
        )
        .fails(&[
            Reason::NotFound,
            Reason::InsufficientBalance,
            Reason::StartUpFundsNotReturned,
            Reason::ApprovalRequired,
        ]),
    ]
}

/// A handler that posts a [`WalletChangeRequest`].
macro_rules! wallet_change {
    ($handler:ident, $method:ident, $message:ident) => {
        async fn $handler(
            call: Call,
            Json(request): Json<WalletChangeRequest>,
        ) -> Result<FlowEntry, Failure> {
            let message = wallet::$message {
                user_id: request.user_id,
                amount_minor: request.amount.minor(),
                remark: request.remark,
            };
            let response = send!(call.writing(), wallet_admin.$method, message).await?;
            FlowEntry::decode(response.entry, "entry")
        }
    };
}

wallet_change!(deposit, deposit, DepositRequest);
wallet_change!(charge_back, chargeback, ChargebackRequest);
wallet_change!(deduct_recharge, deduct_recharge, DeductRechargeRequest);

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

async fn change_guarantee(
    call: Call,
    Json(request): Json<GuaranteeRequest>,
) -> Result<Property, Failure> {
    let message = wallet::ChangeGuaranteeRequest {
        user_id: request.user_id,
        action: request.action.into(),
        amount_minor: request.amount.minor(),
        remark: request.remark.unwrap_or_default(),
    };
    let response = send!(call.writing(), wallet_admin.change_guarantee, message).await?;
    let property = present(response.property, "property")?;
    Property::from_proto(property, call.gateway.currency())
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
