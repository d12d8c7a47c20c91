use std::collections::{BTreeMap, BTreeSet};

use super::Log;

/// How far the probabilities of a position may be from 1 in sum.
const SUM_TOLERANCE: f64 = 1e-6;

/// The probability of each action at each position, the same for every visitor and at all times.
#[derive(Debug, Clone, PartialEq)]
pub struct Policy(Kind);

#[derive(Debug, Clone, PartialEq)]
enum Kind {
    /// Each of these actions with the same probability, at every position.
    Uniform(BTreeSet<u32>),
    /// Probabilities by position and action.
    Table(BTreeMap<u32, BTreeMap<u32, f64>>),
}

/// Why probabilities are not a policy.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum PolicyError {
    /// A probability is not a number between 0 and 1.
    #[error("action {action} at position {position}: probability is {value}; it must be 0 to 1")]
    Probability {
        /// Where.
        position: u32,
        /// Of what.
        action: u32,
        /// What was given.
        value: f64,
    },
    /// The probabilities of a position do not add up to 1.
    #[error("position {position}: probabilities add up to {sum}; they must add up to 1")]
    Sum {
        /// Where.
        position: u32,
        /// What they add up to.
        sum: f64,
    },
}

impl Policy {
    /// Probabilities by `(position, action)`. A later one replaces an earlier one.
    pub fn new(
        probabilities: impl IntoIterator<Item = ((u32, u32), f64)>,
    ) -> Result<Self, PolicyError> {
        let mut table: BTreeMap<u32, BTreeMap<u32, f64>> = BTreeMap::new();
        for ((position, action), value) in probabilities {
            if !(0.0..=1.0).contains(&value) {
                return Err(PolicyError::Probability {
                    position,
                    action,
                    value,
                });
            }
            table.entry(position).or_default().insert(action, value);
        }
        for (&position, actions) in &table {
            let sum: f64 = actions.values().sum();
            if (sum - 1.0).abs() > SUM_TOLERANCE {
                return Err(PolicyError::Sum { position, sum });
            }
        }
        Ok(Self(Kind::Table(table)))
    }

    /// Each action with the same probability, at every position.
    pub fn uniform(actions: impl IntoIterator<Item = u32>) -> Self {
        Self(Kind::Uniform(actions.into_iter().collect()))
    }

    /// The policy that wrote the log: the mean logged propensity of each action at each position,
    /// scaled so that a position's probabilities add up to 1.
    ///
    /// It is exact for a log whose policy did not change. If it did, each mean leans towards the
    /// times at which the action was likely, because more rows show it then.
    pub fn of_log(log: &Log) -> Self {
        let mut sums: BTreeMap<u32, BTreeMap<u32, (f64, f64)>> = BTreeMap::new();
        for row in log.rows() {
            let position = sums.entry(row.position).or_default();
            let (sum, rows) = position.entry(row.action).or_default();
            *sum += row.propensity;
            *rows += 1.0;
        }
        let table = sums
            .into_iter()
            .map(|(position, actions)| {
                let total: f64 = actions.values().map(|(sum, rows)| sum / rows).sum();
                let probabilities = actions
                    .into_iter()
                    .map(|(action, (sum, rows))| (action, sum / rows / total))
                    .collect();
                (position, probabilities)
            })
            .collect();
        Self(Kind::Table(table))
    }

    /// The probability of the action at the position; 0 at a position that the policy does not know.
    pub fn probability(&self, action: u32, position: u32) -> f64 {
        match &self.0 {
            Kind::Uniform(actions) if actions.contains(&action) => 1.0 / actions.len() as f64,
            Kind::Uniform(_) => 0.0,
            Kind::Table(table) => {
                let probability = table
                    .get(&position)
                    .and_then(|actions| actions.get(&action));
                probability.copied().unwrap_or(0.0)
            }
        }
    }

    /// The actions that the policy has a probability for, be it 0.
    pub(super) fn actions(&self) -> BTreeSet<u32> {
        match &self.0 {
            Kind::Uniform(actions) => actions.clone(),
            Kind::Table(table) => table.values().flat_map(BTreeMap::keys).copied().collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use chrono::DateTime;

    use super::super::Logged;
    use super::*;

    #[track_caller]
    fn assert_near(value: f64, expected: f64) {
        assert!(
            (value - expected).abs() < 1e-12,
            "{value} is not {expected}"
        );
    }

    #[test]
    fn probabilities_of_a_position_add_up_to_one() {
        let policy = Policy::new([((1, 5), 0.25), ((1, 6), 0.75), ((2, 6), 1.0)]).unwrap();
        assert_near(policy.probability(5, 1), 0.25);
        assert_near(policy.probability(5, 2), 0.0);
        assert_near(policy.probability(6, 3), 0.0);
        assert!(matches!(
            Policy::new([((1, 5), 0.25), ((1, 6), 0.7)]),
            Err(PolicyError::Sum { position: 1, .. })
        ));
        let error = Policy::new([((1, 5), -0.25), ((1, 6), 1.25)]).unwrap_err();
        assert_eq!(
            error.to_string(),
            "action 5 at position 1: probability is -0.25; it must be 0 to 1"
        );
    }

    #[test]
    fn uniform_knows_its_actions_at_every_position() {
        let policy = Policy::uniform([3, 4, 4, 9, 1]);
        assert_near(policy.probability(9, 77), 0.25);
        assert_near(policy.probability(2, 77), 0.0);
    }

    #[test]
    fn the_policy_of_a_log_is_its_mean_propensity_scaled_to_one() {
        let rows = [(1, 0.2), (1, 0.4), (2, 0.1)].map(|(action, propensity)| Logged {
            action,
            position: 1,
            reward: true,
            propensity,
            time: DateTime::UNIX_EPOCH,
        });
        let policy = Policy::of_log(&Log::new((2..).zip(rows)).unwrap());
        assert_near(policy.probability(1, 1), 0.75);
        assert_near(policy.probability(2, 1), 0.25);
    }
}
