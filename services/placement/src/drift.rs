//! Rates change: a placement is redesigned, a product is no longer new. A belief that adds up everything would follow only
//! after as long as the old rate had lasted.
//!
//! The last updates are kept apart from what came before, and each update asks whether what came since any of them is
//! still explained by what came before. If not, what came before loses its weight.

use serde::{Deserialize, Serialize};
use statrs::distribution::{DiscreteCDF, NegativeBinomial};

use crate::belief::Counts;

/// Updates that are kept apart. A change that shows only after more of them is slow enough to be averaged.
const KEPT_APART: usize = 12;

/// What came before must have so many successes before anything can contradict it.
const SMALLEST_SAMPLE: u64 = 20;

/// What came since is a surprise if less likely than this. With 34 placements and 100 updates there are 40,000 looks,
/// most of which share their counts: one false alarm in about 20 such runs, which costs some exploration and no more.
const SURPRISE: f64 = 2e-5;

/// What came before keeps this part of the trials that contradict it.
const KEPT_PERCENT: u64 = 20;

/// The counts of one placement, oldest first.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct History {
    before: Counts,
    recent: Vec<Counts>,
}

impl History {
    /// Adds an update. Answers whether the rate has changed, and forgets most of what came before if it has.
    pub fn push(&mut self, update: Counts) -> bool {
        if update.trials == 0 {
            return false;
        }
        self.recent.push(update);
        if self.recent.len() > KEPT_APART {
            self.before = self.before.plus(self.recent.remove(0));
        }
        let Some((since, kept)) = self.surprise() else {
            return false;
        };
        let before = self.total().minus(since);
        let kept_trials = since.trials.saturating_mul(KEPT_PERCENT) / 100;
        self.before = scaled(before, kept_trials.min(before.trials));
        self.recent.drain(..self.recent.len().saturating_sub(kept));
        true
    }

    /// Replaces what an earlier update said. Which update that was is not known any more, so what it said is taken from the
    /// oldest ones.
    pub fn correct(&mut self, was: Counts, is: Counts) {
        self.before = self.before.plus(is);
        let mut rest = was;
        for counts in std::iter::once(&mut self.before).chain(&mut self.recent) {
            let (before, taken) = (*counts, rest);
            *counts = before.minus(taken);
            rest = taken.minus(before);
        }
    }

    /// Everything that counts.
    pub fn total(&self) -> Counts {
        let sum = |sum: Counts, update: &Counts| sum.plus(*update);
        self.recent.iter().fold(self.before, sum)
    }

    /// What came since the update from which on it is least explained, and how many updates that is; none while
    /// everything is explained.
    fn surprise(&self) -> Option<(Counts, usize)> {
        let (mut since, mut before) = (Counts::default(), self.total());
        let mut found: Option<(f64, Counts, usize)> = None;
        for (place, update) in (1..).zip(self.recent.iter().rev()) {
            since = since.plus(*update);
            before = before.minus(*update);
            if before.successes < SMALLEST_SAMPLE {
                break;
            }
            let probability = probability_of(since, before);
            if probability < found.map_or(SURPRISE, |(least, ..)| least) {
                found = Some((probability, since, place));
            }
        }
        found.map(|(_, since, place)| (since, place))
    }
}

/// The counts at so many trials, at the same rate.
fn scaled(counts: Counts, trials: u64) -> Counts {
    let successes =
        u128::from(counts.successes) * u128::from(trials) / u128::from(counts.trials.max(1));
    Counts::new(trials, u64::try_from(successes).unwrap_or(u64::MAX))
}

/// How likely counts at least as extreme as `since` are if the rate is still that of `before`: twice the smaller tail of
/// the predictive distribution, which is negative binomial.
fn probability_of(since: Counts, before: Counts) -> f64 {
    let share = before.trials as f64 / (before.trials as f64 + since.trials as f64);
    let Ok(predicted) = NegativeBinomial::new(before.successes as f64 + 0.5, share) else {
        return 1.0;
    };
    let at_most = predicted.cdf(since.successes);
    let at_least = since
        .successes
        .checked_sub(1)
        .map_or(1.0, |below| predicted.sf(below));
    (2.0 * at_most.min(at_least)).min(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn steady(rate_per_thousand: u64, updates: u64) -> History {
        let mut history = History::default();
        for update in 0..updates {
            // By turns one more and one less than expected.
            let successes = 4 * rate_per_thousand + update % 2;
            assert!(
                !history.push(Counts::new(4_000, successes)),
                "update {update}"
            );
        }
        history
    }

    #[test]
    fn a_steady_rate_is_never_forgotten() {
        assert_eq!(steady(4, 100).total().trials, 400_000);
    }

    #[test]
    fn a_rate_that_halves_is_noticed_and_the_past_forgotten() {
        let mut history = steady(5, 100);
        let noticed = (0..10)
            .position(|_| history.push(Counts::new(4_000, 10)))
            .unwrap();
        assert!(noticed < 5, "after {noticed} updates");
        let rate = history.total().rate();
        assert!((rate - 0.0025).abs() < 0.000_6, "{rate}");
    }

    #[test]
    fn a_rate_that_doubles_is_noticed() {
        let mut history = steady(5, 50);
        assert!((0..5).any(|_| history.push(Counts::new(4_000, 40))));
    }

    #[test]
    fn few_successes_contradict_nothing() {
        let mut history = History::default();
        for _ in 0..4 {
            assert!(!history.push(Counts::new(1_000, 4)));
        }
        assert!(!history.push(Counts::new(100_000, 0)));
    }

    #[test]
    fn an_update_without_trials_is_none() {
        let mut history = steady(4, 3);
        let before = history.clone();
        assert!(!history.push(Counts::default()));
        assert_eq!(history, before);
    }

    #[test]
    fn a_correction_keeps_the_total_right() {
        let mut history = steady(4, 3);
        history.correct(Counts::new(4_000, 16), Counts::new(3_000, 10));
        assert_eq!(history.total(), Counts::new(11_000, 12 * 4 + 1 - 16 + 10));
        history.correct(Counts::new(u64::MAX, u64::MAX), Counts::default());
        assert_eq!(history.total(), Counts::default());
    }

    #[test]
    fn counts_at_the_end_of_their_range_stay_there() {
        let mut history = History::default();
        for _ in 0..20 {
            history.push(Counts::new(u64::MAX / 2, 1_000));
        }
        assert_eq!(history.total().trials, u64::MAX);
    }
}
