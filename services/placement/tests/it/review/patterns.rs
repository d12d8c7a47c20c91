//! Rules on patterns: each fires, and is silent below its sample and on honest rows like it.

use adfolio_placement::review::{Context, History, Roundness, Row, Rule, Tally, review};
use chrono::TimeDelta;

use super::helpers::{PLACEMENT, context, context_of, day, held, leak, peers, row};

pub fn with_history(history: History) -> Context<'static> {
    let mut context = context();
    context.placements.get_mut(PLACEMENT).unwrap().history = history;
    context
}

/// So many single impressions, a minute apart, of which the first are clicked.
pub fn singles(impressions: usize, clicks: usize) -> Vec<Row<'static>> {
    (0..impressions)
        .map(|line| {
            let time = day(1) + TimeDelta::minutes(line as i64);
            row(line, PLACEMENT, time, 1, i64::from(line < clicks))
        })
        .collect()
}

#[test]
fn a_click_rate_above_history_and_peers_is_held() {
    let found = review(&singles(300, 10), &context());
    assert_eq!(held(&found, Rule::ClickRate).len(), 300);
    let figures = &found.subjects[0];
    assert!(figures.click_probability.unwrap() < 5e-4);
    assert!(figures.expected_click_rate.unwrap() < 0.004);
}

#[test]
fn a_click_rate_says_nothing_below_its_sample() {
    for (impressions, clicks) in [(49, 20), (300, 4), (300, 3), (1, 1)] {
        let found = review(&singles(impressions, clicks), &context());
        assert_eq!(
            held(&found, Rule::ClickRate),
            Vec::<u64>::new(),
            "{impressions} {clicks}"
        );
    }
}

#[test]
fn a_fraud_spread_over_plans_is_one_placements() {
    let mut rows = singles(300, 10);
    for (line, row) in rows.iter_mut().enumerate() {
        row.plan = leak(format!("AD{}", 100 + line));
    }
    assert_eq!(held(&review(&rows, &context()), Rule::ClickRate).len(), 300);
    for row in &mut rows {
        row.placement = None;
    }
    // Without placements it is the source's, which has no peers here: only 60 % are too many. Held are
    // the plans with clicks.
    assert_eq!(held(&review(&rows, &context()), Rule::ClickRate).len(), 0);
    for row in rows.iter_mut().take(180) {
        row.clicks = 1;
    }
    assert_eq!(held(&review(&rows, &context()), Rule::ClickRate).len(), 180);
}

#[test]
fn frauds_spread_over_placements_are_the_sources() {
    let names: Vec<&str> = (0..40).map(|index| leak(format!("p{index}"))).collect();
    let mut context = context_of(&names);
    context.peers.sources = peers(100_000, 300);
    // No placement has enough impressions or clicks to be judged.
    let rows: Vec<Row<'_>> = singles(1_600, 0)
        .into_iter()
        .enumerate()
        .map(|(line, row)| Row {
            placement: Some(names[line % 40]),
            clicks: i64::from(line / 40 == 7 && line % 2 == 0),
            ..row
        })
        .collect();
    let found = review(&rows, &context);
    let lines = held(&found, Rule::ClickRate);
    assert_eq!(lines.len(), 800);
    assert!(lines.iter().all(|line| line % 2 == 0));
    // Two round rows on each placement.
    let round = hours(|hour| 100 * (3 + hour * 7 % 11), 80)
        .into_iter()
        .enumerate();
    let round: Vec<Row<'_>> = round
        .map(|(line, row)| Row {
            placement: Some(names[line % 40]),
            ..row
        })
        .collect();
    assert_eq!(
        held(&review(&round, &context), Rule::RoundNumbers).len(),
        80
    );
}

#[test]
fn a_rate_that_staff_released_is_expected() {
    let history = History {
        baseline: Tally {
            impressions: 10_000,
            clicks: 300,
        },
        ..History::default()
    };
    let found = review(&singles(300, 10), &with_history(history));
    assert_eq!(held(&found, Rule::ClickRate), Vec::<u64>::new());
}

#[test]
fn a_fraud_in_small_imports_meets_what_was_posted() {
    let history = History {
        recent: Tally {
            impressions: 280,
            clicks: 9,
        },
        ..History::default()
    };
    let found = review(&singles(20, 1), &with_history(history.clone()));
    assert_eq!(held(&found, Rule::ClickRate).len(), 20);
    // Rows without clicks are not to blame.
    let found = review(&singles(20, 0), &with_history(history));
    assert_eq!(held(&found, Rule::ClickRate), Vec::<u64>::new());
}

#[test]
fn a_short_fraud_in_a_large_placement_is_seen() {
    let history = History {
        recent: Tally {
            impressions: 1_000_000,
            clicks: 3_000,
        },
        ..History::default()
    };
    let found = review(&singles(1_000, 30), &with_history(history));
    assert_eq!(held(&found, Rule::ClickRate).len(), 1_000);
}

#[test]
fn clicks_in_one_minute_are_a_burst() {
    let mut rows = singles(1_000, 0);
    for (second, row) in rows.iter_mut().skip(500).take(12).enumerate() {
        row.time = day(1) + TimeDelta::seconds(30_000 + 4 * second as i64);
        row.clicks = 1;
    }
    let found = review(&rows, &context());
    let lines = held(&found, Rule::ClickBurst);
    assert!((500..512).all(|line| lines.contains(&line)), "{lines:?}");
    assert!(lines.len() <= 13, "{lines:?}");
    for row in rows.iter_mut().skip(507) {
        row.clicks = 0;
    }
    assert_eq!(
        held(&review(&rows, &context()), Rule::ClickBurst),
        Vec::<u64>::new()
    );
}

#[test]
fn clicks_where_the_impressions_are_are_no_burst() {
    // Half of a day's impressions, and of its clicks, come in one minute.
    let rows: Vec<Row<'_>> = (0..48)
        .map(|line| {
            let time = day(1) + TimeDelta::minutes(30 * line as i64);
            let times = if line == 20 { 47 } else { 1 };
            row(line, PLACEMENT, time, 333 * times, times)
        })
        .collect();
    assert_eq!(
        held(&review(&rows, &context()), Rule::ClickBurst),
        Vec::<u64>::new()
    );
}

#[test]
fn a_burst_that_is_a_batch_of_its_own_meets_what_was_posted() {
    let history = History {
        recent: Tally {
            impressions: 5_000,
            clicks: 15,
        },
        ..History::default()
    };
    let rows: Vec<Row<'_>> = (0..12)
        .map(|line| {
            row(
                line,
                PLACEMENT,
                day(1) + TimeDelta::seconds(line as i64),
                1,
                1,
            )
        })
        .collect();
    assert_eq!(
        held(&review(&rows, &with_history(history)), Rule::ClickBurst).len(),
        12
    );
}

pub fn hours(impressions: impl Fn(i64) -> i64, count: usize) -> Vec<Row<'static>> {
    (0..count)
        .map(|line| {
            let time = day(9) + TimeDelta::hours(line as i64);
            row(line, PLACEMENT, time, impressions(line as i64), 0)
        })
        .collect()
}

#[test]
fn round_numbers_are_held() {
    let hundreds = hours(|hour| 100 * (3 + hour * 7 % 11), 20);
    assert_eq!(
        held(&review(&hundreds, &context()), Rule::RoundNumbers).len(),
        20
    );
    let tens = hours(|hour| 10 * (31 + hour * 7 % 11), 20);
    assert_eq!(
        held(&review(&tens, &context()), Rule::RoundNumbers).len(),
        20
    );
    let few = hours(|hour| 100 * (3 + hour * 7 % 11), 19);
    assert_eq!(
        held(&review(&few, &context()), Rule::RoundNumbers),
        Vec::<u64>::new()
    );
    let small = hours(|hour| 10 * (1 + hour % 9), 50);
    assert_eq!(
        held(&review(&small, &context()), Rule::RoundNumbers),
        Vec::<u64>::new()
    );
    let chance = hours(|hour| 300 + hour * 37, 50);
    assert_eq!(
        held(&review(&chance, &context()), Rule::RoundNumbers),
        Vec::<u64>::new()
    );
}

#[test]
fn round_numbers_in_small_imports_add_up() {
    let history = History {
        roundness: Roundness {
            rows: 30,
            tens: 29,
            hundreds: 28,
        },
        ..History::default()
    };
    let found = review(&hours(|_| 400, 1), &with_history(history));
    assert_eq!(held(&found, Rule::RoundNumbers), [0]);
}

#[test]
fn a_restated_row_shares_the_quarantine() {
    let mut rows = singles(300, 10);
    let restated = Row {
        line: 1_000,
        revision: 0,
        clicks: 0,
        ..rows[200]
    };
    rows.push(restated);
    let lines = held(&review(&rows, &context()), Rule::ClickRate);
    assert!(lines.contains(&1_000));
    assert_eq!(lines.len(), 301);
}
