//! What the caller hands in: the rows, and what it knows about them.

use std::collections::HashMap;

use adfolio_money::{Micros, MoneyError};
use chrono::{DateTime, TimeDelta, Utc};

use super::history::{History, Tally};

/// One row of a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Row<'a> {
    /// Names the row in findings; no two rows of a batch share it.
    pub line: u64,
    /// Identifies the report within its source.
    pub report_id: &'a str,
    /// Which restatement it is.
    pub revision: i64,
    /// The plan's number or id.
    pub plan: &'a str,
    /// Where it was shown, for networks that say so.
    pub placement: Option<&'a str>,
    /// When it was shown; the start of the hour or day for rows that sum one up.
    pub time: DateTime<Utc>,
    /// Impressions.
    pub impressions: i64,
    /// Clicks.
    pub clicks: i64,
    /// What it cost.
    pub spend: Micros,
    /// What it earned.
    pub revenue: Micros,
    /// Whether the import's own price gave cost and revenue because the row has none. Such a row
    /// needs no price on the list, but must agree with one that is there.
    pub is_estimated: bool,
}

/// What the caller knows about a batch. Whatever is left out is not judged, except placements:
/// one that is not in the map is foreign.
#[derive(Clone, Debug)]
pub struct Context<'a> {
    /// The time of the review.
    pub now: DateTime<Utc>,
    /// How much time one row of the source may sum up, at most. A row belongs to an allotment or
    /// price that starts within it.
    pub row_period: TimeDelta,
    /// How long after an allotment's end its impressions may still come.
    pub allotment_grace: TimeDelta,
    /// The plans of the rows.
    pub plans: HashMap<&'a str, Plan>,
    /// The placements of the rows.
    pub placements: HashMap<&'a str, Placement>,
    /// When a plan had an allotment of a placement.
    pub allotments: HashMap<(&'a str, &'a str), Windows>,
    /// The known revision of each report id of the batch that is known.
    pub earlier: HashMap<&'a str, Earlier>,
    /// How many known rows have a [`repeat_key`](super::repeat_key) of this batch, those of its
    /// own report ids left out.
    pub repeats: HashMap<u64, i64>,
    /// History of all of the source's rows.
    pub source: History,
    /// The peers of subjects.
    pub peers: Peers<'a>,
}

impl Context<'_> {
    /// Knows nothing. Rows may sum up an hour, and impressions come up to an hour late.
    pub fn new(now: DateTime<Utc>) -> Self {
        Self {
            now,
            row_period: TimeDelta::hours(1),
            allotment_grace: TimeDelta::hours(1),
            plans: HashMap::new(),
            placements: HashMap::new(),
            allotments: HashMap::new(),
            earlier: HashMap::new(),
            repeats: HashMap::new(),
            source: History::default(),
            peers: Peers::default(),
        }
    }
}

/// What is known about a plan.
#[derive(Clone, Debug, Default)]
pub struct Plan {
    /// Whether it is allotted to placements of this source. If so, each row must name one.
    pub has_supply: bool,
    /// Whether it is settled.
    pub is_settled: bool,
    /// History of the source's rows of this plan without a placement.
    pub history: History,
}

/// What is known about a placement.
#[derive(Clone, Debug, Default)]
pub struct Placement {
    /// Whether it belongs to the source.
    pub is_own: bool,
    /// Its prices.
    pub prices: PriceList,
    /// Its history, over all plans.
    pub history: History,
}

/// What is paid for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Model {
    /// A thousand impressions.
    Cpm,
    /// A click.
    Cpc,
}

/// An entry of a placement's price list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Price {
    /// When it starts; it ends the price before it.
    pub from: DateTime<Utc>,
    /// When it ends without another.
    pub until: Option<DateTime<Utc>>,
    /// What is paid for.
    pub model: Model,
    /// What a unit costs.
    pub cost: Micros,
    /// What a unit earns.
    pub revenue: Micros,
}

impl Price {
    /// What so many impressions or clicks come to at a rate, rounded half to even.
    pub(super) fn amount(
        &self,
        rate: Micros,
        impressions: i64,
        clicks: i64,
    ) -> Result<Micros, MoneyError> {
        match self.model {
            Model::Cpm => rate.ratio_half_even(impressions, 1_000),
            Model::Cpc => rate.checked_mul(clicks),
        }
    }
}

/// Prices in the order of time.
#[derive(Clone, Debug, Default)]
pub struct PriceList(Vec<Price>);

impl PriceList {
    /// Takes entries in any order.
    pub fn new(mut prices: Vec<Price>) -> Self {
        prices.sort_by_key(|price| price.from);
        Self(prices)
    }

    /// The prices that a row of this time may have: the one valid then, and those that start
    /// within its period.
    pub(super) fn within(
        &self,
        time: DateTime<Utc>,
        period: TimeDelta,
    ) -> impl Iterator<Item = &Price> {
        let later = self.0.partition_point(|price| price.from <= time);
        self.0
            .iter()
            .skip(later.saturating_sub(1))
            .take_while(move |price| price.from <= time || price.from - time < period)
            .filter(move |price| price.until.is_none_or(|until| time < until))
    }
}

/// Spans of time, both ends included, that do not touch each other.
#[derive(Clone, Debug, Default)]
pub struct Windows(Vec<(DateTime<Utc>, DateTime<Utc>)>);

impl Windows {
    /// Takes spans in any order; they may overlap.
    pub fn new(mut spans: Vec<(DateTime<Utc>, DateTime<Utc>)>) -> Self {
        spans.sort_unstable();
        let mut merged: Vec<(DateTime<Utc>, DateTime<Utc>)> = Vec::new();
        for (from, to) in spans {
            match merged.last_mut() {
                Some(last) if from <= last.1 => last.1 = last.1.max(to),
                _ => merged.push((from, to)),
            }
        }
        Self(merged)
    }

    /// Whether a row that starts at a time and lasts a period meets one of the spans, each
    /// prolonged by a grace.
    pub(super) fn meet(&self, time: DateTime<Utc>, period: TimeDelta, grace: TimeDelta) -> bool {
        let first = self.0.partition_point(|(_, to)| time - *to > grace);
        self.0
            .get(first)
            .is_some_and(|(from, _)| *from <= time || *from - time < period)
    }
}

/// The known revision of a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Earlier {
    /// Which restatement it is.
    pub revision: i64,
    /// Impressions.
    pub impressions: i64,
    /// Clicks.
    pub clicks: i64,
    /// What it cost.
    pub spend: Micros,
    /// What it earned.
    pub revenue: Micros,
}

/// One of those that a subject is compared with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Peer<'a> {
    /// Its name, so that nobody is compared with itself.
    pub name: &'a str,
    /// Its clean impressions and clicks.
    pub tally: Tally,
}

/// The peers of subjects. Where there are too few, the other subjects of the batch stand
/// in for them.
#[derive(Clone, Debug, Default)]
pub struct Peers<'a> {
    /// Placements, of all networks.
    pub placements: Vec<Peer<'a>>,
    /// Plans with rows without a placement.
    pub plans: Vec<Peer<'a>>,
    /// Other sources, with all of their rows.
    pub sources: Vec<Peer<'a>>,
}
