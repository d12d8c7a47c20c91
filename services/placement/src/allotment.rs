//! A grant divided over placements, in whole units: impressions where a placement is paid by thousand, clicks where it is
//! paid by click.
#![deny(clippy::float_arithmetic)]
#![cfg_attr(not(test), deny(clippy::arithmetic_side_effects))]

use adfolio_money::Micros;

use crate::amount::{self, times_ratio};
use crate::choice::WHOLE;

/// A placement that takes part in a grant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Taker {
    /// Its share in millionths; the shares of all takers sum to [`WHOLE`].
    pub share: u32,
    /// What one unit costs; at least one millionth.
    pub unit_cost: Micros,
    /// What it can serve in the time of the grant; none if it can serve everything.
    pub room: Option<Micros>,
}

/// What one placement gets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Part {
    /// Impressions or clicks.
    pub units: u64,
    /// What they cost.
    pub budget: Micros,
}

/// Rounds in which what one placement has no room for is given to the others.
const ROUNDS: usize = 4;

/// Divides `target` by the takers' shares, within their rooms and with at most `highest` millionths for each. Whole units
/// do not add up to the target exactly; `most` is never exceeded.
///
/// `draw` decides which placements get the units that the shares leave open: a systematic sample, so that each gets its
/// share in the mean over uniform draws, however small the target.
pub fn divide(
    target: Micros,
    most: Micros,
    highest: u32,
    takers: &[Taker],
    draw: u32,
) -> Vec<Part> {
    let wanted = wanted(target, highest, takers);
    let mut left = most;
    let mut sum: u128 = draw.into();
    let mut parts = Vec::with_capacity(takers.len());
    for (taker, wanted) in takers.iter().zip(&wanted) {
        let unit = u128::from(taker.unit_cost.get().max(1).unsigned_abs());
        let before = sum >> 32;
        // Units as fixed-point numbers with 32 bits after the point.
        let exact = u128::from(wanted.get().unsigned_abs()) << 32;
        sum = sum.saturating_add(exact.checked_div(unit).unwrap_or(0));
        let drawn = (sum >> 32).saturating_sub(before);
        let affordable = |amount: Micros| {
            let amount = u128::from(amount.get().max(0).unsigned_abs());
            amount.checked_div(unit).unwrap_or(0)
        };
        let room = taker.room.map_or(u128::MAX, affordable);
        let units = drawn.min(affordable(left)).min(room);
        let budget = i64::try_from(units.saturating_mul(unit)).map_or(Micros::ZERO, Micros::new);
        left = amount::less(left, budget);
        parts.push(Part {
            units: u64::try_from(units).unwrap_or(u64::MAX),
            budget,
        });
    }
    parts
}

/// What each taker would get if units could be divided.
fn wanted(target: Micros, highest: u32, takers: &[Taker]) -> Vec<Micros> {
    let limit = times_ratio(target, highest.into(), WHOLE.into());
    let limit_of = |taker: &Taker| taker.room.map_or(limit, |room| room.min(limit));
    let mut wanted = vec![Micros::ZERO; takers.len()];
    for _ in 0..ROUNDS {
        let left = amount::less(target, amount::sum(wanted.iter().copied()));
        let open = |(taker, wanted): (&Taker, &Micros)| *wanted < limit_of(taker);
        let shares: u128 = takers
            .iter()
            .zip(&wanted)
            .filter(|pair| open(*pair))
            .map(|(taker, _)| u128::from(taker.share))
            .sum();
        if left == Micros::ZERO || shares == 0 {
            break;
        }
        for (taker, wanted) in takers.iter().zip(&mut wanted) {
            if *wanted < limit_of(taker) {
                let more = times_ratio(left, taker.share.into(), shares);
                *wanted = amount::sum([*wanted, more]).min(limit_of(taker));
            }
        }
    }
    wanted
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn taker(share: u32, unit_cost: i64, room: Option<i64>) -> Taker {
        Taker {
            share,
            unit_cost: Micros::new(unit_cost),
            room: room.map(Micros::new),
        }
    }

    fn budgets(parts: &[Part]) -> Vec<i64> {
        parts.iter().map(|part| part.budget.get()).collect()
    }

    fn equal(target: i64, takers: &[Taker], draw: u32) -> Vec<Part> {
        divide(
            Micros::new(target),
            Micros::new(target),
            WHOLE,
            takers,
            draw,
        )
    }

    #[test]
    fn a_grant_is_divided_by_shares() {
        let takers = [taker(600_000, 10, None), taker(400_000, 10, None)];
        assert_eq!(budgets(&equal(1_000, &takers, 0)), [600, 400]);
    }

    #[test]
    fn what_one_has_no_room_for_goes_to_the_others() {
        let takers = [
            taker(500_000, 10, Some(100)),
            taker(250_000, 10, None),
            taker(250_000, 10, None),
        ];
        assert_eq!(budgets(&equal(1_000, &takers, 0)), [100, 450, 450]);
    }

    #[test]
    fn nobody_gets_more_than_the_highest_share() {
        let takers = [
            taker(400_000, 1, Some(0)),
            taker(300_000, 1, None),
            taker(300_000, 1, None),
        ];
        let parts = divide(Micros::new(1_000), Micros::new(1_000), 400_000, &takers, 0);
        assert_eq!(budgets(&parts), [0, 400, 400]);
    }

    #[test]
    fn a_grant_below_one_unit_is_drawn_by_the_shares() {
        // A tenth of a unit: nine draws of ten give nothing, and the tenth one goes to either by its share.
        let takers = [taker(750_000, 1_000, None), taker(250_000, 1_000, None)];
        let most = Micros::new(10_000);
        let (mut first, mut second) = (0, 0);
        for step in 0..1_000_u32 {
            let parts = divide(
                Micros::new(100),
                most,
                WHOLE,
                &takers,
                step * (u32::MAX / 1_000),
            );
            first += parts[0].units;
            second += parts[1].units;
        }
        assert!(
            (74..=76).contains(&first) && (24..=26).contains(&second),
            "{first} {second}"
        );
    }

    proptest! {
        #[test]
        fn the_most_is_never_exceeded_and_the_target_nearly_met(
            target in 0..10_000_000_000_i64, more in 0..1_000_i64, draw: u32,
            takers in prop::collection::vec((1..1_000_u32, 1..50_000_i64), 1..100),
        ) {
            let sum: u32 = takers.iter().map(|(weight, _)| weight).sum();
            let takers: Vec<Taker> = takers
                .iter()
                .map(|(weight, cost)| taker(u32::try_from(u64::from(*weight) * 1_000_000 / u64::from(sum)).unwrap(), *cost, None))
                .collect();
            let most = target + more;
            let parts = divide(Micros::new(target), Micros::new(most), WHOLE, &takers, draw);
            let total: i64 = parts.iter().map(|part| part.budget.get()).sum();
            prop_assert!(total <= most);
            // Rounding misses at most one unit of each cost, and shares were rounded down here.
            let units: i64 = takers.iter().map(|taker| taker.unit_cost.get()).sum();
            prop_assert!(total >= target - units - target / 5_000, "{total} of {target}");
            for (part, taker) in parts.iter().zip(&takers) {
                prop_assert_eq!(part.budget.get(), i64::try_from(part.units).unwrap() * taker.unit_cost.get());
            }
        }

        #[test]
        fn rooms_are_kept(
            target in 0..1_000_000_i64, draw: u32,
            takers in prop::collection::vec((1..1_000_u32, 0..100_000_i64), 1..40),
        ) {
            let takers: Vec<Taker> = takers.iter().map(|(share, room)| taker(*share, 7, Some(*room))).collect();
            for (part, taker) in equal(target, &takers, draw).iter().zip(&takers) {
                prop_assert!(part.budget <= taker.room.unwrap());
            }
        }
    }
}
