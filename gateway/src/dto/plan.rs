//! Plans.

use adfolio_kit::time_zone::TimeZone;
use adfolio_kit::wire;
use adfolio_proto::plan::v1 as plan;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::day::Day;
use super::product::Audience;
use super::statistics::{SeriesStep, StatisticsType};
use super::wallet::FlowEntry;
use super::{Decode, Money, MoneyInput, PageLimit, Timestamp, non_empty, wire_enum, wire_struct};
use crate::errors::Failure;
use crate::lang::Lang;
use crate::messages::plan_reason_text;

wire_enum! {
    /// Status of a plan.
    PlanStatus = plan::PlanStatus {
        /// Pushed by an operator, waiting for the user's put.
        Waiting,
        /// Paid, waiting for the first delivery.
        Matching,
        /// Delivering.
        Putting,
        /// Refused or not delivered; the money was returned.
        PutFailed,
        /// The budget is consumed or the delivery window is over.
        PutFinished,
        /// Waiting for settlement; networks may still restate.
        WaitingSettlement,
        /// Revenue paid out.
        Settled,
    }
}

/// The product of a plan.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct PlanProduct {
    /// Its id.
    #[schema(example = "0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e31")]
    pub id: String,
    /// Its name at the time of the put.
    #[schema(example = "Puzzle Harbour")]
    pub name: String,
    /// Its icon.
    #[schema(required = true, example = "/media/puzzle-harbour.png")]
    pub icon_url: Option<String>,
}

/// The coupon of a plan.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct PlanCoupon {
    /// The user's coupon.
    #[schema(example = "0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e33")]
    pub id: String,
    /// Its name.
    #[schema(example = "Welcome 10%")]
    pub name: String,
}

wire_struct! {
    /// A plan (ad order).
    pub struct Plan = plan::Plan as plan {
        /// Opaque id.
        #[schema(example = "0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e32")]
        pub id: String,
        /// Number shown to users and used in delivery reports.
        #[schema(example = "AD2611200042")]
        pub plan_number: String,
        /// The advertised product.
        pub product: PlanProduct = (PlanProduct { id: plan.product_id, name: plan.product_name, icon_url: non_empty(plan.product_icon_url) }),
        /// Budget: paid plus discount.
        pub put_amount: Money = put_amount_minor,
        /// Part paid from the wallet.
        pub paid_amount: Money = paid_amount_minor,
        /// Part paid by a coupon.
        pub discount_amount: Money = discount_amount_minor,
        /// Share of the budget consumed, 0 to 100, rounded down.
        #[schema(minimum = 0, maximum = 100, example = 25)]
        pub put_progress: u32,
        /// Its state.
        pub status: PlanStatus,
        /// Pushed by an operator.
        pub official: bool,
        /// The operator who pushed it.
        #[schema(required = true)]
        pub operator_id: Option<String>,
        /// Advertising content, as text.
        #[schema(example = "Fifteen-second video")]
        pub put_content: String,
        /// Delivery rule, as text.
        #[schema(example = "Delivered evenly until the budget is consumed.")]
        pub put_rule: String,
        /// Its audience.
        pub user_targeting: Audience,
        /// Impressions reported.
        #[schema(example = 12000)]
        pub impressions: i64,
        /// Clicks reported.
        #[schema(example = 83)]
        pub clicks: i64,
        /// Spend charged.
        pub consumed: Money = consumed_minor,
        /// Budget not yet consumed, held by the wallet; zero once the plan has settled or failed.
        pub to_be_consumed: Money = to_be_consumed_minor,
        /// Revenue reported.
        pub revenue: Money = revenue_minor,
        /// Revenue less spend; may be negative.
        pub profit: Money = (Money::difference(plan.revenue_minor, plan.consumed_minor)?),
        /// The coupon's part of the spend.
        pub coupon_share: Money = coupon_share_minor,
        /// What the wallet gains: the revenue that is paid out, less the part of the spend that the wallet paid. Before the
        /// settlement, what it would gain now; may be negative.
        pub result: Money = result_minor,
        /// The coupon used.
        #[schema(required = true)]
        pub coupon: Option<PlanCoupon> = (non_empty(plan.coupon_id).map(|id| PlanCoupon { id, name: plan.coupon_name })),
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
        /// When a waiting pushed plan expires.
        #[schema(required = true)]
        pub expire_time: Option<Timestamp>,
        /// When delivery ends at the latest, and what is unspent goes back. Set while the plan matches or is delivered.
        #[schema(required = true)]
        pub end_time: Option<Timestamp>,
        /// Since when no placement can be chosen for it although it matches or is delivered; null if one can.
        #[schema(required = true)]
        pub no_supply_since: Option<Timestamp>,
        /// Whether any value is estimated from an import's pricing.
        pub estimated: bool,
        /// Sources of its reports.
        #[schema(example = json!(["import"]))]
        pub sources: Vec<String>,
    }
}

impl Plan {
    /// With its reason in a language.
    #[must_use]
    pub fn in_lang(mut self, lang: Lang) -> Self {
        self.fail_reason = self
            .fail_reason
            .map(|reason| plan_reason_text(lang, reason));
        self
    }
}

/// Number of plans by status.
#[derive(Clone, Copy, Debug, Default, Serialize, ToSchema)]
pub struct PlanCounts {
    /// Waiting for the user's put.
    pub waiting: i64,
    /// Paid, waiting for the first delivery.
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

/// A status that is missing counts zero.
impl Decode<Vec<plan::StatusCount>> for PlanCounts {
    fn decode(counts: Vec<plan::StatusCount>, _: &'static str) -> Result<Self, Failure> {
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

wire_enum! {
    /// A figure that is a sum over plans.
    PlanFigure = plan::PlanFigure {
        /// Put amounts of plans paid in the range, without failed ones.
        Invested,
        /// The number of these plans.
        DeliveryOrders,
        /// Budget not yet consumed, of plans that are neither settled nor failed.
        ToBeConsumed,
        /// Revenue of plans that are not settled.
        ToBeSettled,
    }
}

/// A figure over all plans of a list: an amount, or a number of plans for `delivery_orders`.
#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
#[serde(untagged)]
pub enum FigureSum {
    /// An amount.
    Amount(Money),
    /// A number of plans.
    Count(i64),
}

impl FigureSum {
    fn of(figure: PlanFigure, sum: i64) -> Self {
        match figure {
            PlanFigure::DeliveryOrders => Self::Count(sum),
            PlanFigure::Invested | PlanFigure::ToBeConsumed | PlanFigure::ToBeSettled => {
                Self::Amount(Money::from_minor(sum))
            }
        }
    }
}

wire_struct! {
    /// A page of plans.
    pub struct PlanPage = plan::ListPlansResponse as response, figure: Option<PlanFigure> {
        /// The plans, newest first.
        pub items: Vec<Plan>,
        /// Cursor of the next page; null on the last page.
        #[schema(required = true)]
        pub next_cursor: Option<String>,
        /// Counts by status under the same push filter.
        pub counts: PlanCounts,
        /// The figure over all plans of the list, on whatever page; null without `figure`.
        #[schema(required = true, example = json!("622.00"))]
        pub sum: Option<FigureSum> = (figure.map(|figure| FigureSum::of(figure, response.sum))),
        /// Totals of all rows of a table, on whatever page; null of any other list.
        #[schema(required = true)]
        pub totals: Option<PlanTotals>,
    }
}

impl PlanPage {
    /// With reasons in a language.
    #[must_use]
    pub fn in_lang(mut self, lang: Lang) -> Self {
        self.items = self
            .items
            .into_iter()
            .map(|plan| plan.in_lang(lang))
            .collect();
        self
    }
}

wire_struct! {
    /// A change of a plan's status.
    pub struct TimelineEntry = plan::TimelineEntry {
        /// The new status.
        pub status: PlanStatus,
        /// When.
        pub time: Timestamp,
        /// Why.
        #[schema(required = true)]
        pub reason: Option<String>,
    }
}

wire_struct! {
    /// Delivery in one period.
    pub struct SeriesPoint = plan::SeriesPoint {
        /// When the period begins.
        pub time: Timestamp,
        /// Impressions in this period.
        #[schema(example = 1200)]
        pub impressions: i64,
        /// Clicks in this period.
        #[schema(example = 8)]
        pub clicks: i64,
        /// Spend charged in this period.
        pub consumed: Money = consumed_minor,
        /// Revenue in this period.
        pub revenue: Money = revenue_minor,
    }
}

/// A plan with its timeline, delivery and wallet entries.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct PlanDetail {
    /// The plan.
    #[serde(flatten)]
    pub plan: Plan,
    /// Changes of its status, oldest first.
    pub timeline: Vec<TimelineEntry>,
    /// Its delivery by hour (up to three days) or day of the caller's time zone, oldest first.
    pub series: Vec<SeriesPoint>,
    /// How long a point of the series is.
    pub bucket: SeriesStep,
    /// The wallet entries of the plan, oldest first.
    pub flow: Vec<FlowEntry>,
}

impl PlanDetail {
    /// Combines the answers of plan and wallet, with reasons in a language.
    pub fn compose(
        found: plan::GetPlanResponse,
        flow: Vec<FlowEntry>,
        lang: Lang,
    ) -> Result<Self, Failure> {
        let plan: Plan = Decode::decode(found.plan, "plan")?;
        let mut timeline: Vec<TimelineEntry> = Decode::decode(found.timeline, "timeline")?;
        for entry in &mut timeline {
            entry.reason = entry
                .reason
                .take()
                .map(|reason| plan_reason_text(lang, reason));
        }
        Ok(Self {
            plan: plan.in_lang(lang),
            timeline,
            series: Decode::decode(found.series, "series")?,
            bucket: Decode::decode(found.bucket, "bucket")?,
            flow,
        })
    }
}

/// Filter by who proposed a plan.
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

wire_enum! {
    /// What a table of plans is sorted by.
    PlanSort = plan::PlanSort {
        /// When the plan was pushed or placed.
        CreateTime,
        /// Its budget.
        PutAmount,
        /// Its spend.
        Consumed,
        /// Its revenue.
        Revenue,
        /// Revenue less spend.
        Profit,
        /// Its impressions.
        Impressions,
        /// Its clicks.
        Clicks,
    }
}

/// Which way a table is sorted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum SortOrder {
    /// Smallest first.
    Asc,
    /// Largest first.
    Desc,
}

wire_struct! {
    /// Totals of all rows of a table of plans.
    pub struct PlanTotals = plan::PlanTotals as totals {
        /// How many.
        #[schema(example = 12)]
        pub count: i64,
        /// Their budgets.
        pub put_amount: Money = put_amount_minor,
        /// Their spend.
        pub consumed: Money = consumed_minor,
        /// Their revenue.
        pub revenue: Money = revenue_minor,
        /// Revenue less spend; may be negative.
        pub profit: Money = (Money::difference(totals.revenue_minor, totals.consumed_minor)?),
        /// Their impressions.
        #[schema(example = 125_000)]
        pub impressions: i64,
        /// Their clicks.
        #[schema(example = 1_800)]
        pub clicks: i64,
    }
}

/// Filters for the caller's plans. With `sort`, `order`, `from`, `until` or `query` the list is a table with totals.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct PlanListQuery {
    /// Filter by who proposed them; all if absent.
    pub push: Option<PushFilter>,
    /// Only this status.
    pub status: Option<PlanStatus>,
    /// Only the plans that this figure counts.
    pub figure: Option<PlanFigure>,
    /// The range of `invested` and `delivery_orders`; today if absent.
    #[serde(rename = "type")]
    pub kind: Option<StatisticsType>,
    /// Time zone that defines the range's days, in the format of `X-TZ`; the value of that header if absent.
    #[schema(example = "Asia/Shanghai GMT+08:00")]
    pub user_time_zone: Option<String>,
    /// The column that a table is sorted by; the time of creation if absent.
    pub sort: Option<PlanSort>,
    /// Which way; the largest first if absent.
    pub order: Option<SortOrder>,
    /// Only plans created on this day of the time zone or later.
    pub from: Option<Day>,
    /// Only plans created on this day or before.
    pub until: Option<Day>,
    /// Only plans with this text in the product's name or the plan number.
    #[schema(max_length = 100)]
    pub query: Option<String>,
    /// `next_cursor` of the previous page; the first page if absent.
    #[schema(max_length = 1024)]
    pub cursor: Option<String>,
    /// Maximum number of items; 20 if absent.
    pub limit: Option<PageLimit>,
}

impl PlanListQuery {
    /// The table that is asked for, if one is, with days of this time zone.
    pub fn table(&self, zone: TimeZone) -> Option<plan::PlanTable> {
        let is_table = self.sort.is_some()
            || self.order.is_some()
            || self.from.is_some()
            || self.until.is_some()
            || self.query.is_some();
        is_table.then(|| plan::PlanTable {
            sort: self.sort.map_or(0, Into::into),
            ascending: self.order == Some(SortOrder::Asc),
            from: self.from.map(|day| wire::timestamp(day.start(zone))),
            to: self.until.map(|day| wire::timestamp(day.end(zone))),
            query: self.query.clone().unwrap_or_default(),
        })
    }
}

/// Puts money into a product (`product_id`) or into a waiting pushed plan (`plan_id`): exactly one of them.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct PutRequest {
    /// A pushed plan that is waiting for its put.
    pub plan_id: Option<String>,
    /// A product.
    #[schema(example = "0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e31")]
    pub product_id: Option<String>,
    /// Budget before a coupon that adds to it, within the product's range.
    pub amount: MoneyInput,
    /// The caller's coupon to apply.
    pub user_coupon_id: Option<String>,
}

/// Identifies a plan.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct ByPlanId {
    /// The plan.
    #[schema(example = "0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e32")]
    pub plan_id: String,
}

/// A count.
#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
pub struct Count {
    /// The count.
    #[schema(example = 2)]
    pub count: i64,
}
