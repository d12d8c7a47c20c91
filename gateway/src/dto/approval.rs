//! Requests by staff that another member of staff must approve.

use adfolio_proto::wallet::v1 as wallet;
use serde::Deserialize;
use utoipa::ToSchema;

use super::{Money, PageLimit, Timestamp, wire_enum, wire_struct};

wire_enum! {
    /// The requested action.
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
        /// To move money to the guarantee.
        GuaranteeDeposit,
        /// To give the guarantee back.
        GuaranteeReturn,
    }
}

wire_enum! {
    /// State of a request for approval.
    ApprovalState = wallet::ApprovalState {
        /// Waiting for another member of staff.
        Pending,
        /// Approved and posted.
        Approved,
        /// Rejected; nothing was posted.
        Rejected,
        /// Not decided in time; nothing was posted.
        Expired,
        /// Approved, but the posting was refused.
        Failed,
    }
}

wire_enum! {
    /// Decision of another member of staff.
    ApprovalDecision = wallet::ApprovalDecision {
        /// Approved: it is posted.
        Approved,
        /// Rejected.
        Rejected,
    }
}

wire_struct! {
    /// A request by staff that another member of staff must approve.
    pub struct Approval = wallet::Approval {
        /// Opaque id.
        #[schema(example = "0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e42")]
        pub id: String,
        /// The requested action.
        pub action: ApprovalAction,
        /// Owner of the wallet.
        #[schema(example = "0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e2f")]
        pub user_id: String,
        /// The withdrawal to pay; null for other actions.
        #[schema(required = true, example = json!(null))]
        pub withdrawal_id: Option<String>,
        /// Amount; for a withdrawal including its fee.
        pub amount: Money = amount_minor,
        /// Remark shown to the user.
        #[schema(required = true, example = "Bank transfer 2026-11-20")]
        pub remark: Option<String>,
        /// Reason for the request; visible to staff only.
        #[schema(required = true)]
        pub request_reason: Option<String>,
        /// The member of staff who made the request.
        #[schema(example = "0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e39")]
        pub requested_by: String,
        /// When it was requested.
        pub requested_at: Timestamp,
        /// Until when it can be decided.
        pub expires_at: Timestamp,
        /// Its state.
        pub state: ApprovalState,
        /// The member of staff who decided.
        #[schema(required = true)]
        pub decided_by: Option<String>,
        /// When it was decided.
        #[schema(required = true)]
        pub decided_at: Option<Timestamp>,
        /// Reason for the decision; visible to staff only.
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

/// Filters for requests.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct ApprovalListQuery {
    /// Only this state.
    pub state: Option<ApprovalState>,
    /// `next_cursor` of the previous page; the first page if absent.
    #[schema(max_length = 1024)]
    pub cursor: Option<String>,
    /// Maximum number of items; 20 if absent.
    pub limit: Option<PageLimit>,
}

/// Decides a request.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct DecideApprovalRequest {
    /// The request.
    #[schema(example = "0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e42")]
    pub id: String,
    /// The decision.
    pub decision: ApprovalDecision,
    /// Reason, 1 to 500 characters; visible to staff only.
    #[schema(example = "Seen on the bank statement")]
    pub reason: String,
}
