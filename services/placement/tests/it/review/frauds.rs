//! Ten frauds, each hidden among a day of an honest network with a week of history.

use adfolio_money::Micros;
use adfolio_placement::review::{Context, Row, Rule};
use chrono::TimeDelta;
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

use super::helpers::{
    PLAN, context_of, day, held, held_lines, honest_day, leak, noon, numbered, row,
};
use super::memory::Memory;

const PLACEMENTS: usize = 34;

/// Lines of the fraud start here.
const FRAUD: usize = 1_000_000;

struct Network {
    memory: Memory,
    context: Context<'static>,
    names: Vec<&'static str>,
    yesterday: Vec<Row<'static>>,
    random: StdRng,
}

/// A network that reported by the hour for a week.
fn network(seed: u64) -> Network {
    let names: Vec<&str> = (0..PLACEMENTS)
        .map(|index| leak(format!("p{index}")))
        .collect();
    let mut network = Network {
        memory: Memory::default(),
        context: context_of(&names),
        names,
        yesterday: Vec::new(),
        random: StdRng::seed_from_u64(seed),
    };
    for before in (2..9).rev() {
        let rows = numbered(network.day(before), 10_000 * before as usize);
        network.memory.import(&rows, &network.context);
        network.yesterday = rows;
    }
    network
}

impl Network {
    fn day(&mut self, before: u64) -> Vec<Row<'static>> {
        let mut rows = Vec::new();
        for (index, name) in self.names.iter().enumerate() {
            let traffic = (400.0 + 150.0 * index as f64, 0.003);
            rows.extend(honest_day(&mut self.random, name, day(before), 1, traffic));
        }
        rows
    }

    /// Imports the fraud within an honest day, in thousands of rows. Answers the share of the fraud
    /// that is held, for any reason, and by the rule; hardly any honest row may be.
    fn commit(mut self, fraud: Vec<Row<'static>>, rule: Rule) -> (f64, f64) {
        let frauds = fraud.len() as f64;
        let mut rows = numbered(self.day(1), 0);
        rows.extend(fraud.into_iter().enumerate().map(|(index, row)| Row {
            line: (FRAUD + index) as u64,
            ..row
        }));
        let honest = rows.len() as f64 - frauds;
        let (mut any, mut by_rule, mut false_alarms) = (0.0, 0.0, 0.0);
        for batch in rows.chunks(1_000) {
            let review = self.memory.import(batch, &self.context);
            let is_fraud = |line: &&u64| **line >= FRAUD as u64;
            let lines = held_lines(&review);
            any += lines.iter().filter(is_fraud).count() as f64;
            by_rule += held(&review, rule).iter().filter(is_fraud).count() as f64;
            false_alarms += lines.iter().filter(|line| !is_fraud(line)).count() as f64;
        }
        // The frauds are of placements with honest rows of the day, which share their quarantine.
        let own = 24.0;
        assert!(
            false_alarms <= own + 0.005 * honest,
            "{rule:?}: {false_alarms} of {honest}"
        );
        (any / frauds, by_rule / frauds)
    }
}

fn fraud(time_min: i64, impressions: i64, clicks: i64, id: usize) -> Row<'static> {
    let time = day(1) + TimeDelta::minutes(time_min);
    let row = row(0, "p20", time, impressions, clicks);
    Row {
        report_id: leak(format!("fraud{id}")),
        ..row
    }
}

fn assert_held(kind: &str, network: Network, rows: Vec<Row<'static>>, rule: Rule) {
    let (any, by_rule) = network.commit(rows, rule);
    println!(
        "{kind}: {:.0} % held, {:.0} % by {}",
        100.0 * any,
        100.0 * by_rule,
        rule.name()
    );
    assert!(any >= 0.9 && by_rule >= 0.9, "{kind}: {any} {by_rule}");
}

#[test]
fn a_tenfold_click_rate() {
    let rows = (0..24).map(|hour| fraud(60 * hour + 7, 141 + hour, 4, hour as usize));
    assert_held("click rate", network(1), rows.collect(), Rule::ClickRate);
}

#[test]
fn all_clicks_in_one_minute() {
    let burst = |index: usize| Row {
        time: day(1) + TimeDelta::seconds(54_000 + index as i64),
        ..fraud(0, 1, 1, index)
    };
    assert_held(
        "burst",
        network(2),
        (0..15).map(burst).collect(),
        Rule::ClickBurst,
    );
}

#[test]
fn round_numbers() {
    let mut random = StdRng::seed_from_u64(3);
    let rows = (0..96_i64).map(|quarter| {
        let impressions = 100 * random.random_range(2..9);
        fraud(
            15 * quarter + 3,
            impressions,
            impressions / 400,
            quarter as usize,
        )
    });
    let rows = rows.collect();
    assert_held("round numbers", network(3), rows, Rule::RoundNumbers);
}

#[test]
fn a_copied_day() {
    let mut network = network(4);
    let yesterday = network
        .yesterday
        .iter()
        .filter(|row| row.placement == Some("p20"));
    let copy = |(index, row): (usize, &Row<'static>)| Row {
        time: row.time + TimeDelta::days(1),
        report_id: leak(format!("fraud{index}")),
        ..*row
    };
    let rows: Vec<Row<'_>> = yesterday.enumerate().map(copy).collect();
    // The placement reports nothing else of that day.
    network.names.retain(|name| *name != "p20");
    assert_held("copied day", network, rows, Rule::CopiedDay);
}

#[test]
fn spend_without_impressions() {
    let rows = (0..10).map(|index| Row {
        spend: Micros::new(500_000),
        ..fraud(60 * index, 0, 0, index as usize)
    });
    assert_held(
        "spend",
        network(5),
        rows.collect(),
        Rule::SpendWithoutImpressions,
    );
}

#[test]
fn a_price_off_the_list() {
    let rows = (0..10).map(|index| {
        let honest = fraud(60 * index, 700, 2, index as usize);
        Row {
            spend: Micros::new(honest.spend.get() * 105 / 100),
            ..honest
        }
    });
    assert_held("price", network(6), rows.collect(), Rule::PriceOffList);
}

#[test]
fn future_dates() {
    let rows = (0..10).map(|index| Row {
        time: noon() + TimeDelta::hours(1 + index),
        ..fraud(0, 150, 0, index as usize)
    });
    assert_held("future", network(7), rows.collect(), Rule::FutureDate);
}

#[test]
fn another_networks_placement() {
    let rows = (0..10).map(|index| Row {
        placement: Some("other/p1"),
        ..fraud(60 * index, 150, 0, index as usize)
    });
    assert_held(
        "foreign",
        network(8),
        rows.collect(),
        Rule::ForeignPlacement,
    );
}

#[test]
fn restated_down_after_settlement() {
    let mut network = network(9);
    network.context.plans.get_mut(PLAN).unwrap().is_settled = true;
    let yesterday = network
        .yesterday
        .iter()
        .filter(|row| row.placement == Some("p20"));
    let lowered = |row: &Row<'static>| {
        let half = super::helpers::row(0, "p20", row.time, row.impressions / 2, 0);
        Row {
            report_id: row.report_id,
            revision: 2,
            ..half
        }
    };
    let rows = yesterday.map(lowered).collect();
    assert_held("restated", network, rows, Rule::RestatedAfterSettlement);
}

#[test]
fn one_report_dribbled_over_many_ids() {
    let rows = (0..40).map(|index| fraud(600, 25, 0, index)).collect();
    assert_held("dribbled", network(10), rows, Rule::DribbledReport);
}
