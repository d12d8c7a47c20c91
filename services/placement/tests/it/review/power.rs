//! How soon a click fraud is found among honest placements.

use adfolio_placement::review::{Context, Row, Rule};
use chrono::TimeDelta;
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

use super::helpers::{PLACEMENT, context, context_of, day, held, leak, numbered, row};
use super::memory::Memory;

/// Impressions that a placement with 3 % of bot clicks posts before it is held, over imports of so
/// many rows.
fn posted_before_held(seed: u64, batch: usize, context: &Context<'static>) -> usize {
    let mut random = StdRng::seed_from_u64(seed);
    let mut memory = Memory::default();
    let one = |line: usize| {
        let time = day(1) + TimeDelta::seconds(37 * line as i64);
        row(
            line,
            PLACEMENT,
            time,
            1,
            i64::from(random.random_bool(0.033)),
        )
    };
    let rows: Vec<Row<'_>> = (0..1_000).map(one).collect();
    for (index, batch_rows) in rows.chunks(batch).enumerate() {
        let review = memory.import(batch_rows, context);
        if !held(&review, Rule::ClickRate).is_empty() {
            return index * batch;
        }
    }
    rows.len()
}

/// Median and 95th percentile over 200 placements.
fn posted(batch: usize, context: &Context<'static>) -> (usize, usize) {
    let posted = |seed| posted_before_held(seed, batch, context);
    let mut posted: Vec<usize> = (0..200).map(posted).collect();
    posted.sort_unstable();
    (posted[100], posted[190])
}

#[test]
fn bot_clicks_are_found_within_about_300_impressions() {
    for batch in [10, 50, 300] {
        let (median, most) = posted(batch, &context());
        println!("imports of {batch}: {median} impressions posted (median), {most} (95 %)");
        assert!(median <= 150 && most <= 400, "{batch}: {median} {most}");
    }
}

#[test]
fn poisoned_peers_hide_nothing_for_long() {
    let mut context = context();
    for peer in context.peers.placements.iter_mut().take(8) {
        peer.tally.clicks *= 10;
    }
    let (median, most) = posted(50, &context);
    println!("8 of 33 peers poisoned: {median} impressions posted (median), {most} (95 %)");
    assert!(median <= 300 && most <= 600, "{median} {most}");
}

#[test]
fn peers_of_the_batch_stand_in_for_a_history() {
    // The first import ever: 34 placements, one of them with bots.
    let names: Vec<&str> = (0..34).map(|index| leak(format!("p{index}"))).collect();
    let context = context_of(&names);
    let mut caught = 0;
    for seed in 0..50 {
        let mut random = StdRng::seed_from_u64(seed);
        let rows = (0..34 * 300).map(|line| {
            let rate = if line % 34 == 0 { 0.033 } else { 0.003 };
            let time = day(1) + TimeDelta::seconds(8 * line as i64);
            let clicks = i64::from(random.random_bool(rate));
            row(line, names[line % 34], time, 1, clicks)
        });
        let review = Memory::default().import(&numbered(rows.collect(), 0), &context);
        let lines = held(&review, Rule::ClickRate);
        caught += usize::from(!lines.is_empty() && lines.iter().all(|line| line % 34 == 0));
    }
    println!("first import: caught alone in {caught} of 50");
    // Peers of 300 impressions each show little: most, not all.
    assert!(caught >= 35, "{caught}");
}
