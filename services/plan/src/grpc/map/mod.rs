//! Between the contract's messages and this service's own types.

mod delivery;
mod network;
mod placement;
mod shown;

pub use delivery::{report_keys, report_position};
pub use placement::price;

use adfolio_kit::idempotency;
use adfolio_kit::identity::Caller;
use adfolio_kit::mirror;
use adfolio_kit::mirror::Mirrored as _;
use adfolio_kit::refusal::Refusal;
use adfolio_kit::time_zone::TimeZone;
use adfolio_kit::wire::{self, List};
use adfolio_money::Money;
use adfolio_proto::common::v1 as common;
use adfolio_proto::plan::v1 as proto;
use chrono::{DateTime, Utc};

use crate::allotment::pace::PaceState;
use crate::delivery::proposal::{Choice, State};
use crate::delivery::reader::Form;
use crate::follow::{Current, Follow};
use crate::ids::{OrderId, PlacementId};
use crate::network::SupplyState;
use crate::operator::Operator;
use crate::order::entity::{Holding, Order};
use crate::order::figure::{Figure, Wanted};
use crate::order::status::{Filter, Status, TimelineEntry};
use crate::order::table::{Sort, Table, Totals};
use crate::order::{Detail, Name, Push, Pushed};
use crate::placement::{PriceModel, PriceState};
use crate::product::NewTerms;
use crate::product::entity::{
    Audience, ContentType, Creative, Details, Gender, Goal, Product, Terms,
};
use crate::put::entity::{Command, Target};
use crate::quarantine::State as QuarantineState;
use crate::settlement::Outcome;
use crate::source::Channel;
use crate::statistics::entity::{Figures, Range, Rolled, Step};
use crate::statistics::{Previous, SeriesPoint, Statistics, rounded};

/// Longest name of a product, in characters.
const LONGEST_NAME: usize = 200;

/// Longest name of a category, in characters.
const LONGEST_CATEGORY: usize = 100;

/// Longest address, in characters.
const LONGEST_URL: usize = 2_000;

/// Longest description of a product, in characters.
const LONGEST_DESCRIPTION: usize = 10_000;

/// Longest headline of an advertisement, in characters.
const LONGEST_TITLE: usize = 200;

/// Most placements that a product names.
const MOST_PLACEMENTS: usize = 1_000;

/// Longest text of a pushed plan, in characters.
const LONGEST_PUSH_TEXT: usize = 2_000;

mirror! {
    Status = proto::PlanStatus where hidden: [Placing, Refused],
    Channel = proto::ReportChannel,
    ContentType = proto::ContentType,
    Gender = common::Gender,
    Goal = proto::PlacementGoal,
    PriceModel = proto::PriceModel,
    PriceState = proto::PriceState,
    SupplyState = proto::SupplyState,
    Outcome = proto::FinishOutcome,
    Range = proto::StatisticsRange,
    PaceState = proto::PaceState,
    Sort = proto::PlanSort,
    Step = proto::SeriesStep,
    Figure = proto::PlanFigure,
    Form = proto::ImportFormat,
    Choice = proto::ImportDecision,
    QuarantineState = proto::QuarantineState,
    State = proto::ImportState where hidden: [Reading, BrokenOff, Repeated],
}

/// The statuses that a filter selects.
pub fn statuses(filter: i32) -> Result<Vec<Status>, Refusal> {
    let selected = Status::optional(filter, "status")?;
    Ok(selected.map_or_else(|| Status::LISTED.to_vec(), |status| vec![status]))
}

/// The values of `official` that a filter selects.
pub fn official(filter: i32) -> Result<Vec<bool>, Refusal> {
    match proto::PushFilter::try_from(filter) {
        Ok(proto::PushFilter::Unspecified) => Ok(vec![true, false]),
        Ok(proto::PushFilter::Official) => Ok(vec![true]),
        Ok(proto::PushFilter::NonOfficial) => Ok(vec![false]),
        Err(_) => Err(Refusal::invalid("push")),
    }
}

/// The range of statistics; today if none was sent.
pub fn range(value: i32) -> Result<Range, Refusal> {
    Ok(Range::optional(value, "type")?.unwrap_or(Range::Today))
}

/// The time zone of a request; the caller's if none was sent.
pub fn zone(text: &str, caller: &Caller) -> TimeZone {
    if text.is_empty() {
        caller.time_zone
    } else {
        TimeZone::parse(text)
    }
}

/// The figure whose plans are asked for, if one is.
pub fn wanted(
    request: &proto::ListPlansRequest,
    caller: &Caller,
) -> Result<Option<Wanted>, Refusal> {
    let Some(figure) = Figure::optional(request.figure, "figure")? else {
        return Ok(None);
    };
    Ok(Some(Wanted {
        figure,
        range: range(request.range)?,
        zone: zone(&request.time_zone, caller),
    }))
}

/// The table that is asked for.
pub fn table(table: &proto::PlanTable) -> Result<Table, Refusal> {
    Ok(Table {
        sort: Sort::optional(table.sort, "sort")?.unwrap_or(Sort::CreateTime),
        ascending: table.ascending,
        from: wire::instant(table.from, "from")?,
        to: wire::instant(table.to, "until")?,
        query: Table::checked_query(&table.query)?,
    })
}

/// What a table's cursors belong to: everything that decides its rows and their order.
pub fn table_name(table: &Table, filter: &Filter) -> String {
    format!("plans.table {table:?} {filter:?}")
}

/// The value and id of the row behind which a page begins.
pub fn table_position(list: &List) -> Result<Option<(i64, OrderId)>, Refusal> {
    let Some(keys) = list.keys(2)? else {
        return Ok(None);
    };
    let [value, id] = &keys[..] else {
        return Err(Refusal::invalid("cursor"));
    };
    let value = value.parse().map_err(|_| Refusal::invalid("cursor"))?;
    Ok(Some((value, wire::id(id, "cursor")?)))
}

impl From<Totals> for proto::PlanTotals {
    fn from(totals: Totals) -> Self {
        Self {
            count: totals.count,
            put_amount_minor: totals.put_amount.minor(),
            consumed_minor: totals.consumed.minor(),
            revenue_minor: totals.revenue.minor(),
            impressions: totals.impressions,
            clicks: totals.clicks,
        }
    }
}

/// An id that may be absent.
pub fn optional<T: ToString>(id: Option<T>) -> String {
    id.map(|id| id.to_string()).unwrap_or_default()
}

/// A text of at most `longest` characters; may be empty.
pub fn text(value: &str, longest: usize, field: &str) -> Result<String, Refusal> {
    if value.chars().count() <= longest && !value.contains('\0') {
        Ok(value.trim().to_owned())
    } else {
        Err(Refusal::invalid(field))
    }
}

/// A line that stays as it is where none was sent.
pub fn changed_line(value: &str, longest: usize, field: &str) -> Result<Option<String>, Refusal> {
    if value.is_empty() {
        Ok(None)
    } else {
        wire::line(value, longest, field).map(Some)
    }
}

/// What staff change of a product's terms.
pub fn new_terms(product: &proto::Product) -> Result<NewTerms, Refusal> {
    let placements = product.placements.as_ref().map(placement_ids);
    Ok(NewTerms {
        return_max_percent: product.return_max_percent.map(i64::from),
        per_thousand_max: product
            .revenue_per_thousand_max_minor
            .map(Money::from_minor),
        goal: Goal::optional(product.goal, "goal")?,
        placements: placements.transpose()?,
        creative: product.creative.as_ref().map(creative).transpose()?,
    })
}

/// The placements that a product may use, each once.
fn placement_ids(selection: &proto::PlacementSelection) -> Result<Vec<PlacementId>, Refusal> {
    if selection.ids.len() > MOST_PLACEMENTS {
        return Err(Refusal::invalid("placements"));
    }
    let ids = selection.ids.iter().map(|id| wire::id(id, "placements"));
    let mut ids: Vec<PlacementId> = ids.collect::<Result<_, _>>()?;
    ids.sort_unstable();
    ids.dedup();
    Ok(ids)
}

fn creative(creative: &proto::Creative) -> Result<Creative, Refusal> {
    let url = |value: &str, field| text(value, LONGEST_URL, field);
    Ok(Creative {
        title: text(&creative.title, LONGEST_TITLE, "creative.title")?,
        picture_url: url(&creative.picture_url, "creative.picture")?,
        destination_url: url(&creative.destination_url, "creative.destination")?,
    })
}

/// An amount of money that is more than nothing.
fn positive(minor: i64, field: &str) -> Result<Money, Refusal> {
    let amount = Money::from_minor(minor);
    if amount > Money::ZERO {
        Ok(amount)
    } else {
        Err(Refusal::invalid(field))
    }
}

/// An amount to put. Nothing is an amount, too: like every other one below the product's range it
/// is out of range.
fn put_amount(minor: i64) -> Result<Money, Refusal> {
    let amount = Money::from_minor(minor);
    if amount.is_negative() {
        Err(Refusal::invalid("amount"))
    } else {
        Ok(amount)
    }
}

/// An audience as staff send it, if they do.
fn audience(message: Option<common::Audience>, field: &str) -> Result<Option<Audience>, Refusal> {
    let Some(message) = message else {
        return Ok(None);
    };
    let regions = message.regions.iter();
    Ok(Some(Audience {
        regions: regions.map(|region| region.trim().to_owned()).collect(),
        age_min: message.age_min,
        age_max: message.age_max,
        gender: Gender::optional(message.gender, field)?.unwrap_or(Gender::Any),
    }))
}

impl From<&Audience> for common::Audience {
    fn from(audience: &Audience) -> Self {
        Self {
            regions: audience.regions.clone(),
            age_min: audience.age_min,
            age_max: audience.age_max,
            gender: audience.gender.to_wire(),
        }
    }
}

/// A product as staff send it.
impl TryFrom<proto::Product> for Details {
    type Error = Refusal;

    fn try_from(message: proto::Product) -> Result<Self, Refusal> {
        let terms = new_terms(&message)?;
        let mut content_types = Vec::new();
        for value in message.content_types {
            let content = ContentType::required(value, "content_types")?;
            if !content_types.contains(&content) {
                content_types.push(content);
            }
        }
        let description = |value: &str, field| text(value, LONGEST_DESCRIPTION, field);
        Ok(Self {
            name: wire::line(&message.name, LONGEST_NAME, "name")?,
            icon_url: text(&message.icon_url, LONGEST_URL, "icon_url")?,
            cover_url: text(&message.cover_url, LONGEST_URL, "cover_url")?,
            category: text(&message.category, LONGEST_CATEGORY, "category")?,
            description: description(&message.description, "description")?,
            game_description: description(&message.game_description, "game_description")?,
            content_types,
            put_min: positive(message.put_min_minor, "put_min")?,
            put_max: positive(message.put_max_minor, "put_max")?,
            audience: audience(message.audience, "audience")?.unwrap_or_default(),
            terms: terms.over(Terms::default()),
        })
    }
}

impl From<&Product> for proto::Product {
    fn from(product: &Product) -> Self {
        let details = &product.details;
        let content_types = details.content_types.iter();
        Self {
            id: product.id.to_string(),
            name: details.name.clone(),
            icon_url: details.icon_url.clone(),
            cover_url: details.cover_url.clone(),
            category: details.category.clone(),
            description: details.description.clone(),
            game_description: details.game_description.clone(),
            content_types: content_types.map(|content| content.to_wire()).collect(),
            put_min_minor: details.put_min.minor(),
            put_max_minor: details.put_max.minor(),
            audience: Some((&details.audience).into()),
            return_max_percent: u32::try_from(details.terms.limits.return_max_percent).ok(),
            revenue_per_thousand_max_minor: Some(details.terms.limits.per_thousand_max.minor()),
            goal: details.terms.goal.to_wire(),
            placements: Some(proto::PlacementSelection {
                ids: (details.terms.placements.iter())
                    .map(ToString::to_string)
                    .collect(),
            }),
            creative: Some(details.terms.creative.clone().into()),
        }
    }
}

impl From<&Product> for proto::CreateProductResponse {
    fn from(product: &Product) -> Self {
        Self {
            product: Some(product.into()),
        }
    }
}

impl From<&Operator> for proto::Operator {
    fn from(operator: &Operator) -> Self {
        Self {
            id: operator.id.to_string(),
            name: operator.name.clone(),
            followers: operator.followers,
        }
    }
}

impl From<&Operator> for proto::CreateOperatorResponse {
    fn from(operator: &Operator) -> Self {
        Self {
            operator: Some(operator.into()),
        }
    }
}

impl From<&Follow> for proto::FollowRecord {
    fn from(follow: &Follow) -> Self {
        Self {
            operator_id: follow.operator_id.to_string(),
            operator_name: follow.operator_name.clone(),
            followed_at: Some(follow.followed_at.into()),
            ended_at: follow.ended_at.map(Into::into),
        }
    }
}

impl From<&Follow> for proto::FollowResponse {
    fn from(follow: &Follow) -> Self {
        Self {
            follow: Some(follow.into()),
        }
    }
}

impl From<&Current> for proto::CurrentOperator {
    fn from(current: &Current) -> Self {
        Self {
            user_id: current.user_id.to_string(),
            operator_id: current.operator_id.to_string(),
        }
    }
}

/// An order as callers see it. The platform keeps this share of its revenue, in basis points, unless it is settled.
pub fn plan(order: &Order, platform_share: u32) -> proto::Plan {
    let coupon = order.coupon.as_ref();
    proto::Plan {
        id: order.id.to_string(),
        plan_number: order.plan_number.clone(),
        product_id: order.product_id.to_string(),
        product_name: order.product_name.clone(),
        product_icon_url: order.product_icon_url.clone(),
        put_amount_minor: order.put_amount.minor(),
        paid_amount_minor: order.paid.minor(),
        discount_amount_minor: order.discount.minor(),
        put_progress: order.put_progress(),
        status: order.status.to_wire(),
        official: order.official,
        operator_id: optional(order.operator_id),
        put_content: order.put_content.clone(),
        put_rule: order.put_rule.clone(),
        user_targeting: Some((&order.audience).into()),
        impressions: order.delivered.impressions,
        clicks: order.delivered.clicks,
        consumed_minor: order.consumed().minor(),
        to_be_consumed_minor: order.to_be_consumed().minor(),
        revenue_minor: order.revenue().minor(),
        coupon_id: optional(coupon.map(|coupon| coupon.id)),
        coupon_name: coupon.map(|coupon| coupon.name.clone()).unwrap_or_default(),
        // Set when the failure is decided; shown once the plan fails.
        fail_reason: if order.is_failed() {
            order.fail_reason.clone()
        } else {
            String::new()
        },
        create_time: Some(order.created_at.into()),
        put_time: order.put_at.map(Into::into),
        finish_time: order.finished_at.map(Into::into),
        settle_time: order.settled_at.map(Into::into),
        user_id: order.user_id.to_string(),
        estimated: order.delivered.estimated_reports > 0,
        sources: order.sources.clone(),
        expire_time: order
            .expires_at
            .filter(|_| order.is_waiting())
            .map(Into::into),
        coupon_share_minor: order.coupon_share().minor(),
        result_minor: order.result(platform_share).minor(),
        end_time: order.delivery_ends_at().map(Into::into),
        no_supply_since: order.no_supply_since().map(Into::into),
    }
}

/// Nothing was delivered yet, so there is nothing that the platform has a share of.
impl From<&Order> for proto::PutPlanResponse {
    fn from(order: &Order) -> Self {
        Self {
            plan: Some(plan(order, 0)),
        }
    }
}

impl From<&Pushed> for proto::PushPlanResponse {
    fn from(pushed: &Pushed) -> Self {
        let plan = |order: &Order| proto::PushedPlan {
            user_id: order.user_id.to_string(),
            plan_id: order.id.to_string(),
        };
        Self {
            items: pushed.orders.iter().map(plan).collect(),
        }
    }
}

/// A plan in detail; see [`plan`].
pub fn detail(detail: Detail, platform_share: u32) -> proto::GetPlanResponse {
    proto::GetPlanResponse {
        plan: Some(plan(&detail.order, platform_share)),
        timeline: detail.timeline.into_iter().map(Into::into).collect(),
        bucket: detail.step.to_wire(),
        series: detail.series.into_iter().map(Into::into).collect(),
    }
}

/// The same for staff.
pub fn staff_detail(found: Detail, platform_share: u32) -> proto::AdminGetPlanResponse {
    let proto::GetPlanResponse {
        plan,
        timeline,
        series,
        bucket,
    } = detail(found, platform_share);
    proto::AdminGetPlanResponse {
        plan,
        timeline,
        series,
        bucket,
    }
}

impl From<TimelineEntry> for proto::TimelineEntry {
    fn from(entry: TimelineEntry) -> Self {
        Self {
            status: entry.status.map_or(0, Status::to_wire),
            time: Some(entry.time.into()),
            reason: entry.reason,
        }
    }
}

impl From<SeriesPoint> for proto::SeriesPoint {
    fn from(point: SeriesPoint) -> Self {
        Self {
            time: Some(point.time.into()),
            impressions: point.figures.impressions,
            clicks: point.figures.clicks,
            consumed_minor: rounded(point.figures.charged).minor(),
            revenue_minor: rounded(point.figures.revenue).minor(),
        }
    }
}

impl From<Figures> for proto::MarkedFigures {
    fn from(figures: Figures) -> Self {
        Self {
            impressions: figures.impressions,
            clicks: figures.clicks,
            consumed_minor: rounded(figures.charged).minor(),
            revenue_minor: rounded(figures.revenue).minor(),
        }
    }
}

impl From<Statistics> for proto::GetStatisticsResponse {
    fn from(statistics: Statistics) -> Self {
        let Rolled {
            all,
            estimated,
            simulated,
        } = statistics.rolled;
        let until = |(source, time): (String, DateTime<Utc>)| proto::ReportedUntil {
            source,
            time: Some(time.into()),
        };
        Self {
            from: Some(statistics.from.into()),
            to: Some(statistics.to.into()),
            invested_minor: statistics.puts.invested.minor(),
            delivery_orders: statistics.puts.orders,
            consumed_minor: rounded(all.charged).minor(),
            to_be_consumed_minor: statistics.to_be_consumed.minor(),
            impressions: all.impressions,
            clicks: all.clicks,
            revenue_minor: rounded(all.revenue).minor(),
            series: statistics.series.into_iter().map(Into::into).collect(),
            estimated: Some(estimated.into()),
            simulated: Some(simulated.into()),
            reported_until: statistics.reported_until.into_iter().map(until).collect(),
            bucket: statistics.step.to_wire(),
            previous: statistics.previous.map(Into::into),
        }
    }
}

impl From<Name> for proto::PlanName {
    fn from(name: Name) -> Self {
        Self {
            plan_id: name.id.to_string(),
            plan_number: name.number,
            product_name: name.product,
        }
    }
}

impl From<Previous> for proto::PreviousFigures {
    fn from(previous: Previous) -> Self {
        let Previous {
            from,
            to,
            puts,
            figures,
        } = previous;
        Self {
            from: Some(from.into()),
            to: Some(to.into()),
            invested_minor: puts.invested.minor(),
            delivery_orders: puts.orders,
            consumed_minor: rounded(figures.charged).minor(),
            impressions: figures.impressions,
            clicks: figures.clicks,
            revenue_minor: rounded(figures.revenue).minor(),
        }
    }
}

impl From<&Holding> for proto::HoldBook {
    fn from(holding: &Holding) -> Self {
        Self {
            order_id: holding.order.id.to_string(),
            user_id: holding.order.user_id.to_string(),
            open_minor: holding.open.minor(),
            in_flight: holding.in_flight,
        }
    }
}

impl TryFrom<&proto::PutPlanRequest> for Command {
    type Error = Refusal;

    fn try_from(request: &proto::PutPlanRequest) -> Result<Self, Refusal> {
        let target = match &request.target {
            Some(proto::put_plan_request::Target::ProductId(id)) => {
                Target::Product(wire::id(id, "product_id")?)
            }
            Some(proto::put_plan_request::Target::PlanId(id)) => {
                Target::Plan(wire::id(id, "plan_id")?)
            }
            None => return Err(Refusal::invalid("product_id")),
        };
        let user_coupon_id = wire::optional_id(&request.user_coupon_id, "user_coupon_id")?;
        Ok(Self {
            target,
            amount: put_amount(request.amount_minor)?,
            user_coupon_id,
            digest: idempotency::digest(request),
        })
    }
}

impl TryFrom<proto::PushPlanRequest> for Push {
    type Error = Refusal;

    fn try_from(request: proto::PushPlanRequest) -> Result<Self, Refusal> {
        let users = request.user_ids.iter();
        Ok(Self {
            user_ids: users
                .map(|id| wire::id(id, "user_ids"))
                .collect::<Result<_, _>>()?,
            product_id: wire::id(&request.product_id, "product_id")?,
            amount: put_amount(request.amount_minor)?,
            operator_id: wire::optional_id(&request.operator_id, "operator_id")?,
            put_content: text(&request.put_content, LONGEST_PUSH_TEXT, "put_content")?,
            put_rule: text(&request.put_rule, LONGEST_PUSH_TEXT, "put_rule")?,
            audience: audience(request.user_targeting, "user_targeting")?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_is_of_amounts_above_zero_and_a_put_of_zero_is_the_products_to_refuse() {
        for (minor, in_range, in_put) in [(-1, false, false), (0, false, true), (1, true, true)] {
            let outcome = positive(minor, "put_min");
            assert_eq!(outcome.is_ok(), in_range, "{minor}: {outcome:?}");
            let outcome = put_amount(minor);
            assert_eq!(outcome.is_ok(), in_put, "{minor}: {outcome:?}");
        }
    }
}
