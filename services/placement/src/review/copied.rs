//! Days that repeat another day of the same subject, row by row.
//!
//! A placement is looked at twice. Over all plans, a copy is found whatever plans it was spread
//! over, if the placement has few plans; plan by plan, a copy is found among many plans.

use std::collections::HashSet;
use std::sync::Arc;

use chrono::NaiveDate;

use super::batch::{Batch, Group};
use super::findings::{Findings, Statistics, Subject};
use super::history::{Rhythm, Shape, per};
use super::rule::{COPIED_CONTENTS, COPIED_ROWS, COPIED_TAIL, Rule};
use super::tail;

/// The least chance that two days have a row in common: traffic is not quite random.
const LEAST_CHANCE: f64 = 0.01;

pub(super) fn check<'a>(
    batch: &Batch<'_, 'a>,
    statistics: &mut [Statistics<'a>],
    findings: &mut Findings,
) {
    let none = Rhythm::default();
    for (group, statistics) in batch.groups.iter().zip(statistics) {
        let rhythm = group.history.map_or(&none, |history| &history.rhythm);
        if batch.is_sum_of_placements(group) {
            continue;
        }
        let mut shaped = shapes(batch, group);
        if shaped.is_empty() {
            continue;
        }
        shaped.sort_unstable_by_key(|shaped| (shaped.key, shaped.shape, shaped.row));
        let mut most = compare(&shaped, rhythm, false, findings);
        if matches!(group.subject, Subject::Placement(_)) {
            shaped.sort_by_key(|shaped| shaped.shape.plan);
            for of_plan in shaped.chunk_by(|a, b| a.shape.plan == b.shape.plan) {
                most = most.max(compare(of_plan, rhythm, true, findings));
            }
        }
        statistics.copied_rows = Some(most);
    }
}

/// A row of the batch.
#[derive(Clone, Copy)]
struct Shaped {
    key: u64,
    shape: Shape,
    row: usize,
    impressions: i64,
}

fn shapes(batch: &Batch<'_, '_>, group: &Group<'_, '_>) -> Vec<Shaped> {
    let shaped = |(row, of_row): (usize, &super::Row<'_>)| {
        let (plan, _) = batch.hashes(row)?;
        let shape = Shape::with_plan(plan, of_row.time, of_row.tally(), of_row.spend)?;
        Some(Shaped {
            key: shape.key(),
            shape,
            row,
            impressions: of_row.impressions,
        })
    };
    batch.rows_of(group).filter_map(shaped).collect()
}

/// A row of the batch that another day has too.
struct Match {
    day: NaiveDate,
    other: NaiveDate,
    content: u64,
    row: usize,
}

/// Compares the days of the batch with those of the history and with earlier ones of the batch.
/// `rows` is in the order of keys. Answers the most rows in common.
fn compare(rows: &[Shaped], rhythm: &Rhythm, of_one_plan: bool, findings: &mut Findings) -> usize {
    let mut matches: Vec<Match> = Vec::new();
    for same_key in rows.chunk_by(|a, b| a.key == b.key) {
        for shaped in same_key {
            let known = rhythm.with_key(shaped.key).filter(|known| {
                known.date != shaped.shape.date && (!of_one_plan || known.plan == shaped.shape.plan)
            });
            let earlier = same_key.iter().map(|other| &other.shape);
            let earlier = earlier.filter(|other| other.date < shaped.shape.date);
            matches.extend(known.chain(earlier).map(|other| Match {
                day: shaped.shape.date,
                other: other.date,
                content: shaped.shape.content,
                row: shaped.row,
            }));
        }
    }
    matches.sort_unstable_by_key(|found| (found.day, found.other, found.row));
    matches.dedup_by_key(|found| (found.day, found.other, found.row));
    let pairs = matches.chunk_by(|a, b| (a.day, a.other) == (b.day, b.other));
    let days = pairs.clone().count() as f64;
    let plan = rows
        .first()
        .map(|shaped| shaped.shape.plan)
        .filter(|_| of_one_plan);
    let mut most = 0;
    for pair in pairs {
        let Some((day, other)) = pair.first().map(|found| (found.day, found.other)) else {
            continue;
        };
        let common = Common::new(rows, rhythm, plan, pair, (day, other));
        most = most.max(common.rows);
        let probability = days * common.probability();
        if common.is_enough() && probability < COPIED_TAIL {
            let detail = Arc::from(format!(
                "{} of {} rows of {day} are those of {other}",
                common.rows, common.of
            ));
            for found in pair {
                findings.add(
                    found.row,
                    Rule::CopiedDay,
                    (probability, COPIED_TAIL),
                    &detail,
                );
            }
        }
    }
    most
}

/// What two days have in common, those rows of the day included that earlier imports brought.
struct Common {
    rows: usize,
    contents: usize,
    /// Rows of the day.
    of: usize,
    /// Chance that an honest row is one of the other day's.
    chance: f64,
}

impl Common {
    fn new(
        rows: &[Shaped],
        rhythm: &Rhythm,
        plan: Option<u64>,
        pair: &[Match],
        (day, other): (NaiveDate, NaiveDate),
    ) -> Self {
        let mut contents: HashSet<u64> = pair.iter().map(|found| found.content).collect();
        let of_day = rows.iter().filter(|shaped| shaped.shape.date == day);
        let mut seconds: Vec<u32> = of_day.clone().map(|shaped| shaped.shape.second).collect();
        let (mut common, mut of) = (pair.len(), seconds.len());
        // Two Poisson counts with a mean are equal with a chance of about 1 / √(4 π mean), and so
        // much twice for traffic that is more regular.
        let equal = |shaped: &Shaped| (std::f64::consts::PI * shaped.impressions as f64).sqrt();
        let chances: f64 = of_day.map(|shaped| 1.0 / equal(shaped)).sum();
        seconds.sort_unstable();
        let slots = seconds.chunk_by(|a, b| a == b).count();
        let rows_per_slot = per(of, slots).max(rhythm.rows_per_slot(plan.is_some()));
        let chance = (rows_per_slot * chances / of.max(1) as f64).clamp(LEAST_CHANCE, 1.0);
        let of_plan = |shape: &Shape| plan.is_none_or(|plan| plan == shape.plan);
        for (key, shape) in rhythm.all() {
            if shape.date != day || !of_plan(shape) {
                continue;
            }
            of = of.saturating_add(1);
            let mut known = rhythm.with_key(*key);
            if known.any(|known| known.date == other && of_plan(known)) {
                common = common.saturating_add(1);
                contents.insert(shape.content);
            }
        }
        Self {
            rows: common,
            contents: contents.len(),
            of,
            chance,
        }
    }

    fn is_enough(&self) -> bool {
        self.rows >= COPIED_ROWS && self.contents >= COPIED_CONTENTS
    }

    fn probability(&self) -> f64 {
        let count = |rows: usize| i64::try_from(rows).unwrap_or(i64::MAX);
        tail::binomial(count(self.rows), count(self.of), self.chance)
    }
}
