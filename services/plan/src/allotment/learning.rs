//! What is learnt from allotments once all that counts of them is reported.
//!
//! An allotment is learnt when it has closed, together with all others of its placement and round. A report that comes
//! later, or a revision, corrects what was learnt.

use std::collections::{BTreeMap, HashMap};

use adfolio_kit::db::{self, Tx};
use adfolio_money::Micros;
use adfolio_placement::belief::Counts;
use adfolio_placement::drift::History;
use adfolio_placement::pace::Shape;
use adfolio_placement::supply::Capacity;
use chrono::{DateTime, Utc};

use super::{repo, round};
use crate::app::App;
use crate::error::PlanError;
use crate::ids::{PlacementId, ProductId};
use crate::placement::PriceModel;

/// Rounds that one run learns from at most.
const ROUNDS: usize = 50;

/// What is known of a product on a placement.
#[derive(Clone, Debug, Default)]
pub struct Known {
    /// Clicks by impressions.
    pub clicks: History,
    /// Units paid by units expected.
    pub fulfilment: History,
}

/// What allotments of a product on a placement brought in a round.
#[derive(Clone, Debug)]
pub struct Brought {
    pub product: ProductId,
    pub placement: PlacementId,
    pub model: PriceModel,
    /// What a thousand impressions or a click earn.
    pub price_revenue: Micros,
    /// Units allotted.
    pub units: u64,
    pub is: Reported,
    /// What was learnt before; none the first time.
    pub was: Option<Reported>,
}

/// What was reported, for beliefs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Reported {
    pub impressions: u64,
    pub clicks: u64,
    /// Millionths.
    pub revenue: u64,
}

impl Reported {
    fn clicks(self) -> Counts {
        Counts::new(self.impressions, self.clicks.min(self.impressions))
    }

    fn units(self, model: PriceModel) -> u64 {
        match model {
            PriceModel::Cpm => self.impressions,
            PriceModel::Cpc => self.clicks,
        }
    }

    /// Units of the price model, and how many of them the revenue pays for by the price list.
    fn fulfilment(self, model: PriceModel, price_revenue: Micros) -> Counts {
        let units = self.units(model);
        let unit: u128 = match model {
            PriceModel::Cpm => 1_000,
            PriceModel::Cpc => 1,
        };
        let paid = u128::from(self.revenue)
            .saturating_mul(unit)
            .checked_div(price_revenue.get().max(0).unsigned_abs().into());
        // A price list that promises nothing is kept by whatever comes.
        let paid = paid.map_or(units, |paid| u64::try_from(paid).unwrap_or(u64::MAX));
        Counts::new(units, paid)
    }
}

impl Known {
    fn learn(&mut self, brought: &Brought) {
        let is = (
            brought.is.clicks(),
            brought.is.fulfilment(brought.model, brought.price_revenue),
        );
        let Some(was) = brought.was else {
            self.clicks.push(is.0);
            self.fulfilment.push(is.1);
            return;
        };
        self.clicks.correct(was.clicks(), is.0);
        let before = was.fulfilment(brought.model, brought.price_revenue);
        self.fulfilment.correct(before, is.1);
    }
}

/// Learns from what has been reported since the last time.
pub async fn learn(app: &App) -> Result<(), PlanError> {
    for _ in 0..ROUNDS {
        // There is seldom something: a look takes no lock and no write.
        if repo::learning::next_to_learn(&app.pool).await?.is_none() {
            return Ok(());
        }
        let learnt = db::write(&app.pool, |tx| Box::pin(learn_round_in_tx(tx))).await?;
        if !learnt {
            return Ok(());
        }
    }
    Ok(())
}

/// Learns from the oldest round that has something new; answers whether there was one.
async fn learn_round_in_tx(tx: &mut Tx) -> Result<bool, PlanError> {
    repo::learning::lock_learning_in_tx(tx).await?;
    let Some(begins_at) = repo::learning::next_to_learn(&mut *tx).await? else {
        return Ok(false);
    };
    let brought = repo::learning::take_brought_in_tx(tx, begins_at).await?;
    if brought.is_empty() {
        return Ok(false);
    }
    let pairs: Vec<_> = brought
        .iter()
        .map(|it| (it.product, it.placement))
        .collect();
    let mut known = repo::learning::known_in_tx(tx, &pairs).await?;
    for brought in &brought {
        let known = known.entry((brought.product, brought.placement));
        known.or_default().learn(brought);
    }
    repo::learning::save_known_in_tx(tx, &known).await?;
    if let Some(round) = repo::learning::shape_of_round_in_tx(tx, begins_at).await? {
        learn_capacities_in_tx(tx, &brought, &round).await?;
    }
    let impressions = brought.iter().fold(0_i64, |sum, it| {
        let was = it.was.unwrap_or_default().impressions;
        let signed = |count: u64| i64::try_from(count).unwrap_or(i64::MAX);
        sum.saturating_add(signed(it.is.impressions).saturating_sub(signed(was)))
    });
    repo::learning::add_traffic_in_tx(tx, begins_at, impressions).await?;
    Ok(true)
}

/// When a round began and ended, and the shape of its traffic.
pub type ShapeOfRound = (DateTime<Utc>, DateTime<Utc>, Shape);

async fn learn_capacities_in_tx(
    tx: &mut Tx,
    brought: &[Brought],
    (begins_at, ends_at, shape): &ShapeOfRound,
) -> Result<(), PlanError> {
    let mut served: BTreeMap<PlacementId, (u64, u64)> = BTreeMap::new();
    for brought in brought.iter().filter(|it| it.was.is_none()) {
        let sums = served.entry(brought.placement).or_default();
        let units = brought.is.units(brought.model).min(brought.units);
        *sums = (
            sums.0.saturating_add(brought.units),
            sums.1.saturating_add(units),
        );
    }
    let ids: Vec<PlacementId> = served.keys().copied().collect();
    let mut capacities: HashMap<PlacementId, Capacity> =
        repo::learning::capacities_in_tx(tx, &ids).await?;
    let time = round::hour_thousandths(shape, *begins_at, *ends_at);
    for (placement, (allotted, served)) in served {
        let capacity = capacities.entry(placement).or_default();
        *capacity = capacity.after(allotted, served, time);
    }
    repo::learning::save_capacities_in_tx(tx, &capacities).await
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reported(impressions: u64, clicks: u64, revenue: u64) -> Reported {
        Reported {
            impressions,
            clicks,
            revenue,
        }
    }

    #[test]
    fn revenue_counts_as_the_units_that_it_pays_for() {
        // 3.00 for a thousand impressions.
        let price = Micros::new(3_000_000);
        let counts = reported(1_000, 5, 2_400_000).fulfilment(PriceModel::Cpm, price);
        assert_eq!(counts, Counts::new(1_000, 800));
        let counts = reported(1_000, 5, 6_000_000).fulfilment(PriceModel::Cpc, price);
        assert_eq!(counts, Counts::new(5, 2));
        let counts = reported(1_000, 5, 0).fulfilment(PriceModel::Cpm, Micros::ZERO);
        assert_eq!(counts, Counts::new(1_000, 1_000));
    }

    #[test]
    fn a_correction_replaces_what_was_learnt() {
        let mut known = Known::default();
        let mut brought = Brought {
            product: ProductId(uuid::Uuid::nil()),
            placement: PlacementId(uuid::Uuid::nil()),
            model: PriceModel::Cpm,
            price_revenue: Micros::new(3_000_000),
            units: 1_000,
            is: reported(1_000, 5, 3_000_000),
            was: None,
        };
        known.learn(&brought);
        brought.was = Some(brought.is);
        brought.is = reported(900, 4, 2_700_000);
        known.learn(&brought);
        assert_eq!(known.clicks.total(), Counts::new(900, 4));
        assert_eq!(known.fulfilment.total(), Counts::new(900, 900));
    }
}
