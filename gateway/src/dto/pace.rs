//! What advertisers see of placement: how a plan keeps pace, where it was shown, and why.

use adfolio_proto::plan::v1 as plan;
use serde::Serialize;
use utoipa::ToSchema;

use super::report::ReportPlacement;
use super::statistics::SeriesStep;
use super::{Decode, Money, Timestamp, wire_enum, wire_struct};
use crate::errors::Failure;

wire_enum! {
    /// How a plan keeps pace.
    PaceState = plan::PaceState {
        /// Nothing of it is placed by the algorithm.
        NotPaced,
        /// Too little is planned so far to tell.
        TooEarly,
        /// Within the band.
        OnPace,
        /// Below the band.
        Behind,
        /// Above the band.
        Ahead,
        /// Its delivery has ended.
        Ended,
    }
}

wire_struct! {
    /// What is planned and spent until a time.
    pub struct PacePoint = plan::PacePoint {
        /// The time.
        pub time: Timestamp,
        /// Planned to be spent until then.
        pub planned: Money = planned_minor,
        /// The lower edge of the band in which a plan is on pace.
        pub low: Money = low_minor,
        /// The upper edge.
        pub high: Money = high_minor,
        /// Charged until then; null of the future.
        #[schema(required = true)]
        pub spent: Option<Money> = spent_minor,
    }
}

wire_struct! {
    /// How a plan keeps pace.
    pub struct PlanPace = plan::PlanPace {
        /// From the put to the end of the window, by hour (up to three days) or day of the caller's time zone; empty if the
        /// plan is not paced.
        pub series: Vec<PacePoint>,
        /// How it stands now.
        pub state: PaceState,
        /// How long a point is.
        pub bucket: SeriesStep,
    }
}

wire_enum! {
    /// Why a placement gets what it gets of a plan.
    PlacementReason = plan::PlacementReason {
        /// It brings most for the money, as far as is known.
        Chosen,
        /// It gets no more than an equal share, to learn more of it.
        Exploring,
        /// It would get more, but no placement gets a larger share.
        Capped,
        /// It would get more, but can serve no more.
        Full,
        /// Reports of it wait for a decision.
        Held,
    }
}

/// A rate or share: a number from 0 to 1 with up to six decimals.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, ToSchema)]
#[schema(example = 0.0125)]
pub struct Rate(f64);

impl Decode<i64> for Rate {
    #[allow(
        clippy::float_arithmetic,
        clippy::cast_precision_loss,
        reason = "millionths of a rate, not money"
    )]
    fn decode(millionths: i64, _: &'static str) -> Result<Self, Failure> {
        Ok(Self(millionths as f64 / 1_000_000.0))
    }
}

wire_struct! {
    /// What a plan has shown on a placement.
    pub struct PlanPlacement = plan::PlanPlacement as place {
        /// The placement; null for what was reported without one.
        #[schema(required = true)]
        pub placement: Option<ReportPlacement> = (ReportPlacement::from_parts(place.placement_id, place.placement_name)),
        /// Impressions.
        #[schema(example = 12_000)]
        pub impressions: i64,
        /// Clicks.
        #[schema(example = 84)]
        pub clicks: i64,
        /// Clicks per impression.
        pub ctr: Rate = click_rate_millionths,
        /// The lower end of its 95 % interval (Wilson).
        pub ctr_low: Rate = click_rate_low_millionths,
        /// The upper end.
        pub ctr_high: Rate = click_rate_high_millionths,
        /// Charged.
        pub spend: Money = spent_minor,
        /// The share with which the newest round chose it; null where it was no candidate.
        #[schema(required = true)]
        pub share: Option<Rate> = (match place.share_millionths {
            Some(share) => Some(Rate::decode(share, "share")?),
            None => None,
        }),
        /// Why; null where it was no candidate.
        #[schema(required = true)]
        pub reason: Option<PlacementReason> = (match place.reason {
            0 => None,
            reason => Some(PlacementReason::from_wire(reason)?),
        }),
        /// Whether some of it was simulated.
        pub simulated: bool,
    }
}

/// How much is known of what works for a plan.
#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
pub struct Learning {
    /// Clicks of the last seven days.
    #[schema(example = 12)]
    pub clicks: i64,
    /// Clicks in seven days from which it is no longer learning.
    #[schema(example = 50)]
    pub of: i64,
}

wire_struct! {
    /// Where a plan was shown.
    pub struct PlanPlacements = plan::PlanPlacements as response {
        /// By spend, the largest first; then candidates of the newest round that have shown nothing yet; then what was
        /// reported without a placement.
        pub items: Vec<PlanPlacement>,
        /// How much is known.
        pub learning: Learning = (Learning {
            clicks: response.learning_clicks,
            of: response.learning_of,
        }),
        /// The time of the plan's newest report; null before the first.
        #[schema(required = true)]
        pub reported_until: Option<Timestamp>,
    }
}
