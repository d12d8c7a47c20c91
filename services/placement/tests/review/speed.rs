//! How long a review of a thousand rows takes. Printed, not asserted: machines differ.

use std::time::Instant;

use adfolio_placement::review::{Context, Row, review};
use chrono::TimeDelta;
use rand::SeedableRng;
use rand::rngs::StdRng;

use crate::helpers::{context_of, day, honest_day, leak, numbered, row};
use crate::memory::Memory;

fn time(what: &str, rows: &[Row<'static>], context: &Context<'static>) {
    const RUNS: u32 = 200;
    let mut best = f64::MAX;
    let start = Instant::now();
    let mut findings = 0;
    for _ in 0..RUNS {
        let run = Instant::now();
        findings = review(rows, context).findings.len();
        best = best.min(run.elapsed().as_secs_f64());
    }
    let mean = start.elapsed().as_secs_f64() / f64::from(RUNS);
    let (mean_us, best_us) = (mean * 1e6, best * 1e6);
    println!(
        "{what}, {} rows: {mean_us:.0} µs, best {best_us:.0} µs, {findings} found",
        rows.len()
    );
}

#[test]
fn a_thousand_rows() {
    let names: Vec<&str> = (0..34).map(|index| leak(format!("p{index}"))).collect();
    let empty = context_of(&names);
    let mut random = StdRng::seed_from_u64(1);
    let mut memory = Memory::default();
    for before in (2..16).rev() {
        let mut rows = Vec::new();
        for name in &names {
            rows.extend(honest_day(
                &mut random,
                name,
                day(before),
                4,
                (5_000.0, 0.003),
            ));
        }
        memory.import(&numbered(rows, 10_000 * before as usize), &empty);
    }
    let mut hours = Vec::new();
    let mut singles = Vec::new();
    for index in 0..1_000 {
        let name = names[index * 7 % 34];
        let time = day(1) + TimeDelta::microseconds(41_000_123 * index as i64);
        singles.push(row(index, name, time, 1, i64::from(index % 300 == 0)));
    }
    for name in &names {
        hours.extend(honest_day(&mut random, name, day(1), 2, (5_000.0, 0.003)));
    }
    hours.truncate(1_000);
    let hours = numbered(hours, 0);
    let fraud: Vec<Row<'_>> = singles
        .iter()
        .map(|row| Row { clicks: 1, ..*row })
        .collect();
    for (history, memory) in [("no history", &Memory::default()), ("two weeks", &memory)] {
        time(
            &format!("single impressions, {history}"),
            &singles,
            &memory.context(&singles, &empty),
        );
        time(
            &format!("half hours, {history}"),
            &hours,
            &memory.context(&hours, &empty),
        );
        time(
            &format!("only clicks, {history}"),
            &fraud,
            &memory.context(&fraud, &empty),
        );
    }
}
