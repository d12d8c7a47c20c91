//! Rules on single rows that need no price.

use std::sync::Arc;

use adfolio_money::Micros;
use chrono::TimeDelta;

use super::batch::Batch;
use super::findings::Findings;
use super::input::{Context, Earlier, Model, Row};
use super::rule::{FUTURE_SKEW_S, Rule};

/// What of a row is impossible.
type Fault = (Rule, (f64, f64), String);

pub(super) fn check(batch: &Batch<'_, '_>, context: &Context<'_>, findings: &mut Findings) {
    let mut faults = Vec::new();
    for (index, row) in batch.rows.iter().enumerate() {
        faults.extend(counts(row));
        faults.extend(spend_for_nothing(batch, context, index, row));
        faults.extend(place(batch, context, index, row));
        faults.extend(future(context, row));
        faults.extend(restated(batch, index, row));
        for (rule, values, detail) in faults.drain(..) {
            findings.add(index, rule, values, &Arc::from(detail));
        }
    }
}

fn counts(row: &Row<'_>) -> Option<Fault> {
    let is_possible = row.clicks >= 0 && row.clicks <= row.impressions;
    (!is_possible).then(|| {
        let above = row.clicks.saturating_sub(row.impressions);
        let detail = format!("{} clicks of {} impressions", row.clicks, row.impressions);
        (Rule::ClicksAboveImpressions, (above as f64, 0.0), detail)
    })
}

fn spend_for_nothing(
    batch: &Batch<'_, '_>,
    context: &Context<'_>,
    index: usize,
    row: &Row<'_>,
) -> Option<Fault> {
    if row.impressions > 0 || row.spend <= Micros::ZERO {
        return None;
    }
    let pays_impressions = || {
        let (placement, _) = batch.places.get(index)?.placement?;
        let prices = &batch.placements.get(placement)?.facts?.prices;
        let mut prices = prices.within(row.time, context.row_period);
        Some(prices.all(|price| price.model == Model::Cpm))
    };
    let is_impossible = row.clicks <= 0 || pays_impressions().unwrap_or(false);
    is_impossible.then(|| {
        let spend = row.spend.get();
        let detail = format!(
            "{spend} millionths for {} clicks, no impressions",
            row.clicks
        );
        (Rule::SpendWithoutImpressions, (spend as f64, 0.0), detail)
    })
}

fn place(
    batch: &Batch<'_, '_>,
    context: &Context<'_>,
    index: usize,
    row: &Row<'_>,
) -> Option<Fault> {
    let place = batch.places.get(index)?;
    let plan = batch.plans.get(place.plan)?;
    let has_supply = plan.facts.is_some_and(|plan| plan.has_supply);
    let not_allotted = |detail: String| Some((Rule::NotAllotted, (0.0, 1.0), detail));
    let Some((placement, pair)) = place.placement else {
        return has_supply
            .then(|| not_allotted("the plan has supply, and the row names no placement".to_owned()))
            .flatten();
    };
    let placement = batch.placements.get(placement)?;
    if !placement.facts.is_some_and(|placement| placement.is_own) {
        let why = match placement.facts {
            Some(_) => "belongs to another network",
            None => "is unknown",
        };
        let detail = format!("placement {} {why}", placement.name);
        return Some((Rule::ForeignPlacement, (0.0, 1.0), detail));
    }
    let windows = batch.allotments.get(pair).copied().flatten();
    let is_allotted = windows
        .is_some_and(|windows| windows.meet(row.time, context.row_period, context.allotment_grace));
    if !has_supply || is_allotted {
        return None;
    }
    not_allotted(format!(
        "placement {} had no allotment of plan {} at {}",
        placement.name, row.plan, row.time
    ))
}

fn future(context: &Context<'_>, row: &Row<'_>) -> Option<Fault> {
    let ahead = row.time - context.now;
    (ahead > TimeDelta::seconds(FUTURE_SKEW_S)).then(|| {
        let ahead_s = ahead.num_seconds();
        let detail = format!("{} is {ahead_s} s in the future", row.time);
        let values = (ahead_s as f64, FUTURE_SKEW_S as f64);
        (Rule::FutureDate, values, detail)
    })
}

fn restated(batch: &Batch<'_, '_>, index: usize, row: &Row<'_>) -> Option<Fault> {
    let earlier = batch.earlier.get(index).copied().flatten()?;
    let plan = batch.plans.get(batch.places.get(index)?.plan)?.facts?;
    if !plan.is_settled || row.revision <= earlier.revision {
        return None;
    }
    let (what, by) = lowered(earlier, row)?;
    let detail = format!(
        "revision {} lowers {what} of revision {} by {by}",
        row.revision, earlier.revision
    );
    Some((Rule::RestatedAfterSettlement, (by as f64, 0.0), detail))
}

/// What a restatement lowers, and by how much: money first.
fn lowered(earlier: &Earlier, row: &Row<'_>) -> Option<(&'static str, i64)> {
    [
        ("the spend", earlier.spend.get(), row.spend.get()),
        ("the revenue", earlier.revenue.get(), row.revenue.get()),
        ("the impressions", earlier.impressions, row.impressions),
        ("the clicks", earlier.clicks, row.clicks),
    ]
    .into_iter()
    .map(|(what, before, after)| (what, before.saturating_sub(after)))
    .find(|(_, by)| *by > 0)
}
