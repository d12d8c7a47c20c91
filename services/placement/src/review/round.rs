//! Subjects whose impressions are round more often than chance makes them.

use std::sync::Arc;

use super::batch::Batch;
use super::findings::{Findings, Statistics};
use super::rule::{ROUND_IMPRESSIONS, ROUND_ROWS, ROUND_SHARE, ROUND_TAIL, Rule};
use super::tail;

/// A divisor, and the chance that a row's impressions are its multiple. Higher than one in so many:
/// rows of about a hundred impressions meet a hundred once in 25.
const DIVISORS: [(i64, f64); 2] = [(100, 0.04), (10, 0.12)];

pub(super) fn check<'a>(
    batch: &Batch<'_, 'a>,
    statistics: &mut [Statistics<'a>],
    findings: &mut Findings,
) {
    for (group, statistics) in batch.groups.iter().zip(statistics) {
        let history = group.history;
        let mut roundness = history.map(|history| history.roundness).unwrap_or_default();
        for (_, row) in batch.rows_of(group) {
            roundness.count(row.impressions);
        }
        statistics.roundness = roundness;
        if roundness.rows < ROUND_ROWS {
            continue;
        }
        for (divisor, chance) in DIVISORS {
            let round = if divisor == 100 {
                roundness.hundreds
            } else {
                roundness.tens
            };
            if (round as f64) < ROUND_SHARE * roundness.rows as f64 {
                continue;
            }
            let probability = tail::binomial(round, roundness.rows, chance);
            if probability >= ROUND_TAIL {
                continue;
            }
            let detail = Arc::from(format!(
                "{round} of {} rows have multiples of {divisor} impressions",
                roundness.rows
            ));
            for (index, row) in batch.rows_of(group) {
                if row.impressions >= ROUND_IMPRESSIONS && row.impressions % divisor == 0 {
                    findings.add(
                        index,
                        Rule::RoundNumbers,
                        (probability, ROUND_TAIL),
                        &detail,
                    );
                }
            }
        }
    }
}
