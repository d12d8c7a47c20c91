//! Rules of delivery reports: what a report changes, given its earlier revision and its plan.
//!
//! Per plan, `charged = min(reported, budget - allotted)`, in whatever order reports and restatements come: what is allotted
//! elsewhere is kept for those who may show it. Once nothing is allotted any more, that is `min(reported, budget)`.
//! Every report carries its part of the charge. Budget that a restatement frees goes to the plan's
//! earliest reports that were not charged in full.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use adfolio_kit::names;
use adfolio_money::{Micros, MoneyError};
use chrono::{DateTime, TimeDelta, Utc};

use super::row::Reported;
use crate::allotment::{Allotment, Allotments};
use crate::error::PlanError;
use crate::ids::{ImportId, OrderId, PlacementId, ProductId};
use crate::order::entity::{Delivered, Order};
use crate::order::status::{Status, Transition};
use crate::product::entity::RevenueLimits;
use crate::statistics::Changes;
use crate::statistics::entity::{Figures, Rolled};

names! {
    /// Where reports come from, as plans show it.
    Origin {
        /// A file that staff imported.
        Import,
        /// A network.
        Network,
        /// The simulator.
        Simulator,
    }
}

/// A report as it is stored.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(clippy::struct_field_names, reason = "networks call it report_id")]
pub struct Report {
    /// Who reported it.
    pub source: String,
    /// Identifies it within its source.
    pub report_id: String,
    /// Which restatement it is.
    pub revision: i64,
    /// The plan.
    pub order_id: OrderId,
    /// When it was delivered.
    pub time: DateTime<Utc>,
    /// Impressions.
    pub impressions: i64,
    /// Clicks.
    pub clicks: i64,
    /// What it cost.
    pub spend: Micros,
    /// What of it is charged.
    pub charged: Micros,
    /// What it earned.
    pub revenue: Micros,
    /// Whether cost or revenue are estimated.
    pub estimated: bool,
    /// Where it comes from.
    pub origin: Origin,
    /// Whether the roll-ups have its marks.
    pub is_marked: bool,
    /// The file that brought it, and the line in it; none of what a network sent.
    pub brought_by: Option<(ImportId, i64)>,
    /// Where it was delivered.
    pub placement: Option<PlacementId>,
}

impl Report {
    /// A row as a report of a plan that nothing is charged of yet.
    fn new(
        (source, origin, import): (&str, Origin, Option<ImportId>),
        order_id: OrderId,
        placement: Option<PlacementId>,
        row: Reported,
    ) -> Self {
        let line = i64::try_from(row.line).unwrap_or(i64::MAX);
        Self {
            source: source.to_owned(),
            report_id: row.report_id,
            revision: row.revision,
            order_id,
            time: row.time,
            impressions: row.impressions,
            clicks: row.clicks,
            spend: row.spend,
            charged: Micros::ZERO,
            revenue: row.revenue,
            estimated: row.estimated,
            origin,
            is_marked: true,
            brought_by: import.map(|import| (import, line)),
            placement,
        }
    }

    fn figures(&self) -> Figures {
        Figures {
            impressions: self.impressions,
            clicks: self.clicks,
            charged: self.charged,
            revenue: self.revenue,
        }
    }

    /// What the roll-ups have of it.
    fn rolled(&self) -> Rolled {
        self.marked(self.figures())
    }

    /// Figures of it with the marks that the roll-ups have.
    fn marked(&self, figures: Figures) -> Rolled {
        let mut rolled = Rolled {
            all: figures,
            ..Rolled::default()
        };
        if self.is_marked && self.estimated {
            rolled.estimated = Figures {
                charged: figures.charged,
                revenue: figures.revenue,
                ..Figures::default()
            };
        }
        if self.is_marked && self.origin == Origin::Simulator {
            rolled.simulated = figures;
        }
        rolled
    }

    /// The marks that the roll-ups do not have yet.
    pub fn missing_marks(&self) -> Rolled {
        let known = Self {
            is_marked: true,
            ..self.clone()
        };
        Rolled {
            all: Figures::default(),
            ..known.rolled()
        }
    }

    fn has_same_content(&self, other: &Self) -> bool {
        (
            self.order_id,
            self.time,
            self.impressions,
            self.clicks,
            self.spend,
            self.revenue,
            self.estimated,
        ) == (
            other.order_id,
            other.time,
            other.impressions,
            other.clicks,
            other.spend,
            other.revenue,
            other.estimated,
        )
    }
}

/// What becomes of a row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It was new.
    Applied,
    /// It was known.
    Repeated,
    /// It restated an earlier revision.
    Restated,
    /// It is above a limit of the product and waits for a second member of staff, and why.
    Held(String),
    /// The gate holds it back until staff decide, and why.
    Quarantined(String),
    /// It cannot be taken, and why.
    Rejected(String),
}

/// What keeps a row from being taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Objection {
    /// It waits in quarantine, and why.
    Waits {
        reason: String,
        /// Whether it is about a plan that is settled, whose reports are otherwise refused.
        is_after_settlement: bool,
    },
    /// It is not taken, and why.
    Refused(String),
}

impl Objection {
    fn verdict(&self) -> Verdict {
        match self {
            Self::Waits { reason, .. } => Verdict::Quarantined(reason.clone()),
            Self::Refused(reason) => Verdict::Rejected(reason.clone()),
        }
    }
}

/// A batch of reports of one source, against the plans and reports that are known.
#[derive(Debug)]
pub struct Batch {
    orders: BTreeMap<OrderId, Order>,
    before: BTreeMap<OrderId, Delivered>,
    by_number: HashMap<String, OrderId>,
    known: HashMap<String, Report>,
    limits: HashMap<ProductId, RevenueLimits>,
    placements: HashMap<String, PlacementId>,
    allotments: Allotments,
    allotted_only: bool,
    objections: HashMap<u64, Objection>,
    changed_reports: BTreeSet<String>,
    changed_orders: BTreeSet<OrderId>,
    /// Those that a report without a placement changed.
    unplaced: BTreeSet<OrderId>,
    changes: Changes,
}

impl Batch {
    /// A batch that has locked `orders` and found `known` reports of its rows.
    pub fn new(orders: Vec<Order>, known: Vec<Report>) -> Self {
        Self {
            by_number: orders
                .iter()
                .map(|order| (order.plan_number.clone(), order.id))
                .collect(),
            before: orders
                .iter()
                .map(|order| (order.id, order.delivered))
                .collect(),
            orders: orders.into_iter().map(|order| (order.id, order)).collect(),
            known: known
                .into_iter()
                .map(|report| (report.report_id.clone(), report))
                .collect(),
            limits: HashMap::new(),
            placements: HashMap::new(),
            allotments: Allotments::default(),
            allotted_only: false,
            objections: HashMap::new(),
            changed_reports: BTreeSet::new(),
            changed_orders: BTreeSet::new(),
            unplaced: BTreeSet::new(),
            changes: Changes::default(),
        }
    }

    /// Holds reports that bring a plan's revenue above the limit of its product.
    #[must_use]
    pub fn limited_by(self, limits: HashMap<ProductId, RevenueLimits>) -> Self {
        Self { limits, ..self }
    }

    /// Knows the placements of the source's network by id and by name.
    #[must_use]
    pub fn on_placements(self, placements: HashMap<String, PlacementId>) -> Self {
        Self { placements, ..self }
    }

    /// Counts reports towards what was allotted, and rejects those for which nothing was if `only` they are to be taken.
    #[must_use]
    pub fn with_allotments(self, allotments: Allotments, only: bool) -> Self {
        Self {
            allotments,
            allotted_only: only,
            ..self
        }
    }

    /// Takes no row, by line, to which there is an objection.
    #[must_use]
    pub fn with_objections(self, objections: HashMap<u64, Objection>) -> Self {
        Self { objections, ..self }
    }

    /// Brings all of its plans to be looked at again, although no report of theirs changes.
    #[must_use]
    pub fn touched(mut self) -> Self {
        self.changed_orders = self.orders.keys().copied().collect();
        self
    }

    /// The plan of this number, and what was delivered of it before the batch.
    pub fn order(&self, plan_number: &str) -> Option<(&Order, Delivered)> {
        let id = self.by_number.get(plan_number)?;
        Some((self.orders.get(id)?, *self.before.get(id)?))
    }

    /// The report of this id as it is known so far.
    pub fn known(&self, report_id: &str) -> Option<&Report> {
        self.known.get(report_id)
    }

    /// Takes a row, in the order of the file that brings it, if one does.
    pub fn take(
        &mut self,
        (source, origin, import): (&str, Origin, Option<ImportId>),
        row: Reported,
    ) -> Result<Verdict, PlanError> {
        let order = self
            .by_number
            .get(&row.plan_number)
            .and_then(|id| self.orders.get_mut(id));
        let Some(order) = order else {
            return Ok(Verdict::Rejected(format!(
                "unknown plan {}",
                super::mapping::shown(&row.plan_number)
            )));
        };
        let objection = self.objections.get(&row.line);
        let placement = match placement_of(&self.placements, &row) {
            Ok(placement) => placement,
            Err(reason) => {
                return Ok(objection.map_or(Verdict::Rejected(reason), Objection::verdict));
            }
        };
        let (order_id, origin) = (order.id, (source, origin, import));
        let mut report = Report::new(origin, order_id, placement, row);
        let earlier = self.known.get(&report.report_id);
        if let Some(earlier) = earlier {
            // Before anything is called a repeat: a report that names another plan is none.
            if report.order_id != earlier.order_id {
                return Ok(Verdict::Rejected(
                    "the report belongs to another plan".to_owned(),
                ));
            }
            if report.placement != earlier.placement {
                return Ok(Verdict::Rejected(
                    "the report belongs to another placement".to_owned(),
                ));
            }
            if report.revision < earlier.revision {
                return Ok(Verdict::Repeated);
            }
            if report.revision == earlier.revision {
                return Ok(repeated(earlier, &report));
            }
        }
        if let Some(reason) = order.refuses_reports() {
            return Ok(match objection {
                Some(
                    waits @ Objection::Waits {
                        is_after_settlement: true,
                        ..
                    },
                ) => waits.verdict(),
                _ => Verdict::Rejected(reason.to_owned()),
            });
        }
        if self.allotted_only && !self.allotments.cover(&report) {
            return Ok(Verdict::Rejected(
                "nothing was allotted to it at this time".to_owned(),
            ));
        }
        if let Some(objection) = objection {
            return Ok(objection.verdict());
        }
        let drawn = self.allotments.draw(earlier, &report);
        let Ok((delivered, allotted)) = with_report(order, drawn, earlier, &mut report) else {
            return Ok(Verdict::Rejected(
                "the plan's figures would be out of range".to_owned(),
            ));
        };
        let brings_revenue = delivered.revenue > order.delivered.revenue;
        if brings_revenue && let Some(limits) = self.limits.get(&order.product_id) {
            let budget = Micros::try_from(order.put_amount)?;
            if limits.is_exceeded_by(delivered.revenue, budget) {
                return Ok(Verdict::Held(
                    "the plan's revenue is above the limit of its product".to_owned(),
                ));
            }
        }
        order.delivered = delivered;
        order.allotted = allotted;
        self.allotments.count(earlier, &report, drawn);
        let verdict = if earlier.is_some() {
            Verdict::Restated
        } else {
            Verdict::Applied
        };
        if let Some(earlier) = earlier {
            let taken_back = Rolled::default().checked_sub(earlier.rolled())?;
            self.changes
                .add_report(order.user_id, earlier, taken_back)?;
        }
        self.changes
            .add_report(order.user_id, &report, report.rolled())?;
        self.changes
            .report_until(order.user_id, source, report.time);
        self.changed_orders.insert(order.id);
        if report.placement.is_none() {
            self.unplaced.insert(order.id);
        }
        self.changed_reports.insert(report.report_id.clone());
        self.known.insert(report.report_id.clone(), report);
        Ok(verdict)
    }

    /// Plans whose restatements freed budget that other reports of theirs can take up.
    pub fn plans_to_refill(&self) -> Result<Vec<OrderId>, MoneyError> {
        let mut ids = Vec::new();
        for id in &self.changed_orders {
            if let Some(order) = self.orders.get(id)
                && order.refuses_reports().is_none()
                && refillable(order)? > Micros::ZERO
            {
                ids.push(*id);
            }
        }
        Ok(ids)
    }

    /// The reports of this batch as they are to be written.
    pub fn changed_reports(&self) -> Vec<Report> {
        self.changed_reports
            .iter()
            .filter_map(|id| self.known.get(id).cloned())
            .collect()
    }

    /// Charges reports that were not charged in full, in the order given, while the plan has budget
    /// left; answers those that changed.
    pub fn refill(
        &mut self,
        order_id: OrderId,
        candidates: Vec<Report>,
    ) -> Result<Vec<Report>, PlanError> {
        let Some(order) = self.orders.get_mut(&order_id) else {
            return Ok(Vec::new());
        };
        let mut changed = Vec::new();
        for mut report in candidates {
            let part = refillable(order)?.min(report.spend.checked_sub(report.charged)?);
            if part <= Micros::ZERO {
                continue;
            }
            report.charged = report.charged.checked_add(part)?;
            order.delivered.charged = order.delivered.charged.checked_add(part)?;
            let figures = Figures {
                charged: part,
                ..Figures::default()
            };
            let rolled = report.marked(figures);
            self.changes.add_report(order.user_id, &report, rolled)?;
            changed.push(report);
        }
        Ok(changed)
    }

    /// The plans that changed, with their steps, and the roll-ups, once the batch is complete. A
    /// plan whose money changed has a new version, which the ledger is then brought to.
    pub fn finish(
        self,
        origin: Option<&str>,
        now: DateTime<Utc>,
        settlement_delay: TimeDelta,
    ) -> Result<Outcome, PlanError> {
        let Self {
            orders,
            before,
            changed_orders,
            unplaced,
            changes,
            allotments,
            ..
        } = self;
        let mut outcome = Outcome {
            orders: Vec::new(),
            unplaced,
            steps: Vec::new(),
            changes,
            allotments: allotments.into_changed(),
        };
        for mut order in orders
            .into_values()
            .filter(|order| changed_orders.contains(&order.id))
        {
            let money = |delivered: &Delivered| (delivered.charged, delivered.revenue);
            if before
                .get(&order.id)
                .is_none_or(|before| money(before) != money(&order.delivered))
            {
                order.version = order.version.saturating_add(1);
            }
            if let Some(origin) = origin
                && !order.sources.iter().any(|known| known == origin)
            {
                order.sources.push(origin.to_owned());
            }
            // What is given back starts no delivery.
            if order.status == Status::Matching && origin.is_none() {
                outcome.orders.push(order);
                continue;
            }
            outcome.steps.extend(
                order
                    .progress(now, settlement_delay)?
                    .into_iter()
                    .map(|step| (order.id, step)),
            );
            outcome.orders.push(order);
        }
        Ok(outcome)
    }
}

/// What a batch changes besides its reports.
#[derive(Debug)]
pub struct Outcome {
    /// The plans to write.
    pub orders: Vec<Order>,
    /// Those that a report without a placement changed.
    pub unplaced: BTreeSet<OrderId>,
    /// Their steps, in order.
    pub steps: Vec<(OrderId, Transition)>,
    /// The roll-ups to write.
    pub changes: Changes,
    /// The allotments to write.
    pub allotments: Vec<Allotment>,
}

/// The placement that a row names, among those of its source's network.
fn placement_of(
    placements: &HashMap<String, PlacementId>,
    row: &Reported,
) -> Result<Option<PlacementId>, String> {
    let Some(name) = &row.placement else {
        return Ok(None);
    };
    match placements.get(name) {
        Some(id) => Ok(Some(*id)),
        None => Err(format!("unknown placement {}", super::mapping::shown(name))),
    }
}

fn repeated(earlier: &Report, report: &Report) -> Verdict {
    if earlier.has_same_content(report) {
        Verdict::Repeated
    } else {
        Verdict::Rejected(format!(
            "revision {} is known with other content",
            report.revision
        ))
    }
}

/// What the order's delivery is with a report, in place of its earlier revision if there is one, and what is still
/// allotted of it once the report has drawn from its allotment. Sets what of the report is charged.
fn with_report(
    order: &Order,
    drawn: Micros,
    earlier: Option<&Report>,
    report: &mut Report,
) -> Result<(Delivered, Micros), MoneyError> {
    let add = |sum: i64, new: i64, old: i64| -> Result<i64, MoneyError> {
        sum.checked_add(new)
            .and_then(|sum| sum.checked_sub(old))
            .ok_or(MoneyError::Overflow)
    };
    let old = earlier.map(Report::figures).unwrap_or_default();
    let old_spend = earlier.map_or(Micros::ZERO, |report| report.spend);
    let was_estimated = i64::from(earlier.is_some_and(|report| report.estimated));
    let allotted = order.allotted.checked_sub(drawn)?;
    let free = order
        .budget_left()?
        .checked_sub(allotted)?
        .checked_add(old.charged)?;
    report.charged = report.spend.min(free);
    let mut delivered = order.delivered;
    delivered.impressions = add(delivered.impressions, report.impressions, old.impressions)?;
    delivered.clicks = add(delivered.clicks, report.clicks, old.clicks)?;
    delivered.reported = delivered
        .reported
        .checked_add(report.spend)?
        .checked_sub(old_spend)?;
    delivered.charged = delivered
        .charged
        .checked_add(report.charged)?
        .checked_sub(old.charged)?;
    delivered.revenue = delivered
        .revenue
        .checked_add(report.revenue)?
        .checked_sub(old.revenue)?;
    delivered.estimated_reports = add(
        delivered.estimated_reports,
        i64::from(report.estimated),
        was_estimated,
    )?;
    Ok((delivered, allotted))
}

/// What of the reported spend is not charged although the free budget would allow it.
fn refillable(order: &Order) -> Result<Micros, MoneyError> {
    Ok(order.free_budget()?.min(
        order
            .delivered
            .reported
            .checked_sub(order.delivered.charged)?,
    ))
}
