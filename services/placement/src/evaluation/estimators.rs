//! The estimates of a policy's click rate from the log of another one.
//!
//! Row `i` of `n` shows action `aᵢ` at position `kᵢ` with propensity `pᵢ` and has reward `rᵢ`, 1 for
//! a click. The target policy is `π`, the row's weight `wᵢ = π(aᵢ|kᵢ) / pᵢ`, and `q` the direct
//! model's click rate, fitted on the fold that row `i` is not in.
//!
//! | estimate | formula | source |
//! |---|---|---|
//! | on-policy | `Σ rᵢ / n` | the log's own click rate |
//! | IPW | `Σ wᵢrᵢ / n` | Horvitz, Thompson 1952 |
//! | SNIPW | `Σ wᵢrᵢ / Σ wᵢ` | Swaminathan, Joachims 2015 |
//! | DM | `Σᵢ Σₐ π(a|kᵢ) q(a,kᵢ) / n` | Dudík, Langford, Li 2011 |
//! | DR | `Σᵢ (Σₐ π(a|kᵢ) q(a,kᵢ) + wᵢ(rᵢ − q(aᵢ,kᵢ))) / n` | Dudík, Langford, Li 2011 |
//!
//! IPW and DR are unbiased if propensities are right and the log supports the target. SNIPW has a
//! bias of order `1/n` and mostly a smaller variance. DM is as good as its model.

use serde::Serialize;

use super::cells::{Cell, Cells, Tallies, cross_fitted};
use super::model::Grid;

/// The same for each estimator.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Estimates<T> {
    /// The log's own click rate: what the logged policy earned.
    pub on_policy: T,
    /// Inverse propensity weighting.
    pub ipw: T,
    /// Self-normalised inverse propensity weighting.
    pub snipw: T,
    /// The direct model alone.
    pub dm: T,
    /// Doubly robust: the direct model, corrected by weighted residuals.
    pub dr: T,
}

/// A mean and its standard error.
#[derive(Debug, Clone, Copy)]
pub(super) struct Estimate {
    pub value: f64,
    pub standard_error: f64,
}

/// Sums over rows, from which every estimate but DM follows.
#[derive(Debug, Default, Clone, Copy)]
pub(super) struct Sums {
    rows: f64,
    clicks: f64,
    weight: f64,
    weight_squared: f64,
    weighted_clicks: f64,
    weight_squared_of_clicks: f64,
    score: f64,
    score_squared: f64,
}

impl Sums {
    /// Of the log itself.
    pub(super) fn of(cells: &Cells) -> Self {
        let mut sums = Self::default();
        for cell in &cells.list {
            sums.add(cell, cell.rows);
        }
        sums
    }

    /// Adds `rows` rows like the cell's.
    pub(super) fn add(&mut self, cell: &Cell, rows: u64) {
        let rows = rows as f64;
        let weight = rows * cell.weight;
        let score = rows * cell.score;
        self.rows += rows;
        self.weight += weight;
        self.weight_squared += weight * cell.weight;
        self.score += score;
        self.score_squared += score * cell.score;
        if cell.reward {
            self.clicks += rows;
            self.weighted_clicks += weight;
            self.weight_squared_of_clicks += weight * cell.weight;
        }
    }

    /// Kish's effective sample size `(Σ wᵢ)² / Σ wᵢ²`: so many rows of equal weight would be worth as
    /// much.
    pub(super) fn effective_sample_size(&self) -> f64 {
        let size = self.weight * self.weight / self.weight_squared;
        if size.is_finite() { size } else { 0.0 }
    }

    /// The mean weight.
    pub(super) fn mean_weight(&self) -> f64 {
        self.weight / self.rows
    }

    pub(super) fn on_policy(&self) -> Estimate {
        self.mean(self.clicks, self.clicks)
    }

    pub(super) fn ipw(&self) -> Estimate {
        self.mean(self.weighted_clicks, self.weight_squared_of_clicks)
    }

    /// The standard error is that of the linearised ratio.
    pub(super) fn snipw(&self) -> Estimate {
        if self.weight <= 0.0 {
            return Estimate {
                value: 0.0,
                standard_error: 0.0,
            };
        }
        let value = self.weighted_clicks / self.weight;
        let squares = (1.0 - 2.0 * value) * self.weight_squared_of_clicks
            + value * value * self.weight_squared;
        Estimate {
            value,
            standard_error: squares.max(0.0).sqrt() / self.weight,
        }
    }

    pub(super) fn dr(&self) -> Estimate {
        self.mean(self.score, self.score_squared)
    }

    fn mean(&self, sum: f64, squares: f64) -> Estimate {
        let value = sum / self.rows;
        let variance = (squares / self.rows - value * value) / self.rows;
        Estimate {
            value,
            standard_error: variance.max(0.0).sqrt(),
        }
    }
}

/// The direct model's click rate of the target policy, from tallies by fold. The model is fitted
/// here, so a resample of the tallies resamples the model, too.
pub(super) fn direct(grid: &Grid, tallies: &Tallies) -> f64 {
    let (mut sum, mut rows) = (0.0, 0);
    for (tallies, model) in tallies.iter().zip(cross_fitted(grid, tallies)) {
        for ((_, shown), value) in grid.positions(tallies).zip(model.values(grid)) {
            let shown: u64 = shown.iter().map(|tally| tally.rows).sum();
            sum += shown as f64 * value;
            rows += shown;
        }
    }
    sum / rows as f64
}
