//! Rules on a row's money: it must be what the placement's price list gives.
//!
//! A row may differ by the rounding of what it reports: networks report in millionths, in
//! hundredths of a cent or in cents. Rounding is as often up as down, so over a placement's rows it
//! comes to little; a sum that drifts further has been rounded in somebody's favour, and its rows
//! are held.
#![deny(
    clippy::arithmetic_side_effects,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss
)]

use std::sync::Arc;

use adfolio_money::Micros;

use super::batch::Batch;
use super::findings::Findings;
use super::input::{Context, Model, Placement, Price, Row};
use super::rule::Rule;

/// The units to which networks round money, in millionths: cents, hundredths of a cent.
const ROUNDED_TO_MICROS: [i64; 2] = [10_000, 100];

/// What rounding may add up to over rows, in roots of their number: five standard deviations of
/// errors that are even over half a unit.
const DRIFT_PER_ROOT: i128 = 3;

/// What stands for listed amounts out of the range of money.
const NOT_MONEY: i128 = 1 << 63;

/// Spend or revenue of a row against the list.
#[derive(Clone, Copy)]
struct Difference {
    micros: i128,
    allowed: i128,
    /// What of it comes from rounding each impression.
    per_impression: i128,
}

/// The differences of a placement's rows that their rounding allows.
#[derive(Clone, Default)]
struct Drift {
    sum: i128,
    rows: Vec<usize>,
    largest_allowed: i128,
    per_impression: i128,
}

impl Drift {
    fn add(&mut self, row: usize, difference: Difference) {
        // A million rows of 2^63 fit.
        self.sum = self.sum.saturating_add(difference.micros);
        let per_impression = difference.per_impression;
        self.per_impression = self.per_impression.saturating_add(per_impression);
        // Half a millionth per impression is within any price's own rounding.
        if difference.micros.abs() > per_impression.saturating_add(1) {
            self.largest_allowed = self.largest_allowed.max(difference.allowed);
            self.rows.push(row);
        }
    }

    fn limit(&self) -> i128 {
        let rows = i128::try_from(self.rows.len()).unwrap_or(i128::MAX);
        let roots = rows
            .isqrt()
            .saturating_add(1)
            .saturating_mul(DRIFT_PER_ROOT);
        let limit = self.largest_allowed.saturating_mul(roots);
        limit.saturating_add(self.per_impression)
    }
}

pub(super) fn check(batch: &Batch<'_, '_>, context: &Context<'_>, findings: &mut Findings) {
    let mut spend = vec![Drift::default(); batch.placements.len()];
    let mut revenue = spend.clone();
    for (index, (row, place)) in batch.rows.iter().zip(&batch.places).enumerate() {
        let Some((placement, _)) = place.placement else {
            continue;
        };
        let known = batch.placements.get(placement);
        let Some(facts) = known
            .and_then(|known| known.facts)
            .filter(|facts| facts.is_own)
        else {
            continue;
        };
        let amounts = [
            (row.spend, "spend", &mut spend, cost as Rate),
            (row.revenue, "revenue", &mut revenue, earning),
        ];
        let mut is_priced = false;
        for (amount, what, drifts, rate) in amounts {
            let Some(difference) = difference(facts, context, row, amount, rate) else {
                continue;
            };
            is_priced = true;
            if difference.micros.abs() <= difference.allowed {
                if let Some(drift) = drifts.get_mut(placement) {
                    drift.add(index, difference);
                }
                continue;
            }
            let detail = format!(
                "{what} of {} millionths is {} off the list",
                amount.get(),
                difference.micros
            );
            report(findings, index, difference, &Arc::from(detail));
        }
        if !is_priced && !row.is_estimated {
            let detail = format!("no price at {}", row.time);
            findings.add(index, Rule::PriceMissing, (0.0, 1.0), &Arc::from(detail));
        }
    }
    for (drift, what) in spend
        .iter()
        .map(|drift| (drift, "spend"))
        .chain(revenue.iter().map(|drift| (drift, "revenue")))
    {
        report_drift(findings, drift, what);
    }
}

fn report_drift(findings: &mut Findings, drift: &Drift, what: &str) {
    let limit = drift.limit();
    if drift.rows.len() < 2 || drift.sum.abs() <= limit {
        return;
    }
    let detail = Arc::from(format!(
        "the {what} of {} rows is {} millionths off the list together: more than rounding",
        drift.rows.len(),
        drift.sum
    ));
    let difference = Difference {
        micros: drift.sum,
        allowed: limit,
        per_impression: 0,
    };
    for row in &drift.rows {
        report(findings, *row, difference, &detail);
    }
}

fn report(findings: &mut Findings, row: usize, difference: Difference, detail: &Arc<str>) {
    let values = (difference.micros.abs() as f64, difference.allowed as f64);
    findings.add(row, Rule::PriceOffList, values, detail);
}

type Rate = fn(&Price) -> Micros;

fn cost(price: &Price) -> Micros {
    price.cost
}

fn earning(price: &Price) -> Micros {
    price.revenue
}

/// How far an amount is from what the prices of the row's period give; none without a price. An
/// amount between those of two prices is right: the row sums up both.
fn difference(
    facts: &Placement,
    context: &Context<'_>,
    row: &Row<'_>,
    amount: Micros,
    rate: Rate,
) -> Option<Difference> {
    let mut range: Option<(i128, i128)> = None;
    let mut pays_impressions = false;
    for price in facts.prices.within(row.time, context.row_period) {
        pays_impressions |= price.model == Model::Cpm;
        // What does not fit is more than anything that could be reported.
        let listed = price
            .amount(rate(price), row.impressions, row.clicks)
            .map_or(NOT_MONEY, |listed| i128::from(listed.get()));
        range = Some(range.map_or((listed, listed), |(low, high)| {
            (low.min(listed), high.max(listed))
        }));
    }
    let (low, high) = range?;
    let reported = i128::from(amount.get());
    let micros = reported.saturating_sub(reported.clamp(low, high));
    let per_impression = if pays_impressions {
        i128::from(row.impressions.max(0) / 2)
    } else {
        0
    };
    Some(Difference {
        micros,
        allowed: half_unit(amount).saturating_add(per_impression),
        per_impression,
    })
}

/// Half of the unit to which an amount is rounded, and one millionth for another way of rounding.
fn half_unit(amount: Micros) -> i128 {
    let unit = ROUNDED_TO_MICROS
        .into_iter()
        .find(|unit| amount.get().checked_rem(*unit) == Some(0));
    i128::from(unit.unwrap_or(1) / 2).saturating_add(1)
}
