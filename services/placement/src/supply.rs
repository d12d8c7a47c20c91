//! What placements can serve, learnt from what they served, and divided over the plans that want it.

use adfolio_money::Micros;
use serde::{Deserialize, Serialize};

use crate::choice::WHOLE;

/// A placement that served at least this part of what it was allotted could have served more.
const FULL_PERCENT: u64 = 95;

/// How much of a new observation replaces what was known, in percent.
const NEW_PERCENT: u64 = 30;

/// A placement that serves all of what was thought to be all that it can is tried with so much more, in percent.
const GROWTH_PERCENT: u64 = 25;

/// Impressions or clicks that a placement can serve in an hour of average traffic; unknown until it has left something
/// unserved.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Capacity {
    per_hour: Option<u64>,
}

impl Capacity {
    /// As it was stored.
    pub const fn of(per_hour: Option<u64>) -> Self {
        Self { per_hour }
    }

    /// Units in an hour of average traffic; none while that is unknown.
    pub const fn per_hour(self) -> Option<u64> {
        self.per_hour
    }

    /// After a time that is worth so many thousandths of an hour of average traffic, in which `served` of `allotted` units
    /// were served.
    #[must_use]
    pub fn after(self, allotted: u64, served: u64, hour_thousandths: u64) -> Self {
        if allotted == 0 || hour_thousandths == 0 {
            return self;
        }
        let observed = scaled(served, 1_000, hour_thousandths);
        let is_full = u128::from(served) * 100 >= u128::from(allotted) * u128::from(FULL_PERCENT);
        let mixed = |known: u64| {
            let kept = scaled(known, 100 - NEW_PERCENT, 100);
            kept.saturating_add(scaled(observed, NEW_PERCENT, 100))
        };
        let per_hour = match (self.per_hour, is_full) {
            (None, true) => None,
            // Nothing at all was served, perhaps because the network was away: that is believed by and by.
            (None, false) if served == 0 => Some(mixed(scaled(allotted, 1_000, hour_thousandths))),
            (None, false) => Some(observed),
            (Some(known), true) => {
                // By a unit at least, so that a placement that served nothing for long comes back.
                let unit = 1_000_u64.div_ceil(hour_thousandths);
                let more = scaled(observed, 100 + GROWTH_PERCENT, 100);
                Some(known.max(more).max(observed.saturating_add(unit)))
            }
            (Some(known), false) => Some(mixed(known)),
        };
        Self { per_hour }
    }

    /// Units in a time that is worth so many thousandths of an hour of average traffic; none if that is unknown. At least
    /// one, so that a placement that served nothing is tried again.
    pub fn units(self, hour_thousandths: u64) -> Option<u64> {
        let per_hour = self.per_hour?;
        Some(scaled(per_hour, hour_thousandths, 1_000).max(1))
    }
}

/// `value × numerator / denominator`, at the end of its range if it leaves it.
fn scaled(value: u64, numerator: u64, denominator: u64) -> u64 {
    let product = u128::from(value) * u128::from(numerator) / u128::from(denominator.max(1));
    u64::try_from(product).unwrap_or(u64::MAX)
}

/// What a plan wants in a round.
#[derive(Clone, Copy, Debug)]
pub struct Demand<'a> {
    /// What it is granted.
    pub grant: Micros,
    /// Positions of its placements in the list of capacities, and its shares of them in millionths.
    pub shares: &'a [(usize, u32)],
    /// The highest share of one placement, in millionths.
    pub highest: u32,
}

/// Rounds in which what one placement cannot serve is asked of the others.
const ROUNDS: usize = 3;

/// Divides what placements can serve over the plans that want it, each in proportion to what it wants, so that a small plan
/// keeps pace beside a large one. `room` is what each placement can serve, as money. Answers each plan's part of each of
/// its placements that cannot serve everybody, and none for the others.
pub fn divide(demands: &[Demand<'_>], room: &[Option<Micros>]) -> Vec<Vec<Option<Micros>>> {
    let mut taken: Vec<Vec<f64>> = demands
        .iter()
        .map(|demand| vec![0.0; demand.shares.len()])
        .collect();
    let mut left: Vec<Option<f64>> = room
        .iter()
        .map(|room| room.map(|room| room.get() as f64))
        .collect();
    let mut is_short = vec![false; room.len()];
    for _ in 0..ROUNDS {
        let wanted = ask(demands, &taken, &left);
        let mut sums = vec![0.0; room.len()];
        for (demand, wanted) in demands.iter().zip(&wanted) {
            for ((at, _), wanted) in demand.shares.iter().zip(wanted) {
                if let Some(sum) = sums.get_mut(*at) {
                    *sum += wanted;
                }
            }
        }
        for ((demand, wanted), taken) in demands.iter().zip(&wanted).zip(&mut taken) {
            for (((at, _), wanted), taken) in demand.shares.iter().zip(wanted).zip(taken) {
                let sum = sums.get(*at).copied().unwrap_or(0.0);
                let part = match left.get(*at).copied().flatten() {
                    Some(left) if sum > left => left / sum,
                    _ => 1.0,
                };
                *taken += wanted * part;
            }
        }
        for ((left, sum), is_short) in left.iter_mut().zip(&sums).zip(&mut is_short) {
            if let Some(left) = left {
                *is_short |= sum >= left;
                *left = (*left - sum).max(0.0);
            }
        }
    }
    rooms(demands, &taken, &is_short)
}

/// What each plan asks of each placement: its shares of what it has not got yet, from those that have something left.
fn ask(demands: &[Demand<'_>], taken: &[Vec<f64>], left: &[Option<f64>]) -> Vec<Vec<f64>> {
    let has_left = |at: usize| {
        left.get(at)
            .is_none_or(|left| left.is_none_or(|left| left > 0.0))
    };
    demands
        .iter()
        .zip(taken)
        .map(|(demand, taken)| {
            let grant = demand.grant.get() as f64;
            let limit = grant * f64::from(demand.highest) / f64::from(WHOLE);
            let missing = (grant - taken.iter().sum::<f64>()).max(0.0);
            let is_open = |at: usize, taken: f64| has_left(at) && taken < limit;
            let open: f64 = demand
                .shares
                .iter()
                .zip(taken)
                .filter(|((at, _), taken)| is_open(*at, **taken))
                .map(|((_, share), _)| f64::from(*share))
                .sum();
            demand
                .shares
                .iter()
                .zip(taken)
                .map(|((at, share), taken)| {
                    if open > 0.0 && is_open(*at, *taken) {
                        (missing * f64::from(*share) / open).min(limit - taken)
                    } else {
                        0.0
                    }
                })
                .collect()
        })
        .collect()
}

#[allow(
    clippy::cast_possible_truncation,
    reason = "parts of amounts, rounded down"
)]
fn rooms(
    demands: &[Demand<'_>],
    taken: &[Vec<f64>],
    is_short: &[bool],
) -> Vec<Vec<Option<Micros>>> {
    let room = |at: usize, taken: f64| {
        let is_short = is_short.get(at).copied().unwrap_or(false);
        is_short.then(|| Micros::new(taken as i64))
    };
    demands
        .iter()
        .zip(taken)
        .map(|(demand, taken)| {
            let pairs = demand.shares.iter().zip(taken);
            pairs.map(|((at, _), taken)| room(*at, *taken)).collect()
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn what_a_placement_can_serve_is_learnt() {
        let unknown = Capacity::default().after(100, 100, 1_000);
        assert_eq!(unknown.units(1_000), None);
        let known = unknown.after(1_000, 400, 1_000);
        assert_eq!(known.units(1_000), Some(400));
        assert_eq!(known.units(100), Some(40));
        // It serves everything: it is tried with more.
        assert_eq!(known.after(400, 400, 1_000).units(1_000), Some(500));
        // It serves less: it is believed by and by.
        assert_eq!(known.after(400, 200, 1_000).units(1_000), Some(340));
        // Little was allotted and served: that says nothing about all that it can.
        assert_eq!(known.after(10, 10, 1_000).units(1_000), Some(400));
        assert_eq!(known.after(0, 0, 1_000), known);
    }

    #[test]
    fn a_placement_that_serves_nothing_gets_less_and_comes_back() {
        let mut capacity = Capacity::default().after(1_000, 0, 83);
        assert_eq!(capacity.units(83), Some(699));
        for _ in 0..40 {
            capacity = capacity.after(capacity.units(83).unwrap(), 0, 83);
        }
        assert_eq!(capacity.units(83), Some(1));
        for round in 2..=5 {
            let units = capacity.units(83).unwrap();
            capacity = capacity.after(units, units, 83);
            assert_eq!(capacity.units(83), Some(round));
        }
    }

    fn demand(grant: i64, shares: &[(usize, u32)]) -> Demand<'_> {
        Demand {
            grant: Micros::new(grant),
            shares,
            highest: WHOLE,
        }
    }

    #[test]
    fn plans_share_in_proportion_to_what_they_want() {
        let shares = [(0, 500_000), (1, 500_000)];
        let demands = [demand(10_000, &shares), demand(100, &shares)];
        let rooms = divide(&demands, &[Some(Micros::new(1_010)), None]);
        let of = |plan: usize| rooms[plan][0].map(Micros::get);
        assert_eq!((of(0), of(1)), (Some(1_000), Some(10)));
        assert_eq!(rooms[0][1], None);
    }

    #[test]
    fn placements_that_can_serve_everybody_limit_nobody() {
        let shares = [(0, WHOLE)];
        let rooms = divide(&[demand(100, &shares)], &[Some(Micros::new(101))]);
        assert_eq!(rooms, [[None]]);
    }

    proptest! {
        #[test]
        fn what_a_placement_can_serve_is_not_given_twice(
            grants in prop::collection::vec(0..1_000_000_i64, 1..20),
            room in prop::collection::vec(prop::option::of(0..1_000_000_i64), 1..8),
        ) {
            let count = u32::try_from(room.len()).unwrap();
            let shares: Vec<(usize, u32)> = (0..room.len()).map(|at| (at, WHOLE / count)).collect();
            let demands: Vec<Demand<'_>> = grants.iter().map(|grant| demand(*grant, &shares)).collect();
            let limits: Vec<Option<Micros>> = room.iter().map(|room| room.map(Micros::new)).collect();
            let rooms = divide(&demands, &limits);
            for (at, limit) in room.iter().enumerate() {
                let given: i64 = rooms.iter().filter_map(|rooms| rooms[at]).map(Micros::get).sum();
                prop_assert!(given <= limit.unwrap_or(0) + 1);
            }
        }
    }
}
