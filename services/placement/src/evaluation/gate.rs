//! What a log must have before a figure that was computed from it is shown.

use std::fmt;

use serde::Serialize;

use super::bootstrap::{Candidate, Interval};

/// Kish's effective sample size below which nothing is shown: fewer rows carry the estimate than the
/// bootstrap needs to see rare clicks and large weights in its resamples.
pub const MIN_EFFECTIVE_SAMPLE: f64 = 1_000.0;

/// Clicks on actions that the target policy shows, below which nothing is shown. Even with equal
/// weights, the interval of 100 clicks is ±20 % of the figure.
pub const MIN_CLICKS: u64 = 100;

/// The share of the target policy's choices that the log may never have made. None: what such a
/// choice earns is a guess of the model, and IPW counts it as 0.
pub const MAX_UNSUPPORTED: f64 = 0.0;

/// Half of the interval's width, as a share of the figure. 100 clicks of equal weight have 0.20; at
/// 0.25 the weights have made them worth 61. Beyond it, a figure does not tell a policy from one
/// that earns a third more.
///
/// Both the bootstrap interval and the width that the weights lead to expect must keep it. A log
/// that happens to lack the clicks of its largest weights has a narrow interval and an estimate that
/// is too low; without the second condition, the gate would select such logs.
pub const MAX_HALF_WIDTH: f64 = 0.25;

/// Whether figures may be shown.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "verdict", rename_all = "snake_case")]
pub enum Verdict {
    /// The log carries them.
    Shown,
    /// It does not.
    Withheld {
        /// At least one.
        reasons: Vec<Reason>,
    },
}

/// What the gate looks at, whichever the estimator.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Sample {
    /// Rows of the log.
    pub rows: u64,
    /// Clicks on actions that the policy shows where they were clicked.
    pub clicks: u64,
    /// `(Σ w)² / Σ w²` of the rows' weights.
    pub effective_sample: f64,
    /// Near 1 if the propensities are right and the log supports the policy.
    pub mean_weight: f64,
    /// The share of the policy's choices that the log never made, positions being as frequent as in
    /// the log.
    pub unsupported: f64,
    /// Half the width, as a share of the figure, that the weights and the click rates of the direct
    /// model lead to expect of an interval. None if there are no clicks to tell from.
    pub expected_half_width: Option<f64>,
}

/// An estimate that has passed the gate, or why there is none. A withheld figure has no number, so
/// no caller can print it.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "verdict", rename_all = "snake_case")]
pub enum Figure {
    /// The log carries it.
    Shown {
        /// Clicks per impression.
        value: f64,
        /// Where it may lie.
        interval: Interval,
    },
    /// The log does not carry it.
    Withheld {
        /// At least one.
        reasons: Vec<Reason>,
    },
}

/// What is missing: the measured value, and the limit that it does not keep.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "code", rename_all = "snake_case")]
pub enum Reason {
    /// Fewer than [`MIN_CLICKS`].
    TooFewClicks {
        /// Clicks.
        measured: u64,
        /// Clicks that are needed.
        limit: u64,
    },
    /// Less than [`MIN_EFFECTIVE_SAMPLE`].
    EffectiveSampleTooSmall {
        /// Rows.
        measured: f64,
        /// Rows that are needed.
        limit: f64,
    },
    /// More than [`MAX_UNSUPPORTED`].
    UnsupportedActions {
        /// Share of the target policy's choices.
        measured: f64,
        /// Share that is allowed.
        limit: f64,
    },
    /// More than [`MAX_HALF_WIDTH`].
    IntervalTooWide {
        /// Half of the width as a share of the figure: of the interval or as expected, whichever is
        /// more. None if the figure is not above 0 or the interval has no end.
        measured: Option<f64>,
        /// Share that is allowed.
        limit: f64,
    },
}

impl Sample {
    /// Whether any figure may be computed from it.
    pub(super) fn verdict(&self) -> Verdict {
        Verdict::of(self.reasons())
    }

    /// The figure, if this sample and the figure's own interval allow it.
    pub(super) fn judge(&self, candidate: &Candidate) -> Figure {
        let mut reasons = self.reasons();
        let Candidate { value, interval } = *candidate;
        let half_width = (interval.high - interval.low) / 2.0 / value;
        let measured = Some(half_width)
            .filter(|width| value > 0.0 && width.is_finite())
            .zip(self.expected_half_width)
            .map(|(width, expected)| width.max(expected));
        if measured.is_none_or(|width| width > MAX_HALF_WIDTH) {
            let limit = MAX_HALF_WIDTH;
            reasons.push(Reason::IntervalTooWide { measured, limit });
        }
        match Verdict::of(reasons) {
            Verdict::Shown => Figure::Shown { value, interval },
            Verdict::Withheld { reasons } => Figure::Withheld { reasons },
        }
    }

    fn reasons(&self) -> Vec<Reason> {
        let mut reasons = Vec::new();
        if self.clicks < MIN_CLICKS {
            let (measured, limit) = (self.clicks, MIN_CLICKS);
            reasons.push(Reason::TooFewClicks { measured, limit });
        }
        if self.effective_sample < MIN_EFFECTIVE_SAMPLE {
            let (measured, limit) = (self.effective_sample, MIN_EFFECTIVE_SAMPLE);
            reasons.push(Reason::EffectiveSampleTooSmall { measured, limit });
        }
        if self.unsupported > MAX_UNSUPPORTED {
            let (measured, limit) = (self.unsupported, MAX_UNSUPPORTED);
            reasons.push(Reason::UnsupportedActions { measured, limit });
        }
        reasons
    }
}

impl Verdict {
    fn of(reasons: Vec<Reason>) -> Self {
        if reasons.is_empty() {
            Self::Shown
        } else {
            Self::Withheld { reasons }
        }
    }
}

impl fmt::Display for Reason {
    /// Rounds measured values away from the limit, so that no reason reads as if it were none.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooFewClicks { measured, limit } => {
                let clicks = if *measured == 1 { "click" } else { "clicks" };
                write!(f, "{measured} {clicks}; {limit} are needed")
            }
            Self::EffectiveSampleTooSmall { measured, limit } => {
                let measured = measured.floor();
                write!(
                    f,
                    "an effective sample of {measured} rows; {limit} are needed"
                )
            }
            Self::UnsupportedActions { measured, limit } => {
                let (measured, limit) = (percent(*measured), limit * 100.0);
                write!(
                    f,
                    "{measured:.1} % of the policy's choices are not in the log; {limit} % may be missing"
                )
            }
            Self::IntervalTooWide {
                measured: Some(measured),
                limit,
            } => {
                let (measured, limit) = (percent(*measured), limit * 100.0);
                write!(
                    f,
                    "a 95 % interval of ±{measured:.1} % of the figure; ±{limit} % is allowed"
                )
            }
            Self::IntervalTooWide {
                measured: None,
                limit,
            } => {
                let limit = limit * 100.0;
                write!(
                    f,
                    "no usable 95 % interval; ±{limit} % of the figure is allowed"
                )
            }
        }
    }
}

/// A share as per cent, rounded up to one decimal.
fn percent(share: f64) -> f64 {
    (share * 1_000.0).ceil() / 10.0
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn sample() -> Sample {
        Sample {
            rows: 30_000,
            clicks: 100,
            effective_sample: 1_000.0,
            mean_weight: 1.0,
            unsupported: 0.0,
            expected_half_width: Some(0.25),
        }
    }

    /// An estimate of 0.004 with an interval of that half-width.
    fn candidate(half_width: f64) -> Candidate {
        Candidate {
            value: 0.004,
            interval: Interval {
                low: 0.004 - half_width,
                high: 0.004 + half_width,
            },
        }
    }

    fn reasons(figure: &Figure) -> Vec<String> {
        match figure {
            Figure::Shown { .. } => Vec::new(),
            Figure::Withheld { reasons } => reasons.iter().map(Reason::to_string).collect(),
        }
    }

    #[test]
    fn a_figure_at_every_limit_is_shown() {
        assert_eq!(sample().verdict(), Verdict::Shown);
        let figure = sample().judge(&Candidate {
            value: 0.004,
            interval: Interval {
                low: 0.003_5,
                high: 0.004_5,
            },
        });
        assert_eq!(
            serde_json::to_value(&figure).unwrap(),
            json!({"verdict": "shown", "value": 0.004, "interval": {"low": 0.003_5, "high": 0.004_5}})
        );
    }

    #[test]
    fn every_reason_is_named_with_its_value_and_limit() {
        let sample = Sample {
            clicks: 72,
            effective_sample: 999.96,
            unsupported: 0.041_01,
            ..sample()
        };
        let figure = sample.judge(&candidate(0.001_24));
        assert_eq!(
            reasons(&figure),
            [
                "72 clicks; 100 are needed",
                "an effective sample of 999 rows; 1000 are needed",
                "4.2 % of the policy's choices are not in the log; 0 % may be missing",
                "a 95 % interval of ±31.0 % of the figure; ±25 % is allowed",
            ]
        );
    }

    #[test]
    fn a_withheld_figure_is_serialized_as_codes_without_a_value() {
        let sample = Sample {
            clicks: 1,
            ..sample()
        };
        assert_eq!(
            serde_json::to_value(sample.judge(&candidate(0.0))).unwrap(),
            json!({
                "verdict": "withheld",
                "reasons": [{"code": "too_few_clicks", "measured": 1, "limit": 100}],
            })
        );
    }

    #[test]
    fn a_narrow_interval_does_not_hide_what_the_weights_lead_to_expect() {
        let sample = Sample {
            expected_half_width: Some(0.4),
            ..sample()
        };
        assert_eq!(
            reasons(&sample.judge(&candidate(0.000_1))),
            ["a 95 % interval of ±40.0 % of the figure; ±25 % is allowed"]
        );
    }

    #[test]
    fn an_interval_without_end_is_too_wide() {
        for half_width in [f64::INFINITY, f64::NAN] {
            assert_eq!(
                reasons(&sample().judge(&candidate(half_width))),
                ["no usable 95 % interval; ±25 % of the figure is allowed"]
            );
        }
    }
}
