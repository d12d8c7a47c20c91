//! Deposits and the proof of the books.

use std::time::Duration;

use adfolio_kit::client::outgoing;
use adfolio_kit::deadline::Deadline;
use adfolio_kit::identity::Caller;
use adfolio_kit::refusal::Reason;
use adfolio_proto::wallet::v1 as wallet;

use crate::call::{Call, write_call};
use crate::dto::present;
use crate::dto::staff::{DepositRequest, Reconciliation};
use crate::dto::wallet::FlowEntry;
use crate::errors::Failure;
use crate::input::{Json, Nothing};
use crate::messages::Success;
use crate::route::{FINANCE, Route};

/// Reading all the books takes longer than other calls, but no longer than proxies in front wait.
const RECONCILE_LIMIT: Duration = Duration::from_secs(50);

/// The routes of this area.
pub fn routes() -> Vec<Route> {
    vec![
        Route::post(
            "/admin/wallet/deposit",
            "creditDeposit",
            "Credits a deposit.",
            deposit,
        )
        .staff(FINANCE)
        .fails(&[Reason::NotFound])
        .says(Success::Submission)
        .keyed(),
        Route::get(
            "/admin/wallet/reconcile",
            "reconcile",
            "Proves that the books balance.",
            reconcile,
        )
        .staff(FINANCE),
    ]
}

async fn deposit(call: Call, Json(request): Json<DepositRequest>) -> Result<FlowEntry, Failure> {
    let message = wallet::DepositRequest {
        user_id: request.user_id,
        amount_minor: request.amount.minor(),
        remark: request.remark,
    };
    FlowEntry::from_proto(present(
        write_call!(call, wallet_admin.deposit, message)?.entry,
        "entry",
    )?)
}

async fn reconcile(call: Call, _: Nothing) -> Result<Reconciliation, Failure> {
    let caller = Caller {
        deadline: Deadline::after(RECONCILE_LIMIT),
        ..call.caller
    };
    let request = outgoing(&caller, wallet::ReconcileRequest {}, RECONCILE_LIMIT);
    let response = call
        .gateway
        .services()
        .wallet_admin
        .clone()
        .reconcile(request)
        .await?;
    Ok(Reconciliation::from_proto(response.into_inner()))
}
