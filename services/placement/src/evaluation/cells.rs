use super::model::{DirectModel, Grid, Tally};
use super::{Log, Policy};

/// Rows of a log with equal values for every estimator, and their count.
#[derive(Debug, Clone, Copy)]
pub(super) struct Cell {
    pub rows: u64,
    pub fold: usize,
    pub pair: usize,
    pub reward: bool,
    /// The target's probability of the action, divided by the logged propensity.
    pub weight: f64,
    /// The direct model's click rate, from the other fold.
    pub rate: f64,
    /// The row's term of the doubly robust estimate.
    pub score: f64,
}

/// A log as counts: what the estimates and their resampling are computed from.
///
/// Every second row belongs to fold 1, the others to fold 0. Each fold is judged by the model of the
/// other, so no row's own click is in the rate that is subtracted from it.
#[derive(Debug)]
pub(super) struct Cells {
    pub rows: u64,
    pub grid: Grid,
    /// In an order that does not depend on the order of rows within a fold.
    pub list: Vec<Cell>,
}

/// Tallies of all pairs, by fold.
pub(super) type Tallies = [Vec<Tally>; 2];

impl Cells {
    pub(super) fn new(log: &Log, target: &Policy) -> Self {
        let actions = names(
            log.rows()
                .iter()
                .map(|row| row.action)
                .chain(target.actions()),
        );
        let positions = names(log.rows().iter().map(|row| row.position));
        let probabilities = positions
            .iter()
            .flat_map(|position| actions.iter().map(|a| target.probability(*a, *position)))
            .collect();
        let grid = Grid::new(actions.len(), probabilities);

        let rows = log.rows().iter().enumerate();
        let mut alike: Vec<(usize, usize, bool, u64)> = rows
            .map(|(index, row)| {
                let pair = grid.pair(
                    number(&actions, row.action),
                    number(&positions, row.position),
                );
                let weight = grid.target(pair) / row.propensity;
                (index % 2, pair, row.reward, weight.to_bits())
            })
            .collect();
        alike.sort_unstable();
        let list = alike
            .chunk_by(|one, next| one == next)
            .map(|rows| {
                let (fold, pair, reward, weight) = rows[0];
                Cell {
                    rows: rows.len() as u64,
                    fold,
                    pair,
                    reward,
                    weight: f64::from_bits(weight),
                    rate: 0.0,
                    score: 0.0,
                }
            })
            .collect();
        let mut cells = Self {
            rows: log.rows().len() as u64,
            grid,
            list,
        };
        cells.score();
        cells
    }

    /// Tallies of all pairs, if a cell has as many rows as `counts` says.
    pub(super) fn tallies(&self, counts: impl Iterator<Item = u64>) -> Tallies {
        let mut tallies = [(); 2].map(|()| vec![Tally::default(); self.grid.pairs()]);
        for (cell, rows) in self.list.iter().zip(counts) {
            let tally = &mut tallies[cell.fold][cell.pair];
            tally.rows += rows;
            tally.clicks += if cell.reward { rows } else { 0 };
        }
        tallies
    }

    /// How many rows each cell has in the log.
    pub(super) fn counts(&self) -> impl Iterator<Item = u64> {
        self.list.iter().map(|cell| cell.rows)
    }

    /// Clicks of the log.
    pub(super) fn clicks(&self) -> u64 {
        let clicks = self.list.iter().filter(|cell| cell.reward);
        clicks.map(|cell| cell.rows).sum()
    }

    /// Clicks that the target policy could have had.
    pub(super) fn weighted_clicks(&self) -> u64 {
        let clicks = self.list.iter().filter(|cell| cell.reward);
        let weighted = clicks.filter(|cell| cell.weight > 0.0);
        weighted.map(|cell| cell.rows).sum()
    }

    /// The share of the target's choices that the log never made. A position at which the target
    /// has no action counts as a whole.
    pub(super) fn unsupported(&self) -> f64 {
        let [mut tallies, odd] = self.tallies(self.counts());
        for (tally, odd) in tallies.iter_mut().zip(odd) {
            tally.rows += odd.rows;
        }
        let rows_without_support = self.grid.positions(&tallies).map(|(target, tallies)| {
            let missing: f64 = target
                .iter()
                .zip(tallies)
                .filter(|(_, tally)| tally.rows == 0)
                .map(|(probability, _)| probability)
                .sum();
            let unknown = target.iter().all(|probability| *probability == 0.0);
            let rows: u64 = tallies.iter().map(|tally| tally.rows).sum();
            rows as f64 * if unknown { 1.0 } else { missing }
        });
        rows_without_support.fold(0.0, |sum, rows| sum + rows) / self.rows as f64
    }

    /// Half the width of a 95 % interval, as a share of the figure, that the weights and the model's
    /// rates lead to expect: `1.96 √(Σ w²q) / Σ wq`, as if clicks were Poisson. None without clicks.
    pub(super) fn expected_half_width(&self) -> Option<f64> {
        let (mut clicks, mut variance) = (0.0, 0.0);
        for cell in &self.list {
            let expected = cell.rows as f64 * cell.weight * cell.rate;
            clicks += expected;
            variance += expected * cell.weight;
        }
        Some(1.96 * variance.sqrt() / clicks).filter(|width| width.is_finite())
    }

    fn score(&mut self) {
        let tallies = self.tallies(self.counts());
        let models = cross_fitted(&self.grid, &tallies);
        let values: Vec<Vec<f64>> = models
            .iter()
            .map(|model| model.values(&self.grid).collect())
            .collect();
        for cell in &mut self.list {
            let (model, values) = (&models[cell.fold], &values[cell.fold]);
            let reward = f64::from(u8::from(cell.reward));
            let value = values[self.grid.position(cell.pair)];
            cell.rate = model.rate(cell.pair);
            cell.score = value + cell.weight * (reward - cell.rate);
        }
    }
}

/// For each fold the model that was fitted on the other one.
pub(super) fn cross_fitted(grid: &Grid, tallies: &Tallies) -> [DirectModel; 2] {
    let [even, odd] = tallies;
    [DirectModel::fit(grid, odd), DirectModel::fit(grid, even)]
}

fn names(all: impl Iterator<Item = u32>) -> Vec<u32> {
    let mut names: Vec<u32> = all.collect();
    names.sort_unstable();
    names.dedup();
    names
}

/// The number of a name. All names are known, so there is one.
fn number(names: &[u32], name: u32) -> usize {
    names.partition_point(|other| *other < name)
}
