//! Between messages and entities.

use adfolio_kit::refusal::Refusal;
use adfolio_money::Money;
use adfolio_proto::common::v1 as common;
use adfolio_proto::plan::v1 as proto;
use chrono::{DateTime, Utc};

use crate::follow::Follow;
use crate::operator::Operator;
use crate::order::entity::{Order, Status};
use crate::order::repo::HistoryRow;
use crate::product::entity::{Audience, ContentType, Details, Gender, Product};
use crate::statistics::{SeriesPoint, Statistics, rounded};

/// The status on the wire.
pub(super) fn status(status: Status) -> proto::PlanStatus {
    match status {
        Status::Placing | Status::Refused => proto::PlanStatus::Unspecified,
        Status::Waiting => proto::PlanStatus::Waiting,
        Status::Matching => proto::PlanStatus::Matching,
        Status::Putting => proto::PlanStatus::Putting,
        Status::PutFailed => proto::PlanStatus::PutFailed,
        Status::PutFinished => proto::PlanStatus::PutFinished,
        Status::WaitingSettlement => proto::PlanStatus::WaitingSettlement,
        Status::Settled => proto::PlanStatus::Settled,
    }
}

/// The statuses that a filter asks for.
pub(super) fn wanted_statuses(filter: i32) -> Result<Vec<Status>, Refusal> {
    let wanted = proto::PlanStatus::try_from(filter).map_err(|_| Refusal::invalid("status"))?;
    if wanted == proto::PlanStatus::Unspecified {
        return Ok(Status::LISTED.to_vec());
    }
    Ok(Status::LISTED
        .into_iter()
        .filter(|known| status(*known) == wanted)
        .collect())
}

/// The values of `official` that a filter asks for.
pub(super) fn wanted_pushes(filter: i32) -> Result<Vec<bool>, Refusal> {
    match proto::PushFilter::try_from(filter) {
        Ok(proto::PushFilter::Unspecified) => Ok(vec![true, false]),
        Ok(proto::PushFilter::Official) => Ok(vec![true]),
        Ok(proto::PushFilter::NonOfficial) => Ok(vec![false]),
        Err(_) => Err(Refusal::invalid("push")),
    }
}

impl From<Gender> for common::Gender {
    fn from(gender: Gender) -> Self {
        match gender {
            Gender::Any => Self::Any,
            Gender::Female => Self::Female,
            Gender::Male => Self::Male,
        }
    }
}

impl From<Audience> for common::Audience {
    fn from(audience: Audience) -> Self {
        Self {
            regions: audience.regions,
            age_min: audience.age_min,
            age_max: audience.age_max,
            gender: common::Gender::from(audience.gender).into(),
        }
    }
}

/// An audience as staff send it; absent ones mean everybody.
pub(super) fn audience(
    message: Option<common::Audience>,
    field: &str,
) -> Result<Option<Audience>, Refusal> {
    let Some(message) = message else {
        return Ok(None);
    };
    let gender = match common::Gender::try_from(message.gender) {
        Ok(common::Gender::Unspecified | common::Gender::Any) => Gender::Any,
        Ok(common::Gender::Female) => Gender::Female,
        Ok(common::Gender::Male) => Gender::Male,
        Err(_) => return Err(Refusal::invalid(field)),
    };
    let regions = message
        .regions
        .iter()
        .map(|region| region.trim().to_owned())
        .collect();
    Ok(Some(Audience {
        regions,
        age_min: message.age_min,
        age_max: message.age_max,
        gender,
    }))
}

/// A product as staff send it.
pub(super) fn details(message: proto::Product) -> Result<Details, Refusal> {
    let mut content_types = Vec::new();
    for value in message.content_types {
        let content = match proto::ContentType::try_from(value) {
            Ok(proto::ContentType::Video) => ContentType::Video,
            Ok(proto::ContentType::LandingPage) => ContentType::LandingPage,
            _ => return Err(Refusal::invalid("content_types")),
        };
        if !content_types.contains(&content) {
            content_types.push(content);
        }
    }
    Ok(Details {
        name: adfolio_kit::wire::line(&message.name, 200, "name")?,
        icon_url: super::text(&message.icon_url, 2_000, "icon_url")?,
        cover_url: super::text(&message.cover_url, 2_000, "cover_url")?,
        category: super::text(&message.category, 100, "category")?,
        description: super::text(&message.description, 10_000, "description")?,
        game_description: super::text(&message.game_description, 10_000, "game_description")?,
        content_types,
        put_min: super::amount(message.put_min_minor, "put_min")?,
        put_max: super::amount(message.put_max_minor, "put_max")?,
        audience: audience(message.audience, "audience")?.unwrap_or_else(everybody),
    })
}

fn everybody() -> Audience {
    Audience {
        regions: Vec::new(),
        age_min: 18,
        age_max: 65,
        gender: Gender::Any,
    }
}

impl From<Product> for proto::Product {
    fn from(product: Product) -> Self {
        let details = product.details;
        let content_type = |content: &ContentType| -> i32 {
            match content {
                ContentType::Video => proto::ContentType::Video.into(),
                ContentType::LandingPage => proto::ContentType::LandingPage.into(),
            }
        };
        Self {
            id: product.id.to_string(),
            name: details.name,
            icon_url: details.icon_url,
            cover_url: details.cover_url,
            category: details.category,
            description: details.description,
            game_description: details.game_description,
            content_types: details.content_types.iter().map(content_type).collect(),
            put_min_minor: details.put_min.minor(),
            put_max_minor: details.put_max.minor(),
            audience: Some(details.audience.into()),
        }
    }
}

impl From<Operator> for proto::Operator {
    fn from(operator: Operator) -> Self {
        Self {
            id: operator.id.to_string(),
            name: operator.name,
            followers: operator.followers,
        }
    }
}

impl From<&Order> for proto::Plan {
    fn from(order: &Order) -> Self {
        let coupon = order.coupon.as_ref();
        Self {
            id: order.id.to_string(),
            plan_number: order.plan_number.clone(),
            product_id: order.product_id.to_string(),
            product_name: order.product_name.clone(),
            product_icon_url: order.product_icon_url.clone(),
            put_amount_minor: order.put_amount.minor(),
            paid_amount_minor: order.paid.minor(),
            discount_amount_minor: order.discount.minor(),
            put_progress: order.put_progress(),
            status: status(order.status).into(),
            official: order.official,
            operator_id: order
                .operator_id
                .map(|id| id.to_string())
                .unwrap_or_default(),
            put_content: order.put_content.clone(),
            put_rule: order.put_rule.clone(),
            user_targeting: Some(order.audience.clone().into()),
            impressions: order.delivered.impressions,
            clicks: order.delivered.clicks,
            consumed_minor: order.consumed().minor(),
            to_be_consumed_minor: order.to_be_consumed().minor(),
            revenue_minor: order.revenue().minor(),
            coupon_id: coupon
                .map(|coupon| coupon.id.to_string())
                .unwrap_or_default(),
            coupon_name: coupon.map(|coupon| coupon.name.clone()).unwrap_or_default(),
            // Set when the failure is decided; shown once the plan has failed.
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
        }
    }
}

impl From<Follow> for proto::FollowRecord {
    fn from(follow: Follow) -> Self {
        Self {
            operator_id: follow.operator_id.to_string(),
            operator_name: follow.operator_name,
            followed_at: Some(follow.followed_at.into()),
            ended_at: follow.ended_at.map(Into::into),
        }
    }
}

impl From<HistoryRow> for proto::TimelineEntry {
    fn from(row: HistoryRow) -> Self {
        let known = Status::parse(&row.status).map_or(proto::PlanStatus::Unspecified, status);
        Self {
            status: known.into(),
            time: Some(row.time.into()),
            reason: row.reason,
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

impl From<Statistics> for proto::GetStatisticsResponse {
    fn from(statistics: Statistics) -> Self {
        let instant = |time: DateTime<Utc>| Some(time.into());
        let minor = Money::minor;
        Self {
            from: instant(statistics.from),
            to: instant(statistics.to),
            invested_minor: minor(statistics.puts.invested),
            delivery_orders: statistics.puts.orders,
            consumed_minor: minor(rounded(statistics.figures.charged)),
            to_be_consumed_minor: minor(rounded(statistics.to_be_consumed)),
            impressions: statistics.figures.impressions,
            clicks: statistics.figures.clicks,
            revenue_minor: minor(rounded(statistics.figures.revenue)),
            series: statistics.series.into_iter().map(Into::into).collect(),
        }
    }
}
