//! Two real logs of the same shop: one of a uniform policy, one of a bandit. Neither has the clicks that a figure needs.

use std::collections::BTreeSet;

use adfolio_placement::evaluation::{
    Estimates, Evaluation, Figure, Log, Logged, Policy, Reason, evaluate,
};
use rand::SeedableRng as _;
use rand::rngs::StdRng;

use crate::bandit;

/// Reads a log; none where it is not there.
fn load(name: &str) -> Option<Log> {
    let text = bandit::read(name)?;
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let rows = reader.records().map(|record| {
        let record = record.unwrap();
        let row = Logged {
            time: bandit::time(&record[0]),
            action: record[1].parse().unwrap(),
            position: record[2].parse().unwrap(),
            reward: &record[3] == "1",
            propensity: record[4].parse().unwrap(),
        };
        (record.position().unwrap().line(), row)
    });
    Some(Log::new(rows).unwrap())
}

/// The codes of reasons, and what they say.
fn codes(reasons: &[Reason]) -> Vec<String> {
    for reason in reasons {
        println!("{reason}");
    }
    let codes = serde_json::to_value(reasons).unwrap();
    let codes = codes.as_array().unwrap().iter();
    codes
        .map(|r| r["code"].as_str().unwrap().to_owned())
        .collect()
}

/// Every figure of the target is withheld for the same reasons.
#[track_caller]
fn assert_withheld(evaluation: &Evaluation, expected: &[&str]) {
    let Estimates {
        on_policy,
        ipw,
        snipw,
        dm,
        dr,
    } = &evaluation.figures;
    for figure in [ipw, snipw, dm, dr] {
        let Figure::Withheld { reasons } = figure else {
            panic!("shown: {figure:?}");
        };
        assert_eq!(codes(reasons), expected);
    }
    assert!(matches!(on_policy, Figure::Withheld { .. }));
}

#[test]
fn the_bandits_log_does_not_carry_the_uniform_policy() {
    let Some(log) = load("bts-men.csv") else {
        return;
    };
    let actions: BTreeSet<u32> = log.rows().iter().map(|row| row.action).collect();
    let target = Policy::uniform(actions);
    let evaluation = evaluate(&log, &target, &mut StdRng::seed_from_u64(1));
    assert_eq!(evaluation.sample.clicks, 69);
    assert_withheld(
        &evaluation,
        &[
            "too_few_clicks",
            "effective_sample_too_small",
            "interval_too_wide",
        ],
    );
}

#[test]
fn a_uniform_log_does_not_carry_the_bandit() {
    let (Some(log), Some(bandit)) = (load("random-men.csv"), load("bts-men.csv")) else {
        return;
    };
    let target = Policy::of_log(&bandit);
    let evaluation = evaluate(&log, &target, &mut StdRng::seed_from_u64(1));
    assert_eq!(evaluation.sample.clicks, 46);
    assert_withheld(&evaluation, &["too_few_clicks", "interval_too_wide"]);
}
