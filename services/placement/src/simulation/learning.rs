//! One product on many placements of unknown click rates, impressions in rounds.

use adfolio_money::Micros;
use rand::Rng;
use rand_distr::{Beta, Binomial, Distribution as _};

use crate::belief::Counts;
use crate::choice::{Limits, WHOLE};
use crate::decision::{Candidate, Menu};
use crate::drift::History;
use crate::prior::{Assumption, Cell, Hierarchy};

/// The true click rate of each placement.
#[derive(Clone, Debug)]
pub struct World {
    /// Click rates.
    pub rates: Vec<f64>,
}

/// Why a world cannot be made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WorldError {
    /// The parameters of Beta distributions are positive, and there are as many of one as of the other.
    #[error("alpha and beta must be lists of equal length of positive numbers")]
    NotBeta,
}

impl World {
    /// Draws each placement's rate from Beta(alpha, beta).
    pub fn draw(alpha: &[f64], beta: &[f64], random: &mut impl Rng) -> Result<Self, WorldError> {
        if alpha.len() != beta.len() || alpha.is_empty() {
            return Err(WorldError::NotBeta);
        }
        let rates: Result<Vec<f64>, WorldError> = alpha
            .iter()
            .zip(beta)
            .map(|(alpha, beta)| {
                let rate = Beta::new(*alpha, *beta).map_err(|_| WorldError::NotBeta)?;
                Ok(rate.sample(random))
            })
            .collect();
        Ok(Self { rates: rates? })
    }

    /// Clicks of an impression for one who knows every rate and keeps the same limits.
    pub fn best_rate(&self, limits: Limits) -> f64 {
        let mut best: Vec<f64> = vec![0.0; self.rates.len()];
        let mut order: Vec<usize> = (0..self.rates.len()).collect();
        let rate = |at: usize| self.rates.get(at).copied().unwrap_or(0.0);
        order.sort_by(|one, other| rate(*other).total_cmp(&rate(*one)));
        let highest = f64::from(limits.highest_of(order.len())) / f64::from(WHOLE);
        let equal = f64::from(limits.exploration) / f64::from(WHOLE) / order.len() as f64;
        let mut left = 1.0 - equal * order.len() as f64;
        for at in order {
            let more = left.min(highest - equal);
            left -= more;
            if let Some(share) = best.get_mut(at) {
                *share = equal + more;
            }
        }
        best.iter()
            .zip(&self.rates)
            .map(|(share, rate)| share * rate)
            .sum()
    }

    /// The highest rate of all.
    pub fn highest_rate(&self) -> f64 {
        self.rates.iter().copied().fold(0.0, f64::max)
    }

    /// The rate of showing everything equally often.
    pub fn uniform_rate(&self) -> f64 {
        self.rates.iter().sum::<f64>() / self.rates.len() as f64
    }
}

/// What is learnt of one product.
#[derive(Clone, Debug)]
pub struct Learner {
    histories: Vec<History>,
    limits: Limits,
}

impl Learner {
    /// Knows nothing of its placements.
    pub fn new(placements: usize, limits: Limits) -> Self {
        Self {
            histories: vec![History::default(); placements],
            limits,
        }
    }

    /// Shares of the next round, in millionths.
    pub fn shares(&self) -> Vec<u32> {
        self.shares_without(&[])
    }

    /// The same, with nothing for placements that are held.
    pub fn shares_without(&self, held: &[bool]) -> Vec<u32> {
        let totals: Vec<Counts> = self.histories.iter().map(History::total).collect();
        let cells: Vec<Cell> = totals
            .iter()
            .enumerate()
            .map(|(placement, counts)| Cell {
                product: 0,
                placement,
                counts: *counts,
            })
            .collect();
        let hierarchy = Hierarchy::fit(Assumption::CLICKS, 1, totals.len(), &cells);
        let candidate = |(placement, counts): (usize, &Counts)| Candidate {
            belief: hierarchy.prior(0, placement, *counts).after(*counts),
            unit_cost: Micros::new(1),
            unit_value: 1,
            is_held: held.get(placement).copied().unwrap_or(false),
        };
        let menu = Menu {
            candidates: totals.iter().enumerate().map(candidate).collect(),
            limits: self.limits,
        };
        menu.shares()
    }

    /// Learns what a round brought.
    pub fn learn(&mut self, shown: &[Counts]) {
        for (history, counts) in self.histories.iter_mut().zip(shown) {
            history.push(*counts);
        }
    }
}

/// How long a trial is.
#[derive(Clone, Copy, Debug)]
pub struct Terms {
    /// Rounds of the first plan.
    pub rounds: usize,
    /// Impressions of a round, after which is learnt.
    pub impressions: u64,
    /// Rounds in which the beginnings of the first and the second plan are compared.
    pub beginning: usize,
}

/// What one world showed. Losses are parts of the clicks.
#[derive(Clone, Copy, Debug)]
pub struct Trial {
    /// Lost against knowing every rate, with the same limits.
    pub lost: f64,
    /// Lost against showing nothing but the best placement.
    pub lost_without_limits: f64,
    /// What showing everything equally often loses against knowing every rate, with the same limits.
    pub lost_by_uniform: f64,
    /// The loss of the first plan's beginning.
    pub first_beginning: f64,
    /// The loss of the second plan's beginning, which starts from what the first one has shown.
    pub second_beginning: f64,
    /// Impressions after which the leading placement lost its lead when its rate was halved; none if it kept it for as
    /// long as a plan.
    pub lead_lost_after: Option<u64>,
}

/// Places a plan in a world, then a second one of the same product; then the leading placement's rate halves.
pub fn trial(mut world: World, limits: Limits, terms: &Terms, random: &mut impl Rng) -> Trial {
    let mut learner = Learner::new(world.rates.len(), limits);
    let mut place = |world: &World, rounds: usize| -> Vec<Round> {
        (0..rounds)
            .map(|_| round(world, &mut learner, terms.impressions, random))
            .collect()
    };
    let (first, second) = (place(&world, terms.rounds), place(&world, terms.beginning));
    let best = world.best_rate(limits);
    let beginning = first.get(..terms.beginning).unwrap_or(&first);
    let trial = Trial {
        lost: lost(&world, &first, best),
        lost_without_limits: lost(&world, &first, world.highest_rate()),
        lost_by_uniform: 1.0 - world.uniform_rate() / best,
        first_beginning: lost(&world, beginning, best),
        second_beginning: lost(&world, &second, best),
        lead_lost_after: None,
    };
    let leader = leader(&learner.shares());
    if let Some(rate) = world.rates.get_mut(leader) {
        *rate /= 2.0;
    }
    let mut lead_lost_after = None;
    for after in 1..=terms.rounds {
        round(&world, &mut learner, terms.impressions, random);
        let shares = learner.shares();
        if shares.iter().max() != shares.get(leader) {
            lead_lost_after = Some(terms.impressions.saturating_mul(after as u64));
            break;
        }
    }
    Trial {
        lead_lost_after,
        ..trial
    }
}

/// The placement with the largest share.
fn leader(shares: &[u32]) -> usize {
    let largest = shares
        .iter()
        .copied()
        .enumerate()
        .max_by_key(|(_, share)| *share);
    largest.map_or(0, |(at, _)| at)
}

/// A round: how it was divided, and what came of it.
#[derive(Clone, Debug)]
pub struct Round {
    /// Shares of the placements, in millionths.
    pub shares: Vec<u32>,
    /// Impressions and clicks of the placements.
    pub shown: Vec<Counts>,
}

/// Shows `impressions` in a world by the learner's shares, and lets it learn.
pub fn round(
    world: &World,
    learner: &mut Learner,
    impressions: u64,
    random: &mut impl Rng,
) -> Round {
    let shares = learner.shares();
    let shown: Vec<Counts> = shares
        .iter()
        .zip(&world.rates)
        .map(|(share, rate)| {
            let trials = impressions.saturating_mul(u64::from(*share)) / u64::from(WHOLE);
            let clicks = Binomial::new(trials, *rate).map_or(0, |clicks| clicks.sample(random));
            Counts::new(trials, clicks)
        })
        .collect();
    learner.learn(&shown);
    Round { shares, shown }
}

/// What part of the clicks was lost in these rounds, against `best` clicks for each impression. Counted by the true rates,
/// so chance in the clicks themselves does not blur it.
pub fn lost(world: &World, rounds: &[Round], best: f64) -> f64 {
    let (mut trials, mut clicks) = (0.0, 0.0);
    for round in rounds {
        for (counts, rate) in round.shown.iter().zip(&world.rates) {
            trials += counts.trials as f64;
            clicks += counts.trials as f64 * rate;
        }
    }
    1.0 - clicks / (trials * best)
}
