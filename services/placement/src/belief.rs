//! What is known about a rate: observed counts, and the distribution of the rate given them.

use serde::{Deserialize, Serialize};
use statrs::distribution::{Beta, ContinuousCDF, Gamma};
use statrs::function::beta::ln_beta;
use statrs::function::gamma::ln_gamma;

/// The normal quantile of 97.5 %.
const NORMAL_95: f64 = 1.959_963_984_540_054;

/// Trials and successes: impressions and clicks, or units that a price list expects and units that came.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counts {
    /// Impressions, or expected units.
    pub trials: u64,
    /// Clicks, or units that came; the latter may be more than expected.
    pub successes: u64,
}

impl Counts {
    /// Counts of so many trials and successes.
    pub const fn new(trials: u64, successes: u64) -> Self {
        Self { trials, successes }
    }

    /// Both together; a sum that leaves the range stays at its end.
    #[must_use]
    pub const fn plus(self, other: Self) -> Self {
        Self {
            trials: self.trials.saturating_add(other.trials),
            successes: self.successes.saturating_add(other.successes),
        }
    }

    /// The counts of which `other` was a part, without it.
    #[must_use]
    pub const fn minus(self, other: Self) -> Self {
        Self {
            trials: self.trials.saturating_sub(other.trials),
            successes: self.successes.saturating_sub(other.successes),
        }
    }

    /// Successes per trial; 0 without trials.
    pub fn rate(self) -> f64 {
        if self.trials == 0 {
            0.0
        } else {
            self.successes as f64 / self.trials as f64
        }
    }

    /// The 95 % interval of the rate (Wilson 1927), which holds for few trials, too; from 0 to 1 without trials.
    pub fn rate_interval(self) -> (f64, f64) {
        if self.trials == 0 {
            return (0.0, 1.0);
        }
        let (trials, rate) = (self.trials as f64, self.rate().min(1.0));
        let z2 = NORMAL_95 * NORMAL_95;
        let centre = (rate + z2 / (2.0 * trials)) / (1.0 + z2 / trials);
        let spread = rate * (1.0 - rate) / trials + z2 / (4.0 * trials * trials);
        let half = NORMAL_95 * spread.sqrt() / (1.0 + z2 / trials);
        ((centre - half).max(0.0), (centre + half).min(1.0))
    }
}

/// How a rate is distributed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Family {
    /// A probability, such as clicks per impression.
    Beta,
    /// A ratio that may exceed 1, such as revenue against what the price list promises.
    Gamma,
}

/// The distribution of a rate. Its parameters are whole thousandths, so that a belief that was stored as text is the same
/// when it is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Belief {
    family: Family,
    /// Alpha of Beta, shape of Gamma, in thousandths.
    first: u64,
    /// Beta of Beta, rate of Gamma, in thousandths.
    second: u64,
}

/// The largest parameter: every thousandth up to it is exact as a floating-point number.
const LARGEST_PARAMETER: f64 = 9e12;

impl Belief {
    /// A belief with this mean whose standard deviation is `spread` times the mean.
    pub fn around(family: Family, mean: f64, spread: f64) -> Self {
        let shape = 1.0 / (spread * spread);
        let (first, second) = match family {
            Family::Beta => {
                let mean = mean.clamp(1e-9, 1.0 - 1e-9);
                let strength = ((1.0 - mean) * shape / mean - 1.0).max(2.0);
                (mean * strength, (1.0 - mean) * strength)
            }
            Family::Gamma => (shape, shape / mean.max(1e-9)),
        };
        Self::new(family, first, second)
    }

    fn new(family: Family, first: f64, second: f64) -> Self {
        Self {
            family,
            first: thousandths(first),
            second: thousandths(second),
        }
    }

    /// Both parameters.
    fn parameters(self) -> (f64, f64) {
        (self.first as f64 / 1_000.0, self.second as f64 / 1_000.0)
    }

    /// The belief after `counts` were observed.
    #[must_use]
    pub fn after(self, counts: Counts) -> Self {
        let (trials, successes) = (counts.trials as f64, counts.successes as f64);
        let failures = (trials - successes).max(0.0);
        let second = match self.family {
            Family::Beta => failures,
            Family::Gamma => trials,
        };
        let (first, base) = self.parameters();
        Self::new(self.family, first + successes, base + second)
    }

    /// Expected rate.
    pub fn mean(self) -> f64 {
        let (first, second) = self.parameters();
        match self.family {
            Family::Beta => first / (first + second),
            Family::Gamma => first / second,
        }
    }

    /// Standard deviation of the rate.
    pub fn standard_deviation(self) -> f64 {
        let (first, second) = self.parameters();
        let variance = match self.family {
            Family::Beta => {
                let sum = first + second;
                first * second / (sum * sum * (sum + 1.0))
            }
            Family::Gamma => first / (second * second),
        };
        variance.sqrt()
    }

    /// The density, ready to be evaluated at many points.
    pub(crate) fn density(self) -> Density {
        let (first, second) = self.parameters();
        let constant = match self.family {
            Family::Beta => -ln_beta(first, second),
            Family::Gamma => first * second.ln() - ln_gamma(first),
        };
        Density {
            family: self.family,
            first,
            second,
            constant,
        }
    }

    /// The probability that the rate is at most `rate`.
    pub fn cumulative(self, rate: f64) -> f64 {
        let (first, second) = self.parameters();
        match self.family {
            Family::Beta => Beta::new(first, second).map_or(0.0, |it| it.cdf(rate)),
            Family::Gamma => Gamma::new(first, second).map_or(0.0, |it| it.cdf(rate)),
        }
    }
}

/// A parameter in thousandths, at least one.
#[allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "it was brought into the range"
)]
fn thousandths(parameter: f64) -> u64 {
    (parameter.clamp(0.001, LARGEST_PARAMETER) * 1_000.0).round() as u64
}

/// A density with its constant computed once.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Density {
    family: Family,
    first: f64,
    second: f64,
    constant: f64,
}

impl Density {
    /// The density at `rate`.
    pub(crate) fn at(&self, rate: f64) -> f64 {
        if rate <= 0.0 || (self.family == Family::Beta && rate >= 1.0) {
            return 0.0;
        }
        let tail = match self.family {
            Family::Beta => (self.second - 1.0) * (-rate).ln_1p(),
            Family::Gamma => -self.second * rate,
        };
        (self.constant + (self.first - 1.0) * rate.ln() + tail).exp()
    }
}

/// The click rate's 95 % interval from counts alone: equal tails of the posterior from Jeffreys' prior, Beta(½, ½), and
/// 0 or 1 at the end where nothing or everything was clicked (Brown, Cai, DasGupta 2001).
pub fn interval_95(counts: Counts) -> (f64, f64) {
    let clicks = counts.successes.min(counts.trials);
    let misses = counts.trials.saturating_sub(clicks);
    let Ok(posterior) = Beta::new(clicks as f64 + 0.5, misses as f64 + 0.5) else {
        return (0.0, 1.0);
    };
    let low = if clicks == 0 {
        0.0
    } else {
        posterior.inverse_cdf(0.025)
    };
    let high = if misses == 0 {
        1.0
    } else {
        posterior.inverse_cdf(0.975)
    };
    (low, high)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn intervals_are_wilsons() {
        // Newcombe 1998, table I: 81 of 263, 15 of 148, 0 of 20, 1 of 29.
        for (trials, successes, low, high) in [
            (263, 81, 0.2553, 0.3662),
            (148, 15, 0.0624, 0.1605),
            (20, 0, 0.0, 0.1611),
            (29, 1, 0.0061, 0.1718),
        ] {
            let (from, to) = Counts::new(trials, successes).rate_interval();
            assert!(
                (from - low).abs() < 5e-5 && (to - high).abs() < 5e-5,
                "{from} {to}"
            );
        }
        assert_eq!(Counts::default().rate_interval(), (0.0, 1.0));
    }

    #[test]
    fn intervals_are_those_of_the_literature() {
        // Computed with scipy.stats.beta.ppf.
        let (low, high) = interval_95(Counts::new(10_000, 46));
        assert!((low - 0.003_412_5).abs() < 1e-6, "{low}");
        assert!((high - 0.006_073_9).abs() < 1e-6, "{high}");
        let (low, high) = interval_95(Counts::new(100, 0));
        assert!(low == 0.0 && (high - 0.024_745).abs() < 1e-5, "{high}");
        assert_eq!(interval_95(Counts::new(0, 0)), (0.0, 1.0));
    }

    #[test]
    fn a_belief_has_the_mean_and_the_spread_that_it_was_made_with() {
        for family in [Family::Beta, Family::Gamma] {
            let belief = Belief::around(family, 0.004, 0.35);
            assert!((belief.mean() - 0.004).abs() < 1e-6);
            assert!((belief.standard_deviation() / belief.mean() - 0.35).abs() < 1e-3);
        }
    }

    proptest! {
        #[test]
        fn densities_are_the_derivatives_of_the_distribution(
            mean in 0.001..0.5_f64, spread in 0.05..0.9_f64, at in 0.2..2.0_f64, is_beta: bool,
        ) {
            let family = if is_beta { Family::Beta } else { Family::Gamma };
            let belief = Belief::around(family, mean, spread);
            let rate = mean * at;
            prop_assume!(rate < 0.99);
            let step = rate * 1e-5;
            let slope = (belief.cumulative(rate + step) - belief.cumulative(rate - step)) / (2.0 * step);
            let density = belief.density().at(rate);
            prop_assert!((slope - density).abs() <= 1e-3 * density.max(1e-3 / mean), "{slope} {density}");
        }

        #[test]
        fn more_successes_raise_the_mean(trials in 1_000..100_000_u64, successes in 0..900_u64) {
            let prior = Belief::around(Family::Beta, 0.01, 0.5);
            let fewer = prior.after(Counts::new(trials, successes)).mean();
            let more = prior.after(Counts::new(trials, successes + 1)).mean();
            prop_assert!(more > fewer);
        }

        #[test]
        fn an_interval_holds_the_rate(trials in 1..1_000_000_u64, share in 0.0..1.0_f64) {
            let successes = (trials as f64 * share) as u64;
            let (low, high) = interval_95(Counts::new(trials, successes));
            let rate = Counts::new(trials, successes).rate();
            prop_assert!(low <= rate && rate <= high && low >= 0.0 && high <= 1.0);
        }
    }
}
