//! Payment batches.

use adfolio_proto::wallet::v1 as wallet;
use serde::Deserialize;
use utoipa::ToSchema;

use super::withdrawal::WithdrawalMethod;
use super::{Money, PageLimit, Timestamp, wire_enum, wire_struct};

wire_enum! {
    /// Where a payment batch stands.
    PaymentBatchState = wallet::PaymentBatchState {
        /// Waits for another person to release it.
        Proposed,
        /// Its file may be given to the bank.
        Released,
        /// The bank has paid what was left in it.
        Paid,
        /// Dissolved: its withdrawals wait as before.
        Dissolved,
    }
}

wire_enum! {
    /// Decision about a proposed batch.
    PaymentBatchDecision = wallet::PaymentBatchDecision {
        /// Its file may be read.
        Released,
        /// Its withdrawals wait as before.
        Dissolved,
    }
}

wire_struct! {
    /// Withdrawals that the bank pays with one file.
    pub struct PaymentBatch = wallet::PaymentBatch {
        /// Opaque id.
        #[schema(example = "0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e63")]
        pub id: String,
        /// How its withdrawals leave.
        pub method: WithdrawalMethod,
        /// Where it stands.
        pub state: PaymentBatchState,
        /// Withdrawals in it.
        pub count: u32,
        /// Withdrawals in it that are paid.
        pub paid_count: u32,
        /// What the bank is to pay: amounts less fees.
        pub payout: Money = payout_minor,
        /// Who proposed it.
        pub proposed_by: String,
        /// When.
        pub proposed_at: Timestamp,
        /// Why.
        #[schema(required = true)]
        pub reason: Option<String>,
        /// Who released or dissolved it.
        #[schema(required = true)]
        pub decided_by: Option<String>,
        /// When.
        #[schema(required = true)]
        pub decided_at: Option<Timestamp>,
    }
}

/// Filters for payment batches.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct PaymentBatchListQuery {
    /// Only the batch with this id; not with another filter.
    pub id: Option<String>,
    /// Only those in this state.
    pub state: Option<PaymentBatchState>,
    /// `next_cursor` of the previous page; the first page if absent.
    #[schema(max_length = 1024)]
    pub cursor: Option<String>,
    /// Maximum number of items; 20 if absent.
    pub limit: Option<PageLimit>,
}

/// Proposes a batch.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct ProposePaymentBatchRequest {
    /// Pending withdrawals of one method.
    #[schema(min_items = 1, max_items = 500)]
    pub withdrawal_ids: Vec<String>,
    /// Why, at most 500 characters.
    #[schema(example = "Payments of 28 November")]
    pub reason: Option<String>,
}

/// Decides about a batch.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct DecidePaymentBatchRequest {
    /// The batch.
    #[schema(example = "0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e63")]
    pub id: String,
    /// The decision.
    pub decision: PaymentBatchDecision,
    /// Why, at most 500 characters.
    pub reason: Option<String>,
}

/// Records that the bank has paid a batch.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct PayPaymentBatchRequest {
    /// The batch.
    #[schema(example = "0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e63")]
    pub id: String,
    /// How it is known, 1 to 500 characters.
    #[schema(example = "Bank confirmed order 4711")]
    pub reason: String,
}

/// Takes a withdrawal out of its batch.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct TakeOutRequest {
    /// The withdrawal.
    #[schema(example = "0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e3e")]
    pub id: String,
    /// Why, 1 to 500 characters.
    #[schema(example = "The bank returned it: account closed")]
    pub reason: String,
}

/// Names a batch.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct PaymentFileQuery {
    /// The batch.
    pub id: String,
}
