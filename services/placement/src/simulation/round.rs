//! One round for many plans: what it costs to compute.

use adfolio_money::Micros;
use chrono::TimeDelta;
use rand::{Rng, RngExt as _};

use crate::belief::Counts;
use crate::choice::Limits;
use crate::decision::{Candidate, Inputs, Menu};
use crate::pace::{Schedule, Shape, Standing};
use crate::prior::{Assumption, Cell, Hierarchy};
use crate::supply::{self, Demand};

/// How large a round is.
#[derive(Clone, Copy, Debug)]
pub struct Terms {
    /// Running plans.
    pub plans: usize,
    /// Products, over which the plans are spread evenly.
    pub products: usize,
    /// Placements that each plan may use.
    pub placements: usize,
}

/// Allots once for all plans, with everything that a round computes: priors, probabilities, pace, rooms and units. Answers
/// what was allotted in all.
pub fn run(terms: &Terms, random: &mut impl Rng) -> Micros {
    let shape = Shape::even();
    let menus = menus(terms, random);
    let shares: Vec<Vec<u32>> = menus.iter().map(Menu::shares).collect();
    let placed: Vec<Vec<(usize, u32)>> = shares
        .iter()
        .map(|shares| shares.iter().copied().enumerate().collect())
        .collect();
    let product_of = |plan: usize| plan % terms.products.max(1);
    let inputs: Vec<Inputs> = (0..terms.plans).map(|_| inputs(random)).collect();
    let demands: Vec<Demand<'_>> = inputs
        .iter()
        .enumerate()
        .filter_map(|(plan, inputs)| {
            let product = product_of(plan);
            Some(Demand {
                grant: inputs.target(&shape),
                shares: placed.get(product)?,
                highest: menus.get(product)?.highest_share(),
            })
        })
        .collect();
    // Half of the placements cannot serve everybody.
    let wanted: i64 = demands.iter().map(|demand| demand.grant.get()).sum();
    let each = Micros::new(wanted / i64::try_from(terms.placements.max(1)).unwrap_or(1));
    let room: Vec<Option<Micros>> = (0..terms.placements)
        .map(|at| (at % 2 == 0).then_some(each))
        .collect();
    let rooms = supply::divide(&demands, &room);
    let mut total: i64 = 0;
    for (plan, (inputs, rooms)) in inputs.into_iter().zip(rooms).enumerate() {
        let product = product_of(plan);
        if let (Some(menu), Some(shares)) = (menus.get(product), shares.get(product)) {
            let decision = Inputs { rooms, ..inputs }.decide(menu, shares, &shape);
            total = total.saturating_add(decision.total().get());
        }
    }
    Micros::new(total)
}

/// Menus of products of which something is known.
fn menus(terms: &Terms, random: &mut impl Rng) -> Vec<Menu> {
    let cells: Vec<Cell> = (0..terms.products * terms.placements)
        .map(|at| {
            let trials = random.random_range(0..200_000);
            Cell {
                product: at / terms.placements,
                placement: at % terms.placements,
                counts: Counts::new(trials, trials * random.random_range(1..6) / 1_000),
            }
        })
        .collect();
    let (products, placements) = (terms.products, terms.placements);
    let hierarchy = Hierarchy::fit(Assumption::CLICKS, products, placements, &cells);
    cells
        .chunks(terms.placements.max(1))
        .map(|cells| Menu {
            candidates: cells
                .iter()
                .map(|cell| Candidate {
                    belief: hierarchy
                        .prior(cell.product, cell.placement, cell.counts)
                        .after(cell.counts),
                    unit_cost: Micros::new(2_000),
                    unit_value: 1,
                    is_held: false,
                })
                .collect(),
            limits: Limits::DEFAULT,
        })
        .collect()
}

fn inputs(random: &mut impl Rng) -> Inputs {
    let from = super::monday();
    let budget = random.random_range(10_000_000..10_000_000_000);
    Inputs {
        schedule: Schedule {
            budget: Micros::new(budget),
            from: from - TimeDelta::days(3),
            to: from + TimeDelta::days(4),
        },
        standing: Standing {
            charged: Micros::new(budget * 3 / 7),
            allotted: Micros::ZERO,
            allotted_in_hour: Micros::ZERO,
        },
        from,
        until: from + TimeDelta::minutes(5),
        rooms: Vec::new(),
        draw: random.random(),
    }
}
