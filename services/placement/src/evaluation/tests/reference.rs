//! The estimators against `tests/reference/estimators.py`, which computes them in exact fractions.

use chrono::DateTime;
use serde::Deserialize;

use super::super::cells::Cells;
use super::super::estimators::{Sums, direct};
use super::super::{Log, Logged, Policy};

const REFERENCE: &str = include_str!("../../../tests/reference/estimators.json");

#[derive(Deserialize)]
struct Reference {
    log: Vec<Row>,
    policies: Policies,
}

#[derive(Deserialize)]
struct Row {
    action: u32,
    position: u32,
    reward: bool,
    propensity: f64,
}

#[derive(Deserialize)]
struct Policies {
    uniform: Expectation,
    table: Expectation,
    of_log: Expectation,
}

#[derive(Deserialize)]
struct Expectation {
    probabilities: Vec<Choice>,
    expected: Expected,
}

#[derive(Deserialize)]
struct Choice {
    position: u32,
    action: u32,
    probability: f64,
}

#[derive(Deserialize)]
struct Expected {
    on_policy: f64,
    ipw: f64,
    snipw: f64,
    dm: f64,
    dr: f64,
    effective_sample: f64,
    mean_weight: f64,
    unsupported: f64,
    clicks: u64,
}

fn read() -> (Log, Policies) {
    let Reference { log, policies } = serde_json::from_str(REFERENCE).unwrap();
    let rows = log.into_iter().map(|row| Logged {
        action: row.action,
        position: row.position,
        reward: row.reward,
        propensity: row.propensity,
        time: DateTime::UNIX_EPOCH,
    });
    (Log::new((2..).zip(rows)).unwrap(), policies)
}

#[track_caller]
fn assert_estimates(log: &Log, policy: &Policy, reference: &Expectation) {
    for Choice {
        position,
        action,
        probability,
    } in &reference.probabilities
    {
        assert_near(policy.probability(*action, *position), *probability);
    }
    let cells = Cells::new(log, policy);
    let sums = Sums::of(&cells);
    let expected = &reference.expected;
    assert_near(sums.on_policy().value, expected.on_policy);
    assert_near(sums.ipw().value, expected.ipw);
    assert_near(sums.snipw().value, expected.snipw);
    assert_near(sums.dr().value, expected.dr);
    let dm = direct(&cells.grid, &cells.tallies(cells.counts()));
    assert_near(dm, expected.dm);
    assert_near(sums.effective_sample_size(), expected.effective_sample);
    assert_near(sums.mean_weight(), expected.mean_weight);
    assert_near(cells.unsupported(), expected.unsupported);
    assert_eq!(cells.weighted_clicks(), expected.clicks);
}

#[track_caller]
fn assert_near(value: f64, expected: f64) {
    assert!((value - expected).abs() < 1e-9, "{value} is not {expected}");
}

#[test]
fn estimates_of_the_uniform_policy() {
    let (log, policies) = read();
    let policy = Policy::uniform([3, 5, 8, 13]);
    assert_estimates(&log, &policy, &policies.uniform);
}

#[test]
fn estimates_of_a_table_of_probabilities() {
    let (log, policies) = read();
    let rows = policies.table.probabilities.iter();
    let policy = Policy::new(rows.map(|row| ((row.position, row.action), row.probability)));
    assert_estimates(&log, &policy.unwrap(), &policies.table);
}

#[test]
fn estimates_of_the_policy_that_wrote_the_log() {
    let (log, policies) = read();
    assert_estimates(&log, &Policy::of_log(&log), &policies.of_log);
}
