//! What is believed of a placement before it has shown a product: a hierarchy over products and placements.
//!
//! The rate of a product on a placement is the product's own level, times how the placement does for *other* products,
//! times a deviation. Levels and the spread of deviations are estimated by moments, as a random-effects analysis does
//! (DerSimonian and Laird 1986), each pulled towards what holds over everything. So a product that nobody has placed starts
//! from its placements' reputation, and a placement that has shown little stays close to its peers.

use crate::belief::{Belief, Counts, Family};

/// What one product has shown on one placement. Both are positions in lists of the caller.
#[derive(Clone, Copy, Debug)]
pub struct Cell {
    /// Position of the product.
    pub product: usize,
    /// Position of the placement.
    pub placement: usize,
    /// What was observed.
    pub counts: Counts,
}

/// What is assumed before anything was observed at all.
#[derive(Clone, Copy, Debug)]
pub struct Assumption {
    /// How rates are distributed.
    pub family: Family,
    /// Expected rate.
    pub mean: f64,
}

impl Assumption {
    /// Clicks per impression: half a per cent, which is usual for display advertising.
    pub const CLICKS: Self = Self {
        family: Family::Beta,
        mean: 0.005,
    };

    /// Units that come for each unit that the price list promises.
    pub const FULFILMENT: Self = Self {
        family: Family::Gamma,
        mean: 1.0,
    };
}

/// Standard deviation between placements, relative to the mean, before it is estimated.
const ASSUMED_SPREAD: f64 = 0.45;

/// The assumed spread counts as much as so many placements that are known well.
const SPREAD_WEIGHT: f64 = 4.0;

/// Estimated spreads stay between these. Below the first one placements would be taken for identical for ever.
const SPREADS: (f64, f64) = (0.1, 1.0);

/// The level above counts as much as so many successes.
const LEVEL_WEIGHT: f64 = 4.0;

/// A placement's reputation counts only as far as it rests on more than so many successes with other products.
const REPUTATION_WEIGHT: f64 = 30.0;

/// Rounds of the estimate, of which each improves the weights of the next one.
const ROUNDS: usize = 3;

/// Priors for every product on every placement.
#[derive(Clone, Debug)]
pub struct Hierarchy {
    family: Family,
    overall: Level,
    products: Vec<Level>,
    /// Over all products: successes, and those that the products' levels explain.
    reputations: Vec<Reputation>,
}

#[derive(Clone, Copy, Debug)]
struct Level {
    mean: f64,
    spread: f64,
}

#[derive(Clone, Copy, Debug, Default)]
struct Reputation {
    successes: f64,
    expected: f64,
}

impl Reputation {
    fn factor(self) -> f64 {
        (self.successes + REPUTATION_WEIGHT) / (self.expected + REPUTATION_WEIGHT)
    }
}

impl Hierarchy {
    /// Estimates the hierarchy of `products` products and `placements` placements from what was observed.
    pub fn fit(assumed: Assumption, products: usize, placements: usize, cells: &[Cell]) -> Self {
        let assumption = Level {
            mean: assumed.mean,
            spread: ASSUMED_SPREAD,
        };
        let mut of_product: Vec<Vec<Counts>> = vec![Vec::new(); products];
        for cell in cells {
            if let Some(counts) = of_product.get_mut(cell.product) {
                counts.push(cell.counts);
            }
        }
        let mut overall = assumption;
        let mut sums: Vec<Sums> = Vec::new();
        let mut total = Sums::default();
        for _ in 0..ROUNDS {
            sums = of_product
                .iter()
                .map(|counts| overall.sums(counts, assumption))
                .collect();
            total = sums
                .iter()
                .fold(Sums::default(), |sum, other| sum.plus(*other));
            overall = total.level(overall, assumption);
        }
        // What a product itself has shown is not in the level that it is pulled towards.
        let products = of_product.iter().zip(&sums).map(|(counts, own)| {
            let others = total.minus(*own).level(overall, assumption);
            others.estimate(counts)
        });
        let products: Vec<Level> = products.collect();
        let mut reputations = vec![Reputation::default(); placements];
        for cell in cells {
            let level = products.get(cell.product).copied().unwrap_or(overall);
            if let Some(reputation) = reputations.get_mut(cell.placement) {
                reputation.successes += cell.counts.successes as f64;
                reputation.expected += cell.counts.trials as f64 * level.mean;
            }
        }
        Self {
            family: assumed.family,
            overall,
            products,
            reputations,
        }
    }

    /// The prior of a product on a placement, of which `own` was observed there. Its own counts are left out of the
    /// placement's reputation, since they are added to the prior later.
    pub fn prior(&self, product: usize, placement: usize, own: Counts) -> Belief {
        let level = self.products.get(product).copied().unwrap_or(self.overall);
        let reputation = self.reputations.get(placement).copied().unwrap_or_default();
        let others = Reputation {
            successes: (reputation.successes - own.successes as f64).max(0.0),
            expected: (reputation.expected - own.trials as f64 * level.mean).max(0.0),
        };
        Belief::around(self.family, level.mean * others.factor(), level.spread)
    }
}

impl Level {
    /// The level of `group`, pulled towards this one.
    fn estimate(self, group: &[Counts]) -> Self {
        let mut level = self;
        for _ in 0..ROUNDS {
            level = level.sums(group, self).level(level, self);
        }
        level
    }

    /// What a group contributes to its level, of which this one is the estimate so far.
    fn sums(self, group: &[Counts], above: Self) -> Sums {
        let known_well = square(above.spread);
        let mut sums = Sums::default();
        for counts in group.iter().filter(|counts| counts.trials > 0) {
            let chance = 1.0 / (counts.trials as f64 * self.mean);
            let weight = 1.0 / (square(self.spread) + chance);
            sums.rates += weight * counts.rate();
            sums.rate_weights += weight;
            // Relative to a member that is known well, whose weight is 1.
            let weight = square(known_well / (known_well + chance));
            let deviation = counts.rate() / self.mean - 1.0;
            sums.squares += weight * (square(deviation) - chance);
            sums.square_weights += weight;
        }
        sums
    }
}

/// Weighted sums over members of a group, from which its level follows.
#[derive(Clone, Copy, Debug, Default)]
struct Sums {
    /// Of rates, each weighted by how well it is known.
    rates: f64,
    rate_weights: f64,
    /// Of squared relative deviations, without what chance explains.
    squares: f64,
    square_weights: f64,
}

impl Sums {
    fn plus(self, other: Self) -> Self {
        Self {
            rates: self.rates + other.rates,
            rate_weights: self.rate_weights + other.rate_weights,
            squares: self.squares + other.squares,
            square_weights: self.square_weights + other.square_weights,
        }
    }

    fn minus(self, other: Self) -> Self {
        Self {
            rates: self.rates - other.rates,
            rate_weights: (self.rate_weights - other.rate_weights).max(0.0),
            squares: self.squares - other.squares,
            square_weights: (self.square_weights - other.square_weights).max(0.0),
        }
    }

    /// The level that follows, pulled towards `above`. `estimate` is the one that the weights were made with.
    fn level(self, estimate: Level, above: Level) -> Level {
        // What the level above is worth, in the same weights: so many successes of one member.
        let above_weight = 1.0 / (square(estimate.spread) + 1.0 / LEVEL_WEIGHT);
        let rates = self.rates + above_weight * above.mean;
        let squares = self.squares + SPREAD_WEIGHT * square(above.spread);
        let spread = (squares / (self.square_weights + SPREAD_WEIGHT)).max(0.0);
        Level {
            mean: (rates / (self.rate_weights + above_weight)).max(f64::MIN_POSITIVE),
            spread: spread.sqrt().clamp(SPREADS.0, SPREADS.1),
        }
    }
}

fn square(value: f64) -> f64 {
    value * value
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cell(product: usize, placement: usize, trials: u64, successes: u64) -> Cell {
        Cell {
            product,
            placement,
            counts: Counts::new(trials, successes),
        }
    }

    #[test]
    fn without_observations_everything_is_assumed() {
        let hierarchy = Hierarchy::fit(Assumption::CLICKS, 1, 1, &[]);
        let prior = hierarchy.prior(0, 0, Counts::default());
        assert!((prior.mean() - 0.005).abs() < 1e-6);
        assert_eq!(prior, hierarchy.prior(7, 7, Counts::default()));
    }

    #[test]
    fn a_new_product_starts_from_its_placements_reputation() {
        // Placement 1 does twice as well as placement 0 for ten products.
        let cells: Vec<Cell> = (0..10)
            .flat_map(|product| [cell(product, 0, 50_000, 100), cell(product, 1, 50_000, 200)])
            .collect();
        let hierarchy = Hierarchy::fit(Assumption::CLICKS, 11, 2, &cells);
        let worse = hierarchy.prior(10, 0, Counts::default()).mean();
        let better = hierarchy.prior(10, 1, Counts::default()).mean();
        assert!((1.8..2.2).contains(&(better / worse)), "{better} {worse}");
    }

    #[test]
    fn a_products_level_is_its_own() {
        let cells: Vec<Cell> = (0..20)
            .flat_map(|placement| {
                [
                    cell(0, placement, 20_000, 20),
                    cell(1, placement, 20_000, 200),
                ]
            })
            .collect();
        let hierarchy = Hierarchy::fit(Assumption::CLICKS, 2, 20, &cells);
        let of = |product| hierarchy.prior(product, 3, Counts::new(20_000, 20)).mean();
        assert!(of(0) < 0.002 && of(1) > 0.008, "{} {}", of(0), of(1));
    }

    #[test]
    fn the_spread_is_that_of_the_rates_without_chance() {
        // Rates that are equal but for chance have the least spread, rates that differ by half have it.
        let equal: Vec<Counts> = (0..60).map(|at| Counts::new(10_000, 30 + at % 2)).collect();
        let differing: Vec<Counts> = (0..60)
            .map(|at| Counts::new(1_000_000, if at % 2 == 0 { 1_500 } else { 4_500 }))
            .collect();
        let above = Level {
            mean: 0.003,
            spread: ASSUMED_SPREAD,
        };
        assert!(above.estimate(&equal).spread < 0.15);
        let spread = above.estimate(&differing).spread;
        assert!((0.45..0.55).contains(&spread), "{spread}");
    }

    #[test]
    fn a_placement_of_a_single_product_has_no_reputation_of_its_own() {
        let own = Counts::new(100_000, 900);
        let cells = [
            cell(0, 0, own.trials, own.successes),
            cell(0, 1, 100_000, 300),
        ];
        let hierarchy = Hierarchy::fit(Assumption::CLICKS, 1, 2, &cells);
        let first = hierarchy.prior(0, 0, own).mean();
        let second = hierarchy.prior(0, 1, Counts::new(100_000, 300)).mean();
        assert!((first / second - 1.0).abs() < 1e-6, "{first} {second}");
    }
}
