use adfolio_placement::choice::Limits;
use adfolio_placement::simulation::learning::{Terms, Trial, World, trial};
use rand::SeedableRng as _;
use rand::rngs::StdRng;

use crate::bandit;

const TERMS: Terms = Terms {
    rounds: 100,
    impressions: 10_000,
    beginning: 10,
};

fn median(trials: &[Trial], value: impl Fn(&Trial) -> f64) -> f64 {
    let mut values: Vec<f64> = trials.iter().map(value).collect();
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

fn worst(trials: &[Trial], value: impl Fn(&Trial) -> f64) -> f64 {
    trials.iter().map(value).fold(0.0, f64::max)
}

fn trials(alpha: &[f64], beta: &[f64]) -> Vec<Trial> {
    (0..20)
        .map(|seed| {
            let mut random = StdRng::seed_from_u64(seed);
            let world = World::draw(alpha, beta, &mut random).unwrap();
            trial(world, Limits::DEFAULT, &TERMS, &mut random)
        })
        .collect()
}

fn learns(trials: &[Trial]) {
    let (lost, worst) = (median(trials, |it| it.lost), worst(trials, |it| it.lost));
    assert!(lost <= 0.13 && worst <= 0.16, "lost {lost}, worst {worst}");
    let of_first = median(trials, |it| it.second_beginning / it.first_beginning);
    assert!(
        of_first <= 0.5,
        "the second plan lost {of_first} of the first one"
    );
    let kept_lead = median(trials, |it| it.lead_lost_after.unwrap() as f64);
    assert!(kept_lead <= 50_000.0, "the lead was lost after {kept_lead}");
}

#[test]
fn real_rates_are_learnt_within_a_million_impressions() {
    let Some((alpha, beta)) = bandit::priors() else {
        return;
    };
    let trials = trials(&alpha, &beta);
    learns(&trials);
    // Showing everything equally often loses three times as much.
    assert!(median(&trials, |it| it.lost_by_uniform) > 0.33);
}

#[test]
fn drawn_rates_are_learnt_within_a_million_impressions() {
    // 34 placements that differ by a third.
    learns(&trials(&[9.0; 34], &[3_000.0; 34]));
}

#[test]
fn the_same_seed_makes_the_same_trial() {
    let run = || {
        let mut random = StdRng::seed_from_u64(5);
        let world = World::draw(&[9.0; 8], &[3_000.0; 8], &mut random).unwrap();
        let trial = trial(
            world,
            Limits::DEFAULT,
            &Terms {
                rounds: 10,
                ..TERMS
            },
            &mut random,
        );
        (
            trial.lost.to_bits(),
            trial.second_beginning.to_bits(),
            trial.lead_lost_after,
        )
    };
    assert_eq!(run(), run());
}

#[test]
fn a_world_needs_positive_parameters_of_equal_number() {
    let mut random = StdRng::seed_from_u64(1);
    for (alpha, beta) in [
        (vec![], vec![]),
        (vec![1.0], vec![1.0, 2.0]),
        (vec![-1.0], vec![1.0]),
    ] {
        assert!(World::draw(&alpha, &beta, &mut random).is_err());
    }
}
