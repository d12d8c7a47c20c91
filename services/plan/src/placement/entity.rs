//! Placements and their prices.

use adfolio_kit::names;
use adfolio_kit::refusal::Refusal;
use adfolio_money::Micros;
use chrono::{DateTime, SubsecRound as _, TimeDelta, Utc};
use uuid::Uuid;

use crate::ids::{NetworkId, PlacementId};
use crate::network::SupplyState;
use crate::source::is_word;

/// The most countries, or operating systems, of a placement.
const MOST_TARGETS: usize = 300;

/// Letters of a format, or of an operating system, at most.
const LONGEST_WORD: usize = 32;

/// Impressions that a CPM is the price of.
const CPM_IMPRESSIONS: i64 = 1_000;

/// The highest price, in millionths: a million of the unit for a thousand impressions or a click.
const HIGHEST_PRICE: Micros = Micros::new(1_000_000_000_000);

/// A price that was meant for now may arrive so much later.
const PRICE_SKEW: TimeDelta = TimeDelta::minutes(1);

/// Answers show times in milliseconds.
const SHOWN_DIGITS: u16 = 3;

names! {
    /// What is paid for.
    PriceModel {
        /// A thousand impressions.
        Cpm,
        /// A click.
        Cpc,
    }
}

names! {
    /// Where a price stands.
    PriceState {
        /// A second member of staff has to set it, too.
        Proposed,
        /// It holds, or will from its time on.
        Confirmed,
    }
}

/// Where a placement can show advertisements, and in which form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Details {
    /// Name shown, unique within its network.
    pub name: String,
    /// Form, as the network calls it.
    pub format: String,
    /// ISO 3166-1 alpha-2 codes; empty for everywhere.
    pub countries: Vec<String>,
    /// Operating systems; empty for all.
    pub systems: Vec<String>,
    /// Whether plans are placed on it.
    pub state: SupplyState,
}

impl Details {
    /// Checks what staff entered, and brings lists into order.
    pub fn checked(mut self) -> Result<Self, Refusal> {
        if !is_word(&self.format, LONGEST_WORD) {
            return Err(Refusal::invalid("format"));
        }
        for country in &mut self.countries {
            country.make_ascii_uppercase();
        }
        let is_country =
            |code: &String| code.len() == 2 && code.bytes().all(|byte| byte.is_ascii_uppercase());
        if self.countries.len() > MOST_TARGETS || !self.countries.iter().all(is_country) {
            let refusal = Refusal::invalid("countries");
            return Err(refusal.detail("two-letter codes of ISO 3166-1"));
        }
        if self.systems.len() > MOST_TARGETS
            || !self
                .systems
                .iter()
                .all(|system| is_word(system, LONGEST_WORD))
        {
            return Err(Refusal::invalid("systems"));
        }
        for list in [&mut self.countries, &mut self.systems] {
            list.sort_unstable();
            list.dedup();
        }
        Ok(self)
    }

    /// What the audit log keeps of it.
    pub fn summary(&self) -> serde_json::Value {
        serde_json::json!({
            "name": self.name,
            "format": self.format,
            "countries": self.countries,
            "systems": self.systems,
            "state": self.state.as_str(),
        })
    }
}

/// A place where a network shows advertisements.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Placement {
    /// Its id.
    pub id: PlacementId,
    /// Its network.
    pub network_id: NetworkId,
    /// Its network's name.
    pub network_name: String,
    /// What staff entered.
    pub details: Details,
    /// When it was created.
    pub created_at: DateTime<Utc>,
    /// The price that holds now, if any, and those that were set for later, by time.
    pub prices: Vec<Price>,
}

impl Placement {
    /// VALIDATION of `valid_from` if a price that was set for later holds already. One that is set or confirmed now would
    /// hold after it, or never.
    pub fn require_latest(&self, price: &Price, now: DateTime<Utc>) -> Result<(), Refusal> {
        let holds = |known: &Price| known.begins_at().is_some_and(|begin| begin <= now);
        let is_late = |known: &Price| known.valid_from > price.valid_from && holds(known);
        if self.prices.iter().any(is_late) {
            let refusal = Refusal::invalid("valid_from");
            return Err(refusal.detail("a later price holds already"));
        }
        Ok(())
    }
}

/// What a placement costs and earns from a time on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Price {
    /// What is paid for.
    pub model: PriceModel,
    /// What it costs.
    pub cost: Micros,
    /// What it earns.
    pub revenue: Micros,
    /// From when on it is meant to hold; it never does before it is confirmed.
    pub valid_from: DateTime<Utc>,
    /// The member of staff who set it; the nil id for adfolioctl.
    pub set_by: Uuid,
    /// The member who confirmed it.
    pub confirmed_by: Option<Uuid>,
    /// When it was confirmed, or set where that takes one.
    pub confirmed_at: Option<DateTime<Utc>>,
}

impl Price {
    /// A price as staff enter it. What a thousand impressions cost must be a whole number of millionths for each.
    pub fn new(
        model: PriceModel,
        (cost, revenue): (Micros, Micros),
        valid_from: DateTime<Utc>,
        set_by: Uuid,
    ) -> Result<Self, Refusal> {
        let valid_from = valid_from.trunc_subsecs(SHOWN_DIGITS);
        let is_fine = |amount: Micros| {
            let rest = amount.get().checked_rem(CPM_IMPRESSIONS).unwrap_or(0);
            amount <= HIGHEST_PRICE && (model == PriceModel::Cpc || rest == 0)
        };
        if cost <= Micros::ZERO || !is_fine(cost) {
            return Err(Refusal::invalid("cost"));
        }
        if revenue < Micros::ZERO || !is_fine(revenue) {
            return Err(Refusal::invalid("revenue"));
        }
        Ok(Self {
            model,
            cost,
            revenue,
            valid_from,
            set_by,
            confirmed_by: None,
            confirmed_at: None,
        })
    }

    /// The price as it is set now, after the newest one that was set before. VALIDATION of `valid_from` if it would begin
    /// before now, or before one that was set already. Its time is as precise as answers show it, so that a second person
    /// can set the same.
    pub fn after(self, newest: Option<DateTime<Utc>>, now: DateTime<Utc>) -> Result<Self, Refusal> {
        let refused = |detail: &str| Refusal::invalid("valid_from").detail(detail);
        if now.signed_duration_since(self.valid_from) > PRICE_SKEW {
            return Err(refused("a price begins now or later"));
        }
        let valid_from = self.valid_from.max(now).trunc_subsecs(SHOWN_DIGITS);
        if newest.is_some_and(|newest| newest >= valid_from) {
            return Err(refused("a price begins after those that were set before"));
        }
        Ok(Self { valid_from, ..self })
    }

    /// Whether it has the content of another one; who set it does not matter.
    pub fn says_the_same_as(&self, other: &Self) -> bool {
        let content = |it: &Self| (it.model, it.cost, it.revenue, it.valid_from);
        content(self) == content(other)
    }

    /// The price as another member of staff confirms it now.
    pub fn confirmed(&self, by: Uuid, now: DateTime<Utc>) -> Self {
        Self {
            confirmed_by: Some(by),
            confirmed_at: Some(now),
            ..self.clone()
        }
    }

    /// From when on it holds: from its time, or from its confirmation if that comes later. None until it is confirmed.
    pub fn begins_at(&self) -> Option<DateTime<Utc>> {
        let confirmed_at = self.confirmed_at?;
        Some(confirmed_at.max(self.valid_from))
    }

    /// Where it stands.
    pub fn state(&self) -> PriceState {
        if self.confirmed_at.is_some() {
            PriceState::Confirmed
        } else {
            PriceState::Proposed
        }
    }

    /// What the audit log keeps of it.
    pub fn summary(&self) -> serde_json::Value {
        serde_json::json!({
            "model": self.model.as_str(),
            "cost_micros": self.cost.get(),
            "revenue_micros": self.revenue.get(),
            "valid_from": self.valid_from,
            "holds_from": self.begins_at(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn details() -> Details {
        Details {
            name: "Feed".into(),
            format: "native".into(),
            countries: vec!["de".into(), "AT".into(), "DE".into()],
            systems: Vec::new(),
            state: SupplyState::Active,
        }
    }

    #[test]
    fn countries_are_codes_in_order() {
        assert_eq!(details().checked().unwrap().countries, ["AT", "DE"]);
        for wrong in ["Germany", "D", "4A", ""] {
            let details = Details {
                countries: vec![wrong.into()],
                ..details()
            };
            assert!(details.checked().is_err(), "{wrong}");
        }
    }

    #[test]
    fn formats_and_systems_are_words() {
        let format = Details {
            format: "Full Screen".into(),
            ..details()
        };
        assert!(format.checked().is_err());
        let systems = Details {
            systems: vec![String::new()],
            ..details()
        };
        assert!(systems.checked().is_err());
    }

    fn price(model: PriceModel, cost: i64, revenue: i64) -> Result<Price, Refusal> {
        let amounts = (Micros::new(cost), Micros::new(revenue));
        Price::new(model, amounts, DateTime::UNIX_EPOCH, Uuid::nil())
    }

    #[test]
    fn an_impression_costs_whole_millionths() {
        assert!(price(PriceModel::Cpm, 2_005_000, 0).is_ok());
        let wrong = |model, cost, revenue| price(model, cost, revenue).unwrap_err().field;
        assert_eq!(
            wrong(PriceModel::Cpm, 2_005_500, 0).as_deref(),
            Some("cost")
        );
        assert_eq!(
            wrong(PriceModel::Cpm, 2_000_000, 1).as_deref(),
            Some("revenue")
        );
        assert!(price(PriceModel::Cpc, 1, 1).is_ok());
        assert_eq!(wrong(PriceModel::Cpc, 0, 1).as_deref(), Some("cost"));
    }

    #[test]
    fn a_price_begins_neither_before_now_nor_before_another() {
        let at = |seconds: i64| DateTime::from_timestamp(seconds, 0).unwrap();
        let price = Price {
            valid_from: at(1_000),
            ..price(PriceModel::Cpc, 1, 1).unwrap()
        };
        let from = |newest, now| price.clone().after(newest, at(now)).map(|it| it.valid_from);
        assert_eq!(from(None, 900), Ok(at(1_000)));
        assert_eq!(from(None, 1_060), Ok(at(1_060)));
        assert!(from(None, 1_061).is_err());
        assert_eq!(from(Some(at(999)), 900), Ok(at(1_000)));
        assert!(from(Some(at(1_000)), 900).is_err());
    }

    #[test]
    fn a_price_begins_at_a_time_that_answers_show() {
        let at = |micros: i64| DateTime::from_timestamp_micros(micros).unwrap();
        let amounts = (Micros::new(1), Micros::new(1));
        let price = Price::new(PriceModel::Cpc, amounts, at(1_234_567), Uuid::nil()).unwrap();
        assert_eq!(price.valid_from, at(1_234_000));
        let now = price.after(None, at(1_235_678)).unwrap();
        assert_eq!(now.valid_from, at(1_235_000));
    }

    fn at(seconds: i64) -> DateTime<Utc> {
        DateTime::from_timestamp(seconds, 0).unwrap()
    }

    fn proposed_for(seconds: i64) -> Price {
        Price {
            valid_from: at(seconds),
            ..price(PriceModel::Cpc, 1, 1).unwrap()
        }
    }

    #[test]
    fn a_price_holds_from_its_time_and_not_before_its_confirmation() {
        let proposed = proposed_for(10);
        assert_eq!(
            (proposed.state(), proposed.begins_at()),
            (PriceState::Proposed, None)
        );
        for (confirmed, begins) in [(9, 10), (10, 10), (11, 11)] {
            let price = proposed.confirmed(Uuid::max(), at(confirmed));
            assert_eq!(
                (price.state(), price.begins_at()),
                (PriceState::Confirmed, Some(at(begins)))
            );
            assert_eq!(price.valid_from, at(10));
            assert_eq!(price.confirmed_by, Some(Uuid::max()));
        }
    }

    #[test]
    fn a_price_comes_too_late_once_a_later_one_holds() {
        let confirmed_at_15 = |price: Price| price.confirmed(Uuid::max(), at(15));
        let late = |known: Price, valid_from, now| {
            let placement = Placement {
                id: PlacementId(Uuid::nil()),
                network_id: NetworkId(Uuid::nil()),
                network_name: "Network A".into(),
                details: details(),
                created_at: at(0),
                prices: vec![known],
            };
            let refused = placement.require_latest(&proposed_for(valid_from), at(now));
            refused.is_err()
        };
        // The later one holds since its confirmation, or since its time.
        assert!(late(confirmed_at_15(proposed_for(12)), 11, 15));
        assert!(late(confirmed_at_15(proposed_for(20)), 11, 20));
        // It does not hold yet, is only proposed, or was set for an earlier time.
        assert!(!late(confirmed_at_15(proposed_for(20)), 11, 19));
        assert!(!late(proposed_for(12), 11, 20));
        assert!(!late(confirmed_at_15(proposed_for(12)), 13, 15));
    }
}
