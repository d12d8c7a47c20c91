//! Delivery reports of the demo plans: one an hour over the last six days, busier in the evening than at night.
//!
//! Everything depends on the plan only: its number, put time, budget and catalogue entry. Sums are exact: shares are
//! cut from the running total, so the rows of a plan add up to its spend to the millionth.

use std::fmt::Write as _;

use adfolio_proto::plan::v1::Plan;
use chrono::{DateTime, DurationRound as _, SecondsFormat, TimeDelta, Utc};

use super::catalog::DemoPlan;

/// Hours of delivery.
const HOURS: u32 = 6 * 24;

/// How busy each hour of a UTC day is.
const HOURLY_WEIGHTS: [u64; 24] = [
    22, 16, 12, 10, 10, 13, 20, 32, 44, 52, 57, 60, 63, 61, 58, 56, 58, 64, 74, 88, 96, 90, 68, 40,
];

/// Weights vary by up to this many percent, so that no two days look alike.
const VARIATION_PERCENT: u64 = 18;

const MICROS_PER_MINOR: i128 = 10_000;
const MICROS_PER_UNIT: i128 = 1_000_000;

/// The reports of a plan as CSV with a header line. None for a plan that was never put.
pub fn csv(demo: &DemoPlan, plan: &Plan) -> Option<Vec<u8>> {
    let put_time: DateTime<Utc> = plan.put_time?.try_into().ok()?;
    let last = put_time.duration_trunc(TimeDelta::hours(1)).ok()?;
    let mut variation = Variation::of(&plan.plan_number);
    let hours: Vec<(DateTime<Utc>, u64)> = (0..HOURS)
        .rev()
        .filter_map(|back| last.checked_sub_signed(TimeDelta::hours(i64::from(back))))
        .map(|hour| (hour, variation.apply(weight_of(hour))))
        .collect();
    let mut spread = Spread::new(&hours);
    let budget = i128::from(plan.put_amount_minor).checked_mul(MICROS_PER_MINOR)?;
    let spend_total = percent(budget, demo.consumed_percent.into())?;
    let revenue_total = percent(spend_total, demo.revenue_percent)?;
    // Spend per impression is the price of a thousand impressions divided by 1,000.
    let impressions_total = spend_total
        .checked_mul(1000)?
        .checked_div(i128::from(demo.cpm_minor).checked_mul(MICROS_PER_MINOR)?)?;
    let clicks_total = impressions_total
        .checked_mul(demo.clicks_per_10000.into())?
        .checked_div(10_000)?;
    let totals = [impressions_total, clicks_total, spend_total, revenue_total];
    let mut text = String::from("report_id,plan_number,time,impressions,clicks,spend,revenue\n");
    for (index, (hour, weight)) in hours.iter().enumerate() {
        let [impressions, clicks, spend, revenue] = spread.next(*weight, totals)?;
        let time = hour.to_rfc3339_opts(SecondsFormat::Secs, true);
        let number = &plan.plan_number;
        let (spend, revenue) = (decimal(spend), decimal(revenue));
        // Writing to a String cannot fail.
        let _ = writeln!(
            text,
            "{number}-{index},{number},{time},{impressions},{clicks},{spend},{revenue}"
        );
    }
    Some(text.into_bytes())
}

fn weight_of(hour: DateTime<Utc>) -> u64 {
    use chrono::Timelike as _;
    let place = usize::try_from(hour.hour()).unwrap_or(0);
    HOURLY_WEIGHTS.get(place).copied().unwrap_or(1)
}

fn percent(amount: i128, percent: u32) -> Option<i128> {
    amount.checked_mul(percent.into())?.checked_div(100)
}

/// An amount in millionths as a decimal.
fn decimal(micros: i128) -> String {
    format!(
        "{}.{:06}",
        micros / MICROS_PER_UNIT,
        micros % MICROS_PER_UNIT
    )
}

/// Cuts totals into shares by weight.
struct Spread {
    weights: i128,
    done: i128,
}

impl Spread {
    fn new(hours: &[(DateTime<Utc>, u64)]) -> Self {
        Self {
            weights: hours.iter().map(|(_, weight)| i128::from(*weight)).sum(),
            done: 0,
        }
    }

    /// The next share of each total: the total up to its end, less the total up to its beginning.
    fn next<const N: usize>(&mut self, weight: u64, totals: [i128; N]) -> Option<[i128; N]> {
        let (before, after) = (self.done, self.done.checked_add(weight.into())?);
        self.done = after;
        let mut shares = [0; N];
        for (share, total) in shares.iter_mut().zip(totals) {
            let due = |done: i128| total.checked_mul(done)?.checked_div(self.weights);
            *share = due(after)?.checked_sub(due(before)?)?;
        }
        Some(shares)
    }
}

/// Pseudorandom variation derived from a text (xorshift over its bytes).
struct Variation(u64);

impl Variation {
    fn of(text: &str) -> Self {
        let start = text.bytes().fold(0x9e37_79b9_7f4a_7c15_u64, |state, byte| {
            state.rotate_left(7) ^ u64::from(byte).wrapping_mul(0x0100_0000_01b3)
        });
        Self(start | 1)
    }

    fn apply(&mut self, weight: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        let percent = 100 - VARIATION_PERCENT + self.0 % (2 * VARIATION_PERCENT + 1);
        weight * percent
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::demo::catalog::PLANS;

    fn plan() -> Plan {
        let put_time: DateTime<Utc> = "2026-11-20T10:17:03Z".parse().expect("a time");
        Plan {
            plan_number: "AP-0001".to_owned(),
            put_amount_minor: PLANS[0].amount_minor,
            put_time: Some(put_time.into()),
            ..Plan::default()
        }
    }

    fn rows(text: &[u8]) -> Vec<Vec<String>> {
        let text = String::from_utf8(text.to_vec()).expect("text");
        text.lines()
            .skip(1)
            .map(|line| line.split(',').map(str::to_owned).collect())
            .collect()
    }

    fn sum(rows: &[Vec<String>], column: usize) -> i128 {
        rows.iter()
            .map(|row| {
                row[column]
                    .replace('.', "")
                    .parse::<i128>()
                    .expect("a number")
            })
            .sum()
    }

    #[test]
    fn rows_add_up_to_the_budget() {
        let rows = rows(&csv(&PLANS[0], &plan()).expect("reports"));
        assert_eq!(rows.len(), 144);
        assert_eq!(
            sum(&rows, 5),
            i128::from(PLANS[0].amount_minor) * MICROS_PER_MINOR
        );
        assert_eq!(rows.last().expect("a row")[2], "2026-11-20T10:00:00Z");
        for row in &rows {
            let (impressions, clicks): (i64, i64) = (
                row[3].parse().expect("a number"),
                row[4].parse().expect("a number"),
            );
            assert!(impressions > 0 && clicks <= impressions, "{row:?}");
        }
    }

    #[test]
    fn the_same_plan_has_the_same_reports() {
        assert_eq!(csv(&PLANS[0], &plan()), csv(&PLANS[0], &plan()));
        let other = Plan {
            plan_number: "AP-0002".to_owned(),
            ..plan()
        };
        assert_ne!(csv(&PLANS[0], &plan()), csv(&PLANS[0], &other));
    }

    #[test]
    fn amounts_and_products_tell_plans_apart() {
        for (index, plan) in PLANS.iter().enumerate() {
            let same = |other: &&DemoPlan| {
                other.product == plan.product && other.amount_minor == plan.amount_minor
            };
            assert_eq!(PLANS.iter().filter(same).count(), 1, "{index}");
        }
    }
}
