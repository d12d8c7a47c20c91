//! What staff asked for and another member of staff must approve.

use adfolio_proto::wallet::v1 as wallet;
use serde::Deserialize;
use utoipa::ToSchema;

use super::{Money, PageLimit, Timestamp, wire_enum, wire_struct};

wire_enum! {
    /// What staff asked for.
    ApprovalAction = wallet::ApprovalAction {
        /// To credit a deposit.
        Deposit,
        /// To take a disputed payment back.
        Chargeback,
        /// To take a virtual recharge back.
        RechargeDeduction,
        /// To charge a membership fee.
        Membership,
        /// To give start-up funds.
        StartUpGrant,
        /// To mark start-up funds as returned.
        StartUpReturn,
        /// To pay a withdrawal.
        WithdrawalPaid,
    }
}

wire_enum! {
    /// Where a request for approval stands.
    ApprovalState = wallet::ApprovalState {
        /// Waits for another member of staff.
        Pending,
        /// Approved and posted.
        Approved,
        /// Rejected; nothing was posted.
        Rejected,
        /// Nobody decided in time; nothing was posted.
        Expired,
        /// Approved when it could no longer be posted; nothing was.
        Failed,
    }
}

wire_enum! {
    /// What another member of staff says.
    ApprovalDecision = wallet::ApprovalDecision {
        /// It is posted.
        Approved,
        /// It is not.
        Rejected,
    }
}

wire_struct! {
    /// A request of staff that another member of staff must approve.
    pub struct Approval = wallet::Approval {
        /// Opaque id.
        #[schema(example = "0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e42")]
        pub id: String,
        /// What was asked for.
        pub action: ApprovalAction,
        /// Whose wallet.
        #[schema(example = "0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e2f")]
        pub user_id: String,
        /// The withdrawal to pay; null for other actions.
        #[schema(required = true, example = json!(null))]
        pub withdrawal_id: Option<String>,
        /// How much; of a withdrawal all of it, the fee included.
        pub amount: Money = amount_minor,
        /// What the user will be shown.
        #[schema(required = true, example = "Bank transfer 2026-11-20")]
        pub remark: Option<String>,
        /// Why it was asked for; for staff alone.
        #[schema(required = true)]
        pub request_reason: Option<String>,
        /// The member of staff who asked.
        #[schema(example = "0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e39")]
        pub requested_by: String,
        /// When it was asked for.
        pub requested_at: Timestamp,
        /// Until when it can be approved.
        pub expires_at: Timestamp,
        /// Where it stands.
        pub state: ApprovalState,
        /// The member of staff who decided.
        #[schema(required = true)]
        pub decided_by: Option<String>,
        /// When it was decided.
        #[schema(required = true)]
        pub decided_at: Option<Timestamp>,
        /// Why it was decided so; for staff alone.
        #[schema(required = true)]
        pub reason: Option<String> = decision_reason,
        /// The transaction that it became; null unless approved.
        #[schema(required = true)]
        pub transaction_id: Option<String>,
        /// The reason why it could not be posted, for example `INSUFFICIENT_BALANCE`; null unless failed.
        #[schema(required = true, example = json!(null))]
        pub failure: Option<String>,
    }
}

/// Asks for requests.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct ApprovalListQuery {
    /// Only this state.
    pub state: Option<ApprovalState>,
    /// Position from the page before (`next_cursor`); absent asks for the first page.
    #[schema(max_length = 1024)]
    pub cursor: Option<String>,
    /// Rows wanted; 20 when absent.
    pub limit: Option<PageLimit>,
}

/// Decides about a request.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct DecideApprovalRequest {
    /// The request.
    #[schema(example = "0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e42")]
    pub id: String,
    /// What becomes of it.
    pub decision: ApprovalDecision,
    /// Why, at most 500 characters, for staff alone; needed for a rejection.
    #[schema(example = "Seen on the bank statement")]
    pub reason: Option<String>,
}
