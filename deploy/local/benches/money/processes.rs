//! Processor time by process, from `/proc`.

use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::time::{Duration, Instant};

use adfolio_local::{Component, Service, Stack};

/// The benchmark's own name among the processes; `pgbench` is its child.
pub const BENCHMARK: &str = "benchmark";

/// Linux counts processor time in hundredths of a second wherever it shows it.
const TICK_US: f64 = 10_000.0;

/// The system is settled once it uses less than this share of one core.
const SETTLED_CORES: f64 = 0.1;
const SETTLE_POLL: Duration = Duration::from_millis(400);
const SETTLE_LIMIT: Duration = Duration::from_secs(15);

/// The measured processes, each with its descendants.
#[derive(Debug)]
pub struct Processes {
    names: HashMap<u32, &'static str>,
}

impl Processes {
    /// The stack's components and the benchmark.
    pub fn of(stack: &Stack) -> Self {
        let servers = [
            Component::Postgres,
            Component::Epmd,
            Component::Rabbitmq,
            Component::Nginx,
        ];
        let services = Service::ALL.map(Component::Service);
        let mut names: HashMap<u32, &'static str> = servers
            .into_iter()
            .chain(services)
            .filter_map(|component| Some((stack.pid(component)?, component.name())))
            .collect();
        names.insert(std::process::id(), BENCHMARK);
        Self { names }
    }

    pub fn add(&mut self, processes: &[(&'static str, u32)]) {
        self.names
            .extend(processes.iter().map(|(name, pid)| (*pid, *name)));
    }

    /// Waits until the system has done what the last measurement left to do.
    pub async fn settle(&self) {
        let begun = Instant::now();
        let mut before = self.snapshot();
        while begun.elapsed() < SETTLE_LIMIT {
            tokio::time::sleep(SETTLE_POLL).await;
            let now = self.snapshot();
            let used = now.since(&before);
            if used.system_us() < SETTLED_CORES * used.elapsed.as_secs_f64() * 1e6 {
                break;
            }
            before = now;
        }
    }

    /// The processor time used so far.
    pub fn snapshot(&self) -> Snapshot {
        let processes: HashMap<u32, Stat> = fs::read_dir("/proc")
            .unwrap()
            .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok())
            // It may have ended since.
            .filter_map(|pid| Some((pid, Stat::read(pid)?)))
            .collect();
        let mut ticks = BTreeMap::new();
        for (pid, stat) in &processes {
            if let Some(name) = self.owner(*pid, &processes) {
                *ticks.entry(name).or_default() += stat.ticks;
            }
        }
        Snapshot {
            ticks,
            machine_ticks: machine_ticks(),
            at: Instant::now(),
        }
    }

    /// The nearest of the measured processes above a process.
    fn owner(&self, mut pid: u32, processes: &HashMap<u32, Stat>) -> Option<&'static str> {
        loop {
            if let Some(name) = self.names.get(&pid) {
                return Some(name);
            }
            pid = processes.get(&pid)?.parent;
        }
    }
}

#[derive(Debug)]
struct Stat {
    parent: u32,
    /// Includes the time of children that have ended and were waited for. So the sum over a tree
    /// never loses the time of a process that ends, such as a backend of PostgreSQL.
    ticks: u64,
}

impl Stat {
    fn read(pid: u32) -> Option<Self> {
        let text = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
        // The name in parentheses may contain anything. The state follows it, then the parent.
        let (_, fields) = text.rsplit_once(')')?;
        let fields: Vec<&str> = fields.split_whitespace().collect();
        let number = |place: usize| fields.get(place)?.parse::<u64>().ok();
        Some(Self {
            parent: fields.get(1)?.parse().ok()?,
            ticks: number(11)? + number(12)? + number(13)? + number(14)?,
        })
    }
}

/// The time that all cores were busy: not idle, and not waiting for a disk.
fn machine_ticks() -> u64 {
    const IDLE: usize = 3;
    const WAITING: usize = 4;
    const STOLEN: usize = 7;
    let text = fs::read_to_string("/proc/stat").unwrap();
    let cores = text.lines().next().unwrap();
    cores
        .split_whitespace()
        .skip(1)
        .take(STOLEN + 1)
        .enumerate()
        .filter(|(place, _)| ![IDLE, WAITING].contains(place))
        .map(|(_, ticks)| ticks.parse::<u64>().unwrap())
        .sum()
}

/// The processor time used until a moment.
#[derive(Debug)]
pub struct Snapshot {
    ticks: BTreeMap<&'static str, u64>,
    machine_ticks: u64,
    at: Instant,
}

impl Snapshot {
    /// What was used since an earlier snapshot.
    pub fn since(&self, before: &Self) -> Used {
        let by_process: BTreeMap<_, _> = self
            .ticks
            .iter()
            .map(|(name, ticks)| {
                let earlier = before.ticks.get(name).copied().unwrap_or_default();
                (*name, ticks.saturating_sub(earlier) as f64 * TICK_US)
            })
            .collect();
        let elapsed = self.at - before.at;
        let own_us: f64 = by_process.values().sum();
        let machine_us = (self.machine_ticks - before.machine_ticks) as f64 * TICK_US;
        let available_us = elapsed.as_secs_f64() * 1e6 * cores() as f64;
        Used {
            others_percent: ((machine_us - own_us) / available_us * 100.0).max(0.0),
            by_process,
            elapsed,
        }
    }
}

/// The processor time used between two snapshots.
#[derive(Debug)]
pub struct Used {
    /// In microseconds.
    pub by_process: BTreeMap<&'static str, f64>,
    /// The share of the machine that other programs took, the kernel's own work, and what the host
    /// withheld.
    pub others_percent: f64,
    elapsed: Duration,
}

impl Used {
    /// Without the benchmark.
    pub fn system_us(&self) -> f64 {
        let system = self.by_process.iter();
        system
            .filter(|(name, _)| **name != BENCHMARK)
            .map(|(_, used_us)| used_us)
            .sum()
    }
}

pub fn cores() -> usize {
    std::thread::available_parallelism().unwrap().get()
}
