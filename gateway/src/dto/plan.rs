//! Plans.

use adfolio_proto::plan::v1 as plan;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::product::Audience;
use super::wallet::FlowEntry;
use super::{Money, MoneyInput, PageLimit, Timestamp, each, non_empty, present, wire_enum};
use crate::errors::Failure;

wire_enum! {
    /// Where a plan stands.
    PlanStatus = plan::PlanStatus {
        /// Pushed by an operator, waits for the user's put.
        Waiting,
        /// Paid, waits for its first delivery.
        Matching,
        /// Delivering.
        Putting,
        /// Refused or undelivered; the money went back.
        PutFailed,
        /// Budget consumed or window over.
        PutFinished,
        /// Networks may still restate.
        WaitingSettlement,
        /// Revenue paid out.
        Settled,
    }
}

/// A product as a plan shows it.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct PlanProduct {
    /// Its id.
    #[schema(example = "0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e31")]
    pub id: String,
    /// Its name at the put.
    #[schema(example = "Puzzle Harbour")]
    pub name: String,
    /// Its icon.
    #[schema(required = true, example = "/media/puzzle-harbour.png")]
    pub icon_url: Option<String>,
}

/// A coupon as a plan shows it.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct PlanCoupon {
    /// The user's coupon.
    #[schema(example = "0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e33")]
    pub id: String,
    /// Its name.
    #[schema(example = "Welcome 10%")]
    pub name: String,
}

/// A plan (ad order).
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct Plan {
    /// Opaque id.
    #[schema(example = "0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e32")]
    pub id: String,
    /// Number shown to people and used in delivery reports.
    #[schema(example = "AD2611200042")]
    pub plan_number: String,
    /// What is advertised.
    pub product: PlanProduct,
    /// Budget: paid plus discount.
    pub put_amount: Money,
    /// Part paid from the wallet.
    pub paid_amount: Money,
    /// Part paid by a coupon.
    pub discount_amount: Money,
    /// Share of the budget consumed, 0 to 100, rounded down.
    #[schema(minimum = 0, maximum = 100, example = 25)]
    pub put_progress: u32,
    /// Where it stands.
    pub status: PlanStatus,
    /// Pushed by an operator.
    pub official: bool,
    /// The operator who pushed it.
    #[schema(required = true)]
    pub operator_id: Option<String>,
    /// What is advertised, in words.
    #[schema(example = "Fifteen-second video")]
    pub put_content: String,
    /// How it is advertised, in words.
    #[schema(example = "Delivered evenly until the budget is consumed.")]
    pub put_rule: String,
    /// Whom it is shown to.
    pub user_targeting: Audience,
    /// Impressions reported.
    #[schema(example = 12000)]
    pub impressions: i64,
    /// Clicks reported.
    #[schema(example = 83)]
    pub clicks: i64,
    /// Spend charged.
    pub consumed: Money,
    /// Budget not yet consumed; zero once the plan has ended.
    pub to_be_consumed: Money,
    /// Revenue reported.
    pub revenue: Money,
    /// Revenue less spend; may be negative.
    pub profit: Money,
    /// The coupon used.
    #[schema(required = true)]
    pub coupon: Option<PlanCoupon>,
    /// Why it failed.
    #[schema(required = true)]
    pub fail_reason: Option<String>,
    /// When it was placed or pushed.
    pub create_time: Timestamp,
    /// When it was paid.
    #[schema(required = true)]
    pub put_time: Option<Timestamp>,
    /// When delivery ended.
    #[schema(required = true)]
    pub finish_time: Option<Timestamp>,
    /// When it was settled.
    #[schema(required = true)]
    pub settle_time: Option<Timestamp>,
    /// When a pushed plan that waits expires.
    #[schema(required = true)]
    pub expire_time: Option<Timestamp>,
    /// Whether any figure is estimated from an import's pricing.
    pub estimated: bool,
    /// Where its reports came from.
    #[schema(example = json!(["import"]))]
    pub sources: Vec<String>,
}

impl Plan {
    /// From a service's message.
    pub fn from_proto(plan: plan::Plan) -> Result<Self, Failure> {
        let coupon_name = plan.coupon_name;
        Ok(Self {
            id: plan.id,
            plan_number: plan.plan_number,
            product: PlanProduct {
                id: plan.product_id,
                name: plan.product_name,
                icon_url: non_empty(plan.product_icon_url),
            },
            put_amount: Money::from_minor(plan.put_amount_minor),
            paid_amount: Money::from_minor(plan.paid_amount_minor),
            discount_amount: Money::from_minor(plan.discount_amount_minor),
            put_progress: plan.put_progress,
            status: PlanStatus::from_wire(plan.status)?,
            official: plan.official,
            operator_id: non_empty(plan.operator_id),
            put_content: plan.put_content,
            put_rule: plan.put_rule,
            user_targeting: Audience::from_proto(plan.user_targeting.unwrap_or_default()),
            impressions: plan.impressions,
            clicks: plan.clicks,
            consumed: Money::from_minor(plan.consumed_minor),
            to_be_consumed: Money::from_minor(plan.to_be_consumed_minor),
            revenue: Money::from_minor(plan.revenue_minor),
            profit: Money::difference(plan.revenue_minor, plan.consumed_minor)?,
            coupon: non_empty(plan.coupon_id).map(|id| PlanCoupon {
                id,
                name: coupon_name,
            }),
            fail_reason: non_empty(plan.fail_reason),
            create_time: Timestamp::required(plan.create_time, "create_time")?,
            put_time: Timestamp::optional(plan.put_time)?,
            finish_time: Timestamp::optional(plan.finish_time)?,
            settle_time: Timestamp::optional(plan.settle_time)?,
            expire_time: Timestamp::optional(plan.expire_time)?,
            estimated: plan.estimated,
            sources: plan.sources,
        })
    }
}

/// How many plans stand where.
#[derive(Clone, Copy, Debug, Default, Serialize, ToSchema)]
pub struct PlanCounts {
    /// Waiting to be put.
    pub waiting: i64,
    /// Paid, before the first delivery.
    pub matching: i64,
    /// Delivering.
    pub putting: i64,
    /// Failed.
    pub put_failed: i64,
    /// Delivered.
    pub put_finished: i64,
    /// Waiting for settlement.
    pub waiting_settlement: i64,
    /// Settled.
    pub settled: i64,
}

impl PlanCounts {
    /// From a service's message; a status that is not there counts zero.
    pub fn from_proto(counts: Vec<plan::StatusCount>) -> Result<Self, Failure> {
        let mut all = Self::default();
        for count in counts {
            let slot = match PlanStatus::from_wire(count.status)? {
                PlanStatus::Waiting => &mut all.waiting,
                PlanStatus::Matching => &mut all.matching,
                PlanStatus::Putting => &mut all.putting,
                PlanStatus::PutFailed => &mut all.put_failed,
                PlanStatus::PutFinished => &mut all.put_finished,
                PlanStatus::WaitingSettlement => &mut all.waiting_settlement,
                PlanStatus::Settled => &mut all.settled,
            };
            *slot = count.count;
        }
        Ok(all)
    }
}

/// A page of plans.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct PlanPage {
    /// The plans, newest first.
    pub items: Vec<Plan>,
    /// Where the next page begins; null at the end.
    #[schema(required = true)]
    pub next_cursor: Option<String>,
    /// Counts by status under the same push filter.
    pub counts: PlanCounts,
}

/// A step in the life of a plan.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct TimelineEntry {
    /// The status it moved to.
    pub status: PlanStatus,
    /// When.
    pub time: Timestamp,
    /// Why.
    #[schema(required = true)]
    pub reason: Option<String>,
}

impl TimelineEntry {
    /// From a service's message.
    pub fn from_proto(entry: plan::TimelineEntry) -> Result<Self, Failure> {
        Ok(Self {
            status: PlanStatus::from_wire(entry.status)?,
            time: Timestamp::required(entry.time, "time")?,
            reason: non_empty(entry.reason),
        })
    }
}

/// Delivery in a stretch of time.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct SeriesPoint {
    /// When the stretch begins.
    pub time: Timestamp,
    /// Impressions in it.
    #[schema(example = 1200)]
    pub impressions: i64,
    /// Clicks in it.
    #[schema(example = 8)]
    pub clicks: i64,
    /// Spend charged for it.
    pub consumed: Money,
    /// Revenue for it.
    pub revenue: Money,
}

impl SeriesPoint {
    /// From a service's message.
    pub fn from_proto(point: plan::SeriesPoint) -> Result<Self, Failure> {
        Ok(Self {
            time: Timestamp::required(point.time, "time")?,
            impressions: point.impressions,
            clicks: point.clicks,
            consumed: Money::from_minor(point.consumed_minor),
            revenue: Money::from_minor(point.revenue_minor),
        })
    }
}

/// A plan with its life, its delivery and its money.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct PlanDetail {
    /// The plan.
    #[serde(flatten)]
    pub plan: Plan,
    /// Its life so far, oldest first.
    pub timeline: Vec<TimelineEntry>,
    /// Its delivery by hour (up to three days) or day of the caller's time zone, oldest first.
    pub series: Vec<SeriesPoint>,
    /// The wallet's lines that belong to it, oldest first.
    pub flow: Vec<FlowEntry>,
}

impl PlanDetail {
    /// Puts together what plan and wallet know.
    pub fn compose(
        plan: Option<plan::Plan>,
        timeline: Vec<plan::TimelineEntry>,
        series: Vec<plan::SeriesPoint>,
        flow: Vec<FlowEntry>,
    ) -> Result<Self, Failure> {
        Ok(Self {
            plan: Plan::from_proto(present(plan, "plan")?)?,
            timeline: each(timeline, TimelineEntry::from_proto)?,
            series: each(series, SeriesPoint::from_proto)?,
            flow,
        })
    }
}

/// Which plans by who proposed them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum PushFilter {
    /// All plans.
    #[default]
    All,
    /// Pushed by an operator.
    Official,
    /// Placed by the user.
    NonOfficial,
}

impl From<PushFilter> for i32 {
    fn from(filter: PushFilter) -> Self {
        let proto = match filter {
            PushFilter::All => plan::PushFilter::Unspecified,
            PushFilter::Official => plan::PushFilter::Official,
            PushFilter::NonOfficial => plan::PushFilter::NonOfficial,
        };
        proto as Self
    }
}

/// Asks for the caller's plans.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct PlanListQuery {
    /// Who proposed them; all when absent.
    pub push: Option<PushFilter>,
    /// Only this status.
    pub status: Option<PlanStatus>,
    /// Position from the page before (`next_cursor`); absent asks for the first page.
    #[schema(max_length = 1024)]
    pub cursor: Option<String>,
    /// Rows wanted; 20 when absent.
    pub limit: Option<PageLimit>,
}

/// Puts money into a product (`product_id`) or into a pushed plan that waits (`plan_id`): exactly one of them.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct PutRequest {
    /// A pushed plan that waits.
    pub plan_id: Option<String>,
    /// A product.
    #[schema(example = "0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e31")]
    pub product_id: Option<String>,
    /// Budget before a coupon that adds to it, within the product's range.
    pub amount: MoneyInput,
    /// The caller's coupon to use.
    pub user_coupon_id: Option<String>,
}

/// A count.
#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
pub struct Count {
    /// How many.
    #[schema(example = 2)]
    pub count: i64,
}
