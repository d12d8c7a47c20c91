use std::ops::RangeInclusive;

use chrono::{DateTime, Utc};

/// Propensities above zero and at most one: a policy cannot have shown what it could not choose.
const PROPENSITIES: RangeInclusive<f64> = f64::MIN_POSITIVE..=1.0;

/// One decision of the logged policy, and what came of it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Logged {
    /// The item that was shown.
    pub action: u32,
    /// Where on the page it was shown. The policy did not choose it.
    pub position: u32,
    /// Whether it was clicked.
    pub reward: bool,
    /// The probability with which the logged policy chose this action at this position.
    pub propensity: f64,
    /// When it was shown.
    pub time: DateTime<Utc>,
}

/// Why rows are not a log.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum LogError {
    /// There is no row.
    #[error("the log has no rows")]
    Empty,
    /// A propensity is not a number above 0 and at most 1.
    #[error("line {line}: propensity is {value}; it must be above 0 and at most 1")]
    Propensity {
        /// The line, as the caller numbers it.
        line: u64,
        /// What the line has.
        value: f64,
    },
}

/// At least one row, each with a propensity above 0 and at most 1.
#[derive(Debug, Clone, PartialEq)]
pub struct Log {
    rows: Vec<Logged>,
}

impl Log {
    /// Checks the rows. Each comes with the number of its line, for the error.
    pub fn new(lines: impl IntoIterator<Item = (u64, Logged)>) -> Result<Self, LogError> {
        let rows = lines
            .into_iter()
            .map(|(line, row)| {
                if PROPENSITIES.contains(&row.propensity) {
                    Ok(row)
                } else {
                    let value = row.propensity;
                    Err(LogError::Propensity { line, value })
                }
            })
            .collect::<Result<Vec<_>, _>>()?;
        if rows.is_empty() {
            return Err(LogError::Empty);
        }
        Ok(Self { rows })
    }

    /// The rows in the order of their lines.
    pub fn rows(&self) -> &[Logged] {
        &self.rows
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(propensity: f64) -> Logged {
        Logged {
            action: 7,
            position: 1,
            reward: false,
            propensity,
            time: DateTime::UNIX_EPOCH,
        }
    }

    #[test]
    fn propensities_are_above_zero_and_at_most_one() {
        assert!(Log::new([(2, row(1.0)), (3, row(1e-9))]).is_ok());
        for value in [0.0, -0.1, 1.000_001, f64::INFINITY] {
            let error = Log::new([(2, row(0.5)), (3, row(value))]).unwrap_err();
            assert_eq!(error, LogError::Propensity { line: 3, value });
        }
        let error = Log::new([(9, row(f64::NAN))]).unwrap_err();
        assert_eq!(
            error.to_string(),
            "line 9: propensity is NaN; it must be above 0 and at most 1"
        );
    }

    #[test]
    fn a_log_has_rows() {
        assert_eq!(Log::new([]), Err(LogError::Empty));
    }
}
