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
        /// Display name.
        #[schema(example = "North Sea Media")]
        pub name: String,
        /// Current number of followers.
        #[schema(example = 0)]
        pub followers: i64,
    }
}

/// Creates a proxy operator.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct CreateOperatorRequest {
    /// Display name, 1 to 100 characters.
    #[schema(example = "North Sea Media")]
    pub name: String,
}

/// Recipients of a pushed plan: users (`user_ids`), an operator's followers (`operator_id`), or users on behalf of an
/// operator (both).
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct PushTarget {
    /// Users, 1 to 500.
    #[schema(example = json!(["0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e2f"]))]
    pub user_ids: Option<Vec<String>>,
    /// The operator whose followers get it, or on whose behalf the users get it.
    pub operator_id: Option<String>,
}

/// Pushes a plan to users, where it waits for their put.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct PushPlanRequest {
    /// The product.
    #[schema(example = "0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e31")]
    pub product_id: String,
    /// Proposed amount, within the product's range.
    pub amount: MoneyInput,
    /// To whom.
    pub to: PushTarget,
    /// Advertising content, as text.
    #[schema(example = "Fifteen-second video")]
    pub put_content: String,
    /// Delivery rule, as text.
    #[schema(example = "Delivered evenly until the budget is consumed.")]
    pub put_rule: String,
    /// Its audience; the product's audience if absent.
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
        /// One per user.
        pub items: Vec<PushedPlan>,
    }
}

/// A plan with its user.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct StaffPlan {
    /// The plan.
    #[serde(flatten)]
    pub plan: Plan,
    /// Its user.
    pub user: UserName,
}

/// The details of a plan, and its user.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct StaffPlanDetail {
    /// The plan.
    #[serde(flatten)]
    pub detail: PlanDetail,
    /// Its user.
    pub user: UserName,
}

/// Filters for the plans of all users.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct StaffPlanListQuery {
    /// Only those of this user.
    pub user_id: Option<String>,
    /// Only this status.
    pub status: Option<PlanStatus>,
    /// Only this plan number.
    pub plan_number: Option<String>,
    /// Filter by who proposed them; all if absent.
    pub push: Option<PushFilter>,
    /// `next_cursor` of the previous page; the first page if absent.
    #[schema(max_length = 1024)]
    pub cursor: Option<String>,
    /// Maximum number of items; 20 if absent.
    pub limit: Option<PageLimit>,
}

wire_enum! {
    /// How delivery ends.
    FinishOutcome = plan::FinishOutcome {
        /// Delivered; settlement follows.
        PutFinished,
        /// Not delivered; the money is returned.
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
    /// Reason; shown in the plan's timeline.
    #[schema(example = "Window over")]
    pub reason: Option<String>,
}
