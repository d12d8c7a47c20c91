//! Whether a plan keeps pace: what was charged of it, against a band around what is planned.

use adfolio_kit::names;
use adfolio_money::{Micros, MoneyError};
use adfolio_placement::pace::{Schedule, Shape};
use chrono::{DateTime, TimeDelta, Utc};

/// A plan is on pace within so much of its budget, in hundredths.
const BAND_PERCENT: i64 = 3;

/// Spend is reported so much later than it is planned, at most, while networks report in time.
const REPORTS_BEHIND: TimeDelta = TimeDelta::minutes(15);

names! {
    /// How a plan keeps pace.
    PaceState {
        /// Nothing of it is placed by the algorithm.
        NotPaced,
        /// Too little is planned so far to tell.
        TooEarly,
        /// Within the band.
        OnPace,
        /// Below it.
        Behind,
        /// Above it.
        Ahead,
        /// Its delivery has ended.
        Ended,
    }
}

/// The lower and the upper edge of what is on pace at a time.
pub fn band(
    schedule: &Schedule,
    shape: &Shape,
    at: DateTime<Utc>,
) -> Result<(Micros, Micros), MoneyError> {
    let width = schedule.budget.ratio_half_even(BAND_PERCENT, 100)?;
    let planned = |at| schedule.planned(shape, at);
    let low = planned(at - REPORTS_BEHIND).checked_sub(width)?;
    let high = planned(at).checked_add(width)?;
    Ok((low.max(Micros::ZERO), high.min(schedule.budget)))
}

/// How a running plan stands of which so much was charged.
pub fn state(
    schedule: &Schedule,
    shape: &Shape,
    charged: Micros,
    now: DateTime<Utc>,
) -> Result<PaceState, MoneyError> {
    let (low, high) = band(schedule, shape, now)?;
    Ok(if charged > high {
        PaceState::Ahead
    } else if low == Micros::ZERO {
        PaceState::TooEarly
    } else if charged < low {
        PaceState::Behind
    } else {
        PaceState::OnPace
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn time(hour: u32, minute: u32) -> DateTime<Utc> {
        let day = chrono::NaiveDate::from_ymd_opt(2026, 11, 20).unwrap();
        day.and_hms_opt(hour, minute, 0).unwrap().and_utc()
    }

    /// A budget of 100.00 over ten hours, of which the last twelve minutes are spare.
    fn schedule() -> Schedule {
        Schedule {
            budget: Micros::new(100_000_000),
            from: time(0, 0),
            to: time(10, 0),
        }
    }

    #[test]
    fn the_band_is_three_hundredths_of_the_budget_and_a_quarter_of_an_hour_late() {
        let (low, high) = band(&schedule(), &Shape::even(), time(5, 9)).unwrap();
        // 5 h 9 min of 9 h 48 min are planned, and 15 minutes before 4 h 54 min.
        assert_eq!(low, Micros::new(47_000_000));
        assert_eq!(high, Micros::new(55_551_020));
        let (low, high) = band(&schedule(), &Shape::even(), time(9, 59)).unwrap();
        assert!(low > Micros::new(96_000_000));
        assert_eq!(high, schedule().budget);
    }

    #[test]
    fn a_plan_is_behind_on_pace_or_ahead() {
        let at =
            |charged, time| state(&schedule(), &Shape::even(), Micros::new(charged), time).unwrap();
        assert_eq!(at(0, time(0, 20)), PaceState::TooEarly);
        assert_eq!(at(46_999_999, time(5, 9)), PaceState::Behind);
        assert_eq!(at(47_000_000, time(5, 9)), PaceState::OnPace);
        assert_eq!(at(55_551_021, time(5, 9)), PaceState::Ahead);
        assert_eq!(at(9_000_000, time(0, 10)), PaceState::Ahead);
    }
}
