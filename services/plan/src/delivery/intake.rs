//! Taking reports from any source: each is new, repeated, restated, held or rejected, and all changes are
//! written in one transaction.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::Duration;

use adfolio_kit::db::{self, Tx};
use adfolio_kit::error::CoreError;
use chrono::{DateTime, TimeDelta, Utc};
use uuid::Uuid;

use super::entity::{Batch, Objection, Origin, Report, Verdict};
use super::proposal::{self, Beginning, Tally};
use super::row::Reported;
use super::{repo, seal};
use crate::allotment::{self, Place};
use crate::app::App;
use crate::config::Rules;
use crate::error::PlanError;
use crate::gate::{self, Found};
use crate::ids::{BatchId, ImportId, OrderId, PlacementId, ProductId};
use crate::order::entity::Order;
use crate::product::entity::RevenueLimits;
use crate::{network, order, placement, product, quarantine, settlement, source, statistics};

/// Reports that are read together when budget becomes free.
const REFILL_BATCH: i64 = 500;

/// Whose reports are taken, and how.
#[derive(Clone, Copy, Debug)]
pub struct Intake<'a> {
    /// Who reports.
    pub source: &'a str,
    /// Where from.
    pub origin: Origin,
    /// The batch.
    pub batch: BatchId,
    /// The released import that brings them.
    pub import: Option<ImportId>,
    /// The import that holds what a network reports above a limit.
    pub held_as: ImportId,
    /// How long what follows waits.
    pub times: Times,
    /// Whether reports are rejected for which nothing was allotted.
    pub allotted_only: bool,
    /// Whether the gate reviews them. It does not review what staff released, nor what the simulator makes.
    pub is_reviewed: bool,
}

/// How long what follows from reports waits.
#[derive(Clone, Copy, Debug)]
pub struct Times {
    /// From the end of delivery to settlement.
    pub settlement_delay: TimeDelta,
    /// Between two postings of a running plan whose reports name placements.
    pub posting_pace: Duration,
}

impl From<&Rules> for Times {
    fn from(rules: &Rules) -> Self {
        Self {
            settlement_delay: rules.settlement_delay,
            posting_pace: rules.posting_pace,
        }
    }
}

/// Takes rows of one source, which no file has brought, and answers the verdict on each. `allotted_only`: rejects those for
/// which nothing was allotted.
pub async fn take(
    app: &App,
    (source, origin, allotted_only): (&str, Origin, bool),
    rows: Vec<Reported>,
) -> Result<Vec<(u64, Verdict)>, PlanError> {
    let (now, times) = (app.clock.now(), Times::from(&app.rules));
    let (held_as, batch) = (ImportId(app.ids.next()), BatchId(app.ids.next()));
    let (rows, source) = (Arc::new(rows), source.to_owned());
    let taken = db::write_retrying(&app.pool, PlanError::database, move |tx| {
        let (rows, source) = (Arc::clone(&rows), source.clone());
        Box::pin(async move {
            let intake = Intake {
                source: &source,
                origin,
                batch,
                import: None,
                held_as,
                times,
                allotted_only,
                is_reviewed: origin != Origin::Simulator,
            };
            take_in_tx(tx, &intake, &rows, now).await
        })
    })
    .await?;
    settlement::wake(app);
    app.notifier.notify();
    for (_, verdict) in &taken {
        count(verdict);
    }
    Ok(taken)
}

/// Counts a verdict in the metrics.
pub fn count(verdict: &Verdict) {
    let name = match verdict {
        Verdict::Applied => "applied",
        Verdict::Repeated => "repeated",
        Verdict::Restated => "restated",
        Verdict::Held(_) => "held",
        Verdict::Quarantined(_) => "quarantined",
        Verdict::Rejected(_) => "rejected",
    };
    metrics::counter!("plan_delivery_rows_total", "verdict" => name).increment(1);
}

/// Looks at rows as they would be taken now, one batch by itself: what becomes of each, and, in `tally`, what those that
/// change anything add up to; and what the gate found. Changes nothing.
pub async fn examine_in_tx(
    tx: &mut Tx,
    source: &str,
    rows: &[Reported],
    tally: &mut Tally,
    now: DateTime<Utc>,
) -> Result<(Vec<Verdict>, Found), PlanError> {
    let ids = repo::ids_of_numbers_in_tx(tx, &numbers(rows)).await?;
    let orders = order::repo::find_many_in_tx(tx, &ids).await?;
    let limits = product::limits_in_tx(tx, &products(&orders)).await?;
    let known = repo::known_in_tx(tx, source, &report_ids(rows)).await?;
    let placements = placement::named_in_tx(tx, source, &placements(rows)).await?;
    let network = network::of_source_in_tx(tx, source).await?;
    let reviewed = gate::Batch {
        source,
        network: network.map(|(id, _)| id),
        rows,
        orders: &orders,
        known: &known,
        placements: &placements,
        is_for_staff: true,
    };
    let (found, objections) = review_in_tx(tx, &reviewed, now).await?;
    let mut batch = Batch::new(orders, known)
        .on_placements(placements)
        .with_objections(objections);
    let mut verdicts = Vec::with_capacity(rows.len());
    for row in rows {
        let replaced = batch.known(&row.report_id).cloned();
        let verdict = batch.take((source, Origin::Import, None), row.clone())?;
        if matches!(verdict, Verdict::Applied | Verdict::Restated) {
            add(tally, &batch, &limits, row, replaced.as_ref())?;
        }
        verdicts.push(verdict);
    }
    Ok((verdicts, found))
}

/// Adds a row to a tally.
fn add(
    tally: &mut Tally,
    batch: &Batch,
    limits: &HashMap<ProductId, RevenueLimits>,
    row: &Reported,
    replaced: Option<&Report>,
) -> Result<(), PlanError> {
    let (order, before) = batch
        .order(&row.plan_number)
        .ok_or(CoreError::Corrupt("orders.plan_number"))?;
    let limits = limits.get(&order.product_id).copied().unwrap_or_default();
    Ok(tally.add((order, before), limits, row, replaced)?)
}

fn numbers(rows: &[Reported]) -> Vec<String> {
    let mut numbers: Vec<String> = rows.iter().map(|row| row.plan_number.clone()).collect();
    numbers.sort_unstable();
    numbers.dedup();
    numbers
}

fn report_ids(rows: &[Reported]) -> Vec<String> {
    rows.iter().map(|row| row.report_id.clone()).collect()
}

fn placements(rows: &[Reported]) -> Vec<String> {
    let mut names: Vec<String> = rows
        .iter()
        .filter_map(|row| row.placement.clone())
        .collect();
    names.sort_unstable();
    names.dedup();
    names
}

/// Where rows and their earlier revisions look for what was allotted to them.
fn places(
    rows: &[Reported],
    orders: &[Order],
    known: &[Report],
    placements: &HashMap<String, PlacementId>,
) -> Vec<Place> {
    let by_number: HashMap<&str, OrderId> = orders
        .iter()
        .map(|order| (order.plan_number.as_str(), order.id))
        .collect();
    let reported = rows.iter().filter_map(|row| {
        let placement = placements.get(row.placement.as_ref()?)?;
        Some((
            *by_number.get(row.plan_number.as_str())?,
            *placement,
            row.time,
        ))
    });
    let before = known
        .iter()
        .filter_map(|report| Some((report.order_id, report.placement?, report.time)));
    reported.chain(before).collect()
}

fn products(orders: &[Order]) -> Vec<ProductId> {
    let mut ids: Vec<_> = orders.iter().map(|order| order.product_id).collect();
    ids.sort_unstable();
    ids.dedup();
    ids
}

/// Takes rows in their order: reports, plans, roll-ups, events and work for the ledger in one
/// transaction. What a network reports above a limit is held for a second member of staff.
pub async fn take_in_tx(
    tx: &mut Tx,
    intake: &Intake<'_>,
    rows: &[Reported],
    now: DateTime<Utc>,
) -> Result<Vec<(u64, Verdict)>, PlanError> {
    let Intake { source, origin, .. } = *intake;
    repo::lock_source_in_tx(tx, source).await?;
    let is_sent = origin == Origin::Network && intake.import.is_none();
    if is_sent && !source::may_use_network_in_tx(tx, source).await? {
        let refused =
            || Verdict::Rejected("the source does not report over the network".to_owned());
        return Ok(rows.iter().map(|row| (row.line, refused())).collect());
    }
    let ids = repo::ids_of_numbers_in_tx(tx, &numbers(rows)).await?;
    let orders = order::repo::lock_many_in_tx(tx, ids).await?;
    let known = repo::known_in_tx(tx, source, &report_ids(rows)).await?;
    let limits = if is_sent {
        product::limits_in_tx(tx, &products(&orders)).await?
    } else {
        HashMap::new()
    };
    let placements = placement::named_in_tx(tx, source, &placements(rows)).await?;
    let places = places(rows, &orders, &known, &placements);
    let allotments = allotment::at_places_in_tx(tx, &places).await?;
    let network = network::of_source_in_tx(tx, source).await?;
    // Whatever a simulated network reports is marked so for ever.
    let is_simulated = network.is_some_and(|(_, is_simulated)| is_simulated);
    let origin = if is_simulated {
        Origin::Simulator
    } else {
        origin
    };
    let reviewed = gate::Batch {
        source,
        network: network.map(|(id, _)| id),
        rows,
        orders: &orders,
        known: &known,
        placements: &placements,
        is_for_staff: intake.origin == Origin::Import,
    };
    let (found, objections) = if intake.is_reviewed {
        review_in_tx(tx, &reviewed, now).await?
    } else {
        Default::default()
    };
    let (replaced, placement_ids) = (known.clone(), placements.clone());
    let mut batch = Batch::new(orders, known)
        .limited_by(limits.clone())
        .on_placements(placements)
        .with_allotments(allotments, intake.allotted_only)
        .with_objections(objections);
    let mut verdicts = Vec::with_capacity(rows.len());
    let (mut held, mut tally) = (Vec::new(), Tally::default());
    let mut quarantined = Vec::new();
    for row in rows {
        let verdict = batch.take((source, origin, intake.import), row.clone())?;
        if matches!(verdict, Verdict::Held(_)) {
            let replaced = batch.known(&row.report_id).cloned();
            add(&mut tally, &batch, &limits, row, replaced.as_ref())?;
            held.push(row);
        }
        if matches!(verdict, Verdict::Quarantined(_)) {
            quarantined.push(row);
        }
        verdicts.push((row.line, verdict));
    }
    if !quarantined.is_empty() {
        let brought = (source, intake.origin, intake.import);
        let found = (&found, &placement_ids);
        quarantine::add_in_tx(tx, brought, &quarantined, found, now).await?;
    }
    if !held.is_empty() {
        let import = Beginning {
            id: intake.held_as,
            source: source.to_owned(),
            origin: intake.origin,
            staff_id: Uuid::nil(),
            request_id: String::new(),
            began_at: now,
        };
        proposal::hold_in_tx(tx, &import, &held, &tally).await?;
    }
    let changed = batch.changed_reports();
    if changed.is_empty() {
        return Ok(verdicts);
    }
    repo::upsert_in_tx(tx, intake.batch, &changed, origin, now).await?;
    let ids: HashSet<&str> = changed.iter().map(|it| it.report_id.as_str()).collect();
    let is_changed = |known: &Report| ids.contains(known.report_id.as_str());
    let replaced: Vec<Report> = replaced.into_iter().filter(is_changed).collect();
    gate::count_in_tx(tx, source, (&changed, &replaced), now).await?;
    end_in_tx(tx, batch, Some(origin), now, intake.times).await?;
    seal::add_in_tx(tx, intake.batch, &changed, now).await?;
    Ok(verdicts)
}

/// What the gate finds in rows, and the objections to them.
async fn review_in_tx(
    tx: &mut Tx,
    batch: &gate::Batch<'_>,
    now: DateTime<Utc>,
) -> Result<(Found, HashMap<u64, Objection>), PlanError> {
    let found = gate::review_in_tx(tx, batch, now).await?;
    let objections = quarantine::objections_in_tx(tx, batch.source, batch.rows, &found);
    let objections = objections.await?;
    Ok((found, objections))
}

/// Charges reports of these orders that were over the budget, after some of it was given back, and writes the orders. The
/// caller holds their locks.
pub async fn refill_orders_in_tx(
    tx: &mut Tx,
    orders: Vec<Order>,
    now: DateTime<Utc>,
    times: Times,
) -> Result<(), PlanError> {
    let batch = Batch::new(orders, Vec::new()).touched();
    end_in_tx(tx, batch, None, now, times).await
}

/// Writes what a batch changed besides its reports.
async fn end_in_tx(
    tx: &mut Tx,
    mut batch: Batch,
    origin: Option<Origin>,
    now: DateTime<Utc>,
    times: Times,
) -> Result<(), PlanError> {
    refill_in_tx(tx, &mut batch).await?;
    let origin = origin.map(Origin::as_str);
    let outcome = batch.finish(origin, now, times.settlement_delay)?;
    statistics::roll_up_in_tx(tx, &outcome.changes).await?;
    repo::save_orders_in_tx(tx, &outcome.orders, origin).await?;
    allotment::save_reported_in_tx(tx, &outcome.allotments).await?;
    let order_of = |id| outcome.orders.iter().find(|order| order.id == id);
    let steps = outcome
        .steps
        .iter()
        .filter_map(|(id, step)| order_of(*id).map(|order| (order, step.clone())));
    order::record_in_tx(tx, &steps.collect::<Vec<_>>()).await?;
    // What is given back makes no work unless it is charged.
    let has_work = |order: &&Order| origin.is_some() || order.version > order.posted_version;
    let (paced, at_once): (Vec<&Order>, Vec<&Order>) = outcome
        .orders
        .iter()
        .filter(has_work)
        .partition(|order| order.is_running() && !outcome.unplaced.contains(&order.id));
    let ids = |orders: Vec<&Order>| orders.iter().map(|order| order.id).collect::<Vec<_>>();
    settlement::enqueue_in_tx(tx, &ids(at_once)).await?;
    settlement::enqueue_paced_in_tx(tx, &ids(paced), times.posting_pace).await
}

/// Gives budget that restatements freed to reports that were over it.
async fn refill_in_tx(tx: &mut Tx, batch: &mut Batch) -> Result<(), PlanError> {
    for order_id in batch.plans_to_refill()? {
        loop {
            let candidates = repo::not_charged_in_tx(tx, order_id, REFILL_BATCH).await?;
            let changed = batch.refill(order_id, candidates)?;
            if changed.is_empty() {
                break;
            }
            repo::update_charged_in_tx(tx, &changed).await?;
        }
    }
    Ok(())
}
