//! Simulated worlds, over several seeds.

use std::path::PathBuf;
use std::time::Instant;

use adfolio_placement::choice::Limits;
use adfolio_placement::simulation::fraud::{self, Guard};
use adfolio_placement::simulation::learning::{self, Trial, World};
use adfolio_placement::simulation::market::{self, Outcome};
use adfolio_placement::simulation::round;
use adfolio_placement::simulation::spread::{Spread, mean, percentile};
use clap::{Args, Subcommand};
use rand::SeedableRng as _;
use rand::rngs::StdRng;
use serde_json::{Value, json};

use super::logs::{self, Priors};
use crate::output::{Format, Row};

#[derive(Debug, Subcommand)]
pub enum SimulateCommand {
    /// One product on placements of unknown click rates: what learning them costs
    Learning(Learning),
    /// A placement with bot clicks among honest ones: what it gets, with the gate on reports and without
    Fraud(Fraud),
    /// Plans of a hundredfold range of budgets in a week of real traffic: how they keep pace
    Pace(Pace),
    /// One round of allotments for many plans: what it costs to compute
    Round(Round),
}

/// Seeds of the worlds, and how the figures are printed.
#[derive(Args, Debug)]
pub struct Seeds {
    /// Number of worlds
    #[arg(long = "seeds", default_value_t = 10, value_parser = clap::value_parser!(u64).range(1..=10_000))]
    count: u64,
    /// The first seed; the others follow it
    #[arg(long, default_value_t = 0)]
    first_seed: u64,
    #[command(flatten)]
    format: Format,
}

impl Seeds {
    /// A source of random numbers for each world.
    fn each(&self) -> impl Iterator<Item = StdRng> {
        let first = self.first_seed;
        (0..self.count).map(move |seed| StdRng::seed_from_u64(first.wrapping_add(seed)))
    }
}

#[derive(Args, Debug)]
pub struct Learning {
    /// Distributions of click rates, as {"alpha": [...], "beta": [...]}
    #[arg(long)]
    prior: PathBuf,
    /// Impressions of the first plan
    #[arg(long, default_value_t = 1_000_000, value_parser = clap::value_parser!(u64).range(1..=1_000_000_000))]
    impressions: u64,
    /// Impressions after which is learnt
    #[arg(long, default_value_t = 10_000, value_parser = clap::value_parser!(u64).range(1..=1_000_000_000))]
    update: u64,
    #[command(flatten)]
    seeds: Seeds,
}

#[derive(Args, Debug)]
pub struct Fraud {
    /// Distributions of click rates, as {"alpha": [...], "beta": [...]}
    #[arg(long)]
    prior: PathBuf,
    /// Impressions in all
    #[arg(long, default_value_t = 100_000, value_parser = clap::value_parser!(u64).range(1..=1_000_000_000))]
    impressions: u64,
    /// Impressions after which is reported and learnt
    #[arg(long, default_value_t = 1_000, value_parser = clap::value_parser!(u64).range(1..=1_000_000_000))]
    update: u64,
    /// What bots click, in percent of the impressions of the first placement
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u8).range(0..=100))]
    bots: u8,
    #[command(flatten)]
    seeds: Seeds,
}

#[derive(Args, Debug)]
pub struct Pace {
    /// Distributions of click rates, as {"alpha": [...], "beta": [...]}
    #[arg(long)]
    prior: PathBuf,
    /// Log whose times are the traffic of the week: CSV with a column timestamp
    #[arg(long)]
    traffic: PathBuf,
    /// Log from which the shape of the week was learnt
    #[arg(long)]
    learnt: PathBuf,
    /// Plans
    #[arg(long, default_value_t = 40, value_parser = clap::value_parser!(u16).range(2..=1_000))]
    plans: u16,
    /// Impressions of the week
    #[arg(long, default_value_t = 20_000_000)]
    impressions: u64,
    /// What the plans want of the traffic, in percent
    #[arg(long, default_value_t = 40, value_parser = clap::value_parser!(u64).range(1..=200))]
    load: u64,
    /// Hour of the week, from Monday, in which eight times the traffic comes
    #[arg(long, value_parser = clap::value_parser!(u16).range(0..168))]
    burst: Option<u16>,
    #[command(flatten)]
    seeds: Seeds,
}

#[derive(Args, Debug)]
pub struct Round {
    /// Running plans
    #[arg(long, default_value_t = 10_000)]
    plans: usize,
    /// Products, over which the plans are spread
    #[arg(long, default_value_t = 1_000)]
    products: usize,
    /// Placements of each plan
    #[arg(long, default_value_t = 100)]
    placements: usize,
    #[command(flatten)]
    seeds: Seeds,
}

impl SimulateCommand {
    /// Runs the command.
    pub fn run(self) -> anyhow::Result<()> {
        match self {
            Self::Learning(arguments) => arguments.run(),
            Self::Fraud(arguments) => arguments.run(),
            Self::Pace(arguments) => arguments.run(),
            Self::Round(arguments) => {
                arguments.run();
                Ok(())
            }
        }
    }
}

impl Learning {
    fn run(&self) -> anyhow::Result<()> {
        let priors = Priors::read(&self.prior)?;
        let rounds = usize::try_from(self.impressions / self.update)?.max(1);
        let terms = learning::Terms {
            rounds,
            impressions: self.update,
            beginning: rounds.div_ceil(10),
        };
        let trials: Result<Vec<Trial>, _> = self
            .seeds
            .each()
            .map(|mut random| {
                let world = World::draw(&priors.alpha, &priors.beta, &mut random)?;
                Ok::<_, learning::WorldError>(learning::trial(
                    world,
                    Limits::DEFAULT,
                    &terms,
                    &mut random,
                ))
            })
            .collect();
        let trials = trials?;
        let spread = |figure: fn(&Trial) -> f64| Spread::of(trials.iter().map(figure));
        let kept = trials
            .iter()
            .filter(|trial| trial.lead_lost_after.is_none());
        let kept = kept.count();
        self.seeds.format.list(vec![
            percent(
                "clicks lost, of those with the rates known",
                spread(|it| it.lost),
            ),
            percent(
                "the same without limits of shares",
                spread(|it| it.lost_without_limits),
            ),
            percent(
                "clicks lost by equal shares",
                spread(|it| it.lost_by_uniform),
            ),
            percent(
                "loss of the first plan's beginning",
                spread(|it| it.first_beginning),
            ),
            percent(
                "loss of the second plan's beginning",
                spread(|it| it.second_beginning),
            ),
            percent(
                "second beginning of the first one's",
                spread(|it| ratio(it.second_beginning, it.first_beginning)),
            ),
            row(
                "impressions until a halved rate loses its lead",
                Spread::of(trials.iter().filter_map(impressions_of_lead)),
                0,
            ),
            row(
                "worlds in which it kept its lead",
                Spread::of([whole(kept)]),
                0,
            ),
        ]);
        Ok(())
    }
}

impl Fraud {
    fn run(&self) -> anyhow::Result<()> {
        let priors = Priors::read(&self.prior)?;
        let terms = fraud::Terms {
            impressions: self.impressions,
            update: self.update,
            bot_rate: ratio(f64::from(self.bots), 100.0),
        };
        let run = |guard: Guard| -> anyhow::Result<Vec<fraud::Trial>> {
            let trials = self.seeds.each().map(|mut random| {
                let world = World::draw(&priors.alpha, &priors.beta, &mut random)?;
                Ok(fraud::run(&world, guard, &terms, &mut random))
            });
            trials.collect()
        };
        let share = |trials: &[fraud::Trial]| Spread::of(trials.iter().map(|trial| trial.share));
        let gated = run(Guard::Gate)?;
        let held = Spread::of(gated.iter().map(|trial| whole(trial.honest_held)));
        self.seeds.format.list(vec![
            percent(
                "share of the bots, plain Thompson sampling",
                share(&run(Guard::Nothing)?),
            ),
            percent(
                "share of the bots, with limits of shares",
                share(&run(Guard::Limits)?),
            ),
            percent("share of the bots, with limits and the gate", share(&gated)),
            row("honest placements held by the gate", held, 0),
        ]);
        Ok(())
    }
}

impl Pace {
    fn run(&self) -> anyhow::Result<()> {
        let priors = Priors::read(&self.prior)?;
        let (traffic, learnt) = (logs::hours(&self.traffic)?, logs::hours(&self.learnt)?);
        let weeks: Result<Vec<Vec<Outcome>>, _> = self
            .seeds
            .each()
            .map(|mut random| {
                let terms = market::Terms {
                    traffic,
                    learnt,
                    world: World::draw(&priors.alpha, &priors.beta, &mut random)?,
                    plans: self.plans.into(),
                    impressions: self.impressions,
                    load_percent: self.load,
                    burst: self.burst.map(usize::from),
                };
                Ok::<_, learning::WorldError>(market::run(&terms, &mut random))
            })
            .collect();
        let weeks = weeks?;
        let deviations = |week: &Vec<Outcome>| -> Vec<f64> {
            week.iter()
                .flat_map(|plan| plan.deviations.iter().copied())
                .collect()
        };
        let delivered = |week: &Vec<Outcome>| Spread::of(week.iter().map(|plan| plan.delivered));
        let smallest = |week: &Vec<Outcome>| {
            let plan = week.iter().min_by_key(|plan| plan.budget);
            plan.map_or(0.0, |plan| mean(&plan.deviations))
        };
        let hour =
            |week: &Vec<Outcome>| Spread::of(week.iter().map(|plan| plan.worst_hour)).highest;
        let spread = |figure: &dyn Fn(&Vec<Outcome>) -> f64| Spread::of(weeks.iter().map(figure));
        self.seeds.format.list(vec![
            percent(
                "off plan, mean of the budget",
                spread(&|week| mean(&deviations(week))),
            ),
            percent(
                "off plan, 95th percentile",
                spread(&|week| percentile(&deviations(week), 95)),
            ),
            percent("off plan, mean of the smallest budget", spread(&smallest)),
            percent("delivered, median", spread(&|week| delivered(week).median)),
            percent("delivered, worst", spread(&|week| delivered(week).lowest)),
            percent("worst hour of its plan", spread(&hour)),
        ]);
        Ok(())
    }
}

impl Round {
    fn run(&self) {
        let terms = round::Terms {
            plans: self.plans,
            products: self.products,
            placements: self.placements,
        };
        let seconds = self.seeds.each().map(|mut random| {
            let begin = Instant::now();
            let allotted = round::run(&terms, &mut random);
            // Nothing allotted would be nothing computed.
            if allotted.get() > 0 {
                begin.elapsed().as_secs_f64()
            } else {
                f64::NAN
            }
        });
        let seconds = Spread::of(seconds.collect::<Vec<f64>>());
        self.seeds.format.list(vec![
            row("seconds", seconds, 3),
            row("peak of memory in MiB", Spread::of([peak_memory_mib()]), 0),
        ]);
    }
}

/// The most memory that this process has used so far, from /proc.
fn peak_memory_mib() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kib = line.and_then(|line| line.split_whitespace().next()?.parse::<u32>().ok());
    f64::from(kib.unwrap_or(0) / 1024)
}

#[allow(clippy::cast_precision_loss, reason = "far within the range")]
fn impressions_of_lead(trial: &Trial) -> Option<f64> {
    trial.lead_lost_after.map(|impressions| impressions as f64)
}

#[allow(clippy::cast_precision_loss, reason = "at most the number of seeds")]
fn whole(count: usize) -> f64 {
    count as f64
}

#[allow(clippy::float_arithmetic, reason = "a figure of a simulation")]
fn ratio(part: f64, whole: f64) -> f64 {
    part / whole
}

#[allow(clippy::float_arithmetic, reason = "a figure of a simulation")]
fn percent(figure: &str, spread: Spread) -> Row {
    let times_100 = |value: f64| value * 100.0;
    let spread = Spread {
        lowest: times_100(spread.lowest),
        median: times_100(spread.median),
        highest: times_100(spread.highest),
    };
    row(&format!("{figure}, %"), spread, 2)
}

/// A figure with so many decimals.
fn row(figure: &str, spread: Spread, decimals: usize) -> Row {
    let number = |value: f64| -> Value {
        let text = format!("{value:.decimals$}");
        serde_json::from_str(&text).unwrap_or_else(|_| json!(text))
    };
    vec![
        ("figure", json!(figure)),
        ("median", number(spread.median)),
        ("lowest", number(spread.lowest)),
        ("highest", number(spread.highest)),
    ]
}
