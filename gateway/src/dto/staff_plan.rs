//! Plans, operators and imports, as staff see and send them.

use adfolio_proto::plan::v1 as plan;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::plan::{Plan, PlanDetail, PlanStatus, PushFilter};
use super::product::Audience;
use super::staff::UserName;
use super::{MoneyInput, PageLimit, wire_enum, wire_struct};

wire_struct! {
    /// A proxy operator.
    pub struct Operator = plan::Operator {
        /// Opaque id.
        #[schema(example = "0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e3b")]
        pub id: String,
        /// Name shown.
        #[schema(example = "North Sea Media")]
        pub name: String,
        /// Users who follow now.
        #[schema(example = 0)]
        pub followers: i64,
    }
}

/// Creates a proxy operator.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct CreateOperatorRequest {
    /// Name shown, 1 to 100 characters.
    #[schema(example = "North Sea Media")]
    pub name: String,
}

/// To whom a plan is pushed: to users (`user_ids`) or to an operator's followers (`operator_id`), or to users on behalf of an
/// operator (both).
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct PushTarget {
    /// Users, 1 to 500.
    #[schema(example = json!(["0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e2f"]))]
    pub user_ids: Option<Vec<String>>,
    /// The operator whose followers get it, or on whose behalf the users do.
    pub operator_id: Option<String>,
}

/// Pushes a plan to users; it waits for their put.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct PushPlanRequest {
    /// The product.
    #[schema(example = "0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e31")]
    pub product_id: String,
    /// Proposed amount, within the product's range.
    pub amount: MoneyInput,
    /// To whom.
    pub to: PushTarget,
    /// What is advertised, in words.
    #[schema(example = "Fifteen-second video")]
    pub put_content: String,
    /// How it is advertised, in words.
    #[schema(example = "Delivered evenly until the budget is consumed.")]
    pub put_rule: String,
    /// Whom it is shown to; the product's audience when absent.
    pub user_targeting: Option<Audience>,
}

wire_struct! {
    /// A pushed plan.
    pub struct PushedPlan = plan::PushedPlan {
        /// To whom.
        #[schema(example = "0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e2f")]
        pub user_id: String,
        /// The plan.
        #[schema(example = "0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e32")]
        pub plan_id: String,
    }
}

wire_struct! {
    /// The pushed plans.
    pub struct PushedPlans = plan::PushPlanResponse {
        /// One for each user.
        pub items: Vec<PushedPlan>,
    }
}

/// A plan with its user.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct StaffPlan {
    /// The plan.
    #[serde(flatten)]
    pub plan: Plan,
    /// Whose plan.
    pub user: UserName,
}

/// A plan in detail with its user.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct StaffPlanDetail {
    /// The plan.
    #[serde(flatten)]
    pub detail: PlanDetail,
    /// Whose plan.
    pub user: UserName,
}

/// Asks for plans of all users.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct StaffPlanListQuery {
    /// Only this user's.
    pub user_id: Option<String>,
    /// Only this status.
    pub status: Option<PlanStatus>,
    /// Only this plan number.
    pub plan_number: Option<String>,
    /// Who proposed them; all when absent.
    pub push: Option<PushFilter>,
    /// Position from the page before (`next_cursor`); absent asks for the first page.
    #[schema(max_length = 1024)]
    pub cursor: Option<String>,
    /// Rows wanted; 20 when absent.
    pub limit: Option<PageLimit>,
}

wire_enum! {
    /// How delivery ends.
    FinishOutcome = plan::FinishOutcome {
        /// Delivered; goes on to settlement.
        PutFinished,
        /// Undelivered; the money goes back.
        PutFailed,
    }
}

/// Ends delivery of a plan.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct FinishPlanRequest {
    /// The plan.
    #[schema(example = "0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e32")]
    pub id: String,
    /// How.
    pub outcome: FinishOutcome,
    /// Why; kept in the timeline.
    #[schema(example = "Window over")]
    pub reason: Option<String>,
}

wire_struct! {
    /// A row of an import that could not be taken.
    pub struct RejectedRow = plan::RejectedRow {
        /// Line of the file, from 1, the CSV header included.
        #[schema(example = 17)]
        pub line: i64,
        /// Why, in English.
        #[schema(example = "unknown plan number")]
        pub reason: String,
    }
}

wire_struct! {
    /// What became of an import. All good rows have landed.
    pub struct ImportResult = plan::ImportDeliveryResponse {
        /// Rows read.
        #[schema(example = 10000)]
        pub read: i64,
        /// Rows that were new.
        #[schema(example = 9999)]
        pub applied: i64,
        /// Rows that were known already.
        #[schema(example = 0)]
        pub repeated: i64 = repeated_rows,
        /// Rows that restated an earlier revision.
        #[schema(example = 0)]
        pub restated: i64,
        /// Rows that could not be taken; at most 20000 are named.
        pub rejected: Vec<RejectedRow>,
        /// How many could not be taken.
        #[schema(example = 1)]
        pub rejected_count: i64,
    }
}
