//! The gate on reports: which rows break a rule of `adfolio_placement::review`, by what is known when they come.
//!
//! It looks at a file as it is read, thousands of rows at once, and at every batch before it posts. What it finds goes to
//! the [`quarantine`](crate::quarantine), and neither posts nor teaches before staff release it. It never writes figures;
//! it counts what posts, day by day, to compare later rows with.

mod repo;

use std::collections::{BTreeSet, HashMap, HashSet};

use adfolio_kit::db::Tx;
use adfolio_placement::review::{
    self, Context, Earlier, History, Peer, Peers, PriceList, Rhythm, Roundness, Row, Shape, Tally,
    Windows,
};
use chrono::{DateTime, NaiveDate, TimeDelta, Utc};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::app::App;
use crate::delivery::entity::Report;
use crate::delivery::row::Reported;
use crate::error::PlanError;
use crate::ids::{NetworkId, OrderId, PlacementId};
use crate::order::entity::Order;
use crate::order::status::Status;
use crate::placement;

/// What posted in so many days is history.
const HISTORY_DAYS: TimeDelta = TimeDelta::days(28);

/// Days are kept a little longer than they are asked for.
const KEPT: TimeDelta = TimeDelta::days(35);

/// Reports that copies are looked for among, over all plans of a batch.
const RHYTHM_ROWS: i64 = 20_000;

/// The same for one plan of many.
const LEAST_RHYTHM_ROWS: i64 = 50;

/// Days of peers of each kind that are compared with, the newest and largest.
const PEER_DAYS: i64 = 100;

/// Rows that break a rule, by line, and how.
pub type Found = HashMap<u64, Vec<Finding>>;

/// A rule that a row breaks.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Finding {
    /// The rule's name, which never changes.
    pub rule: String,
    pub version: u32,
    /// What was measured.
    pub value: f64,
    /// What it was compared with.
    pub limit: f64,
    /// The figures behind it, in English.
    pub detail: String,
}

impl Finding {
    /// Whether it is about a plan that is settled, whose reports are otherwise refused.
    pub fn is_after_settlement(&self) -> bool {
        self.rule == review::Rule::RestatedAfterSettlement.name()
    }
}

impl From<&review::Finding> for Finding {
    fn from(finding: &review::Finding) -> Self {
        Self {
            rule: finding.rule.name().to_owned(),
            version: finding.rule.version(),
            value: finite(finding.value),
            limit: finite(finding.limit),
            detail: finding.detail.to_string(),
        }
    }
}

/// JSON knows no other numbers.
fn finite(value: f64) -> f64 {
    if value.is_finite() { value } else { f64::MAX }
}

/// The findings of a row as one text.
pub fn reason(findings: &[Finding]) -> String {
    let texts = findings
        .iter()
        .map(|finding| format!("{}: {}", finding.rule, finding.detail));
    texts.collect::<Vec<_>>().join("; ")
}

/// Rows of a source, and what is known of them.
#[derive(Clone, Copy, Debug)]
pub struct Batch<'a> {
    pub source: &'a str,
    /// The network that reports under the source's name, if one does.
    pub network: Option<NetworkId>,
    pub rows: &'a [Reported],
    /// The plans that rows name; rows of others are not looked at.
    pub orders: &'a [Order],
    /// Reports of these rows that are known.
    pub known: &'a [Report],
    /// The placements of the source's network that rows name.
    pub placements: &'a HashMap<String, PlacementId>,
    /// Whether staff read what is found: a network does not learn which placements others have.
    pub is_for_staff: bool,
}

/// Answers the rows of a batch that break a rule. Changes nothing.
pub async fn review_in_tx(
    tx: &mut Tx,
    batch: &Batch<'_>,
    now: DateTime<Utc>,
) -> Result<Found, PlanError> {
    let foreign = if batch.is_for_staff {
        foreign_in_tx(tx, batch).await?
    } else {
        HashSet::new()
    };
    let named = Named::of(batch, &foreign);
    let rows: Vec<Row<'_>> = named.iter().map(Named::row).collect();
    if rows.is_empty() {
        return Ok(Found::new());
    }
    let facts = Facts::read_in_tx(tx, batch, &named, &rows, now).await?;
    let context = facts.context(batch, &named, now);
    let mut found = Found::new();
    for finding in &review::review(&rows, &context).findings {
        found
            .entry(finding.line)
            .or_default()
            .push(Finding::from(finding));
    }
    Ok(found)
}

/// Placements of other networks that rows name.
async fn foreign_in_tx(tx: &mut Tx, batch: &Batch<'_>) -> Result<HashSet<String>, PlanError> {
    let names = batch.rows.iter().filter_map(|row| row.placement.as_ref());
    let other: BTreeSet<&String> = names
        .filter(|name| !batch.placements.contains_key(*name))
        .collect();
    let other: Vec<String> = other.into_iter().cloned().collect();
    placement::foreign_in_tx(tx, batch.source, &other).await
}

/// A row with the names by which the rules know its plan and placement: their ids.
struct Named<'a> {
    reported: &'a Reported,
    order: OrderId,
    plan: String,
    placement: Option<String>,
    placement_id: Option<PlacementId>,
}

impl<'a> Named<'a> {
    /// The rows that the rules judge. Those of unknown plans and placements are rejected anyway.
    fn of(batch: &Batch<'a>, foreign: &HashSet<String>) -> Vec<Self> {
        let by_number: HashMap<&str, OrderId> = batch
            .orders
            .iter()
            .map(|order| (order.plan_number.as_str(), order.id))
            .collect();
        let named = |reported: &'a Reported| {
            let order = *by_number.get(reported.plan_number.as_str())?;
            let (placement, placement_id) = match &reported.placement {
                None => (None, None),
                Some(name) => match batch.placements.get(name) {
                    Some(id) => (Some(id.to_string()), Some(*id)),
                    None if foreign.contains(name) => (Some(name.clone()), None),
                    None => return None,
                },
            };
            Some(Self {
                reported,
                order,
                plan: order.to_string(),
                placement,
                placement_id,
            })
        };
        batch.rows.iter().filter_map(named).collect()
    }

    fn row(&self) -> Row<'_> {
        let reported = self.reported;
        Row {
            line: reported.line,
            report_id: &reported.report_id,
            revision: reported.revision,
            plan: &self.plan,
            placement: self.placement.as_deref(),
            time: reported.time,
            impressions: reported.impressions,
            clicks: reported.clicks,
            spend: reported.spend,
            revenue: reported.revenue,
            is_estimated: reported.estimated,
        }
    }

    /// Whose pattern the row is part of, besides its source's.
    fn subject(&self) -> Subject {
        Subject::of(self.order, self.placement_id)
    }
}

/// Whose rows form a pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Subject {
    Source,
    Placement(PlacementId),
    Plan(OrderId),
}

impl Subject {
    fn of(order: OrderId, placement: Option<PlacementId>) -> Self {
        placement.map_or(Self::Plan(order), Self::Placement)
    }

    /// Both that a report of a plan on a placement counts for.
    fn all_of(order: OrderId, placement: Option<PlacementId>) -> [Self; 2] {
        [Self::of(order, placement), Self::Source]
    }

    fn kind(self) -> &'static str {
        match self {
            Self::Source => "source",
            Self::Placement(_) => "placement",
            Self::Plan(_) => "plan",
        }
    }

    fn id(self) -> Uuid {
        match self {
            Self::Source => Uuid::nil(),
            Self::Placement(id) => id.0,
            Self::Plan(id) => id.0,
        }
    }
}

/// What a subject reported in some days.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Sums {
    pub tally: Tally,
    pub roundness: Roundness,
}

impl Sums {
    fn add(&mut self, report: &Report, sign: i64) {
        let mut one = Roundness::default();
        one.count(report.impressions);
        let plus = |sum: &mut i64, more: i64| {
            *sum = sum.saturating_add(more.saturating_mul(sign));
        };
        plus(&mut self.tally.impressions, report.impressions);
        plus(&mut self.tally.clicks, report.clicks);
        plus(&mut self.roundness.rows, one.rows);
        plus(&mut self.roundness.tens, one.tens);
        plus(&mut self.roundness.hundreds, one.hundreds);
    }

    fn plus(self, other: Self) -> Self {
        let plus = |a: i64, b: i64| a.saturating_add(b);
        Self {
            tally: self.tally.plus(other.tally),
            roundness: Roundness {
                rows: plus(self.roundness.rows, other.roundness.rows),
                tens: plus(self.roundness.tens, other.roundness.tens),
                hundreds: plus(self.roundness.hundreds, other.roundness.hundreds),
            },
        }
    }
}

/// What was read for the rules.
#[derive(Default)]
struct Facts {
    /// What subjects reported before the last days, and in these.
    days: HashMap<Subject, (Sums, Sums)>,
    peers: Vec<repo::PeerDays>,
    posted: Vec<repo::Posted>,
    repeated: Vec<repo::Posted>,
    supplied: HashSet<OrderId>,
    prices: HashMap<PlacementId, Vec<review::Price>>,
    windows: repo::Spans,
}

impl Facts {
    async fn read_in_tx(
        tx: &mut Tx,
        batch: &Batch<'_>,
        named: &[Named<'_>],
        rows: &[Row<'_>],
        now: DateTime<Utc>,
    ) -> Result<Self, PlanError> {
        let mut facts = Self::default();
        let today = now.date_naive();
        let since = today.checked_sub_signed(HISTORY_DAYS).unwrap_or(today);
        let subjects: BTreeSet<Subject> = named.iter().map(Named::subject).collect();
        let recent = today.pred_opt().unwrap_or(today);
        facts.days = repo::days_in_tx(tx, batch.source, &subjects, (since, recent)).await?;
        facts.peers = repo::peers_in_tx(tx, batch.source, since, PEER_DAYS).await?;
        let ids: Vec<String> = rows.iter().map(|row| row.report_id.to_owned()).collect();
        let (from, to) = span(rows);
        let of_rows = |is: &dyn Fn(&Row<'_>) -> bool| -> Vec<(OrderId, DateTime<Utc>)> {
            let rows = named.iter().zip(rows).filter(|(_, row)| is(row));
            rows.map(|(named, row)| (named.order, row.time)).collect()
        };
        let shaped = of_rows(&|row| Shape::of(row).is_some());
        if !shaped.is_empty() {
            let orders: BTreeSet<OrderId> = shaped.iter().map(|(order, _)| *order).collect();
            let count = i64::try_from(orders.len()).unwrap_or(i64::MAX);
            let limit = RHYTHM_ROWS.checked_div(count).unwrap_or(RHYTHM_ROWS);
            let limit = limit.max(LEAST_RHYTHM_ROWS);
            let orders: Vec<OrderId> = orders.into_iter().collect();
            let span = (from - HISTORY_DAYS, to + HISTORY_DAYS);
            facts.posted = repo::posted_in_tx(tx, batch.source, &orders, span, limit).await?;
            let own: HashSet<&str> = rows.iter().map(|row| row.report_id).collect();
            let is_other = |posted: &repo::Posted| !own.contains(posted.report_id.as_str());
            facts.posted.retain(is_other);
        }
        let comparable = of_rows(&|row| review::repeat_key(row).is_some());
        if !comparable.is_empty() {
            let minutes: BTreeSet<(OrderId, DateTime<Utc>)> = comparable
                .into_iter()
                .map(|(order, time)| (order, minute(time)))
                .collect();
            let minutes: Vec<_> = minutes.into_iter().collect();
            facts.repeated = repo::of_minutes_in_tx(tx, batch.source, &minutes, &ids).await?;
        }
        if let Some(network) = batch.network {
            facts
                .read_supply_in_tx(tx, (network, named), (from, to))
                .await?;
        }
        Ok(facts)
    }

    async fn read_supply_in_tx(
        &mut self,
        tx: &mut Tx,
        (network, named): (NetworkId, &[Named<'_>]),
        (from, to): (DateTime<Utc>, DateTime<Utc>),
    ) -> Result<(), PlanError> {
        let defaults = Context::new(from);
        let orders: BTreeSet<OrderId> = named.iter().map(|named| named.order).collect();
        let orders: Vec<OrderId> = orders.into_iter().collect();
        self.supplied = repo::supplied_in_tx(tx, network, &orders).await?;
        let pairs: BTreeSet<(OrderId, PlacementId)> = named
            .iter()
            .filter_map(|named| Some((named.order, named.placement_id?)))
            .collect();
        let pairs: Vec<_> = pairs.into_iter().collect();
        let span = (from - defaults.allotment_grace, to + defaults.row_period);
        self.windows = repo::windows_in_tx(tx, &pairs, span).await?;
        let placements: BTreeSet<PlacementId> = pairs.iter().map(|(_, id)| *id).collect();
        let placements: Vec<_> = placements.into_iter().collect();
        self.prices = repo::prices_in_tx(tx, &placements).await?;
        Ok(())
    }

    /// What the rules have to know.
    fn context<'a>(
        &'a self,
        batch: &'a Batch<'_>,
        named: &'a [Named<'_>],
        now: DateTime<Utc>,
    ) -> Context<'a> {
        let mut context = Context::new(now);
        let mut histories = self.histories(batch, named);
        for row in named {
            let plan = context.plans.entry(&row.plan);
            let plan = plan.or_insert_with(|| review::Plan {
                has_supply: self.supplied.contains(&row.order),
                is_settled: is_settled(batch, row.order),
                history: History::default(),
            });
            match (row.placement.as_deref(), row.placement_id) {
                (None, _) => {
                    if let Some(history) = histories.remove(&row.subject()) {
                        plan.history = history;
                    }
                }
                (Some(name), None) => {
                    context.placements.entry(name).or_default();
                }
                (Some(name), Some(id)) => {
                    if let Some(history) = histories.remove(&row.subject()) {
                        let prices = self.prices.get(&id).cloned().unwrap_or_default();
                        let known = review::Placement {
                            is_own: true,
                            prices: PriceList::new(prices),
                            history,
                        };
                        context.placements.insert(name, known);
                    }
                    if let Some(windows) = self.windows.get(&(row.order, id)) {
                        let pair = (row.plan.as_str(), name);
                        let windows = || Windows::new(windows.clone());
                        context.allotments.entry(pair).or_insert_with(windows);
                    }
                }
            }
        }
        context.source = histories.remove(&Subject::Source).unwrap_or_default();
        context.earlier = batch.known.iter().map(earlier).collect();
        for posted in &self.repeated {
            let (plan, placement) = posted.names();
            if let Some(key) = review::repeat_key(&posted.row(&plan, placement.as_deref())) {
                let count = context.repeats.entry(key).or_default();
                *count = count.saturating_add(1);
            }
        }
        context.peers = self.peers();
        context
    }

    /// What subjects of the batch reported before, without what the batch restates.
    fn histories(&self, batch: &Batch<'_>, named: &[Named<'_>]) -> HashMap<Subject, History> {
        let mut shapes: HashMap<Subject, Vec<Shape>> = HashMap::new();
        for posted in &self.posted {
            let (plan, placement) = posted.names();
            if let Some(shape) = Shape::of(&posted.row(&plan, placement.as_deref())) {
                for subject in Subject::all_of(posted.order, posted.placement) {
                    shapes.entry(subject).or_default().push(shape);
                }
            }
        }
        let restated = restated(batch, named);
        let subjects = named.iter().map(Named::subject);
        let subjects: HashSet<Subject> = subjects.chain([Subject::Source]).collect();
        let history = |subject: Subject| {
            let (before, recent) = self.days.get(&subject).copied().unwrap_or_default();
            let (before, recent) = match restated.get(&subject) {
                Some(restated) => without(before, recent, *restated),
                None => (before, recent),
            };
            let history = History {
                baseline: before.tally,
                recent: recent.tally,
                // One round row of each of many plans is not yet a source that invents its numbers: of the source itself,
                // only the rows of a batch are compared.
                roundness: match subject {
                    Subject::Source => Roundness::default(),
                    Subject::Placement(_) | Subject::Plan(_) => before.plus(recent).roundness,
                },
                rhythm: Rhythm::new(shapes.remove(&subject).unwrap_or_default()),
            };
            (subject, history)
        };
        subjects.into_iter().map(history).collect()
    }

    fn peers(&self) -> Peers<'_> {
        let of_kind = |kind: &'static str| {
            let peers = self.peers.iter().filter(move |peer| peer.kind == kind);
            peers.map(|peer| Peer {
                name: &peer.name,
                tally: peer.tally,
            })
        };
        Peers {
            placements: of_kind("placement").collect(),
            plans: of_kind("plan").collect(),
            sources: of_kind("source").collect(),
        }
    }
}

fn is_settled(batch: &Batch<'_>, order: OrderId) -> bool {
    let mut orders = batch.orders.iter();
    orders.any(|known| known.id == order && known.status == Status::Settled)
}

fn earlier(report: &Report) -> (&str, Earlier) {
    let known = Earlier {
        revision: report.revision,
        impressions: report.impressions,
        clicks: report.clicks,
        spend: report.spend,
        revenue: report.revenue,
    };
    (&report.report_id, known)
}

/// What reports that rows of the batch restate say of their subjects.
fn restated(batch: &Batch<'_>, named: &[Named<'_>]) -> HashMap<Subject, Sums> {
    let revisions: HashMap<&str, i64> = named
        .iter()
        .map(|named| (named.reported.report_id.as_str(), named.reported.revision))
        .collect();
    let mut restated: HashMap<Subject, Sums> = HashMap::new();
    for report in batch.known {
        let revision = revisions.get(report.report_id.as_str());
        if revision.is_some_and(|revision| *revision > report.revision) {
            for subject in Subject::all_of(report.order_id, report.placement) {
                restated.entry(subject).or_default().add(report, 1);
            }
        }
    }
    restated
}

/// What was reported before and lately, without a part that came at either time: lately, as far as that goes.
fn without(before: Sums, recent: Sums, part: Sums) -> (Sums, Sums) {
    let left = |of: i64, part: i64| of.saturating_sub(part).max(0);
    let rest = |of: Tally, part: Tally| Tally {
        impressions: left(of.impressions, part.impressions),
        clicks: left(of.clicks, part.clicks),
    };
    let later = rest(part.tally, recent.tally);
    let recent_tally = rest(recent.tally, part.tally);
    let all = before.plus(recent).roundness;
    let roundness = Roundness {
        rows: left(all.rows, part.roundness.rows),
        tens: left(all.tens, part.roundness.tens),
        hundreds: left(all.hundreds, part.roundness.hundreds),
    };
    let before = Sums {
        tally: rest(before.tally, later),
        roundness,
    };
    let recent = Sums {
        tally: recent_tally,
        roundness: Roundness::default(),
    };
    (before, recent)
}

/// The times of the first and the last row.
fn span(rows: &[Row<'_>]) -> (DateTime<Utc>, DateTime<Utc>) {
    let times = rows.iter().map(|row| row.time);
    (
        times.clone().min().unwrap_or_default(),
        times.max().unwrap_or_default(),
    )
}

/// The start of a time's minute.
fn minute(time: DateTime<Utc>) -> DateTime<Utc> {
    let seconds = time.timestamp();
    let start = seconds.saturating_sub(seconds.rem_euclid(60));
    DateTime::from_timestamp(start, 0).unwrap_or(time)
}

/// Counts reports that a batch posts, in place of their earlier revisions, for later rows to be compared with.
pub async fn count_in_tx(
    tx: &mut Tx,
    source: &str,
    (posted, replaced): (&[Report], &[Report]),
    now: DateTime<Utc>,
) -> Result<(), PlanError> {
    let mut sums: HashMap<Subject, Sums> = HashMap::new();
    for (reports, sign) in [(posted, 1), (replaced, -1)] {
        for report in reports {
            for subject in Subject::all_of(report.order_id, report.placement) {
                sums.entry(subject).or_default().add(report, sign);
            }
        }
    }
    if sums.is_empty() {
        return Ok(());
    }
    let sums: Vec<(Subject, Sums)> = sums.into_iter().collect();
    repo::add_days_in_tx(tx, source, &sums, now).await
}

/// Forgets days that nothing is compared with any more.
pub async fn forget(app: &App) -> Result<(), PlanError> {
    let today = app.clock.now().date_naive();
    let before: NaiveDate = today.checked_sub_signed(KEPT).unwrap_or(today);
    adfolio_kit::db::write(&app.pool, move |tx| {
        Box::pin(repo::forget_days_in_tx(tx, before))
    })
    .await
}
