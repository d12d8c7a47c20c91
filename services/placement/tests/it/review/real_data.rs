//! Real impressions: honest, so at most 0.5 % of their rows may be held.

use std::collections::BTreeMap;

use adfolio_placement::review::{Context, Row};
use chrono::{DateTime, DurationRound, TimeDelta, Utc};

use super::helpers::{context_of, held_lines, leak, numbered, row};
use super::memory::Memory;
use crate::bandit;

/// Single impressions, the items as placements.
fn read(csv: &str) -> Vec<Row<'static>> {
    let mut reader = csv::Reader::from_reader(csv.as_bytes());
    let rows = reader.records().enumerate().map(|(line, record)| {
        let record = record.unwrap();
        let clicks = record[3].trim().parse().unwrap();
        let placement = leak(format!("p{}", &record[1]));
        row(line, placement, bandit::time(&record[0]), 1, clicks)
    });
    rows.collect()
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
    let files = [
        ("impressions", bandit::impressions()),
        ("bts-men", bandit::read("bts-men.csv")),
        ("random-men", bandit::read("random-men.csv")),
    ];
    let mut failed = false;
    let names: Vec<&str> = (0..34).map(|item| leak(format!("p{item}"))).collect();
    let context = context_of(&names);
    for (name, file) in files {
        let Some(file) = file else { continue };
        let singles = read(&file);
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
