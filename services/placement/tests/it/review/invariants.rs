//! What holds for any rows.

use adfolio_money::Micros;
use adfolio_placement::review::{Finding, Row, review};
use chrono::TimeDelta;
use proptest::prelude::*;
use rand::SeedableRng;
use rand::rngs::StdRng;

use super::helpers::{
    context, context_of, day, held_lines, honest_day, leak, numbered, poisson, row,
};
use super::memory::Memory;

fn any_row() -> impl Strategy<Value = Row<'static>> {
    let counts = prop_oneof![0_i64..3, 0_i64..2_000, Just(i64::MAX), Just(i64::MIN)];
    let money = prop_oneof![0_i64..10_000_000, any::<i64>()];
    let time_s = prop_oneof![
        -300_000_i64..300_000,
        -8_000_000_000_000_i64..8_000_000_000_000
    ];
    let names = (0_usize..3, 0_usize..4, 0_usize..60);
    (
        names,
        counts.clone(),
        counts,
        money.clone(),
        money,
        time_s,
        any::<bool>(),
    )
        .prop_map(
            |((plan, placement, id), impressions, clicks, spend, revenue, time_s, is_estimated)| {
                Row {
                    line: 0,
                    report_id: leak(format!("r{id}")),
                    revision: clicks % 3,
                    plan: ["AD1", "AD2", "AD3"][plan],
                    placement: [None, Some("p0"), Some("p1"), Some("p2")][placement],
                    time: day(1) + TimeDelta::seconds(time_s),
                    impressions,
                    clicks,
                    spend: Micros::new(spend),
                    revenue: Micros::new(revenue),
                    is_estimated,
                }
            },
        )
}

/// Findings without their order; those of one pattern may differ in their last digits.
fn sorted(findings: &[Finding]) -> Vec<(u64, &'static str)> {
    let mut found: Vec<(u64, &'static str)> = findings
        .iter()
        .map(|finding| (finding.line, finding.rule.name()))
        .collect();
    found.sort_unstable();
    found
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn findings_name_given_lines_once(mut rows in prop::collection::vec(any_row(), 0..80)) {
        for (line, row) in rows.iter_mut().enumerate() {
            row.line = 7 + line as u64;
        }
        let found = review(&rows, &context());
        let names = sorted(&found.findings);
        let mut once = names.clone();
        once.dedup();
        prop_assert_eq!(&names, &once);
        prop_assert!(found.findings.iter().all(|finding| (7..7 + rows.len() as u64).contains(&finding.line)));
        let lines: Vec<u64> = found.findings.iter().map(|finding| finding.line).collect();
        prop_assert!(lines.is_sorted());
        prop_assert!(found.findings.iter().all(|finding| !finding.value.is_nan()));
        prop_assert_eq!(review(&rows, &context()).findings, found.findings);
    }

    #[test]
    fn the_order_of_rows_does_not_matter(
        mut rows in prop::collection::vec(any_row(), 0..80),
        first in 0_usize..80,
    ) {
        for (line, row) in rows.iter_mut().enumerate() {
            row.line = line as u64;
            row.report_id = leak(format!("r{line}"));
        }
        let before = review(&rows, &context());
        let middle = first.min(rows.len());
        rows.rotate_left(middle);
        rows.reverse();
        prop_assert_eq!(sorted(&review(&rows, &context()).findings), sorted(&before.findings));
    }
}

/// 34 placements whose rates are those of the peers, over many seeds, with and without history.
#[test]
fn rows_drawn_from_the_peers_rates_are_left_alone() {
    let names: Vec<&str> = (0..34).map(|index| leak(format!("p{index}"))).collect();
    let context = context_of(&names);
    let (mut rows, mut held, mut batches) = (0, 0, 0);
    for seed in 0..300 {
        let mut random = StdRng::seed_from_u64(seed);
        let mut memory = Memory::default();
        for before in (1..3).rev() {
            let mut of_day = Vec::new();
            for (index, name) in names.iter().enumerate() {
                let traffic = (50.0 + 60.0 * index as f64, 0.004);
                of_day.extend(honest_day(&mut random, name, day(before), 1, traffic));
            }
            let of_day = numbered(of_day, 10_000 * before as usize);
            let review = memory.import(&of_day, &context);
            rows += of_day.len();
            held += held_lines(&review).len();
            batches += 1;
        }
        let single = |line: usize| {
            let clicks = poisson(&mut random, 0.004).min(1);
            let time = day(0) + TimeDelta::microseconds(43_001_017 * line as i64);
            row(line, names[line * 7 % 34], time, 1, clicks)
        };
        let singles: Vec<Row<'_>> = (0..1_000).map(single).collect();
        rows += singles.len();
        held += held_lines(&memory.import(&singles, &context)).len();
        batches += 1;
    }
    let share = held as f64 / rows as f64;
    println!(
        "{held} of {rows} honest rows held in {batches} batches: {:.4} %",
        100.0 * share
    );
    assert!(share <= 0.005, "{share}");
}
