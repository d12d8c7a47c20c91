//! A round's decision about one plan: how much it gets, and which placements get what of it, each with the reason.
//!
//! [`Inputs`], [`Menu`] and [`Shape`] are everything that a decision is made of, in whole numbers, so that a stored decision
//! can be made again and compared.

use adfolio_money::Micros;
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use crate::allotment::{self, Taker};
use crate::amount;
use crate::belief::Belief;
use crate::choice::{self, Arm, Limits};
use crate::pace::{self, Grant, Pace, Schedule, Shape, Standing};

/// A placement that a plan may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Candidate {
    /// What is believed of the rate that its goal is about.
    pub belief: Belief,
    /// What one unit costs: an impression where it is paid by thousand, else a click.
    #[serde(with = "amount::serde_micros")]
    pub unit_cost: Micros,
    /// What a unit is worth to the goal at a rate of 1: a click counts 1, revenue in millionths.
    pub unit_value: u64,
    /// Whether reports of it wait for a person's decision. It gets nothing until then.
    pub is_held: bool,
}

/// The placements that plans choose from in a round: the same for all plans of a product with the same audience.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Menu {
    /// In an order that stays.
    pub candidates: Vec<Candidate>,
    /// Limits of shares.
    pub limits: Limits,
}

/// What a decision about one plan is made of, besides the menu and the traffic's shape, which plans share.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Inputs {
    /// The plan's budget and time.
    pub schedule: Schedule,
    /// What of it is spent.
    pub standing: Standing,
    /// Begin of the time that is allotted for.
    pub from: DateTime<Utc>,
    /// Its end, in the same clock hour.
    pub until: DateTime<Utc>,
    /// What each candidate can serve of this plan; none for all of it. May be empty if each can serve everything.
    #[serde(with = "rooms")]
    pub rooms: Vec<Option<Micros>>,
    /// A uniform random number, which decides about units that the shares leave open.
    pub draw: u32,
}

/// Why a placement gets what it gets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reason {
    /// It brings most for the money, as far as is known.
    Chosen,
    /// It gets no more than an equal share, to learn more of it.
    Exploring,
    /// It would get more, but no placement gets a larger share.
    Capped,
    /// It would get more, but can serve no more.
    Full,
    /// Reports of it wait for a decision.
    Held,
}

/// What one placement gets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Part {
    /// Its share in millionths: the probability with which it is chosen.
    pub share: u32,
    /// Impressions or clicks.
    pub units: u64,
    /// What they cost.
    #[serde(with = "amount::serde_micros")]
    pub budget: Micros,
    /// Why.
    pub reason: Reason,
}

/// What a plan gets in a round.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Decision {
    /// What it should get by its pace.
    #[serde(with = "amount::serde_micros")]
    pub target: Micros,
    /// What decided about that.
    pub pace: Pace,
    /// The parts of the candidates, in their order.
    pub parts: Vec<Part>,
}

impl Decision {
    /// What is allotted in all.
    pub fn total(&self) -> Micros {
        amount::sum(self.parts.iter().map(|part| part.budget))
    }
}

impl Menu {
    /// The candidates' shares in millionths: the probability that each brings most for the money, within the limits. They
    /// depend on nothing else, so a round computes them once.
    pub fn shares(&self) -> Vec<u32> {
        let open = self.candidates.iter().filter(|it| !it.is_held);
        let arms: Vec<Arm> = open.map(arm).collect();
        let probabilities = choice::best_probabilities(&arms);
        let mut of_open = choice::shares(&probabilities, self.limits).into_iter();
        self.candidates
            .iter()
            .map(|candidate| {
                if candidate.is_held {
                    0
                } else {
                    of_open.next().unwrap_or(0)
                }
            })
            .collect()
    }

    /// The highest share of one candidate, in millionths.
    pub fn highest_share(&self) -> u32 {
        self.limits.highest_of(self.open())
    }

    /// How many candidates are not held.
    fn open(&self) -> usize {
        self.candidates.iter().filter(|it| !it.is_held).count()
    }
}

fn arm(candidate: &Candidate) -> Arm {
    Arm {
        belief: candidate.belief,
        scale: candidate.unit_value as f64 / candidate.unit_cost.get().max(1) as f64,
    }
}

impl Inputs {
    /// What the plan should get by its pace.
    pub fn target(&self, shape: &Shape) -> Micros {
        self.grant(shape).target
    }

    fn grant(&self, shape: &Shape) -> Grant {
        pace::grant(&self.schedule, shape, &self.standing, self.from, self.until)
    }

    /// Makes the decision, with the shares that [`Menu::shares`] answers.
    pub fn decide(&self, menu: &Menu, shares: &[u32], shape: &Shape) -> Decision {
        let grant = self.grant(shape);
        let (open, highest) = (menu.open(), menu.highest_share());
        let takers: Vec<Taker> = menu
            .candidates
            .iter()
            .zip(shares)
            .zip(self.rooms.iter().chain(std::iter::repeat(&None)))
            .map(|((candidate, share), room)| Taker {
                share: *share,
                unit_cost: candidate.unit_cost,
                room: if candidate.is_held {
                    Some(Micros::ZERO)
                } else {
                    *room
                },
            })
            .collect();
        let parts = allotment::divide(grant.target, grant.most, highest, &takers, self.draw);
        let parts = parts.iter().zip(takers.iter().zip(&menu.candidates));
        Decision {
            target: grant.target,
            pace: grant.pace,
            parts: parts
                .map(|(part, (taker, candidate))| Part {
                    share: taker.share,
                    units: part.units,
                    budget: part.budget,
                    reason: reason(taker, candidate.is_held, grant.target, highest, open),
                })
                .collect(),
        }
    }
}

fn reason(taker: &Taker, is_held: bool, target: Micros, highest: u32, open: usize) -> Reason {
    let by_share = amount::times_ratio(target, taker.share.into(), choice::WHOLE.into());
    let equal = choice::WHOLE.div_ceil(u32::try_from(open.max(1)).unwrap_or(u32::MAX));
    if is_held {
        Reason::Held
    } else if taker.room.is_some_and(|room| room < by_share) {
        Reason::Full
    } else if taker.share >= highest && highest < choice::WHOLE {
        Reason::Capped
    } else if taker.share <= equal && open > 1 {
        Reason::Exploring
    } else {
        Reason::Chosen
    }
}

/// Rooms as whole millionths or null.
mod rooms {
    use adfolio_money::Micros;
    use serde::{Deserialize as _, Deserializer, Serializer};

    pub(super) fn serialize<S: Serializer>(
        rooms: &[Option<Micros>],
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(rooms.iter().map(|room| room.map(Micros::get)))
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Vec<Option<Micros>>, D::Error> {
        let rooms = Vec::<Option<i64>>::deserialize(deserializer)?;
        Ok(rooms
            .into_iter()
            .map(|room| room.map(Micros::new))
            .collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::belief::{Counts, Family};
    use crate::choice::WHOLE;
    use proptest::prelude::*;

    fn time(seconds: i64) -> DateTime<Utc> {
        DateTime::from_timestamp(1_767_571_200 + seconds, 0).unwrap()
    }

    fn candidate(trials: u64, successes: u64) -> Candidate {
        let prior = Belief::around(Family::Beta, 0.004, 0.5);
        Candidate {
            belief: prior.after(Counts::new(trials, successes)),
            unit_cost: Micros::new(2_000),
            unit_value: 1,
            is_held: false,
        }
    }

    fn menu(candidates: Vec<Candidate>) -> Menu {
        Menu {
            candidates,
            limits: Limits::DEFAULT,
        }
    }

    fn inputs() -> Inputs {
        Inputs {
            schedule: Schedule {
                budget: Micros::new(2_016_000_000),
                from: time(0),
                to: time(7 * 86_400),
            },
            standing: Standing {
                charged: Micros::ZERO,
                allotted: Micros::ZERO,
                allotted_in_hour: Micros::ZERO,
            },
            from: time(0),
            until: time(300),
            rooms: Vec::new(),
            draw: 1 << 31,
        }
    }

    fn decide(inputs: &Inputs, menu: &Menu) -> Decision {
        inputs.decide(menu, &menu.shares(), &Shape::even())
    }

    #[test]
    fn every_placement_has_its_reason() {
        let mut candidates = vec![candidate(100_000, 100); 8];
        candidates[0] = candidate(1_000_000, 6_000);
        candidates[1] = candidate(50_000, 270);
        candidates[2].is_held = true;
        let inputs = Inputs {
            rooms: vec![None, Some(Micros::new(4_000))],
            ..inputs()
        };
        let decision = decide(&inputs, &menu(candidates));
        let reasons: Vec<Reason> = decision.parts.iter().map(|part| part.reason).collect();
        assert_eq!(
            reasons[..4],
            [
                Reason::Capped,
                Reason::Full,
                Reason::Held,
                Reason::Exploring
            ]
        );
        assert_eq!(decision.parts[2].budget, Micros::ZERO);
        assert_eq!(decision.parts[1].budget, Micros::new(4_000));
        assert_eq!(decision.pace, Pace::OnPlan);
    }

    #[test]
    fn a_plan_whose_placements_are_all_held_gets_nothing() {
        let mut held = candidate(1_000, 4);
        held.is_held = true;
        for candidates in [vec![held; 3], Vec::new()] {
            assert_eq!(decide(&inputs(), &menu(candidates)).total(), Micros::ZERO);
        }
    }

    #[test]
    fn what_earns_more_for_the_money_is_chosen() {
        // By revenue: the price list promises the second one twice as much for each unit of cost.
        let fulfilment = Belief::around(Family::Gamma, 1.0, 0.2).after(Counts::new(5_000, 5_000));
        let priced = |cost: i64, revenue: u64| Candidate {
            belief: fulfilment,
            unit_cost: Micros::new(cost),
            unit_value: revenue,
            is_held: false,
        };
        let menu = Menu {
            candidates: vec![priced(2_000, 3_000), priced(500_000, 1_500_000)],
            limits: Limits {
                exploration: 20_000,
                highest: WHOLE,
            },
        };
        assert_eq!(menu.shares(), [10_000, 990_000]);
    }

    proptest! {
        #[test]
        fn a_stored_decision_is_made_again_bit_for_bit(
            counts in prop::collection::vec((0..1_000_000_u64, 0..5_000_u64, 1..5_000_i64), 1..20),
            charged in 0..2_000_000_000_i64, rounds in 0..2_000_i64, draw: u32,
        ) {
            let candidates = counts
                .iter()
                .map(|(trials, clicks, cost)| Candidate {
                    unit_cost: Micros::new(*cost),
                    ..candidate(*trials, *clicks)
                })
                .collect();
            let menu = menu(candidates);
            let mut inputs = inputs();
            inputs.standing.charged = Micros::new(charged);
            inputs.from = time(rounds * 300);
            inputs.until = time(rounds * 300 + 300);
            inputs.draw = draw;
            let decision = decide(&inputs, &menu);
            let stored = serde_json::to_string(&(&inputs, &menu, &decision)).unwrap();
            let (inputs, menu, before): (Inputs, Menu, Decision) = serde_json::from_str(&stored).unwrap();
            prop_assert_eq!(decide(&inputs, &menu), before);
            prop_assert!(decision.total().get() <= (2_016_000_000 - charged).max(0));
        }
    }
}
