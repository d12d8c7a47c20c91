//! Days and reports that are sent again: as another day, under other ids, in parts.

use adfolio_placement::review::{History, Rhythm, Row, Rule, Shape, repeat_key, review};
use chrono::TimeDelta;
use rand::SeedableRng;
use rand::rngs::StdRng;

use super::helpers::{PLACEMENT, context, day, held, honest_day, leak, numbered, poisson, row};
use super::patterns::{hours, singles, with_history};

fn copy_of(day_rows: &[Row<'static>], days: i64) -> Vec<Row<'static>> {
    let copied = day_rows.iter().map(|row| Row {
        time: row.time + TimeDelta::days(days),
        ..*row
    });
    copied.collect()
}

fn random_day(seed: u64, impressions: f64) -> Vec<Row<'static>> {
    let mut random = StdRng::seed_from_u64(seed);
    honest_day(&mut random, PLACEMENT, day(5), 1, (impressions, 0.003))
}

#[test]
fn a_copied_day_is_held_in_a_batch_and_against_history() {
    let first = random_day(1, 5_000.0);
    let copy = copy_of(&first, 1);
    let both = numbered([first.clone(), copy.clone()].concat(), 0);
    let found = review(&both, &context());
    assert_eq!(
        held(&found, Rule::CopiedDay),
        (24..48).collect::<Vec<u64>>()
    );

    let history = History {
        rhythm: Rhythm::new(first.iter().filter_map(Shape::of)),
        ..History::default()
    };
    let found = review(&numbered(copy.clone(), 0), &with_history(history));
    assert_eq!(held(&found, Rule::CopiedDay).len(), 24);

    // Hour by hour: the day's own earlier rows are in the history.
    let known = first
        .iter()
        .chain(copy.iter().take(12))
        .filter_map(Shape::of);
    let history = History {
        rhythm: Rhythm::new(known),
        ..History::default()
    };
    let found = review(&numbered(copy[12..13].to_vec(), 0), &with_history(history));
    assert_eq!(held(&found, Rule::CopiedDay).len(), 1);
}

#[test]
fn a_copy_is_found_under_other_plans_and_among_many() {
    let first = random_day(1, 5_000.0);
    let mut copy = copy_of(&first, 1);
    for (index, row) in copy.iter_mut().enumerate() {
        row.plan = leak(format!("AD{}", 1 + index % 4));
    }
    let both = numbered([first.clone(), copy].concat(), 0);
    assert_eq!(held(&review(&both, &context()), Rule::CopiedDay).len(), 24);

    let mut rows = [first.clone(), copy_of(&first, 1)].concat();
    for plan in 2..40 {
        for days in 0..2 {
            let other = copy_of(&random_day(100 * plan + days, 5_000.0), days as i64);
            rows.extend(other.into_iter().map(|row| Row {
                plan: leak(format!("AD{plan}")),
                ..row
            }));
        }
    }
    let found = review(&numbered(rows, 0), &context());
    assert_eq!(
        held(&found, Rule::CopiedDay),
        (24..48).collect::<Vec<u64>>()
    );
}

#[test]
fn days_that_are_alike_are_no_copies() {
    let two = |first: Vec<Row<'static>>, days: i64| {
        let copy = copy_of(&first, days);
        numbered([first, copy].concat(), 0)
    };
    // A placement at its cap; single impressions; a few rows.
    let capped = two(hours(|_| 137, 24), 1);
    let singles = two(singles(500, 0), 1);
    let few = two(random_day(3, 5_000.0)[..7].to_vec(), 1);
    for rows in [capped, singles, few] {
        assert_eq!(
            held(&review(&rows, &context()), Rule::CopiedDay),
            Vec::<u64>::new()
        );
    }
}

fn split(rows: usize, impressions: i64) -> Vec<Row<'static>> {
    let part = |line: usize| {
        row(
            line,
            PLACEMENT,
            day(1) + TimeDelta::hours(9),
            impressions,
            0,
        )
    };
    (0..rows).map(part).collect()
}

#[test]
fn a_report_split_over_ids_is_held() {
    assert_eq!(
        held(&review(&split(6, 40), &context()), Rule::DribbledReport).len(),
        6
    );
    assert_eq!(
        held(&review(&split(5, 40), &context()), Rule::DribbledReport).len(),
        0
    );
    // A log of single impressions.
    assert_eq!(
        held(&review(&split(500, 1), &context()), Rule::DribbledReport).len(),
        0
    );
    let mut context = context();
    let part = split(1, 40);
    context.repeats.insert(repeat_key(&part[0]).unwrap(), 5);
    assert_eq!(
        held(&review(&part, &context), Rule::DribbledReport).len(),
        1
    );
}

#[test]
fn rows_by_country_are_no_split_report() {
    let mut random = StdRng::seed_from_u64(5);
    let rows: Vec<Row<'_>> = (0..24 * 40)
        .filter_map(|line| {
            let time = day(1) + TimeDelta::hours(line as i64 / 40);
            let impressions = poisson(&mut random, 40.0 / (line % 40 + 1) as f64);
            (impressions > 0).then(|| row(line, PLACEMENT, time, impressions, 0))
        })
        .collect();
    assert_eq!(
        held(&review(&rows, &context()), Rule::DribbledReport),
        Vec::<u64>::new()
    );
}

#[test]
fn a_file_sent_again_under_new_ids_is_held() {
    let rows = random_day(1, 5_000.0);
    let twice = numbered([rows.clone(), rows.clone()].concat(), 0);
    assert_eq!(
        held(&review(&twice, &context()), Rule::DribbledReport).len(),
        48
    );
    let mut context = context();
    for row in &rows {
        context.repeats.insert(repeat_key(row).unwrap(), 1);
    }
    let again = numbered(rows.clone(), 500);
    assert_eq!(
        held(&review(&again, &context), Rule::DribbledReport).len(),
        24
    );
}

#[test]
fn a_file_sent_again_under_its_ids_is_no_pattern() {
    let rows = numbered(random_day(1, 5_000.0), 0);
    let mut again = [rows.clone(), rows.clone(), rows].concat();
    for (line, row) in again.iter_mut().enumerate() {
        row.line = line as u64;
    }
    assert_eq!(review(&again, &context()).findings, []);
}
