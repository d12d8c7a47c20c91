//! What holds for every log.

use chrono::DateTime;
use proptest::collection::vec;
use proptest::prelude::*;
use rand::SeedableRng;
use rand::rngs::StdRng;

use super::super::cells::Cells;
use super::super::estimators::{Sums, direct};
use super::super::{Figure, Log, Logged, Policy, Verdict, evaluate};

const ACTIONS: u32 = 4;

fn row() -> impl Strategy<Value = Logged> {
    (0..ACTIONS, 1..3_u32, any::<bool>(), 0.02..1.0).prop_map(
        |(action, position, reward, propensity)| Logged {
            action,
            position,
            reward,
            propensity,
            time: DateTime::UNIX_EPOCH,
        },
    )
}

fn log(rows: impl IntoIterator<Item = Logged>) -> Log {
    Log::new((2..).zip(rows)).unwrap()
}

/// On-policy, IPW, SNIPW, DM, DR.
fn estimates(log: &Log, target: &Policy) -> [f64; 5] {
    let cells = Cells::new(log, target);
    let sums = Sums::of(&cells);
    let dm = direct(&cells.grid, &cells.tallies(cells.counts()));
    [
        sums.on_policy().value,
        sums.ipw().value,
        sums.snipw().value,
        dm,
        sums.dr().value,
    ]
}

fn near(left: f64, right: f64) -> bool {
    (left - right).abs() <= 1e-9 * left.abs().max(1.0)
}

/// The second half of `rows` between the first, so that each half is a fold.
fn interleaved(rows: &[Logged]) -> Log {
    let (even, odd) = rows.split_at(rows.len() / 2);
    log(even.iter().zip(odd).flat_map(|(even, odd)| [*even, *odd]))
}

proptest! {
    #[test]
    fn the_policy_of_the_log_earns_what_the_log_shows(
        preferences in vec(0.05..1.0, ACTIONS as usize * 2),
        clicks in vec(any::<bool>(), 8..200),
    ) {
        let rows = clicks.iter().enumerate().map(|(index, click)| {
            let pair = index % preferences.len();
            let position = pair / ACTIONS as usize;
            let first = position * ACTIONS as usize;
            let of_position = &preferences[first..first + ACTIONS as usize];
            Logged {
                action: u32::try_from(pair - first).unwrap(),
                position: u32::try_from(position).unwrap(),
                reward: *click,
                propensity: preferences[pair] / of_position.iter().sum::<f64>(),
                time: DateTime::UNIX_EPOCH,
            }
        });
        let log = log(rows);
        let [on_policy, ipw, snipw, ..] = estimates(&log, &Policy::of_log(&log));
        let clicked = clicks.iter().filter(|click| **click).count();
        prop_assert!(near(on_policy, clicked as f64 / clicks.len() as f64));
        prop_assert!(near(ipw, on_policy));
        prop_assert!(near(snipw, on_policy));
    }

    #[test]
    fn the_order_of_rows_changes_neither_ipw_nor_snipw(
        (rows, shuffled) in vec(row(), 1..80).prop_flat_map(|rows| (Just(rows.clone()), Just(rows).prop_shuffle())),
    ) {
        let target = Policy::uniform(0..ACTIONS);
        let [on_policy, ipw, snipw, ..] = estimates(&log(rows), &target);
        let [on_policy_2, ipw_2, snipw_2, ..] = estimates(&log(shuffled), &target);
        prop_assert!(near(on_policy, on_policy_2) && near(ipw, ipw_2) && near(snipw, snipw_2));
    }

    #[test]
    fn the_order_of_rows_within_a_fold_changes_nothing(
        (even, even_2) in vec(row(), 30).prop_flat_map(|rows| (Just(rows.clone()), Just(rows).prop_shuffle())),
        (odd, odd_2) in vec(row(), 30).prop_flat_map(|rows| (Just(rows.clone()), Just(rows).prop_shuffle())),
        seed: u64,
    ) {
        let target = Policy::uniform(0..ACTIONS);
        let before = interleaved(&[even, odd].concat());
        let after = interleaved(&[even_2, odd_2].concat());
        prop_assert_eq!(
            evaluate(&before, &target, &mut StdRng::seed_from_u64(seed)),
            evaluate(&after, &target, &mut StdRng::seed_from_u64(seed))
        );
    }

    #[test]
    fn halved_propensities_double_ipw_and_leave_snipw(rows in vec(row(), 1..80)) {
        let target = Policy::uniform(0..ACTIONS);
        let halved = rows.iter().map(|row| Logged { propensity: row.propensity / 2.0, ..*row });
        let halved = estimates(&log(halved), &target);
        let whole = estimates(&log(rows), &target);
        prop_assert!(near(halved[1], 2.0 * whole[1]));
        prop_assert!(near(halved[2], whole[2]));
        prop_assert!(near(halved[3], whole[3]));
    }

    #[test]
    fn doubled_rows_leave_ipw_and_snipw(rows in vec(row(), 1..80)) {
        let target = Policy::uniform(0..ACTIONS);
        let doubled = estimates(&log(rows.repeat(2)), &target);
        let single = estimates(&log(rows), &target);
        prop_assert!(near(doubled[1], single[1]) && near(doubled[2], single[2]));
    }

    #[test]
    fn rates_stay_rates_and_the_effective_sample_below_the_rows(rows in vec(row(), 1..80)) {
        let count = rows.len() as f64;
        let log = log(rows);
        let target = Policy::uniform(0..ACTIONS);
        let [_, ipw, snipw, dm, _] = estimates(&log, &target);
        prop_assert!(ipw >= 0.0 && (0.0..=1.0).contains(&snipw) && (0.0..=1.0).contains(&dm));
        let effective = Sums::of(&Cells::new(&log, &target)).effective_sample_size();
        prop_assert!(0.0 < effective && effective <= count + 1e-9);
    }

    #[test]
    fn a_withheld_figure_has_no_number(rows in vec(row(), 1..80), seed: u64) {
        let log = log(rows);
        let target = Policy::uniform(0..=ACTIONS);
        let evaluation = evaluate(&log, &target, &mut StdRng::seed_from_u64(seed));
        let withheld = matches!(evaluation.verdict, Verdict::Withheld { .. });
        prop_assert!(withheld);
        let json = serde_json::to_value(&evaluation).unwrap();
        for name in ["on_policy", "ipw", "snipw", "dm", "dr"] {
            let fields: Vec<&String> = json["figures"][name].as_object().unwrap().keys().collect();
            prop_assert_eq!(fields, ["reasons", "verdict"]);
        }
    }
}

#[test]
fn a_log_of_one_row_withholds_everything() {
    let log = log([Logged {
        action: 1,
        position: 1,
        reward: false,
        propensity: f64::MIN_POSITIVE,
        time: DateTime::UNIX_EPOCH,
    }]);
    for target in [
        Policy::uniform([1]),
        Policy::uniform([2]),
        Policy::uniform([]),
    ] {
        let evaluation = evaluate(&log, &target, &mut StdRng::seed_from_u64(1));
        assert!(matches!(evaluation.figures.dr, Figure::Withheld { .. }));
        assert!(matches!(evaluation.figures.ipw, Figure::Withheld { .. }));
        assert!(matches!(
            evaluation.figures.on_policy,
            Figure::Withheld { .. }
        ));
    }
}
