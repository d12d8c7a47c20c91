//! Off-policy evaluation of a log.

use std::collections::BTreeSet;
use std::path::PathBuf;

use adfolio_placement::evaluation::{
    self, Estimates, Evaluation, Figure, Log, Policy, Reason, Verdict,
};
use clap::Args;
use rand::SeedableRng as _;
use rand::rngs::StdRng;
use serde_json::json;

use super::logs;
use crate::output::{say, table};

/// Estimates what a policy would have brought, from the log of another one.
#[derive(Args, Debug)]
pub struct Evaluate {
    /// The log: CSV with timestamp, item_id, position, click and propensity_score
    #[arg(long)]
    log: PathBuf,
    /// A log of the policy to evaluate; without it, the policy that shows every item equally often
    #[arg(long)]
    target: Option<PathBuf>,
    /// Seed of the bootstrap
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Print JSON instead of text
    #[arg(long)]
    json: bool,
}

impl Evaluate {
    /// Runs the command.
    pub fn run(&self) -> anyhow::Result<()> {
        let log = logs::policy_log(&self.log)?;
        let (name, target) = match &self.target {
            Some(file) => (
                file.display().to_string(),
                Policy::of_log(&logs::policy_log(file)?),
            ),
            None => ("equal shares".to_owned(), Policy::uniform(items(&log))),
        };
        let mut random = StdRng::seed_from_u64(self.seed);
        let evaluation = evaluation::evaluate(&log, &target, &mut random);
        if self.json {
            let document = json!({
                "log": self.log,
                "target": name,
                "seed": self.seed,
                "evaluation": evaluation,
            });
            say(&document.to_string());
        } else {
            print(&format!("{} for {name}", self.log.display()), &evaluation);
        }
        Ok(())
    }
}

/// The items of a log.
fn items(log: &Log) -> BTreeSet<u32> {
    log.rows().iter().map(|row| row.action).collect()
}

fn print(heading: &str, evaluation: &Evaluation) {
    let sample = &evaluation.sample;
    say(heading);
    say(&format!(
        "{} rows, {} clicks, effective sample {:.0}, mean weight {:.3}",
        sample.rows, sample.clicks, sample.effective_sample, sample.mean_weight
    ));
    match &evaluation.verdict {
        Verdict::Shown => say("verdict: the log carries figures of this policy"),
        Verdict::Withheld { reasons } => say(&format!("verdict: withheld, {}", words(reasons))),
    }
    let Estimates {
        on_policy,
        ipw,
        snipw,
        dm,
        dr,
    } = &evaluation.figures;
    let figures = [
        ("the log's own policy", on_policy),
        ("IPW", ipw),
        ("self-normalised IPW", snipw),
        ("direct model", dm),
        ("doubly robust", dr),
    ];
    let rows: Vec<Vec<String>> = figures
        .iter()
        .map(|(name, figure)| {
            let [value, interval, withheld] = cells(figure);
            vec![(*name).to_owned(), value, interval, withheld]
        })
        .collect();
    table(
        &[
            "ESTIMATOR",
            "CLICKS PER IMPRESSION",
            "95 % INTERVAL",
            "WITHHELD BECAUSE OF",
        ],
        &rows,
    );
}

fn cells(figure: &Figure) -> [String; 3] {
    match figure {
        Figure::Shown { value, interval } => [
            format!("{value:.6}"),
            format!("{:.6} to {:.6}", interval.low, interval.high),
            String::new(),
        ],
        Figure::Withheld { reasons } => [String::new(), String::new(), words(reasons)],
    }
}

fn words(reasons: &[Reason]) -> String {
    let words: Vec<String> = reasons.iter().map(Reason::to_string).collect();
    words.join(", ")
}
