use adfolio_placement::pace::HOURS;
use adfolio_placement::simulation::learning::World;
use adfolio_placement::simulation::market::{Outcome, Terms, run};
use rand::SeedableRng as _;
use rand::rngs::StdRng;

use crate::bandit;

/// Traffic with three times as much in the evening as at night, and chance in each hour.
fn drawn_hours(seed: u64) -> [u64; HOURS] {
    let mut hours = [0; HOURS];
    for (at, hour) in hours.iter_mut().enumerate() {
        let of_day = at as u64 % 24;
        let noise = (at as u64).wrapping_mul(2_654_435_761 + seed * 97) % 21;
        *hour = 30 + 60 * of_day.min(23 - of_day).min(8) / 8 + noise;
    }
    hours
}

fn week(load_percent: u64, burst: Option<usize>) -> Vec<Outcome> {
    let hours = |name: &str, seed| bandit::hours(name).unwrap_or_else(|| drawn_hours(seed));
    let mut random = StdRng::seed_from_u64(11);
    let world = World::draw(&[9.0; 34], &[3_000.0; 34], &mut random).unwrap();
    let terms = Terms {
        traffic: hours("bts-men.csv", 1),
        learnt: hours("random-men.csv", 2),
        world,
        plans: 40,
        impressions: 20_000_000,
        load_percent,
        burst,
    };
    run(&terms, &mut random)
}

fn keeps_pace(outcomes: &[Outcome], mean: f64, nearly_all: f64) {
    let mut deviations: Vec<f64> = outcomes
        .iter()
        .flat_map(|it| it.deviations.clone())
        .collect();
    deviations.sort_by(f64::total_cmp);
    let of_all = deviations.iter().sum::<f64>() / deviations.len() as f64;
    let percentile = deviations[deviations.len() * 95 / 100];
    assert!(
        of_all <= mean && percentile <= nearly_all,
        "{of_all}, {percentile}"
    );
    let mut delivered: Vec<f64> = outcomes.iter().map(|it| it.delivered).collect();
    delivered.sort_by(f64::total_cmp);
    let (worst, median) = (delivered[0], delivered[delivered.len() / 2]);
    assert!(
        median >= 0.995 && worst >= 0.97 && delivered.iter().all(|it| *it <= 1.0),
        "{median}, {worst}"
    );
    let hour = outcomes.iter().map(|it| it.worst_hour).fold(0.0, f64::max);
    assert!(hour <= 2.0, "an hour spent {hour} of its plan");
    // The second plan has a hundredth of the first one's budget.
    assert!(outcomes[1].budget.get() * 99 < outcomes[0].budget.get());
    let small = outcomes[1].deviations.iter().sum::<f64>() / outcomes[1].deviations.len() as f64;
    assert!(small <= mean, "the smallest plan is off by {small}");
}

#[test]
fn plans_keep_pace_with_a_week_of_traffic() {
    keeps_pace(&week(40, None), 0.01, 0.03);
}

#[test]
fn plans_keep_pace_when_traffic_is_short() {
    keeps_pace(&week(80, None), 0.02, 0.06);
}

#[test]
fn an_hour_of_eightfold_traffic_spends_no_more() {
    keeps_pace(&week(40, Some(50)), 0.01, 0.03);
}
