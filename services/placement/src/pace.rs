//! When a plan's budget is spent: along the shape of the traffic, and never far ahead of the clock.
#![deny(clippy::float_arithmetic)]
#![cfg_attr(not(test), deny(clippy::arithmetic_side_effects))]

use adfolio_money::Micros;
use chrono::{DateTime, Datelike as _, TimeDelta, Timelike as _, Utc};
use serde::{Deserialize, Serialize};

use crate::amount::{self, times_ratio};

/// Hours of a week.
pub const HOURS: usize = 168;

/// Hours of a day.
const DAY: usize = 24;

/// Seconds of an hour.
const HOUR_SECONDS: i64 = 3_600;

/// Weight of an average hour.
const EVEN: u128 = 10_000;

/// The least weight of an hour: no hour is without traffic for ever.
const LEAST: u128 = 100;

/// An hour of the week that was observed for one week counts as much as its hour of the day, and seven times as much as
/// an even day: the rhythm of days is known sooner than that of weeks.
const PULL: u128 = 1_000;

/// With so many impressions an hour, half of an hour's deviation is chance.
const NOISE: u128 = 10;

/// Spending keeps below this multiple of what is planned for the clock hour, in hundredths: twice, less what two rounds can
/// miss by rounding to whole impressions.
const MOST_OF_HOUR_PERCENT: u64 = 195;

/// The plan is to have spent everything this long before the window ends, at most: what placements do not serve comes
/// back and can be spent again.
const LEAD: TimeDelta = TimeDelta::minutes(90);

/// The lead takes at most one part in so many of a window.
const LEAD_PART: i32 = 50;

/// How the traffic is spread over a week in UTC, which begins on Monday at midnight.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Shape {
    /// Weight of each hour, never 0.
    weights: Vec<u32>,
}

impl Default for Shape {
    fn default() -> Self {
        Self::even()
    }
}

impl Shape {
    /// The same at every hour.
    pub fn even() -> Self {
        Self {
            weights: vec![1; HOURS],
        }
    }

    /// The shape of impressions that were counted by hour of the week for so many weeks.
    pub fn of_impressions(impressions: &[u64; HOURS], weeks: u32) -> Self {
        let total: u128 = impressions
            .iter()
            .fold(0, |sum: u128, count| sum.saturating_add(u128::from(*count)));
        if total == 0 {
            return Self::even();
        }
        let hours = HOURS as u128;
        let average = total.checked_div(hours).unwrap_or(0);
        let trust = u128::from(weeks.max(1))
            .saturating_mul(PULL)
            .saturating_mul(average)
            .checked_div(average.saturating_add(NOISE))
            .unwrap_or(0);
        let relative = |count: u64| {
            u128::from(count)
                .saturating_mul(EVEN)
                .saturating_mul(hours)
                .checked_div(total)
                .unwrap_or(EVEN)
        };
        let observed: Vec<u128> = impressions.iter().map(|count| relative(*count)).collect();
        let of_day: Vec<u128> = (0..DAY)
            .map(|hour| {
                let sum: u128 = observed.iter().skip(hour).step_by(DAY).sum();
                pulled(sum, 7, trust, EVEN)
            })
            .collect();
        let weights = observed.iter().zip(of_day.iter().cycle());
        let weights = weights
            .map(|(observed, of_day)| pulled(*observed, 1, trust, *of_day).max(LEAST))
            .map(|weight| u32::try_from(weight).unwrap_or(u32::MAX));
        Self {
            weights: weights.collect(),
        }
    }

    /// Weight times seconds between two times; 0 if they are in the wrong order.
    pub fn between(&self, from: DateTime<Utc>, to: DateTime<Utc>) -> u128 {
        self.until(to).saturating_sub(self.until(from))
    }

    /// Weight times seconds from a fixed Monday until a time.
    fn until(&self, time: DateTime<Utc>) -> u128 {
        let week: u128 = self.weights.iter().fold(0, |sum: u128, weight| {
            sum.saturating_add(u128::from(*weight))
        });
        let seconds = u128::from(HOUR_SECONDS.unsigned_abs());
        let hour = hour_of_week(time);
        // 1970-01-01 was a Thursday: three days after the Monday that weeks are counted from.
        let days = time.timestamp().div_euclid(86_400).saturating_add(3);
        let weeks = u128::try_from(days.div_euclid(7)).unwrap_or(0);
        let of_this_week: u128 = self.weights.iter().take(hour).fold(0, |sum: u128, weight| {
            sum.saturating_add(u128::from(*weight))
        });
        let into_hour = u128::from(time.minute())
            .saturating_mul(60)
            .saturating_add(time.second().into());
        let of_this_hour =
            u128::from(self.weights.get(hour).copied().unwrap_or(1)).saturating_mul(into_hour);
        weeks
            .saturating_mul(week)
            .saturating_add(of_this_week)
            .saturating_mul(seconds)
            .saturating_add(of_this_hour)
    }
}

/// The mean of `count` observations with this sum, pulled towards `towards`.
fn pulled(sum: u128, count: u128, trust: u128, towards: u128) -> u128 {
    sum.saturating_mul(trust)
        .saturating_add(towards.saturating_mul(PULL))
        .checked_div(count.saturating_mul(trust).saturating_add(PULL))
        .unwrap_or(towards)
}

/// The hour of the week of a time, 0 for the first one of Monday.
pub fn hour_of_week(time: DateTime<Utc>) -> usize {
    let days = time.weekday().num_days_from_monday() as usize;
    days.saturating_mul(DAY)
        .saturating_add(time.hour() as usize)
}

/// A plan's budget and the time that it has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Schedule {
    /// The whole budget.
    #[serde(with = "amount::serde_micros")]
    pub budget: Micros,
    /// When delivery may begin.
    pub from: DateTime<Utc>,
    /// When delivery ends.
    pub to: DateTime<Utc>,
}

impl Schedule {
    /// What is planned to be spent until a time.
    pub fn planned(&self, shape: &Shape, at: DateTime<Utc>) -> Micros {
        let end = self.planned_end();
        if at >= end {
            return self.budget;
        }
        times_ratio(
            self.budget,
            shape.between(self.from, at),
            shape.between(self.from, end),
        )
    }

    /// When everything is planned to be spent: somewhat before the end.
    pub fn planned_end(&self) -> DateTime<Utc> {
        let length = self.to.signed_duration_since(self.from);
        let lead = length.checked_div(LEAD_PART).unwrap_or(length).min(LEAD);
        self.to.checked_sub_signed(lead).unwrap_or(self.to)
    }
}

/// Where a plan stands at a round.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Standing {
    /// What was charged.
    #[serde(with = "amount::serde_micros")]
    pub charged: Micros,
    /// What is allotted and neither charged nor given back.
    #[serde(with = "amount::serde_micros")]
    pub allotted: Micros,
    /// What was allotted in this clock hour and not given back.
    #[serde(with = "amount::serde_micros")]
    pub allotted_in_hour: Micros,
}

/// What decides how much a plan gets in a round.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Pace {
    /// It gets what is planned.
    OnPlan,
    /// It has spent less than planned, and catches up.
    CatchingUp,
    /// It would catch up faster, but not more than twice the plan is spent in an hour.
    HourBound,
    /// The rest of its budget.
    Rest,
    /// It has spent or may spend all that is planned so far.
    Ahead,
}

/// What a plan may get in a round.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Grant {
    /// How much it should get.
    pub target: Micros,
    /// How much it may get at most, where whole impressions or clicks do not add up to the target.
    pub most: Micros,
    /// What decided.
    pub pace: Pace,
}

/// What a plan gets for the time from `now` to `until`, which lies in one clock hour.
pub fn grant(
    schedule: &Schedule,
    shape: &Shape,
    standing: &Standing,
    now: DateTime<Utc>,
    until: DateTime<Utc>,
) -> Grant {
    let taken = amount::sum([standing.charged, standing.allotted]);
    let left = amount::less(schedule.budget, taken);
    let behind = amount::less(schedule.planned(shape, until), taken);
    let regular = amount::less(schedule.planned(shape, until), schedule.planned(shape, now));
    let hour = now
        .checked_sub_signed(TimeDelta::seconds(now.timestamp().rem_euclid(HOUR_SECONDS)))
        .unwrap_or(now);
    let hour_end = hour
        .checked_add_signed(TimeDelta::seconds(HOUR_SECONDS))
        .unwrap_or(until);
    let of_hour = amount::less(
        schedule.planned(shape, hour_end),
        schedule.planned(shape, hour),
    );
    let bound = times_ratio(of_hour, MOST_OF_HOUR_PERCENT.into(), 100);
    let in_hour = amount::less(bound, standing.allotted_in_hour);
    let most = left.min(in_hour);
    let target = behind.min(most);
    let pace = if target == Micros::ZERO && behind == Micros::ZERO {
        Pace::Ahead
    } else if target == left && left < behind.min(in_hour) {
        Pace::Rest
    } else if target < behind {
        Pace::HourBound
    } else if behind > times_ratio(regular, 11, 10) {
        Pace::CatchingUp
    } else {
        Pace::OnPlan
    };
    Grant { target, most, pace }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn time(seconds: i64) -> DateTime<Utc> {
        // A Monday.
        DateTime::from_timestamp(1_767_571_200 + seconds, 0).unwrap()
    }

    fn week(budget: i64) -> Schedule {
        Schedule {
            budget: Micros::new(budget),
            from: time(0),
            to: time(7 * 86_400),
        }
    }

    /// Ten times the traffic between 18 and 22 hours.
    fn evenings() -> Shape {
        let mut impressions = [1_000_u64; HOURS];
        for (hour, count) in impressions.iter_mut().enumerate() {
            if (18..22).contains(&(hour % 24)) {
                *count = 10_000;
            }
        }
        Shape::of_impressions(&impressions, 20)
    }

    fn standing(charged: i64, allotted: i64, in_hour: i64) -> Standing {
        Standing {
            charged: Micros::new(charged),
            allotted: Micros::new(allotted),
            allotted_in_hour: Micros::new(in_hour),
        }
    }

    #[test]
    fn weeks_begin_on_monday() {
        assert_eq!(hour_of_week(time(0)), 0);
        assert_eq!(hour_of_week(time(6 * 86_400 + 23 * 3_600)), 167);
    }

    #[test]
    fn spending_follows_the_traffic() {
        let (schedule, shape) = (week(168_000_000), evenings());
        let of_hour = |hour: i64| {
            schedule.planned(&shape, time((hour + 1) * 3_600)).get()
                - schedule.planned(&shape, time(hour * 3_600)).get()
        };
        let ratio = of_hour(19) * 100 / of_hour(3);
        assert!((900..=1_000).contains(&ratio), "{ratio}");
    }

    #[test]
    fn an_hour_seen_once_is_pulled_towards_its_hour_of_the_day() {
        let mut impressions = [1_000_u64; HOURS];
        impressions[30] = 8_000;
        let shape = |weeks| Shape::of_impressions(&impressions, weeks).weights;
        let (once, often) = (shape(1), shape(50));
        assert!(once[30] < often[30] * 3 / 4, "{} {}", once[30], often[30]);
        assert!(once[30 + 24] > often[30 + 24]);
    }

    #[test]
    fn a_shape_of_nothing_is_even() {
        assert_eq!(Shape::of_impressions(&[0; HOURS], 3), Shape::even());
    }

    #[test]
    fn a_plan_that_keeps_pace_gets_what_is_planned() {
        let (schedule, shape) = (week(2_016_000), Shape::even());
        let spent = schedule.planned(&shape, time(3_600)).get();
        let grant = grant(
            &schedule,
            &shape,
            &standing(spent, 0, 0),
            time(3_600),
            time(3_900),
        );
        assert_eq!(grant.pace, Pace::OnPlan);
        assert!((1_000..=1_012).contains(&grant.target.get()), "{grant:?}");
    }

    #[test]
    fn after_an_outage_the_hour_bounds_catching_up() {
        let (schedule, shape) = (week(2_016_000), Shape::even());
        let grant = |charged, in_hour| {
            grant(
                &schedule,
                &shape,
                &standing(charged, 0, in_hour),
                time(86_400),
                time(86_700),
            )
        };
        let of_hour = schedule.planned(&shape, time(3_600)).get();
        assert_eq!(grant(0, 0).pace, Pace::HourBound);
        assert!(grant(0, 0).target.get() <= 2 * of_hour);
        assert_eq!(grant(0, 2 * of_hour).target, Micros::ZERO);
    }

    #[test]
    fn a_plan_that_is_ahead_gets_nothing() {
        let (schedule, shape) = (week(2_016_000), Shape::even());
        let grant = grant(
            &schedule,
            &shape,
            &standing(900_000, 100_000, 0),
            time(0),
            time(300),
        );
        assert_eq!((grant.target, grant.pace), (Micros::ZERO, Pace::Ahead));
    }

    proptest! {
        #[test]
        fn planned_spending_rises_to_the_budget(
            budget in 1..1_000_000_000_000_i64, days in 1..60_i64, begins in 0..604_800_i64,
            early in 0..1_000_i64, late in 0..1_000_i64,
        ) {
            let schedule = Schedule {
                budget: Micros::new(budget),
                from: time(begins),
                to: time(begins + days * 86_400),
            };
            let shape = evenings();
            let at = |part: i64| schedule.planned(&shape, time(begins + days * 86_400 * part / 1_000));
            prop_assert!(at(early.min(late)) <= at(early.max(late)));
            prop_assert_eq!(at(0), Micros::ZERO);
            prop_assert_eq!(schedule.planned(&shape, schedule.to), schedule.budget);
        }

        #[test]
        fn nothing_is_granted_that_was_not_paid_for(
            budget in 1..1_000_000_000_i64, charged in 0..1_000_000_000_i64, allotted in 0..1_000_000_000_i64,
            in_hour in 0..1_000_000_000_i64, round in 0..3_000_i64,
        ) {
            let (schedule, shape) = (week(budget), evenings());
            let standing = standing(charged, allotted, in_hour);
            let grant = grant(&schedule, &shape, &standing, time(round * 300), time(round * 300 + 300));
            prop_assert!(grant.target >= Micros::ZERO && grant.target <= grant.most);
            prop_assert!(grant.most.get() <= (budget - charged - allotted).max(0));
        }
    }
}
