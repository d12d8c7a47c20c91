//! Honest networks of every habit: at most 0.5 % of their rows are held.

use adfolio_placement::review::{Context, Row};
use chrono::TimeDelta;
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use rand_distr::{Distribution, Gamma};

use super::helpers::{context_of, day, held_lines, honest_day, leak, numbered, row};
use super::memory::Memory;

const PLACEMENTS: usize = 34;
const DAYS: u64 = 6;

/// How a network reports.
#[derive(Clone, Copy, Debug)]
enum Habit {
    Hourly,
    Quarterly,
    Daily,
    Singles,
    /// By the hour, without placements, for many plans.
    Plans,
    /// By the hour, a row per placement and plan.
    PlansOnPlacements,
}

/// Rows of a network's week, in the order of time.
fn week(random: &mut StdRng, habit: Habit, names: &[&'static str]) -> Vec<Row<'static>> {
    // Peers differ: by a third of the rate, and by orders of magnitude in traffic.
    let rates = Gamma::new(9.0, 0.004 / 9.0).unwrap();
    let traffic: Vec<(f64, f64)> = names
        .iter()
        .map(|_| {
            (
                10_f64.powf(random.random_range(1.5..4.0)),
                rates.sample(random),
            )
        })
        .collect();
    let mut rows = Vec::new();
    for before in (1..=DAYS).rev() {
        for (name, (impressions, rate)) in names.iter().zip(&traffic) {
            let per_hour = if matches!(habit, Habit::Quarterly) {
                4
            } else {
                1
            };
            let of_day = honest_day(random, name, day(before), per_hour, (*impressions, *rate));
            match habit {
                Habit::Hourly | Habit::Quarterly => rows.extend(of_day),
                Habit::Daily => {
                    let impressions = of_day.iter().map(|row| row.impressions).sum();
                    let clicks = of_day.iter().map(|row| row.clicks).sum();
                    rows.push(row(0, name, day(before), impressions, clicks));
                }
                Habit::Singles => {
                    let of_day = of_day.into_iter().filter(|_| *impressions < 1_000.0);
                    rows.extend(of_day.flat_map(|row| singles(random, &row)));
                }
                Habit::Plans => rows.extend(of_day.into_iter().map(|row| Row {
                    plan: name,
                    placement: None,
                    ..row
                })),
                Habit::PlansOnPlacements => {
                    rows.extend(of_day.into_iter().enumerate().map(|(index, row)| Row {
                        plan: names[index % 5],
                        ..row
                    }));
                }
            }
        }
    }
    rows.sort_by_key(|row| row.time);
    numbered(rows, 0)
}

fn singles(random: &mut StdRng, of_hour: &Row<'static>) -> Vec<Row<'static>> {
    let one = |index: i64| {
        let time = of_hour.time + TimeDelta::microseconds(random.random_range(0..3_600_000_000));
        let clicks = i64::from(index < of_hour.clicks);
        row(0, of_hour.placement.unwrap(), time, 1, clicks)
    };
    (0..of_hour.impressions).map(one).collect()
}

/// Rows, and those held.
fn import(rows: &[Row<'static>], context: &Context<'static>) -> (usize, usize) {
    let mut memory = Memory::default();
    let mut held = 0;
    for batch in rows.chunks(1_000) {
        let review = memory.import(batch, context);
        for finding in review.findings.iter().take(1) {
            println!("  {} {}", finding.rule.name(), finding.detail);
        }
        held += held_lines(&review).len();
    }
    (rows.len(), held)
}

#[test]
fn honest_networks_are_left_alone() {
    let names: Vec<&str> = (0..PLACEMENTS)
        .map(|index| leak(format!("p{index}")))
        .collect();
    let context = context_of(&names);
    for habit in [
        Habit::Hourly,
        Habit::Quarterly,
        Habit::Daily,
        Habit::Singles,
        Habit::Plans,
        Habit::PlansOnPlacements,
    ] {
        let (mut rows, mut held) = (0, 0);
        for seed in 0..12 {
            let mut random = StdRng::seed_from_u64(seed);
            let (of_week, held_of_week) = import(&week(&mut random, habit, &names), &context);
            rows += of_week;
            held += held_of_week;
        }
        let share = held as f64 / rows as f64;
        println!(
            "{habit:?}: {held} of {rows} rows held, {:.3} %",
            100.0 * share
        );
        assert!(share <= 0.005, "{habit:?}: {share}");
    }
}
