//! Clicks that crowd into a minute although impressions do not: a scan over windows of 60 seconds.

use std::sync::Arc;

use super::batch::{Batch, Group};
use super::findings::{Findings, Statistics};
use super::input::Row;
use super::rule::{BURST_CLICKS, BURST_RATIO, BURST_TAIL, Rule};
use super::tail;

/// Length of a window, in milliseconds.
const WINDOW_MS: i64 = 60_000;

pub(super) fn check<'a>(
    batch: &Batch<'_, 'a>,
    statistics: &mut [Statistics<'a>],
    findings: &mut Findings,
) {
    for (group, statistics) in batch.groups.iter().zip(statistics) {
        if group.tally.clicks >= BURST_CLICKS {
            statistics.busiest_minute_clicks = Some(scan(batch, group, findings));
        }
    }
}

/// A row in the order of time.
struct Timed {
    time_ms: i64,
    row: usize,
    impressions: i64,
    clicks: i64,
}

/// Reports the windows with too many clicks; answers the most clicks of one.
fn scan(batch: &Batch<'_, '_>, group: &Group<'_, '_>, findings: &mut Findings) -> i64 {
    let timed = |(row, of_row): (usize, &Row<'_>)| Timed {
        time_ms: of_row.time.timestamp_millis(),
        row,
        impressions: of_row.impressions,
        clicks: of_row.clicks,
    };
    let mut rows: Vec<Timed> = batch.rows_of(group).map(timed).collect();
    rows.sort_unstable_by_key(|row| (row.time_ms, row.row));
    let recent = group
        .history
        .map(|history| history.recent)
        .unwrap_or_default();
    let all = group.tally.plus(recent);
    let (mut end, mut impressions, mut clicks, mut most) = (0_usize, 0_i64, 0_i64, 0_i64);
    for (start, first) in rows.iter().enumerate() {
        while let Some(next) = rows.get(end) {
            if next.time_ms.saturating_sub(first.time_ms) >= WINDOW_MS {
                break;
            }
            impressions = impressions.saturating_add(next.impressions);
            clicks = clicks.saturating_add(next.clicks);
            end = end.saturating_add(1);
        }
        most = most.max(clicks);
        // A window that starts with rows without clicks is no better than the next one.
        if first.clicks > 0 && clicks >= BURST_CLICKS {
            let share = impressions as f64 / all.impressions as f64;
            let explained = share * all.clicks as f64;
            let crowded = clicks as f64 >= BURST_RATIO * explained;
            let windows = rows.len() as f64;
            let probability = if crowded {
                windows * tail::binomial(clicks, all.clicks, share)
            } else {
                1.0
            };
            if probability < BURST_TAIL {
                let detail = Arc::from(format!(
                    "{clicks} of {} clicks in 60 s with {impressions} of {} impressions",
                    all.clicks, all.impressions
                ));
                for row in rows.iter().take(end).skip(start) {
                    findings.add(
                        row.row,
                        Rule::ClickBurst,
                        (probability, BURST_TAIL),
                        &detail,
                    );
                }
            }
        }
        impressions = impressions.saturating_sub(first.impressions);
        clicks = clicks.saturating_sub(first.clicks);
    }
    most
}
