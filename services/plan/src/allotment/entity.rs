//! What was allotted, and what reports take up of it.

use std::collections::{BTreeSet, HashMap};

use adfolio_money::Micros;
use chrono::{DateTime, Utc};

use crate::delivery::entity::Report;
use crate::ids::{AllotmentId, OrderId, PlacementId};

/// What a plan may spend on a placement in a round, and what is reported of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Allotment {
    pub id: AllotmentId,
    pub order_id: OrderId,
    pub placement_id: PlacementId,
    pub begins_at: DateTime<Utc>,
    pub ends_at: DateTime<Utc>,
    /// What it may spend.
    pub budget: Micros,
    /// Whether what is not reported is still kept for it.
    pub is_open: bool,
    /// What reports have taken up of the budget. It never falls: what a restatement frees goes to the plan.
    pub drawn: Micros,
    pub reported: Sums,
}

/// What reports add up to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sums {
    pub impressions: i64,
    pub clicks: i64,
    pub spend: Micros,
    pub revenue: Micros,
}

impl Sums {
    fn of(report: &Report) -> Self {
        Self {
            impressions: report.impressions,
            clicks: report.clicks,
            spend: report.spend,
            revenue: report.revenue,
        }
    }

    /// Both together. Counts of one allotment stay far from the end of 64 bits, since those of its plan do.
    fn plus(self, other: Self) -> Self {
        Self {
            impressions: self.impressions.saturating_add(other.impressions),
            clicks: self.clicks.saturating_add(other.clicks),
            spend: Micros::new(self.spend.get().saturating_add(other.spend.get())),
            revenue: Micros::new(self.revenue.get().saturating_add(other.revenue.get())),
        }
    }

    fn minus(self, other: Self) -> Self {
        Self {
            impressions: self.impressions.saturating_sub(other.impressions),
            clicks: self.clicks.saturating_sub(other.clicks),
            spend: Micros::new(self.spend.get().saturating_sub(other.spend.get())),
            revenue: Micros::new(self.revenue.get().saturating_sub(other.revenue.get())),
        }
    }
}

/// The allotments that the reports of a batch may count towards.
#[derive(Debug, Default)]
pub struct Allotments {
    /// By plan and placement, in order of time.
    by_place: HashMap<(OrderId, PlacementId), Vec<Allotment>>,
    changed: BTreeSet<AllotmentId>,
}

impl FromIterator<Allotment> for Allotments {
    fn from_iter<I: IntoIterator<Item = Allotment>>(allotments: I) -> Self {
        let mut by_place: HashMap<_, Vec<Allotment>> = HashMap::new();
        for allotment in allotments {
            let place = (allotment.order_id, allotment.placement_id);
            by_place.entry(place).or_default().push(allotment);
        }
        for allotments in by_place.values_mut() {
            allotments.sort_unstable_by_key(|allotment| allotment.begins_at);
        }
        Self {
            by_place,
            changed: BTreeSet::new(),
        }
    }
}

impl Allotments {
    fn of(&mut self, report: &Report) -> Option<&mut Allotment> {
        let place = (report.order_id, report.placement?);
        let allotments = self.by_place.get_mut(&place)?;
        let behind = allotments.partition_point(|it| it.begins_at <= report.time);
        let found = allotments.get_mut(behind.checked_sub(1)?)?;
        (report.time < found.ends_at).then_some(found)
    }

    /// Whether something was allotted for what a report says.
    pub fn cover(&mut self, report: &Report) -> bool {
        self.of(report).is_some()
    }

    /// What a report, in place of its earlier revision, takes up of what is kept for its allotment. Changes nothing.
    pub fn draw(&mut self, earlier: Option<&Report>, report: &Report) -> Micros {
        let before = earlier.and_then(|earlier| Some((self.of(earlier)?.id, Sums::of(earlier))));
        let Some(allotment) = self.of(report).filter(|it| it.is_open) else {
            return Micros::ZERO;
        };
        let before = before.filter(|(id, _)| *id == allotment.id);
        let others = match before {
            Some((_, sums)) => allotment.reported.minus(sums),
            None => allotment.reported,
        };
        let spend = others.plus(Sums::of(report)).spend;
        let drawn = spend.min(allotment.budget);
        Micros::new(drawn.get().saturating_sub(allotment.drawn.get()).max(0))
    }

    /// Counts a report, in place of its earlier revision, which has drawn so much.
    pub fn count(&mut self, earlier: Option<&Report>, report: &Report, drawn: Micros) {
        let mut changed = Vec::new();
        if let Some(earlier) = earlier
            && let Some(allotment) = self.of(earlier)
        {
            allotment.reported = allotment.reported.minus(Sums::of(earlier));
            changed.push(allotment.id);
        }
        if let Some(allotment) = self.of(report) {
            allotment.reported = allotment.reported.plus(Sums::of(report));
            allotment.drawn = Micros::new(allotment.drawn.get().saturating_add(drawn.get()));
            changed.push(allotment.id);
        }
        self.changed.extend(changed);
    }

    /// Those that reports have changed.
    pub fn into_changed(self) -> Vec<Allotment> {
        let Self { by_place, changed } = self;
        let all = by_place.into_values().flatten();
        all.filter(|it| changed.contains(&it.id)).collect()
    }
}
