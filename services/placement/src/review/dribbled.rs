//! One report under many ids: split into equal rows of one minute, or sent twice.

use std::collections::HashSet;
use std::sync::Arc;

use super::batch::Batch;
use super::findings::{Findings, Statistics};
use super::history::{hash_of, mix};
use super::input::{Context, Row};
use super::rule::{
    COPIED_CONTENTS, COPIED_IMPRESSIONS, COPIED_ROWS, DRIBBLED_IMPRESSIONS, DRIBBLED_ROWS,
    DRIBBLED_SHARE, Rule, TWINS_SHARE,
};

/// What equal rows have in common: plan, placement, minute, counts and money. None for rows of
/// single impressions. The same in every process, so that callers may store it.
pub fn repeat_key(row: &Row<'_>) -> Option<u64> {
    is_comparable(row).then(|| {
        let slot = slot(row, hash_of(row.plan), row.placement.map(hash_of));
        content(row, slot)
    })
}

fn is_comparable(row: &Row<'_>) -> bool {
    row.impressions >= DRIBBLED_IMPRESSIONS
}

fn slot(row: &Row<'_>, plan: u64, placement: Option<u64>) -> u64 {
    let minute = row.time.timestamp().div_euclid(60).cast_unsigned();
    mix([plan, placement.unwrap_or(0), minute])
}

fn content(row: &Row<'_>, slot: u64) -> u64 {
    let counts = [row.impressions, row.clicks].map(i64::cast_unsigned);
    let money = [row.spend.get(), row.revenue.get()].map(i64::cast_unsigned);
    mix([slot, counts[0], counts[1], money[0], money[1]])
}

/// A row of the batch.
struct Keyed {
    slot: u64,
    key: u64,
    row: usize,
    /// Whether other rows are not equal to it by chance.
    is_distinct: bool,
    is_comparable: bool,
}

pub(super) fn check<'a>(
    batch: &Batch<'_, 'a>,
    context: &Context<'a>,
    statistics: &mut [Statistics<'a>],
    findings: &mut Findings,
) {
    for (group, statistics) in batch.groups.iter().zip(statistics) {
        if batch.is_sum_of_placements(group) {
            continue;
        }
        let keyed = |(index, row): (usize, &Row<'a>)| {
            let (plan, placement) = batch.hashes(index)?;
            let slot = slot(row, plan, placement);
            Some(Keyed {
                slot,
                key: content(row, slot),
                row: index,
                is_distinct: row.impressions >= COPIED_IMPRESSIONS,
                is_comparable: is_comparable(row),
            })
        };
        let mut rows: Vec<Keyed> = batch.rows_of(group).filter_map(keyed).collect();
        if !rows.iter().any(|row| row.is_comparable) {
            continue;
        }
        rows.sort_unstable_by_key(|row| (row.slot, row.key, row.row));
        split(&rows, context, findings);
        statistics.repeated_rows = twins(&rows, context, findings);
    }
}

/// Rows that earlier imports brought with a key.
fn known(context: &Context<'_>, key: u64) -> i64 {
    if context.repeats.is_empty() {
        return 0;
    }
    context.repeats.get(&key).copied().unwrap_or(0).max(0)
}

/// Reports that are split into equal rows of one minute.
fn split(rows: &[Keyed], context: &Context<'_>, findings: &mut Findings) {
    for of_slot in rows.chunk_by(|a, b| a.slot == b.slot) {
        for equal in of_slot.chunk_by(|a, b| a.key == b.key) {
            let Some(first) = equal.first().filter(|first| first.is_comparable) else {
                continue;
            };
            let known = known(context, first.key);
            let count = |rows: &[Keyed]| i64::try_from(rows.len()).unwrap_or(i64::MAX);
            let repeated = count(equal).saturating_add(known);
            let of_minute = count(of_slot).saturating_add(known) as f64;
            if repeated < DRIBBLED_ROWS || (repeated as f64) < DRIBBLED_SHARE * of_minute {
                continue;
            }
            let detail = Arc::from(format!("{repeated} equal rows of one minute"));
            let values = (repeated as f64, DRIBBLED_ROWS as f64);
            for row in equal {
                findings.add(row.row, Rule::DribbledReport, values, &detail);
            }
        }
    }
}

/// Subjects that report nearly everything under two ids. Answers the rows with an equal.
fn twins(rows: &[Keyed], context: &Context<'_>, findings: &mut Findings) -> usize {
    let mut repeated: Vec<&Keyed> = Vec::new();
    let (mut extra, mut distinct) = (0_usize, 0_usize);
    for equal in rows.chunk_by(|a, b| a.key == b.key) {
        let Some(first) = equal.first().filter(|first| first.is_distinct) else {
            continue;
        };
        distinct = distinct.saturating_add(equal.len());
        let is_known = known(context, first.key) > 0;
        if is_known || equal.len() > 1 {
            let first_of_its_kind = usize::from(!is_known);
            extra = extra.saturating_add(equal.len().saturating_sub(first_of_its_kind));
            repeated.extend(equal);
        }
    }
    let keys: HashSet<u64> = repeated.iter().map(|row| row.key).collect();
    let share = repeated.len() as f64 / distinct.max(1) as f64;
    if extra >= COPIED_ROWS && keys.len() >= COPIED_CONTENTS && share >= TWINS_SHARE {
        let detail = Arc::from(format!(
            "{} of {distinct} rows have an equal row under another id",
            repeated.len()
        ));
        let values = (repeated.len() as f64, TWINS_SHARE * distinct as f64);
        for row in &repeated {
            findings.add(row.row, Rule::DribbledReport, values, &detail);
        }
    }
    repeated.len()
}
