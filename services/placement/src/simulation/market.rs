//! Many plans on many placements for a week: how they keep pace, and what they deliver.

use std::collections::VecDeque;

use adfolio_money::Micros;
use chrono::{DateTime, TimeDelta, Utc};
use rand::{Rng, RngExt as _};
use rand_distr::{Binomial, Distribution as _, Poisson};

use super::learning::World;
use crate::amount;
use crate::belief::Counts;
use crate::choice::Limits;
use crate::decision::{Candidate, Decision, Inputs, Menu};
use crate::drift::History;
use crate::pace::{HOURS, Schedule, Shape, Standing, hour_of_week};
use crate::prior::{Assumption, Cell, Hierarchy};
use crate::supply::{self, Capacity, Demand};

/// Time of a round.
const ROUND: TimeDelta = TimeDelta::minutes(5);

/// Rounds of an hour.
const ROUNDS_OF_HOUR: usize = 12;

/// Rounds from the end of an allotment to its reports; what was not served is then given back.
const REPORTED_AFTER: usize = 1;

/// What a thousand impressions cost everywhere: 2.00. An impression is then a whole number of millionths.
const UNIT_COST: Micros = Micros::new(2_000);

/// The largest budget is so many times the smallest one.
const BUDGETS: f64 = 100.0;

/// Plans of one product.
const PLANS_OF_PRODUCT: usize = 5;

/// A week's traffic, and the plans that want it.
#[derive(Clone, Debug)]
pub struct Terms {
    /// Impressions of a week by hour, Monday first: their proportions are the traffic's.
    pub traffic: [u64; HOURS],
    /// Impressions of the week in which the shape was learnt.
    pub learnt: [u64; HOURS],
    /// Click rates of the placements.
    pub world: World,
    /// Number of plans.
    pub plans: usize,
    /// Impressions that a week brings.
    pub impressions: u64,
    /// What the plans want of them, in percent.
    pub load_percent: u64,
    /// An hour of the week in which eight times as much traffic comes.
    pub burst: Option<usize>,
}

/// How a plan did.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// Its budget.
    pub budget: Micros,
    /// |spent − planned| / budget at the end of each hour.
    pub deviations: Vec<f64>,
    /// What of the budget was spent in the end.
    pub delivered: f64,
    /// The highest ratio of what an hour spent to what it was planned to spend.
    pub worst_hour: f64,
}

#[derive(Debug)]
struct Plan {
    product: usize,
    schedule: Schedule,
    charged: Micros,
    allotted: Micros,
    allotted_in_hour: Micros,
    served: Micros,
    served_at_hour: Micros,
    outcome: Outcome,
}

/// What was allotted in a round, and served of it.
#[derive(Debug)]
struct Served {
    hour_thousandths: u64,
    /// By plan and placement: units allotted and served, and clicks.
    parts: Vec<Vec<(u64, u64, u64)>>,
}

/// Lets the plans run for a week.
pub fn run(terms: &Terms, random: &mut impl Rng) -> Vec<Outcome> {
    let mut market = Market::new(terms, random);
    let rounds = HOURS * ROUNDS_OF_HOUR;
    // Once more until everything is reported.
    for round in 0..=rounds + REPORTED_AFTER {
        market.report();
        if round % ROUNDS_OF_HOUR == 0 {
            market.end_hour(round);
        }
        if round < rounds {
            market.allot_and_serve(round, random);
        }
    }
    market.plans.into_iter().map(Plan::ended).collect()
}

struct Market<'a> {
    terms: &'a Terms,
    shape: Shape,
    plans: Vec<Plan>,
    capacities: Vec<Capacity>,
    /// By product and placement.
    histories: Vec<Vec<History>>,
    /// Rounds whose reports have not come yet, oldest first.
    unreported: VecDeque<Served>,
}

impl<'a> Market<'a> {
    fn new(terms: &'a Terms, random: &mut impl Rng) -> Self {
        let weights: Vec<f64> = (0..terms.plans)
            .map(|plan| match plan {
                // The largest and the smallest one are always there.
                0 => BUDGETS,
                1 => 1.0,
                _ => BUDGETS.powf(random.random::<f64>()),
            })
            .collect();
        let wanted = terms.impressions as f64 * terms.load_percent as f64 / 100.0;
        let sum: f64 = weights.iter().sum();
        let (from, to) = (time_of(0), time_of(HOURS * ROUNDS_OF_HOUR));
        let plans: Vec<Plan> = weights
            .iter()
            .enumerate()
            .map(|(at, weight)| {
                let budget =
                    Micros::new(rounded(wanted * weight / sum).saturating_mul(UNIT_COST.get()));
                Plan::new(at / PLANS_OF_PRODUCT, Schedule { budget, from, to })
            })
            .collect();
        let placements = terms.world.rates.len();
        let products = terms.plans.div_ceil(PLANS_OF_PRODUCT);
        Self {
            terms,
            shape: Shape::of_impressions(&terms.learnt, 1),
            plans,
            capacities: vec![Capacity::default(); placements],
            histories: vec![vec![History::default(); placements]; products],
            unreported: VecDeque::new(),
        }
    }

    /// Takes the reports of a round that is long enough ago, and gives back what was not served.
    fn report(&mut self) {
        if self.unreported.len() <= REPORTED_AFTER {
            return;
        }
        let Some(served) = self.unreported.pop_front() else {
            return;
        };
        let placements = self.capacities.len();
        let mut totals = vec![(0, 0); placements];
        let mut learnt = vec![vec![Counts::default(); placements]; self.histories.len()];
        for (plan, parts) in self.plans.iter_mut().zip(&served.parts) {
            for (at, (allotted, served, clicks)) in parts.iter().enumerate() {
                plan.settle(*allotted, *served);
                if let Some(total) = totals.get_mut(at) {
                    *total = (total.0 + allotted, total.1 + served);
                }
                if let Some(counts) = learnt.get_mut(plan.product).and_then(|it| it.get_mut(at)) {
                    *counts = counts.plus(Counts::new(*served, *clicks));
                }
            }
        }
        for (capacity, (allotted, units)) in self.capacities.iter_mut().zip(totals) {
            *capacity = capacity.after(allotted, units, served.hour_thousandths);
        }
        for (histories, learnt) in self.histories.iter_mut().zip(learnt) {
            for (history, counts) in histories.iter_mut().zip(learnt) {
                history.push(counts);
            }
        }
    }

    fn end_hour(&mut self, round: usize) {
        let (now, before) = (
            time_of(round),
            time_of(round.saturating_sub(ROUNDS_OF_HOUR)),
        );
        for plan in &mut self.plans {
            if round > 0 {
                plan.end_hour(&self.shape, before, now);
            }
            plan.allotted_in_hour = Micros::ZERO;
        }
    }

    fn allot_and_serve(&mut self, round: usize, random: &mut impl Rng) {
        let (from, until) = (time_of(round), time_of(round + 1));
        let average = self
            .shape
            .between(time_of(0), time_of(HOURS * ROUNDS_OF_HOUR))
            / HOURS as u128;
        let thousandths = self.shape.between(from, until) * 1_000 / average.max(1);
        let hour_thousandths = u64::try_from(thousandths).unwrap_or(u64::MAX);
        let decisions = self.decide((from, until), hour_thousandths, random);
        let parts = self.serve(round, &decisions, random);
        for (plan, decision) in self.plans.iter_mut().zip(&decisions) {
            let total = decision.total();
            plan.allotted = amount::sum([plan.allotted, total]);
            plan.allotted_in_hour = amount::sum([plan.allotted_in_hour, total]);
        }
        for (plan, parts) in self.plans.iter_mut().zip(&parts) {
            let units: u64 = parts.iter().map(|(_, served, _)| served).sum();
            plan.served = amount::sum([plan.served, cost_of(units)]);
        }
        self.unreported.push_back(Served {
            hour_thousandths,
            parts,
        });
    }

    fn decide(
        &self,
        (from, until): (DateTime<Utc>, DateTime<Utc>),
        hour_thousandths: u64,
        random: &mut impl Rng,
    ) -> Vec<Decision> {
        let menus = self.menus();
        let inputs: Vec<Inputs> = self
            .plans
            .iter()
            .map(|plan| Inputs {
                schedule: plan.schedule,
                standing: plan.standing(),
                from,
                until,
                rooms: Vec::new(),
                draw: random.random(),
            })
            .collect();
        let shares: Vec<Vec<u32>> = menus.iter().map(Menu::shares).collect();
        let placed: Vec<Vec<(usize, u32)>> = shares
            .iter()
            .map(|shares| shares.iter().copied().enumerate().collect())
            .collect();
        let demands: Vec<Demand<'_>> = inputs
            .iter()
            .zip(&self.plans)
            .filter_map(|(inputs, plan)| {
                Some(Demand {
                    grant: inputs.target(&self.shape),
                    shares: placed.get(plan.product)?,
                    highest: menus.get(plan.product)?.highest_share(),
                })
            })
            .collect();
        let room: Vec<Option<Micros>> = self
            .capacities
            .iter()
            .map(|capacity| capacity.units(hour_thousandths).map(cost_of))
            .collect();
        let rooms = supply::divide(&demands, &room);
        let plans = inputs.into_iter().zip(rooms).zip(&self.plans);
        plans
            .filter_map(|((inputs, rooms), plan)| {
                let (menu, shares) = (menus.get(plan.product)?, shares.get(plan.product)?);
                Some(Inputs { rooms, ..inputs }.decide(menu, shares, &self.shape))
            })
            .collect()
    }

    /// The menu of each product.
    fn menus(&self) -> Vec<Menu> {
        let totals: Vec<Vec<Counts>> = self
            .histories
            .iter()
            .map(|histories| histories.iter().map(History::total).collect())
            .collect();
        let cells: Vec<Cell> = totals
            .iter()
            .enumerate()
            .flat_map(|(product, totals)| {
                let cell = move |(placement, counts): (usize, &Counts)| Cell {
                    product,
                    placement,
                    counts: *counts,
                };
                totals.iter().enumerate().map(cell)
            })
            .collect();
        let placements = self.capacities.len();
        let hierarchy = Hierarchy::fit(Assumption::CLICKS, totals.len(), placements, &cells);
        let candidate = |product: usize, placement: usize, counts: &Counts| Candidate {
            belief: hierarchy.prior(product, placement, *counts).after(*counts),
            unit_cost: UNIT_COST,
            unit_value: 1,
            is_held: false,
        };
        totals
            .iter()
            .enumerate()
            .map(|(product, totals)| Menu {
                candidates: (totals.iter().enumerate())
                    .map(|(placement, counts)| candidate(product, placement, counts))
                    .collect(),
                limits: Limits::DEFAULT,
            })
            .collect()
    }

    /// What comes of the decisions: each placement serves its plans in proportion, as far as its traffic goes.
    fn serve(
        &self,
        round: usize,
        decisions: &[Decision],
        random: &mut impl Rng,
    ) -> Vec<Vec<(u64, u64, u64)>> {
        let hour = hour_of_week(time_of(round));
        let total: u64 = self.terms.traffic.iter().sum();
        let of_hour =
            self.terms.traffic.get(hour).copied().unwrap_or(0) as f64 / total.max(1) as f64;
        let times = if self.terms.burst == Some(hour) {
            8.0
        } else {
            1.0
        };
        let placements = self.capacities.len();
        let expected = self.terms.impressions as f64 * of_hour * times
            / ROUNDS_OF_HOUR as f64
            / placements as f64;
        let mut served: Vec<Vec<(u64, u64, u64)>> = vec![Vec::new(); decisions.len()];
        for placement in 0..placements {
            let traffic = Poisson::new(expected.max(1e-9)).map_or(0.0, |it| it.sample(random));
            let allotted: Vec<u64> = decisions
                .iter()
                .map(|decision| decision.parts.get(placement).map_or(0, |part| part.units))
                .collect();
            let wanted: u64 = allotted.iter().sum();
            let part = if wanted as f64 > traffic {
                traffic / wanted as f64
            } else {
                1.0
            };
            let rate = self
                .terms
                .world
                .rates
                .get(placement)
                .copied()
                .unwrap_or(0.0);
            for (served, allotted) in served.iter_mut().zip(allotted) {
                let draw = |n: u64, p: f64, random: &mut _| {
                    Binomial::new(n, p).map_or(0, |it| it.sample(random))
                };
                let units = draw(allotted, part, random);
                let clicks = draw(units, rate, random);
                served.push((allotted, units, clicks));
            }
        }
        served
    }
}

impl Plan {
    fn new(product: usize, schedule: Schedule) -> Self {
        Self {
            product,
            schedule,
            charged: Micros::ZERO,
            allotted: Micros::ZERO,
            allotted_in_hour: Micros::ZERO,
            served: Micros::ZERO,
            served_at_hour: Micros::ZERO,
            outcome: Outcome {
                budget: schedule.budget,
                deviations: Vec::new(),
                delivered: 0.0,
                worst_hour: 0.0,
            },
        }
    }

    fn standing(&self) -> Standing {
        Standing {
            charged: self.charged,
            allotted: self.allotted,
            allotted_in_hour: self.allotted_in_hour,
        }
    }

    fn settle(&mut self, allotted: u64, served: u64) {
        self.allotted = amount::less(self.allotted, cost_of(allotted));
        self.charged = amount::sum([self.charged, cost_of(served)]);
    }

    fn end_hour(&mut self, shape: &Shape, before: DateTime<Utc>, now: DateTime<Utc>) {
        let planned = self.schedule.planned(shape, now);
        let deviation = (self.charged.get() - planned.get()).abs() as f64;
        self.outcome
            .deviations
            .push(deviation / self.schedule.budget.get() as f64);
        let of_hour = amount::less(planned, self.schedule.planned(shape, before));
        let served = amount::less(self.served, self.served_at_hour);
        if of_hour > Micros::ZERO {
            let ratio = served.get() as f64 / of_hour.get() as f64;
            self.outcome.worst_hour = self.outcome.worst_hour.max(ratio);
        }
        self.served_at_hour = self.served;
    }

    fn ended(mut self) -> Outcome {
        self.outcome.delivered = self.charged.get() as f64 / self.schedule.budget.get() as f64;
        self.outcome
    }
}

/// The cost of so many impressions.
fn cost_of(units: u64) -> Micros {
    let units = i64::try_from(units).unwrap_or(i64::MAX);
    Micros::new(UNIT_COST.get().saturating_mul(units))
}

#[allow(clippy::cast_possible_truncation, reason = "far within the range")]
fn rounded(value: f64) -> i64 {
    value.round() as i64
}

/// When a round begins; the first one on a Monday at midnight.
fn time_of(round: usize) -> DateTime<Utc> {
    let rounds = i32::try_from(round).unwrap_or(i32::MAX);
    super::monday() + ROUND * rounds
}
