//! Messages of what advertisers see of placement.

use adfolio_kit::mirror::Mirrored as _;
use adfolio_placement::decision::Reason;
use adfolio_proto::plan::v1 as proto;

use super::optional;
use crate::allotment::shown::{LEARNING_CLICKS, Pace, PacePoint, Places, ShownPlace};
use crate::statistics::rounded;

impl From<Pace> for proto::PlanPace {
    fn from(pace: Pace) -> Self {
        Self {
            series: pace.series.into_iter().map(Into::into).collect(),
            state: pace.state.to_wire(),
            bucket: pace.step.to_wire(),
        }
    }
}

impl From<PacePoint> for proto::PacePoint {
    fn from(point: PacePoint) -> Self {
        Self {
            time: Some(point.time.into()),
            planned_minor: rounded(point.planned).minor(),
            low_minor: rounded(point.band.0).minor(),
            high_minor: rounded(point.band.1).minor(),
            spent_minor: point.spent.map(|spent| rounded(spent).minor()),
        }
    }
}

impl From<Places> for proto::PlanPlacements {
    fn from(places: Places) -> Self {
        Self {
            items: places.items.into_iter().map(Into::into).collect(),
            learning_clicks: places.learning_clicks,
            learning_of: LEARNING_CLICKS,
            reported_until: places.reported_until.map(Into::into),
        }
    }
}

impl From<ShownPlace> for proto::PlanPlacement {
    fn from(place: ShownPlace) -> Self {
        let (low, high) = place.counts.rate_interval();
        let (share, reason) = place.decided.unzip();
        let count = |count: u64| i64::try_from(count).unwrap_or(i64::MAX);
        Self {
            placement_id: optional(place.placement),
            placement_name: place.name,
            impressions: count(place.counts.trials),
            clicks: count(place.counts.successes),
            click_rate_millionths: millionths(place.counts.rate()),
            click_rate_low_millionths: millionths(low),
            click_rate_high_millionths: millionths(high),
            spent_minor: rounded(place.charged).minor(),
            share_millionths: share.map(i64::from),
            reason: reason
                .map_or(proto::PlacementReason::Unspecified, wire_reason)
                .into(),
            simulated: place.is_simulated,
        }
    }
}

/// A rate is a figure, not money.
#[allow(
    clippy::float_arithmetic,
    clippy::cast_possible_truncation,
    reason = "a rate from 0 to 1 fits"
)]
fn millionths(rate: f64) -> i64 {
    (rate * 1_000_000.0).round() as i64
}

fn wire_reason(reason: Reason) -> proto::PlacementReason {
    match reason {
        Reason::Chosen => proto::PlacementReason::Chosen,
        Reason::Exploring => proto::PlacementReason::Exploring,
        Reason::Capped => proto::PlacementReason::Capped,
        Reason::Full => proto::PlacementReason::Full,
        Reason::Held => proto::PlacementReason::Held,
    }
}
