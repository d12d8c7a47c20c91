//! What is measured, and for how long.

use std::time::Duration;

use crate::results::{self, Results};

const DEFAULT_ROUNDS: usize = 5;

/// The duration of one measurement in a round, after a warm-up of a tenth of it.
const DEFAULT_SECONDS: f64 = 5.0;

/// The parts of the benchmark.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    Pgbench,
    Broker,
    Ledger,
    Events,
    Puts,
    Bare,
    Property,
    Reads,
    Pages,
    Statistics,
    Growth,
    Placing,
}

impl Part {
    const ALL: [Self; 12] = [
        Self::Pgbench,
        Self::Broker,
        Self::Ledger,
        Self::Events,
        Self::Puts,
        Self::Bare,
        Self::Property,
        Self::Reads,
        Self::Pages,
        Self::Statistics,
        Self::Growth,
        Self::Placing,
    ];

    fn name(self) -> &'static str {
        match self {
            Self::Pgbench => "pgbench",
            Self::Broker => "broker",
            Self::Ledger => "ledger",
            Self::Events => "events",
            Self::Puts => "puts",
            Self::Bare => "bare",
            Self::Property => "property",
            Self::Reads => "reads",
            Self::Pages => "pages",
            Self::Statistics => "statistics",
            Self::Growth => "growth",
            Self::Placing => "placing",
        }
    }

    /// The parts that its ratios need.
    fn yardsticks(self) -> &'static [Self] {
        match self {
            Self::Ledger => &[Self::Pgbench, Self::Broker],
            Self::Events => &[Self::Broker],
            Self::Puts => &[Self::Pgbench],
            Self::Property | Self::Reads => &[Self::Bare],
            Self::Pages => &[Self::Bare, Self::Reads],
            Self::Pgbench
            | Self::Broker
            | Self::Bare
            | Self::Statistics
            | Self::Growth
            | Self::Placing => &[],
        }
    }
}

/// The options of a run.
#[derive(Debug)]
pub struct Options {
    pub parts: Vec<Part>,
    /// `BENCH_ROUNDS`
    pub rounds: usize,
    /// `BENCH_SECONDS`
    pub duration: Duration,
    /// The results in the file `BENCH_BASELINE`, read before the run so that a wrong name does not
    /// waste it.
    pub baseline: Option<Results>,
}

impl Options {
    /// The parts named on the command line with their yardsticks, or all parts but the pages, which
    /// only say more about the reads.
    pub fn from_environment(names: &[&str]) -> Self {
        let mut parts: Vec<Part> = Part::ALL
            .into_iter()
            .filter(|part| {
                names.contains(&part.name()) || (names.is_empty() && *part != Part::Pages)
            })
            .collect();
        for part in parts.clone() {
            parts.extend(part.yardsticks());
        }
        Self {
            parts,
            rounds: variable("BENCH_ROUNDS").map_or(DEFAULT_ROUNDS, |text| text.parse().unwrap()),
            duration: Duration::from_secs_f64(
                variable("BENCH_SECONDS").map_or(DEFAULT_SECONDS, |text| text.parse().unwrap()),
            ),
            baseline: variable("BENCH_BASELINE").map(|file| results::read(&file)),
        }
    }

    pub fn wants(&self, part: Part) -> bool {
        self.parts.contains(&part)
    }
}

/// The arguments without cargo's own, which begin with a dash.
pub fn named_arguments() -> Vec<String> {
    std::env::args()
        .skip(1)
        .filter(|argument| !argument.starts_with('-'))
        .collect()
}

fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|text| !text.is_empty())
}
