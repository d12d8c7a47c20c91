//! The ad centre's statistics.

use adfolio_proto::plan::v1 as plan;
use serde::{Deserialize, Serialize};
use serde_json::json;
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::{ObjectBuilder, Schema, Type};
use utoipa::{PartialSchema, ToSchema};

use super::plan::SeriesPoint;
use super::{Decode, Money, Timestamp, wire_enum, wire_struct};

/// A range of statistics: 1 today, 2 this week (Monday first), 3 this month, 4 all, 5 the last 7 days, 6 the last 30 days.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "u8", into = "u8")]
pub struct StatisticsType(u8);

impl StatisticsType {
    /// Since midnight; the default range.
    pub const TODAY: Self = Self(1);

    /// The range in a service's message.
    pub fn range(self) -> plan::StatisticsRange {
        match self.0 {
            2 => plan::StatisticsRange::Week,
            3 => plan::StatisticsRange::Month,
            4 => plan::StatisticsRange::All,
            5 => plan::StatisticsRange::Last7Days,
            6 => plan::StatisticsRange::Last30Days,
            _ => plan::StatisticsRange::Today,
        }
    }
}

impl TryFrom<u8> for StatisticsType {
    type Error = &'static str;

    fn try_from(value: u8) -> Result<Self, Self::Error> {
        if (1..=6).contains(&value) {
            Ok(Self(value))
        } else {
            Err("not within 1 to 6")
        }
    }
}

impl From<StatisticsType> for u8 {
    fn from(value: StatisticsType) -> Self {
        value.0
    }
}

impl PartialSchema for StatisticsType {
    fn schema() -> RefOr<Schema> {
        ObjectBuilder::new()
            .schema_type(Type::Integer)
            .enum_values(Some([1, 2, 3, 4, 5, 6]))
            .description(Some(
                "1 today, 2 this week (Monday first), 3 this month, 4 all, 5 the last 7 days, 6 the last 30 days; both with \
                 today.",
            ))
            .examples([json!(1)])
            .into()
    }
}

impl ToSchema for StatisticsType {}

/// Selects statistics.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct StatisticsQuery {
    /// The range; today if absent.
    #[serde(rename = "type")]
    pub kind: Option<StatisticsType>,
    /// Time zone that defines days, in the format of `X-TZ`; the value of that header if absent.
    #[schema(example = "Asia/Shanghai GMT+08:00")]
    pub user_time_zone: Option<String>,
}

wire_enum! {
    /// How long a point of a series is.
    SeriesStep = plan::SeriesStep {
        /// An hour.
        Hour,
        /// A day of the time zone.
        Day,
        /// A month of the time zone.
        Month,
    }
}

wire_struct! {
    /// What of the figures of a range is estimated from an import's pricing.
    pub struct EstimatedShare = plan::MarkedFigures {
        /// Of the spend.
        pub spend: Money = consumed_minor,
        /// Of the revenue.
        pub revenue: Money = revenue_minor,
    }
}

wire_struct! {
    /// What of the figures of a range is simulated.
    pub struct SimulatedShare = plan::MarkedFigures {
        /// Of the impressions.
        pub impressions: i64,
        /// Of the clicks.
        pub clicks: i64,
        /// Of the spend.
        pub spend: Money = consumed_minor,
        /// Of the revenue.
        pub revenue: Money = revenue_minor,
    }
}

wire_struct! {
    /// Until when a source has reported.
    pub struct ReportedUntil = plan::ReportedUntil {
        /// The source.
        #[schema(example = "adnet")]
        pub source: String,
        /// The latest time of its reports.
        pub time: Timestamp,
    }
}

wire_struct! {
    /// The figures of the range before.
    pub struct PreviousFigures = plan::PreviousFigures as previous {
        /// When it began.
        pub from: Timestamp,
        /// Until when its figures count, exclusive: as long after its beginning as it is now after that of the range.
        pub to: Timestamp,
        /// Put amounts of plans paid in it, without failed ones.
        pub invested: Money = invested_minor,
        /// Plans paid in it, without failed ones.
        #[schema(example = 2)]
        pub delivery_orders: i64,
        /// Spend charged for delivery in it.
        pub consumed: Money = consumed_minor,
        /// Impressions in it.
        #[schema(example = 9000)]
        pub impressions: i64,
        /// Clicks in it.
        #[schema(example = 61)]
        pub clicks: i64,
        /// Revenue for delivery in it.
        pub revenue: Money = revenue_minor,
        /// Revenue less spend; may be negative.
        pub profit: Money = (Money::difference(previous.revenue_minor, previous.consumed_minor)?),
    }
}

wire_struct! {
    /// The statistics of a range.
    pub struct Statistics = plan::GetStatisticsResponse as response, kind: StatisticsType {
        /// The range.
        #[serde(rename = "type")]
        pub kind: StatisticsType = (kind),
        /// When the range begins.
        // Before the first put there is no beginning: the range is empty.
        pub from: Timestamp = (Decode::decode(response.from.or(response.to), "from")?),
        /// When it ends, exclusive.
        pub to: Timestamp,
        /// Put amounts of plans paid in the range, without failed ones.
        pub invested: Money = invested_minor,
        /// Plans paid in the range, without failed ones.
        #[schema(example = 3)]
        pub delivery_orders: i64,
        /// Spend charged for delivery in the range.
        pub consumed: Money = consumed_minor,
        /// Budget not yet consumed of plans that are neither settled nor failed, now; the same in every range, and the
        /// wallet's figure.
        pub to_be_consumed: Money = to_be_consumed_minor,
        /// Impressions in the range.
        #[schema(example = 12000)]
        pub impressions: i64,
        /// Clicks in the range.
        #[schema(example = 83)]
        pub clicks: i64,
        /// Revenue for delivery in the range.
        pub revenue: Money = revenue_minor,
        /// Revenue less spend; may be negative.
        pub profit: Money = (Money::difference(response.revenue_minor, response.consumed_minor)?),
        /// Clicks per impression, a ratio with four decimals (`"0.0069"` is 0.69 %); null without impressions.
        #[schema(required = true, example = "0.0069")]
        pub ctr: Option<String> = (ratio_text(response.clicks, response.impressions, 4)),
        /// Spend per click, money with two decimals; null without clicks.
        #[schema(required = true, example = "1.51")]
        pub cpc: Option<String> = (cost_per_click(response.consumed_minor, response.clicks)),
        /// Revenue per spend, a ratio with four decimals (`"1.1240"`); null without spend.
        #[schema(required = true, example = "1.1240")]
        pub roas: Option<String> = (ratio_text(response.revenue_minor, response.consumed_minor, 4)),
        /// What of spend and revenue is estimated from an import's pricing.
        pub estimated: EstimatedShare,
        /// What is simulated.
        pub simulated: SimulatedShare,
        /// Until when each source has reported about the caller's plans, the latest first.
        pub reported_until: Vec<ReportedUntil>,
        /// How long the points of the series are.
        pub bucket: SeriesStep,
        /// The range before, as far as this one has come; null for all.
        #[schema(required = true)]
        pub previous: Option<PreviousFigures>,
        /// Values by hour (today), month (all) or day (every other range) in the time zone, oldest first.
        pub series: Vec<SeriesPoint>,
    }
}

/// Spend per click, rounded to whole minor units.
fn cost_per_click(consumed_minor: i64, clicks: i64) -> Option<String> {
    let minor = divide_half_even(i128::from(consumed_minor), i128::from(clicks))?;
    Some(Money::from_minor(i64::try_from(minor).ok()?).to_string())
}

/// `numerator / denominator` as text, rounded half to even; none if the denominator is zero.
pub fn ratio_text(numerator: i64, denominator: i64, decimals: u32) -> Option<String> {
    let scale = 10_i128.checked_pow(decimals)?;
    let scaled = divide_half_even(
        i128::from(numerator).checked_mul(scale)?,
        i128::from(denominator),
    )?;
    let (sign, magnitude) = if scaled < 0 {
        ("-", scaled.checked_neg()?)
    } else {
        ("", scaled)
    };
    let (whole, fraction) = (magnitude.checked_div(scale)?, magnitude.checked_rem(scale)?);
    let width = usize::try_from(decimals).ok()?;
    Some(format!("{sign}{whole}.{fraction:0>width$}"))
}

/// Integer division rounded half to even, for a positive divisor.
fn divide_half_even(value: i128, divisor: i128) -> Option<i128> {
    if divisor <= 0 {
        return None;
    }
    let (floor, rest) = (
        value.checked_div_euclid(divisor)?,
        value.checked_rem_euclid(divisor)?,
    );
    let twice = rest.checked_mul(2)?;
    let up = twice > divisor || (twice == divisor && floor.checked_rem_euclid(2)? == 1);
    if up {
        floor.checked_add(1)
    } else {
        Some(floor)
    }
}
