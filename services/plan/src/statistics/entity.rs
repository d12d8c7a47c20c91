//! Rules of statistics: buckets, ranges in a time zone, and how a stretch of time is divided into
//! days and buckets.

use adfolio_kit::names;
use adfolio_kit::time_zone::TimeZone;
use adfolio_money::{Micros, Money, MoneyError};
use chrono::{DateTime, Datelike, Days, Months, NaiveDate, TimeDelta, Utc};

/// Seconds of a bucket: every time zone's hour and day begins at a multiple of it.
const BUCKET_SECONDS: i64 = 900;

/// Seconds of a UTC day.
const DAY_SECONDS: i64 = 86_400;

/// Months that the series of everything goes back.
const LONGEST_MONTHS: u32 = 24;

/// The bucket that an instant lies in.
pub fn bucket_of(time: DateTime<Utc>) -> DateTime<Utc> {
    floor_to(time, BUCKET_SECONDS)
}

/// The UTC day that an instant lies in.
pub fn day_of(time: DateTime<Utc>) -> DateTime<Utc> {
    floor_to(time, DAY_SECONDS)
}

fn floor_to(time: DateTime<Utc>, seconds: i64) -> DateTime<Utc> {
    let stamp = time.timestamp();
    let floor = stamp
        .checked_rem_euclid(seconds)
        .and_then(|over| stamp.checked_sub(over));
    floor
        .and_then(|floor| DateTime::from_timestamp(floor, 0))
        .unwrap_or(time)
}

/// What was delivered in a stretch of time, exactly.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Figures {
    /// Impressions.
    pub impressions: i64,
    /// Clicks.
    pub clicks: i64,
    /// Spend charged.
    pub charged: Micros,
    /// Revenue.
    pub revenue: Micros,
}

impl Figures {
    /// The sum.
    pub fn checked_add(self, other: Self) -> Result<Self, MoneyError> {
        let add = |a: i64, b: i64| a.checked_add(b).ok_or(MoneyError::Overflow);
        Ok(Self {
            impressions: add(self.impressions, other.impressions)?,
            clicks: add(self.clicks, other.clicks)?,
            charged: self.charged.checked_add(other.charged)?,
            revenue: self.revenue.checked_add(other.revenue)?,
        })
    }

    /// The difference.
    pub fn checked_sub(self, other: Self) -> Result<Self, MoneyError> {
        let subtract = |a: i64, b: i64| a.checked_sub(b).ok_or(MoneyError::Overflow);
        Ok(Self {
            impressions: subtract(self.impressions, other.impressions)?,
            clicks: subtract(self.clicks, other.clicks)?,
            charged: self.charged.checked_sub(other.charged)?,
            revenue: self.revenue.checked_sub(other.revenue)?,
        })
    }
}

/// What was delivered in a stretch of time, and what of it is marked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Rolled {
    /// Everything.
    pub all: Figures,
    /// Spend and revenue that come from an import's pricing.
    pub estimated: Figures,
    /// What the simulator made.
    pub simulated: Figures,
}

impl Rolled {
    /// The sum.
    pub fn checked_add(self, other: Self) -> Result<Self, MoneyError> {
        Ok(Self {
            all: self.all.checked_add(other.all)?,
            estimated: self.estimated.checked_add(other.estimated)?,
            simulated: self.simulated.checked_add(other.simulated)?,
        })
    }

    /// The difference.
    pub fn checked_sub(self, other: Self) -> Result<Self, MoneyError> {
        Ok(Self {
            all: self.all.checked_sub(other.all)?,
            estimated: self.estimated.checked_sub(other.estimated)?,
            simulated: self.simulated.checked_sub(other.simulated)?,
        })
    }
}

/// Puts of a stretch of time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Puts {
    /// Their amounts.
    pub invested: Money,
    /// How many.
    pub orders: i64,
}

names! {
    /// A range of time that ends today.
    Range {
        /// Since midnight.
        Today,
        /// Since Monday.
        Week,
        /// Since the first of the month.
        Month,
        /// Since the first put or report.
        All,
        /// Today and the six days before.
        Last7Days = "last_7_days",
        /// Today and the 29 days before.
        Last30Days = "last_30_days",
    }
}

names! {
    /// How long the points of a series are.
    Step {
        /// An hour.
        Hour,
        /// A local day.
        Day,
        /// A local month.
        Month,
    }
}

/// A range as instants: the edges of the points of its series.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stretches {
    /// Where points begin, and at the end where the last one ends: at least one edge.
    pub edges: Vec<DateTime<Utc>>,
    /// How long they are.
    pub step: Step,
}

impl Stretches {
    /// Today's hours, or the days of this week or month up to today. The last point ends with the
    /// local day.
    pub fn of_range(
        range: Range,
        zone: TimeZone,
        now: DateTime<Utc>,
        first: Option<DateTime<Utc>>,
    ) -> Self {
        let today = zone.today(now);
        let end = zone.start_of_day(next_day(today));
        match range {
            Range::Today => Self::hours(zone.start_of_day(today), end),
            Range::Week => Self::days(zone, zone.local_date(zone.start_of_week(now)), today),
            Range::Month => Self::days(zone, today.with_day(1).unwrap_or(today), today),
            Range::Last7Days => Self::days(zone, days_before(today, 6), today),
            Range::Last30Days => Self::days(zone, days_before(today, 29), today),
            Range::All => Self::months(
                zone,
                first.map_or(today, |first| zone.local_date(first)),
                today,
            ),
        }
    }

    /// The range before as one point, which ends as long after its beginning as the bucket of now does after that of the
    /// range; none for everything.
    pub fn before(range: Range, zone: TimeZone, now: DateTime<Utc>) -> Option<Self> {
        let today = zone.today(now);
        let first_of_month = today.with_day(1).unwrap_or(today);
        let (date, before) = match range {
            Range::Today => (today, days_before(today, 1)),
            Range::Week => {
                let monday = zone.local_date(zone.start_of_week(now));
                (monday, days_before(monday, 7))
            }
            Range::Month => (
                first_of_month,
                first_of_month.checked_sub_months(Months::new(1))?,
            ),
            Range::Last7Days => (days_before(today, 6), days_before(today, 13)),
            Range::Last30Days => (days_before(today, 29), days_before(today, 59)),
            Range::All => return None,
        };
        let (start, from) = (zone.start_of_day(date), zone.start_of_day(before));
        let bucket_end = bucket_of(now).checked_add_signed(TimeDelta::seconds(BUCKET_SECONDS))?;
        // A shorter month ends before, and so does a day that loses an hour.
        let to = from
            .checked_add_signed(bucket_end.signed_duration_since(start))?
            .min(start);
        Some(Self {
            edges: vec![from, to],
            step: Step::Day,
        })
    }

    /// Hours from a local midnight to another. The last one is shorter where the clock moved by
    /// half an hour.
    pub fn hours(from: DateTime<Utc>, to: DateTime<Utc>) -> Self {
        let mut edges = vec![from];
        let mut edge = from;
        while let Some(next) = edge
            .checked_add_signed(TimeDelta::hours(1))
            .filter(|next| *next < to)
        {
            edges.push(next);
            edge = next;
        }
        edges.push(to);
        Self {
            edges,
            step: Step::Hour,
        }
    }

    /// Local days, both included.
    pub fn days(zone: TimeZone, first: NaiveDate, last: NaiveDate) -> Self {
        let mut edges = Vec::new();
        let mut date = first;
        while date <= last {
            edges.push(zone.start_of_day(date));
            date = next_day(date);
        }
        edges.push(zone.start_of_day(date));
        edges.dedup();
        Self {
            edges,
            step: Step::Day,
        }
    }

    /// Local months up to the one of `today`, at most the last 24. The last one ends with today.
    fn months(zone: TimeZone, first: NaiveDate, today: NaiveDate) -> Self {
        let this_month = today.with_day(1).unwrap_or(today);
        let earliest = this_month
            .checked_sub_months(Months::new(LONGEST_MONTHS.saturating_sub(1)))
            .unwrap_or(this_month);
        let mut month = first
            .with_day(1)
            .unwrap_or(first)
            .clamp(earliest, this_month);
        let mut edges = Vec::new();
        while month <= this_month {
            edges.push(zone.start_of_day(month));
            let Some(next) = month.checked_add_months(Months::new(1)) else {
                break;
            };
            month = next;
        }
        edges.push(zone.start_of_day(next_day(today)));
        Self {
            edges,
            step: Step::Month,
        }
    }

    /// The points as pairs of edges.
    pub fn pairs(&self) -> impl Iterator<Item = (DateTime<Utc>, DateTime<Utc>)> + '_ {
        self.edges
            .iter()
            .copied()
            .zip(self.edges.iter().copied().skip(1))
    }

    /// The points, divided into whole UTC days and the buckets before and after them.
    pub fn pieces(&self) -> Pieces {
        let mut pieces = Pieces::default();
        for (index, (from, to)) in self.pairs().enumerate() {
            let floor = day_of(from);
            let first_day = if floor == from {
                from
            } else {
                floor.checked_add_signed(TimeDelta::days(1)).unwrap_or(to)
            };
            let last_day = day_of(to);
            if first_day < last_day {
                pieces.buckets.push(index, from, first_day);
                pieces.days.push(index, first_day, last_day);
                pieces.buckets.push(index, last_day, to);
            } else {
                pieces.buckets.push(index, from, to);
            }
        }
        pieces
    }
}

/// Pieces of points in order of time, as columns for SQL.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PieceColumns {
    /// Which point.
    pub points: Vec<usize>,
    /// From.
    pub from: Vec<DateTime<Utc>>,
    /// To, exclusive.
    pub to: Vec<DateTime<Utc>>,
}

/// Runs of pieces without gaps between them, as columns for SQL.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Runs {
    /// From.
    pub from: Vec<DateTime<Utc>>,
    /// To, exclusive.
    pub to: Vec<DateTime<Utc>>,
}

impl PieceColumns {
    fn push(&mut self, point: usize, from: DateTime<Utc>, to: DateTime<Utc>) {
        if from < to {
            self.points.push(point);
            self.from.push(from);
            self.to.push(to);
        }
    }

    /// The runs that the pieces form.
    pub fn runs(&self) -> Runs {
        let mut runs = Runs::default();
        for (from, to) in self.from.iter().zip(&self.to) {
            match runs.to.last_mut() {
                Some(end) if end == from => *end = *to,
                _ => {
                    runs.from.push(*from);
                    runs.to.push(*to);
                }
            }
        }
        runs
    }

    /// The point of the piece at a place, counted from 1 as PostgreSQL's `width_bucket` does; beyond
    /// all points if there is none.
    pub fn point_at(&self, place: Option<i32>) -> usize {
        let place = place.and_then(|place| usize::try_from(place).ok());
        let index = place.and_then(|place| place.checked_sub(1));
        let point = index.and_then(|index| self.points.get(index));
        point.copied().unwrap_or(usize::MAX)
    }
}

/// All pieces of a range.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pieces {
    /// Read from days.
    pub days: PieceColumns,
    /// Read from buckets.
    pub buckets: PieceColumns,
}

fn days_before(date: NaiveDate, days: u64) -> NaiveDate {
    date.checked_sub_days(Days::new(days)).unwrap_or(date)
}

fn next_day(date: NaiveDate) -> NaiveDate {
    date.checked_add_days(Days::new(1)).unwrap_or(date)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> DateTime<Utc> {
        text.parse().unwrap()
    }

    fn edges(range: Range, zone: &str, now: &str) -> Vec<DateTime<Utc>> {
        Stretches::of_range(range, TimeZone::parse(zone), at(now), None).edges
    }

    #[test]
    fn a_day_has_the_hours_that_its_clocks_have() {
        assert_eq!(edges(Range::Today, "UTC", "2026-11-20T10:00:00Z").len(), 25);
        assert_eq!(
            edges(Range::Today, "America/New_York", "2026-03-08T16:00:00Z").len(),
            24,
            "clocks set forward"
        );
        assert_eq!(
            edges(Range::Today, "America/New_York", "2026-11-01T16:00:00Z").len(),
            26,
            "clocks set back"
        );
        let kathmandu = edges(Range::Today, "Asia/Kathmandu", "2026-11-20T10:00:00Z");
        assert_eq!(kathmandu.first(), Some(&at("2026-11-19T18:15:00Z")));
        assert_eq!(kathmandu.last(), Some(&at("2026-11-20T18:15:00Z")));
    }

    #[test]
    fn pieces_without_gaps_are_one_run() {
        let now = at("2026-11-20T10:00:00Z");
        let pieces = |range, zone: &str| {
            Stretches::of_range(range, TimeZone::parse(zone), now, None).pieces()
        };
        let today = pieces(Range::Today, "Asia/Singapore").buckets;
        assert_eq!((today.points.len(), today.runs().from.len()), (24, 1));
        let month = pieces(Range::Month, "UTC");
        assert_eq!(
            (month.days.points.len(), month.days.runs().from.len()),
            (20, 1)
        );
        assert_eq!(month.buckets.runs(), Runs::default());
        let gap = PieceColumns {
            points: vec![3, 5],
            from: vec![at("2026-11-20T00:00:00Z"), at("2026-11-20T02:00:00Z")],
            to: vec![at("2026-11-20T01:00:00Z"), at("2026-11-20T03:00:00Z")],
        };
        assert_eq!(
            (gap.runs().from, gap.runs().to),
            (gap.from.clone(), gap.to.clone())
        );
        let places = [Some(1), Some(2), Some(0), Some(3), None];
        let points = places.map(|place| gap.point_at(place));
        assert_eq!(points, [3, 5, usize::MAX, usize::MAX, usize::MAX]);
    }

    #[test]
    fn every_edge_is_the_edge_of_a_bucket() {
        for zone in [
            "Asia/Kathmandu",
            "Australia/Lord_Howe",
            "Asia/Kolkata",
            "America/St_Johns",
            "Pacific/Chatham",
        ] {
            for now in [
                "2026-04-05T01:00:00Z",
                "2026-10-04T00:00:00Z",
                "2026-11-20T10:00:00Z",
            ] {
                for range in Range::ALL {
                    for edge in edges(*range, zone, now) {
                        assert_eq!(bucket_of(edge), edge, "{zone} {range:?}");
                    }
                    let before = Stretches::before(*range, TimeZone::parse(zone), at(now));
                    for edge in before.into_iter().flat_map(|before| before.edges) {
                        assert_eq!(bucket_of(edge), edge, "{zone} {range:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn weeks_begin_on_monday_and_months_on_the_first() {
        assert_eq!(
            edges(Range::Week, "UTC", "2026-11-22T10:00:00Z").first(),
            Some(&at("2026-11-16T00:00:00Z"))
        );
        assert_eq!(edges(Range::Month, "UTC", "2026-11-22T10:00:00Z").len(), 23);
    }

    #[test]
    fn the_range_before_goes_as_far_as_this_one_has_come() {
        let before = |range, zone: &str, now: &str| {
            let before = Stretches::before(range, TimeZone::parse(zone), at(now));
            before.map(|before| (before.edges[0], before.edges[1]))
        };
        for (range, zone, now, from, to) in [
            (
                Range::Today,
                "UTC",
                "2026-11-22T10:07:00Z",
                "2026-11-21T00:00:00Z",
                "2026-11-21T10:15:00Z",
            ),
            (
                Range::Week,
                "UTC",
                "2026-11-22T10:00:00Z",
                "2026-11-09T00:00:00Z",
                "2026-11-15T10:15:00Z",
            ),
            (
                Range::Month,
                "UTC",
                "2026-11-22T10:00:00Z",
                "2026-10-01T00:00:00Z",
                "2026-10-22T10:15:00Z",
            ),
            // February is shorter than what of March is over.
            (
                Range::Month,
                "UTC",
                "2026-03-30T10:00:00Z",
                "2026-02-01T00:00:00Z",
                "2026-03-01T00:00:00Z",
            ),
            (
                Range::Last7Days,
                "UTC",
                "2026-11-22T10:00:00Z",
                "2026-11-09T00:00:00Z",
                "2026-11-15T10:15:00Z",
            ),
            (
                Range::Last30Days,
                "UTC",
                "2026-11-22T10:00:00Z",
                "2026-09-24T00:00:00Z",
                "2026-10-23T10:15:00Z",
            ),
            (
                Range::Today,
                "Asia/Kathmandu",
                "2026-11-22T10:00:00Z",
                "2026-11-20T18:15:00Z",
                "2026-11-21T10:15:00Z",
            ),
        ] {
            assert_eq!(
                before(range, zone, now),
                Some((at(from), at(to))),
                "{range:?} {now}"
            );
        }
        assert_eq!(before(Range::All, "UTC", "2026-11-22T10:00:00Z"), None);
    }

    #[test]
    fn everything_goes_back_two_years_at_most() {
        let zone = TimeZone::UTC;
        let now = at("2026-11-22T10:00:00Z");
        let long = Stretches::of_range(Range::All, zone, now, Some(at("2001-01-01T00:00:00Z")));
        assert_eq!(long.edges.len(), 25);
        assert_eq!(long.edges.first(), Some(&at("2024-12-01T00:00:00Z")));
        let short = Stretches::of_range(Range::All, zone, now, Some(at("2026-10-03T00:00:00Z")));
        assert_eq!(short.edges.len(), 3);
    }

    #[test]
    fn pieces_cover_each_point_once() {
        let zone = TimeZone::parse("Asia/Kathmandu");
        let stretches = Stretches::of_range(
            Range::All,
            zone,
            at("2026-11-22T10:00:00Z"),
            Some(at("2025-01-05T00:00:00Z")),
        );
        let pieces = stretches.pieces();
        let seconds = |columns: &PieceColumns| -> i64 {
            columns
                .from
                .iter()
                .zip(&columns.to)
                .map(|(from, to)| (*to - *from).num_seconds())
                .sum()
        };
        let all = (*stretches.edges.last().unwrap() - stretches.edges[0]).num_seconds();
        assert_eq!(seconds(&pieces.days) + seconds(&pieces.buckets), all);
        assert!(seconds(&pieces.buckets) <= 86_400 * 2 * 25);
        assert!(pieces.days.from.iter().all(|day| day_of(*day) == *day));
    }
}
