//! Which placement is chosen how often: Thompson sampling with its probabilities computed.
//!
//! Thompson sampling draws a value for each placement from what is believed of it and takes the best one. A round divides
//! a budget instead of drawing once, so each placement gets the share with which it would be drawn: the probability that
//! its value is the highest, by numerical integration. Computed probabilities can be stored with the decision, and what is
//! evaluated later knows them.

use serde::{Deserialize, Serialize};

use crate::belief::{Belief, Density};

/// Shares add up to this.
pub const WHOLE: u32 = 1_000_000;

/// How far a distribution reaches from its mean, in standard deviations. Beyond it lies less than a millionth.
const REACH: f64 = 6.0;

/// How much farther it reaches upwards, divided by the square root of its successes: rates of few successes are skewed.
const SKEWED_REACH: f64 = 12.0;

/// Distance of the points at which the integrand is evaluated, in standard deviations. Simpson's rule is then exact to
/// about 1e-4.
const STEP: f64 = 0.5;

/// A placement to choose.
#[derive(Clone, Copy, Debug)]
pub struct Arm {
    /// What is believed of its rate.
    pub belief: Belief,
    /// What a unit of budget brings for each unit of the rate.
    pub scale: f64,
}

/// Limits of shares, in millionths.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    /// What is divided equally, whatever is believed: the floor of exploration.
    pub exploration: u32,
    /// The highest share of one placement, unless there are too few of them to reach the whole with it.
    pub highest: u32,
}

impl Limits {
    /// 2 % explore, and no placement gets more than 40 %.
    pub const DEFAULT: Self = Self {
        exploration: 20_000,
        highest: 400_000,
    };

    /// The highest share of one of `arms` placements.
    pub fn highest_of(self, arms: usize) -> u32 {
        let equal = WHOLE.div_ceil(u32::try_from(arms.max(1)).unwrap_or(WHOLE));
        self.highest.max(equal).min(WHOLE)
    }
}

/// The probability of each arm that its value is the highest. They sum to 1.
pub fn best_probabilities(arms: &[Arm]) -> Vec<f64> {
    if arms.len() < 2 {
        return vec![1.0; arms.len()];
    }
    let values: Vec<Value> = arms.iter().map(Value::of).collect();
    let floor = values
        .iter()
        .map(|value| value.mean - REACH * value.deviation)
        .fold(0.0, f64::max);
    let contenders: Vec<usize> = (0..arms.len())
        .filter(|at| values.get(*at).is_some_and(|value| value.highest() > floor))
        .collect();
    let contending: Vec<Value> = contenders
        .iter()
        .filter_map(|at| values.get(*at).copied())
        .collect();
    let cells = Cells::over(&contending, floor);
    let won = cells.integrate(&contending);
    let total: f64 = won.iter().sum();
    let mut probabilities = vec![0.0; arms.len()];
    for (at, won) in contenders.into_iter().zip(won) {
        if let Some(probability) = probabilities.get_mut(at) {
            *probability = if total > 0.0 { won / total } else { 0.0 };
        }
    }
    if total <= 0.0 {
        let equal = 1.0 / arms.len() as f64;
        probabilities.fill(equal);
    }
    probabilities
}

/// The distribution of an arm's value.
#[derive(Clone, Copy, Debug)]
struct Value {
    mean: f64,
    deviation: f64,
    /// In standard deviations.
    upper_reach: f64,
    scale: f64,
    density: Density,
}

impl Value {
    fn of(arm: &Arm) -> Self {
        let scale = arm.scale.max(f64::MIN_POSITIVE);
        let (mean, deviation) = (arm.belief.mean(), arm.belief.standard_deviation());
        Self {
            mean: mean * scale,
            deviation: deviation * scale,
            // Successes are about the square of mean by deviation.
            upper_reach: REACH + (SKEWED_REACH * deviation / mean).min(2.0 * REACH),
            scale,
            density: arm.belief.density(),
        }
    }

    fn highest(&self) -> f64 {
        self.mean + self.upper_reach * self.deviation
    }

    fn density_at(&self, value: f64) -> f64 {
        self.density.at(value / self.scale) / self.scale
    }
}

/// The range of values in cells that are as narrow as the narrowest distribution in them needs.
#[derive(Debug)]
struct Cells {
    edges: Vec<f64>,
}

impl Cells {
    fn over(values: &[Value], floor: f64) -> Self {
        let mut points: Vec<(f64, f64)> = Vec::new();
        for value in values {
            let step = STEP * value.deviation;
            let mut at = -REACH;
            while at <= value.upper_reach {
                let point = value.mean + at * value.deviation;
                if point > floor {
                    points.push((point, step));
                }
                at += STEP;
            }
        }
        points.sort_by(|one, other| one.0.total_cmp(&other.0));
        let mut edges = vec![floor];
        let mut last = floor;
        for (point, step) in points {
            // A point close to the one before adds nothing, unless its distribution is that narrow.
            if point - last >= 0.75 * step {
                edges.push(point);
                last = point;
            }
        }
        Self { edges }
    }

    /// For each distribution the integral of its density times the others' distribution functions.
    fn integrate(&self, values: &[Value]) -> Vec<f64> {
        let profiles: Vec<Profile> = values
            .iter()
            .map(|value| Profile::of(value, &self.edges))
            .collect();
        let points = profiles
            .first()
            .map_or(0, |profile| profile.cumulative.len());
        // The logarithm of the product of all distribution functions.
        let mut product = vec![0.0; points];
        for profile in &profiles {
            for (sum, cumulative) in product.iter_mut().zip(&profile.cumulative) {
                *sum += cumulative.ln();
            }
        }
        profiles
            .iter()
            .map(|profile| {
                let integrand: Vec<f64> = (profile.density.iter().zip(&profile.cumulative))
                    .zip(&product)
                    .map(|((density, cumulative), product)| {
                        density * (product - cumulative.ln()).exp()
                    })
                    .collect();
                self.simpson(&integrand)
            })
            .collect()
    }

    /// The integral of a function that is given at all edges and middles.
    fn simpson(&self, function: &[f64]) -> f64 {
        self.edges
            .windows(2)
            .zip(function.windows(3).step_by(2))
            .map(|(edges, values)| match (edges, values) {
                ([from, to], [first, middle, last]) => {
                    (to - from) / 6.0 * (first + 4.0 * middle + last)
                }
                _ => 0.0,
            })
            .sum()
    }
}

/// The smallest distribution function: its logarithm stays finite.
const SMALLEST: f64 = 1e-300;

/// A distribution at all edges and middles of the cells.
#[derive(Debug)]
struct Profile {
    density: Vec<f64>,
    cumulative: Vec<f64>,
}

impl Profile {
    fn of(value: &Value, edges: &[f64]) -> Self {
        let mut density = Vec::with_capacity(edges.len() * 2);
        let mut masses = Vec::with_capacity(edges.len() * 2);
        let mut first = value.density_at(edges.first().copied().unwrap_or(0.0));
        density.push(first);
        for pair in edges.windows(2) {
            let [from, to] = pair else { continue };
            let middle = value.density_at(f64::midpoint(*from, *to));
            let last = value.density_at(*to);
            // The parabola's integral over the first half, and over the whole.
            let width = to - from;
            let half = width / 24.0 * (5.0 * first + 8.0 * middle - last);
            let whole = width / 6.0 * (first + 4.0 * middle + last);
            density.extend([middle, last]);
            masses.extend([half, whole - half]);
            first = last;
        }
        // From above, where everything lies below: what lies under the first edge needs no integral.
        let mut cumulative = vec![1.0; density.len()];
        let mut above = 0.0;
        for (at, mass) in masses.iter().enumerate().rev() {
            above += mass;
            if let Some(cumulative) = cumulative.get_mut(at) {
                *cumulative = (1.0 - above).clamp(SMALLEST, 1.0);
            }
        }
        Self {
            density,
            cumulative,
        }
    }
}

/// Shares in millionths by these probabilities, within the limits. They sum to [`WHOLE`].
pub fn shares(probabilities: &[f64], limits: Limits) -> Vec<u32> {
    let count = probabilities.len();
    if count == 0 {
        return Vec::new();
    }
    let whole = f64::from(WHOLE);
    let explored = f64::from(limits.exploration.min(WHOLE)) / whole;
    let equal = explored / count as f64;
    // The limit first: what it takes from one goes to others by what is believed of them, not to the floor.
    let highest = f64::from(limits.highest_of(count)) / whole - equal;
    let believed: Vec<f64> = probabilities
        .iter()
        .map(|probability| (1.0 - explored) * probability)
        .collect();
    let mixed: Vec<f64> = limited(believed, highest)
        .iter()
        .map(|share| share + equal)
        .collect();
    rounded(&mixed)
}

/// Takes what is above `highest` from those that have more and gives it to the others by their shares; equally, where
/// they have none.
fn limited(mut shares: Vec<f64>, highest: f64) -> Vec<f64> {
    // Each round brings at least one more share to the limit.
    for _ in 0..shares.len() {
        let excess: f64 = shares.iter().map(|share| (share - highest).max(0.0)).sum();
        let below: Vec<f64> = shares.iter().copied().filter(|it| *it < highest).collect();
        if excess <= 1e-12 || below.is_empty() {
            break;
        }
        let open: f64 = below.iter().sum();
        let equal = excess / below.len() as f64;
        for share in &mut shares {
            *share = if *share >= highest {
                highest
            } else if open > 0.0 {
                *share * (1.0 + excess / open)
            } else {
                equal
            };
        }
    }
    shares
}

/// Whole millionths with the sum of [`WHOLE`]: the largest remainders are rounded up.
#[allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "shares are between 0 and 1"
)]
fn rounded(shares: &[f64]) -> Vec<u32> {
    let exact: Vec<f64> = shares
        .iter()
        .map(|share| share * f64::from(WHOLE))
        .collect();
    let mut whole: Vec<u32> = exact.iter().map(|share| share.floor() as u32).collect();
    let missing = WHOLE.saturating_sub(whole.iter().sum());
    let mut order: Vec<usize> = (0..exact.len()).collect();
    let remainder = |at: &usize| exact.get(*at).map_or(0.0, |share| share.fract());
    order.sort_by(|one, other| remainder(other).total_cmp(&remainder(one)));
    for at in order.into_iter().cycle().take(missing as usize) {
        if let Some(share) = whole.get_mut(at) {
            *share = share.saturating_add(1);
        }
    }
    whole
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::belief::{Counts, Family};
    use proptest::prelude::*;
    use rand::SeedableRng as _;
    use rand::rngs::StdRng;
    use rand_distr::{Beta, Distribution as _};

    fn arm(trials: u64, successes: u64) -> Arm {
        let prior = Belief::around(Family::Beta, 0.004, 0.5);
        Arm {
            belief: prior.after(Counts::new(trials, successes)),
            scale: 1.0,
        }
    }

    /// How often each arm wins if it is drawn.
    fn drawn(arms: &[(f64, f64)], draws: usize) -> Vec<f64> {
        let mut random = StdRng::seed_from_u64(7);
        let arms: Vec<Beta<f64>> = arms
            .iter()
            .map(|(alpha, beta)| Beta::new(*alpha, *beta).unwrap())
            .collect();
        let mut wins = vec![0.0; arms.len()];
        for _ in 0..draws {
            let values = arms.iter().map(|arm| arm.sample(&mut random));
            let best = values
                .enumerate()
                .max_by(|one, other| one.1.total_cmp(&other.1));
            wins[best.unwrap().0] += 1.0 / draws as f64;
        }
        wins
    }

    #[test]
    fn probabilities_are_those_of_drawing() {
        // Narrow beside broad, many alike, one ahead.
        let worlds: [&[(u64, u64)]; 4] = [
            &[(0, 0), (1_000_000, 4_100), (20_000, 85)],
            &[(0, 0); 30],
            &[(50_000, 210), (50_000, 220), (50_000, 190), (3_000, 20)],
            &[(100_000_000, 400_000), (100_000_000, 400_500), (500, 0)],
        ];
        for world in worlds {
            let arms: Vec<Arm> = world.iter().map(|(n, c)| arm(*n, *c)).collect();
            let parameters: Vec<(f64, f64)> = arms
                .iter()
                .map(|arm| {
                    let (mean, sd) = (arm.belief.mean(), arm.belief.standard_deviation());
                    let strength = mean * (1.0 - mean) / (sd * sd) - 1.0;
                    (mean * strength, (1.0 - mean) * strength)
                })
                .collect();
            let computed = best_probabilities(&arms);
            for (one, other) in computed.iter().zip(drawn(&parameters, 200_000)) {
                // Four standard errors of the draws.
                let error = 4.0 * (other.max(1e-4) / 200_000.0).sqrt();
                assert!(
                    (one - other).abs() < error + 5e-4,
                    "{world:?}: {one} {other}"
                );
            }
        }
    }

    #[test]
    fn arms_that_are_alike_have_equal_probabilities() {
        for one in best_probabilities(&[arm(1_000, 4); 7]) {
            assert!((one - 1.0 / 7.0).abs() < 1e-9, "{one}");
        }
    }

    #[test]
    fn a_known_value_is_chosen_whatever_the_price() {
        // The second one costs half as much and clicks a little less often.
        let mut arms = [arm(1_000_000, 5_000), arm(1_000_000, 4_500)];
        arms[1].scale = 2.0;
        assert!(best_probabilities(&arms)[1] > 0.999);
    }

    #[test]
    fn one_placement_gets_everything_and_two_share() {
        assert_eq!(
            shares(&best_probabilities(&[arm(0, 0)]), Limits::DEFAULT),
            [WHOLE]
        );
        assert_eq!(shares(&[1.0, 0.0], Limits::DEFAULT), [500_000, 500_000]);
        assert!(shares(&[], Limits::DEFAULT).is_empty());
    }

    #[test]
    fn the_highest_share_is_limited_and_every_placement_is_explored() {
        let mut probabilities = vec![0.0; 34];
        probabilities[3] = 0.9;
        probabilities[4] = 0.1;
        let shares = shares(&probabilities, Limits::DEFAULT);
        assert_eq!(shares[3], 400_000);
        assert!(shares[4] <= 400_000 && shares[4] > 300_000, "{}", shares[4]);
        assert!(shares.iter().all(|share| *share >= 588), "{shares:?}");
    }

    proptest! {
        #[test]
        fn shares_are_whole_and_within_their_limits(
            weights in prop::collection::vec(0.0..1.0_f64, 1..60),
            exploration in 0..200_000_u32,
            highest in 100_000..WHOLE,
        ) {
            let sum: f64 = weights.iter().sum::<f64>() + 1e-9;
            let probabilities: Vec<f64> = weights.iter().map(|weight| weight / sum).collect();
            let limits = Limits { exploration, highest };
            let shares = shares(&probabilities, limits);
            prop_assert_eq!(shares.iter().sum::<u32>(), WHOLE);
            let most = limits.highest_of(shares.len());
            prop_assert!(shares.iter().all(|share| *share <= most.saturating_add(1)));
            let least = exploration / u32::try_from(shares.len()).unwrap();
            prop_assert!(shares.iter().all(|share| *share >= least.saturating_sub(1)));
        }

        #[test]
        fn probabilities_sum_to_one(
            counts in prop::collection::vec((0..10_000_000_u64, 0.0..0.02_f64), 1..40),
        ) {
            let arms: Vec<Arm> = counts
                .iter()
                .map(|(trials, rate)| arm(*trials, (*trials as f64 * rate) as u64))
                .collect();
            let probabilities = best_probabilities(&arms);
            let sum: f64 = probabilities.iter().sum();
            prop_assert!((sum - 1.0).abs() < 1e-9);
            prop_assert!(probabilities.iter().all(|one| (0.0..=1.0).contains(one)));
        }
    }
}
