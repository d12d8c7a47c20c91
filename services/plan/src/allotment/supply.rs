//! Which placements plans may choose in a round, and what is believed of them.

use std::collections::{BTreeMap, HashMap};

use adfolio_kit::identity::UserId;
use adfolio_money::Micros;
use adfolio_placement::belief::{Belief, Counts};
use adfolio_placement::choice::Limits;
use adfolio_placement::decision::{Candidate, Menu};
use adfolio_placement::prior::{Assumption, Cell, Hierarchy};
use adfolio_placement::supply::Capacity;
use chrono::TimeDelta;

use super::learning::Known;
use crate::ids::{NetworkId, OrderId, PlacementId, ProductId};
use crate::placement::PriceModel;
use crate::product::entity::Goal;

/// Impressions that a CPM is the price of.
const CPM_IMPRESSIONS: i64 = 1_000;

/// A placement that has a price for the time of a round, of an active network.
#[derive(Clone, Debug)]
pub struct Site {
    pub placement: PlacementId,
    pub network: NetworkId,
    /// From the end of an allotment until it is reported.
    pub report_delay: TimeDelta,
    /// ISO 3166-1 alpha-2 codes; empty for everywhere.
    pub countries: Vec<String>,
    pub model: PriceModel,
    /// Of a thousand impressions or a click.
    pub cost: Micros,
    /// Of a thousand impressions or a click.
    pub revenue: Micros,
    pub capacity: Capacity,
    /// Whether reports of it wait in quarantine: it gets nothing more before staff have decided on them.
    pub is_held: bool,
}

/// A plan for which no placement can be chosen any more, or for which one can again.
#[derive(Clone, Debug)]
pub struct SupplyChange {
    pub order: OrderId,
    pub plan_number: String,
    pub user: UserId,
    pub is_supplied: bool,
}

impl Site {
    /// What an impression or a click costs, a whole number of millionths.
    pub fn unit_cost(&self) -> Micros {
        self.unit(self.cost)
    }

    fn unit(&self, amount: Micros) -> Micros {
        let of_unit = match self.model {
            PriceModel::Cpm => amount.get().checked_div(CPM_IMPRESSIONS).unwrap_or(0),
            PriceModel::Cpc => amount.get(),
        };
        Micros::new(of_unit)
    }

    /// Whether it reaches anybody in one of these regions. A region that is not the code of a country says nothing about it.
    fn reaches(&self, regions: &[String]) -> bool {
        let is_code = |region: &&String| {
            region.len() == 2 && region.bytes().all(|it| it.is_ascii_alphabetic())
        };
        let mut codes = regions.iter().filter(is_code).peekable();
        self.countries.is_empty()
            || codes.peek().is_none()
            || codes.any(|code| {
                self.countries
                    .iter()
                    .any(|it| it.eq_ignore_ascii_case(code))
            })
    }
}

/// How plans of a product are placed.
#[derive(Clone, Debug)]
pub struct Aim {
    pub goal: Goal,
    /// Placements that they may use; empty for all.
    pub placements: Vec<PlacementId>,
}

/// What is known of products on placements.
pub type KnownPairs = HashMap<(ProductId, PlacementId), Known>;

/// Everything that menus of a round are made of.
#[derive(Debug)]
pub struct Supply {
    /// In order of id.
    pub sites: Vec<Site>,
    aims: HashMap<ProductId, Aim>,
    known: KnownPairs,
    products: BTreeMap<ProductId, usize>,
    placements: BTreeMap<PlacementId, usize>,
    clicks: Hierarchy,
    fulfilment: Hierarchy,
}

impl Supply {
    /// Estimates what is believed before anything was shown from what is known of all products and placements.
    pub fn new(sites: Vec<Site>, aims: HashMap<ProductId, Aim>, known: KnownPairs) -> Self {
        let mut products: BTreeMap<ProductId, usize> = BTreeMap::new();
        let mut placements: BTreeMap<PlacementId, usize> = BTreeMap::new();
        for product in aims.keys().chain(known.keys().map(|(product, _)| product)) {
            products.insert(*product, 0);
        }
        let sold = sites.iter().map(|site| &site.placement);
        for placement in sold.chain(known.keys().map(|(_, placement)| placement)) {
            placements.insert(*placement, 0);
        }
        for (at, place) in products.values_mut().enumerate() {
            *place = at;
        }
        for (at, place) in placements.values_mut().enumerate() {
            *place = at;
        }
        // In one order, so that sums of floating-point numbers are the same each time.
        let ordered: BTreeMap<_, _> = known.iter().collect();
        let cells = |counts: fn(&Known) -> Counts| -> Vec<Cell> {
            ordered
                .iter()
                .filter_map(|((product, placement), known)| {
                    Some(Cell {
                        product: *products.get(product)?,
                        placement: *placements.get(placement)?,
                        counts: counts(known),
                    })
                })
                .collect()
        };
        let fit = |assumed: Assumption, cells: &[Cell]| {
            Hierarchy::fit(assumed, products.len(), placements.len(), cells)
        };
        let clicks = fit(Assumption::CLICKS, &cells(|known| known.clicks.total()));
        let fulfilment = fit(
            Assumption::FULFILMENT,
            &cells(|known| known.fulfilment.total()),
        );
        Self {
            sites,
            aims,
            known,
            products,
            placements,
            clicks,
            fulfilment,
        }
    }

    /// Positions of the sites that a plan of a product for these regions may choose.
    pub fn eligible(&self, product: ProductId, regions: &[String]) -> Vec<usize> {
        let Some(aim) = self.aims.get(&product) else {
            return Vec::new();
        };
        let may_use = |site: &Site| {
            (aim.placements.is_empty() || aim.placements.contains(&site.placement))
                && site.reaches(regions)
        };
        let sites = self.sites.iter().enumerate();
        sites
            .filter(|(_, site)| may_use(site))
            .map(|(at, _)| at)
            .collect()
    }

    /// Whether none of these sites can be allotted anything now.
    pub fn are_held(&self, sites: &[usize]) -> bool {
        let mut sites = sites.iter().filter_map(|at| self.sites.get(*at));
        sites.all(|site| site.is_held)
    }

    /// The menu of a product's plans that may choose these sites.
    pub fn menu(&self, product: ProductId, sites: &[usize]) -> Menu {
        let goal = self.aims.get(&product).map_or(Goal::Clicks, |aim| aim.goal);
        let sites = sites.iter().filter_map(|at| self.sites.get(*at));
        Menu {
            candidates: sites
                .map(|site| self.candidate(product, goal, site))
                .collect(),
            limits: Limits::DEFAULT,
        }
    }

    fn candidate(&self, product: ProductId, goal: Goal, site: &Site) -> Candidate {
        let known = self.known.get(&(product, site.placement));
        let total = |counts: fn(&Known) -> Counts| known.map_or(Counts::default(), counts);
        let (clicks, paid) = (
            total(|known| known.clicks.total()),
            total(|known| known.fulfilment.total()),
        );
        let (belief, unit_value) = match (goal, site.model) {
            (Goal::Clicks, PriceModel::Cpm) => {
                (self.belief(&self.clicks, (product, site), clicks), 1)
            }
            // A click is a click: what is bought is what is wanted.
            (Goal::Clicks, PriceModel::Cpc) => {
                let bought = Counts::new(clicks.successes, clicks.successes);
                (self.belief(&self.fulfilment, (product, site), bought), 1)
            }
            (Goal::Revenue, _) => {
                let value = site.unit(site.revenue).get().max(0).unsigned_abs();
                (self.belief(&self.fulfilment, (product, site), paid), value)
            }
        };
        Candidate {
            belief,
            unit_cost: site.unit_cost(),
            unit_value,
            is_held: site.is_held,
        }
    }

    fn belief(
        &self,
        hierarchy: &Hierarchy,
        (product, site): (ProductId, &Site),
        own: Counts,
    ) -> Belief {
        let at = |place: Option<&usize>| place.copied().unwrap_or(usize::MAX);
        let product = at(self.products.get(&product));
        let placement = at(self.placements.get(&site.placement));
        hierarchy.prior(product, placement, own).after(own)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use adfolio_placement::drift::History;
    use uuid::Uuid;

    fn site(id: u128, model: PriceModel, cost: i64, revenue: i64) -> Site {
        Site {
            placement: PlacementId(Uuid::from_u128(id)),
            network: NetworkId(Uuid::nil()),
            report_delay: TimeDelta::minutes(5),
            countries: Vec::new(),
            model,
            cost: Micros::new(cost),
            revenue: Micros::new(revenue),
            capacity: Capacity::default(),
            is_held: false,
        }
    }

    const PRODUCT: ProductId = ProductId(Uuid::from_u128(77));

    fn supply(sites: Vec<Site>, goal: Goal, placements: Vec<PlacementId>) -> Supply {
        let aims = HashMap::from([(PRODUCT, Aim { goal, placements })]);
        Supply::new(sites, aims, HashMap::new())
    }

    #[test]
    fn plans_choose_what_their_product_and_regions_allow() {
        let german = Site {
            countries: vec!["AT".into(), "DE".into()],
            ..site(2, PriceModel::Cpm, 2_000_000, 0)
        };
        let sites = vec![site(1, PriceModel::Cpm, 2_000_000, 0), german];
        let all = supply(sites.clone(), Goal::Clicks, Vec::new());
        let eligible = |regions: &[&str]| {
            let regions: Vec<String> = regions.iter().map(|it| (*it).to_owned()).collect();
            all.eligible(PRODUCT, &regions)
        };
        assert_eq!(eligible(&[]), [0, 1]);
        assert_eq!(eligible(&["de", "FR"]), [0, 1]);
        assert_eq!(eligible(&["FR"]), [0]);
        assert_eq!(eligible(&["Bavaria"]), [0, 1]);
        let second = vec![PlacementId(Uuid::from_u128(2))];
        assert_eq!(
            supply(sites, Goal::Clicks, second).eligible(PRODUCT, &[]),
            [1]
        );
        assert!(all.eligible(ProductId(Uuid::nil()), &[]).is_empty());
    }

    #[test]
    fn by_revenue_the_better_margin_is_chosen() {
        let sites = vec![
            site(1, PriceModel::Cpm, 2_000_000, 3_000_000),
            site(2, PriceModel::Cpc, 500_000, 500_000),
        ];
        let supply = supply(sites, Goal::Revenue, Vec::new());
        let candidates = supply.menu(PRODUCT, &[0, 1]).candidates;
        let values: Vec<_> = candidates
            .iter()
            .map(|it| (it.unit_cost.get(), it.unit_value))
            .collect();
        assert_eq!(values, [(2_000, 3_000), (500_000, 500_000)]);
    }

    #[test]
    fn what_a_product_has_shown_decides_by_clicks() {
        let sites = (1..=4)
            .map(|id| site(id, PriceModel::Cpm, 2_000_000, 0))
            .collect();
        let mut known = KnownPairs::new();
        for (id, clicks) in [(1, 900), (2, 300), (3, 300), (4, 300)] {
            let mut history = History::default();
            history.push(Counts::new(100_000, clicks));
            let pair = (PRODUCT, PlacementId(Uuid::from_u128(id)));
            known.insert(
                pair,
                Known {
                    clicks: history,
                    ..Known::default()
                },
            );
        }
        let aim = Aim {
            goal: Goal::Clicks,
            placements: Vec::new(),
        };
        let supply = Supply::new(sites, HashMap::from([(PRODUCT, aim)]), known);
        let shares = supply.menu(PRODUCT, &[0, 1, 2, 3]).shares();
        assert_eq!(shares, [400_000, 200_000, 200_000, 200_000]);
    }
}
