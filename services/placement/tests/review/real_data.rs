//! Real impressions: honest, so at most 0.5 % of their rows may be held.
//!
//! The files are not part of this repository. They are read from `ADFOLIO_IMPRESSIONS_CSV` and
//! from the folder `ADFOLIO_BANDIT_DATA`, or from `../shared/data` beside the checkout.

use std::collections::BTreeMap;
use std::path::PathBuf;

use adfolio_placement::review::{Context, Row};
use chrono::{DateTime, DurationRound, TimeDelta, Utc};

use crate::helpers::{context_of, held_lines, leak, numbered, row};
use crate::memory::Memory;

fn path(variable: &str, default: &str) -> PathBuf {
    let shared = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    std::env::var_os(variable).map_or_else(|| shared.join(default), PathBuf::from)
}

/// Single impressions, the items as placements; none without the file.
fn load(file: &PathBuf) -> Option<Vec<Row<'static>>> {
    let Ok(mut reader) = csv::Reader::from_path(file) else {
        println!("SKIPPED: needs the real impressions at {}", file.display());
        return None;
    };
    let rows = reader.records().enumerate().map(|(line, record)| {
        let record = record.unwrap();
        let time: DateTime<Utc> = record[0].parse().unwrap();
        let clicks = record[3].trim().parse().unwrap();
        row(line, leak(format!("p{}", &record[1])), time, 1, clicks)
    });
    Some(rows.collect())
}

/// Rows of so many minutes per placement.
fn summed(rows: &[Row<'static>], minutes: i64) -> Vec<Row<'static>> {
    let mut sums: BTreeMap<(DateTime<Utc>, &'static str), (i64, i64)> = BTreeMap::new();
    for row in rows {
        let start = row
            .time
            .duration_trunc(TimeDelta::minutes(minutes))
            .unwrap();
        let sum = sums.entry((start, row.placement.unwrap())).or_default();
        *sum = (sum.0 + row.impressions, sum.1 + row.clicks);
    }
    let sums = sums.into_iter();
    let rows = sums.map(|((time, placement), (impressions, clicks))| {
        row(0, placement, time, impressions, clicks)
    });
    numbered(rows.collect(), 0)
}

/// The item becomes the plan: rows as networks without placements report them.
fn without_placements(rows: &[Row<'static>]) -> Vec<Row<'static>> {
    let rows = rows.iter().map(|row| Row {
        plan: row.placement.unwrap(),
        placement: None,
        ..*row
    });
    rows.collect()
}

fn held(rows: &[Row<'static>], context: &Context<'static>, batch: usize) -> usize {
    let mut memory = Memory::default();
    let reviews = rows
        .chunks(batch)
        .map(|batch| memory.import(batch, context));
    reviews
        .map(|review| {
            for finding in review.findings.iter().take(1) {
                println!(
                    "  {} {} {:.5}",
                    finding.rule.name(),
                    finding.detail,
                    finding.value
                );
            }
            held_lines(&review).len()
        })
        .sum()
}

#[test]
fn real_impressions_are_left_alone() {
    let bandit = path("ADFOLIO_BANDIT_DATA", "bandit");
    let files = [
        path("ADFOLIO_IMPRESSIONS_CSV", "impressions.csv"),
        bandit.join("bts-men.csv"),
        bandit.join("random-men.csv"),
    ];
    let mut failed = false;
    let names: Vec<&str> = (0..34).map(|item| leak(format!("p{item}"))).collect();
    let context = context_of(&names);
    for file in files {
        let Some(singles) = load(&file) else {
            continue;
        };
        let plans = without_placements(&singles);
        let (quarters, hours) = (summed(&singles, 15), summed(&singles, 60));
        let days = summed(&singles, 1_440);
        let plan_hours = without_placements(&hours);
        for (variant, rows) in [
            ("single impressions", singles),
            ("15 minutes", quarters),
            ("hours", hours),
            ("days", days),
            ("single impressions by plan", plans),
            ("hours by plan", plan_hours),
        ] {
            for batch in [100, 1_000, usize::MAX] {
                let held = held(&rows, &context, batch);
                let name = file.file_name().unwrap().display();
                println!(
                    "{name}, {variant}, {batch} a batch: {held} of {} held",
                    rows.len()
                );
                failed |= held * 200 > rows.len();
            }
        }
    }
    assert!(!failed, "more than 0.5 % of the rows of a variant are held");
}
