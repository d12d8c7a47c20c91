//! One placement with bot clicks among honest ones: what it gets of the impressions, with the gate on reports and without.

use adfolio_money::Micros;
use chrono::{DateTime, TimeDelta, Utc};
use rand::Rng;
use rand_distr::{Binomial, Distribution as _};

use super::learning::{Learner, World};
use crate::belief::Counts;
use crate::choice::{Limits, WHOLE};
use crate::review::{
    Context, History, Model, Peer, Peers, Placement, Price, PriceList, Row, Tally, review,
};

/// What stands between the reports and learning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Guard {
    /// Plain Thompson sampling: no limit, no gate.
    Nothing,
    /// The limits of shares alone.
    Limits,
    /// The limits and the gate on reports. A placement with a report in quarantine gets nothing until somebody has
    /// decided, which nobody does here.
    Gate,
}

/// How long a trial is.
#[derive(Clone, Copy, Debug)]
pub struct Terms {
    /// Impressions of all placements in all rounds.
    pub impressions: u64,
    /// Impressions of a round, after which is reported and learnt.
    pub update: u64,
    /// What bots click at the first placement, on top of its own click rate.
    pub bot_rate: f64,
}

/// What a trial showed.
#[derive(Clone, Copy, Debug)]
pub struct Trial {
    /// The part of all impressions that the placement with the bots got.
    pub share: f64,
    /// Honest placements that were held in the end.
    pub honest_held: usize,
}

/// What a thousand impressions cost here: 2.00.
const COST: Micros = Micros::new(2_000_000);

/// What an impression costs.
const UNIT_COST: i64 = 2_000;

/// Time between two reports.
const REPORT_EVERY: TimeDelta = TimeDelta::minutes(5);

/// Lets one product learn in a world whose first placement has bots.
pub fn run(world: &World, guard: Guard, terms: &Terms, random: &mut impl Rng) -> Trial {
    let mut rates = world.rates.clone();
    if let Some(rate) = rates.first_mut() {
        *rate = (*rate + terms.bot_rate).min(1.0);
    }
    let limits = match guard {
        Guard::Nothing => Limits {
            exploration: 0,
            highest: WHOLE,
        },
        Guard::Limits | Guard::Gate => Limits::DEFAULT,
    };
    let mut learner = Learner::new(rates.len(), limits);
    let mut gate = Gate::new(rates.len());
    let (mut of_bots, mut of_all) = (0_u64, 0_u64);
    for round in 0..terms.impressions / terms.update.max(1) {
        let shares = learner.shares_without(&gate.held);
        let mut shown: Vec<Counts> = shares
            .iter()
            .zip(&rates)
            .map(|(share, rate)| {
                let trials = terms.update * u64::from(*share) / u64::from(WHOLE);
                let clicks = Binomial::new(trials, *rate).map_or(0, |it| it.sample(random));
                Counts::new(trials, clicks)
            })
            .collect();
        of_bots += shown.first().map_or(0, |counts| counts.trials);
        of_all += shown.iter().map(|counts| counts.trials).sum::<u64>();
        if guard == Guard::Gate {
            gate.pass(round, &mut shown);
        }
        learner.learn(&shown);
    }
    Trial {
        share: of_bots as f64 / of_all.max(1) as f64,
        honest_held: gate.held.iter().skip(1).filter(|held| **held).count(),
    }
}

/// The gate with what it remembers.
#[derive(Debug)]
struct Gate {
    names: Vec<String>,
    posted: Vec<Tally>,
    held: Vec<bool>,
}

impl Gate {
    fn new(placements: usize) -> Self {
        Self {
            names: (0..placements)
                .map(|at| format!("placement {at}"))
                .collect(),
            posted: vec![Tally::default(); placements],
            held: vec![false; placements],
        }
    }

    /// Reviews the reports of a round, and takes those out that are quarantined.
    fn pass(&mut self, round: u64, shown: &mut [Counts]) {
        let time = time_of(round);
        let reports: Vec<String> = (0..shown.len()).map(|at| format!("{round}:{at}")).collect();
        let rows: Vec<Row<'_>> = shown
            .iter()
            .zip(self.names.iter().zip(&reports))
            .enumerate()
            .filter(|(_, (counts, _))| counts.trials > 0)
            .map(|(at, (counts, (name, report)))| row(at, *counts, name, report, time))
            .collect();
        let mut context = Context::new(time + REPORT_EVERY);
        let prices = PriceList::new(vec![Price {
            from: DateTime::UNIX_EPOCH,
            until: None,
            model: Model::Cpm,
            cost: COST,
            revenue: COST,
        }]);
        for (name, posted) in self.names.iter().zip(&self.posted) {
            let placement = Placement {
                is_own: true,
                prices: prices.clone(),
                history: History {
                    recent: *posted,
                    ..History::default()
                },
            };
            context.placements.insert(name, placement);
        }
        let peers = self.names.iter().zip(&self.posted).zip(&self.held);
        context.peers = Peers {
            placements: peers
                .filter(|(_, held)| !**held)
                .map(|((name, tally), _)| Peer {
                    name,
                    tally: *tally,
                })
                .collect(),
            ..Peers::default()
        };
        for finding in review(&rows, &context).findings {
            if let Some(held) = usize::try_from(finding.line)
                .ok()
                .and_then(|at| self.held.get_mut(at))
            {
                *held = true;
            }
        }
        for ((counts, posted), held) in shown.iter_mut().zip(&mut self.posted).zip(&self.held) {
            if *held {
                *counts = Counts::default();
            } else {
                *posted = posted.plus(tally(*counts));
            }
        }
    }
}

fn row<'a>(
    at: usize,
    counts: Counts,
    placement: &'a str,
    report_id: &'a str,
    time: DateTime<Utc>,
) -> Row<'a> {
    let Tally {
        impressions,
        clicks,
    } = tally(counts);
    let spend = Micros::new(impressions.saturating_mul(UNIT_COST));
    Row {
        line: at as u64,
        report_id,
        revision: 1,
        plan: "plan",
        placement: Some(placement),
        time,
        impressions,
        clicks,
        spend,
        revenue: spend,
        is_estimated: false,
    }
}

fn tally(counts: Counts) -> Tally {
    let whole = |count: u64| i64::try_from(count).unwrap_or(i64::MAX);
    Tally {
        impressions: whole(counts.trials),
        clicks: whole(counts.successes),
    }
}

/// When a round is reported.
fn time_of(round: u64) -> DateTime<Utc> {
    let rounds = i32::try_from(round).unwrap_or(i32::MAX);
    super::monday() + REPORT_EVERY * rounds
}
