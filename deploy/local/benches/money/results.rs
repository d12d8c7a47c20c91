//! The results of a run, and their file.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use crate::options::Options;
use crate::processes::{BENCHMARK, Used, cores};
use crate::rounds::Outcome;

/// Ratios of two figures of the same round: a measurement, its yardstick, and what of both.
const RATIOS: [(&str, &str, &str); 16] = [
    ("postings_distinct_16", "pgbench", "per_second"),
    ("postings_distinct_128", "pgbench", "per_second"),
    ("postings_hot_16", "pgbench", "per_second"),
    ("postings_hot_128", "pgbench", "per_second"),
    ("postings_hot_16", "postings_distinct_16", "per_second"),
    ("postings_hot_128", "postings_distinct_128", "per_second"),
    ("postings_distinct_128", "broker", "per_second"),
    ("events", "broker", "per_second"),
    ("events", "broker", "cpu_us"),
    ("puts", "pgbench", "per_second"),
    ("puts", "pgbench", "cpu_us"),
    ("property", "bare", "per_second"),
    ("property", "bare", "p50_ms"),
    ("property", "bare", "cpu_us"),
    ("reads", "bare", "per_second"),
    ("reads", "bare", "cpu_us"),
];

/// The results of a run. The unit of a figure is the end of its name.
#[derive(Debug, Serialize, Deserialize)]
pub struct Results {
    /// The commit that was measured.
    pub commit: String,
    /// Whether the working tree differed from the commit.
    pub dirty: bool,
    pub date: DateTime<Utc>,
    pub cores: usize,
    pub rounds: usize,
    pub seconds: f64,
    /// The share of the machine that was neither the stack's nor the benchmark's.
    pub others_percent: Summary,
    pub figures: BTreeMap<String, Summary>,
    pub ratios: BTreeMap<String, Summary>,
    /// The figures of the parts that are measured once.
    pub once: BTreeMap<String, f64>,
    /// Microseconds of processor time per operation, by measurement and process.
    pub cpu_us: BTreeMap<String, BTreeMap<String, Summary>>,
}

/// The values of a figure in all rounds.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Summary {
    pub median: f64,
    pub min: f64,
    pub max: f64,
    rounds: Vec<f64>,
}

impl Summary {
    fn push(&mut self, value: f64) {
        self.rounds.push(value);
        let mut sorted = self.rounds.clone();
        sorted.sort_by(f64::total_cmp);
        let (middle, last) = (sorted.len() / 2, sorted.len() - 1);
        self.median = f64::midpoint(sorted[middle], sorted[last - middle]);
        (self.min, self.max) = (sorted[0], sorted[last]);
    }

    /// Whether some round of one was like some round of the other.
    pub fn overlaps(&self, other: &Self) -> bool {
        self.min <= other.max && other.min <= self.max
    }
}

impl Results {
    pub fn new(options: &Options) -> Self {
        Self {
            commit: git(&["rev-parse", "HEAD"]),
            dirty: !git(&["status", "--porcelain"]).is_empty(),
            date: Utc::now(),
            cores: cores(),
            rounds: options.rounds,
            seconds: options.duration.as_secs_f64(),
            others_percent: Summary::default(),
            figures: BTreeMap::new(),
            ratios: BTreeMap::new(),
            once: BTreeMap::new(),
            cpu_us: BTreeMap::new(),
        }
    }

    /// Adds a figure of a part that is measured once.
    pub fn add_once(&mut self, name: impl Into<String>, value: f64) {
        self.once.insert(name.into(), value);
    }

    pub fn add_outcome(&mut self, measurement: &str, outcome: &Outcome) {
        for (figure, value) in &outcome.figures {
            self.add(measurement, figure, *value);
        }
    }

    /// Adds the processor time of a round. The figure of the measurement is without the
    /// benchmark's own.
    pub fn add_processor_time(&mut self, measurement: &str, operations: usize, used: &Used) {
        let per_operation = |used_us: f64| used_us / operations as f64;
        let by_process = self.cpu_us.entry(measurement.to_owned()).or_default();
        for (process, used_us) in &used.by_process {
            let summary = by_process.entry((*process).to_owned()).or_default();
            summary.push(per_operation(*used_us));
        }
        self.others_percent.push(used.others_percent);
        let system_us = per_operation(used.system_us());
        self.add(measurement, "cpu_us", system_us);
    }

    /// Adds a figure of a round.
    fn add(&mut self, measurement: &str, figure: &str, value: f64) {
        let name = format!("{measurement}.{figure}");
        self.figures.entry(name).or_default().push(value);
    }

    /// Computes the ratios, round by round.
    pub fn compare_with_yardsticks(&mut self) {
        for (measurement, yardstick, figure) in RATIOS {
            let of = |what: &str| self.figures.get(&format!("{what}.{figure}"));
            let (Some(measured), Some(yardsticks)) = (of(measurement), of(yardstick)) else {
                continue;
            };
            let mut ratio = Summary::default();
            for (measured, yardstick) in measured.rounds.iter().zip(&yardsticks.rounds) {
                ratio.push(measured / yardstick);
            }
            let name = format!("{measurement}/{yardstick}.{figure}");
            self.ratios.insert(name, ratio);
        }
    }

    /// The commit, shortened, and whether it is all that was measured.
    pub fn version(&self) -> String {
        let commit: String = self.commit.chars().take(10).collect();
        format!("{commit}{}", if self.dirty { " with changes" } else { "" })
    }

    /// Writes the file of this run and the file of the latest one; returns the former.
    pub fn write(&self) -> PathBuf {
        let text = serde_json::to_string_pretty(self).unwrap();
        let file = folder().join(format!("money-{}.json", self.date.format("%Y%m%dT%H%M%SZ")));
        fs::create_dir_all(folder()).unwrap();
        fs::write(&file, &text).unwrap();
        fs::write(latest_file(), &text).unwrap();
        file
    }

    /// The processes of a measurement's processor time, the benchmark last.
    pub fn processes(&self) -> Vec<&str> {
        let all = self.cpu_us.values().flat_map(BTreeMap::keys);
        let mut processes: Vec<&str> = all.map(String::as_str).collect();
        processes.sort_by_key(|process| (*process == BENCHMARK, *process));
        processes.dedup();
        processes
    }
}

/// The results in a file; a relative path starts at the root of the repository, where the scripts
/// run.
pub fn read(file: &str) -> Results {
    let file = repository().join(file);
    let text = fs::read_to_string(&file)
        .unwrap_or_else(|error| panic!("{} cannot be read: {error}", file.display()));
    serde_json::from_str(&text)
        .unwrap_or_else(|error| panic!("{} holds no results: {error}", file.display()))
}

pub fn latest() -> Results {
    read(latest_file().to_str().unwrap())
}

fn latest_file() -> PathBuf {
    folder().join("money-latest.json")
}

/// Below cargo's target folder: this program is `release/deps/money-…` there.
fn folder() -> PathBuf {
    let program = env::current_exe().unwrap();
    program.ancestors().nth(3).unwrap().join("bench")
}

fn repository() -> &'static Path {
    let crate_folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    crate_folder.ancestors().nth(2).unwrap()
}

/// What git prints; nothing where there is no git or no repository, as in an archive of the sources.
fn git(arguments: &[&str]) -> String {
    let output = Command::new("git")
        .args(arguments)
        .current_dir(repository())
        .output();
    output.map_or_else(
        |_| String::new(),
        |output| String::from_utf8_lossy(&output.stdout).trim().to_owned(),
    )
}
