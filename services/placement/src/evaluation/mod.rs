//! Off-policy evaluation: what a policy would have earned, from the log of another one.
//!
//! The unit is clicks per impression, at the log's mix of positions. A figure is shown only if the
//! log carries it ([`Sample`], [`Figure`]); otherwise the evaluation says what is missing. Nothing
//! here states revenue.
//!
//! | part | content |
//! |---|---|
//! | `log` | rows of a logged policy, checked |
//! | `policy` | the probability of each action at each position |
//! | `cells` | a log as counts of rows that are alike |
//! | `model` | click rates per action and position, shrunk and cross-fitted |
//! | `estimators` | on-policy, IPW, SNIPW, DM, DR: formulas and sources |
//! | `bootstrap` | 95 % intervals |
//! | `gate` | which figures are shown, and why others are not |

mod bootstrap;
mod cells;
mod estimators;
mod gate;
mod log;
mod model;
mod policy;
#[cfg(test)]
mod tests;

use rand::Rng;
use serde::Serialize;

pub use bootstrap::Interval;
pub use estimators::Estimates;
pub use gate::{
    Figure, MAX_HALF_WIDTH, MAX_UNSUPPORTED, MIN_CLICKS, MIN_EFFECTIVE_SAMPLE, Reason, Sample,
    Verdict,
};
pub use log::{Log, LogError, Logged};
pub use policy::{Policy, PolicyError};

use cells::Cells;
use estimators::Sums;

/// What a log says about a target policy.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Evaluation {
    /// How much of the log bears on the target.
    pub sample: Sample,
    /// Whether that is enough for any figure of the target. A figure may still be withheld for the
    /// width of its own interval.
    #[serde(flatten)]
    pub verdict: Verdict,
    /// The figures that are shown, and why others are not.
    pub figures: Estimates<Figure>,
}

/// Estimates what `target` earns from what another policy's log shows.
///
/// The same log, target and random numbers yield the same evaluation. DM and DR split the log by
/// every second row; the others do not depend on the order of rows.
pub fn evaluate(log: &Log, target: &Policy, rng: &mut impl Rng) -> Evaluation {
    let cells = Cells::new(log, target);
    let sums = Sums::of(&cells);
    let sample = Sample {
        rows: cells.rows,
        clicks: cells.weighted_clicks(),
        effective_sample: sums.effective_sample_size(),
        mean_weight: sums.mean_weight(),
        unsupported: cells.unsupported(),
        expected_half_width: cells.expected_half_width(),
    };
    let own_sample = Sample {
        rows: cells.rows,
        clicks: cells.clicks(),
        effective_sample: cells.rows as f64,
        mean_weight: 1.0,
        unsupported: 0.0,
        expected_half_width: Some(0.0),
    };
    let candidates = bootstrap::candidates(&cells, rng);
    Evaluation {
        verdict: sample.verdict(),
        figures: Estimates {
            on_policy: own_sample.judge(&candidates.on_policy),
            ipw: sample.judge(&candidates.ipw),
            snipw: sample.judge(&candidates.snipw),
            dm: sample.judge(&candidates.dm),
            dr: sample.judge(&candidates.dr),
        },
        sample,
    }
}
