//! Taking reports from any source: each is new, repeated, restated or rejected, and all changes are
//! written in one transaction.

use std::sync::Arc;

use adfolio_kit::db::{self, Tx};
use adfolio_kit::names;
use adfolio_kit::outbox::{self, Event};
use chrono::{DateTime, TimeDelta, Utc};
use uuid::Uuid;

use super::entity::{Batch, Verdict};
use super::repo;
use super::row::Reported;
use crate::app::App;
use crate::error::PlanError;
use crate::ids::ImportId;
use crate::{order, settlement, statistics};

/// Reports that are read together when budget becomes free.
const REFILL_BATCH: i64 = 500;

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

/// A batch of a file.
#[derive(Clone, Debug)]
pub struct FilePart {
    /// The file.
    pub import: Import,
    /// The audit entry of the import, with its first batch; none where no member of staff calls.
    pub entry: Option<Event>,
}

/// A file that is imported.
#[derive(Clone, Debug)]
pub struct Import {
    /// Its id.
    pub id: ImportId,
    /// Who reports.
    pub source: String,
    /// Who imports it.
    pub staff_id: Uuid,
    /// The call at the edge.
    pub request_id: String,
    /// When it began.
    pub began_at: DateTime<Utc>,
}

/// Whether a text is the name of a source: 1 to 64 of a-z, 0-9, '-' and '_'.
pub fn is_source(text: &str) -> bool {
    let is_letter =
        |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"-_".contains(&byte);
    (1..=64).contains(&text.len()) && text.bytes().all(is_letter)
}

/// Takes rows of one source and answers the verdict on each. The audit entry of a file is written
/// in the transaction of its first batch.
pub async fn take(
    app: &App,
    source: &str,
    origin: Origin,
    rows: Vec<Reported>,
    file: Option<FilePart>,
) -> Result<Vec<(u64, Verdict)>, PlanError> {
    let (now, delay) = (app.clock.now(), app.rules.settlement_delay);
    let (rows, source) = (Arc::new(rows), source.to_owned());
    let taken = db::write_retrying(&app.pool, PlanError::database, move |tx| {
        let (rows, source, file) = (Arc::clone(&rows), source.clone(), file.clone());
        Box::pin(async move {
            let entry = file.as_ref().and_then(|file| file.entry.as_ref());
            outbox::enqueue_in_tx(tx, entry.map_or(&[], std::slice::from_ref)).await?;
            let import = file.as_ref().map(|file| &file.import);
            take_in_tx(tx, (&source, origin, import), &rows, now, delay).await
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
        Verdict::Rejected(_) => "rejected",
    };
    metrics::counter!("plan_delivery_rows_total", "verdict" => name).increment(1);
}

/// Takes rows in their order: reports, plans, roll-ups, events and work for the ledger in one
/// transaction.
pub async fn take_in_tx(
    tx: &mut Tx,
    (source, origin, import): (&str, Origin, Option<&Import>),
    rows: &[Reported],
    now: DateTime<Utc>,
    settlement_delay: TimeDelta,
) -> Result<Vec<(u64, Verdict)>, PlanError> {
    repo::lock_source_in_tx(tx, source).await?;
    let mut numbers: Vec<String> = rows.iter().map(|row| row.plan_number.clone()).collect();
    numbers.sort_unstable();
    numbers.dedup();
    let ids = repo::ids_of_numbers_in_tx(tx, &numbers).await?;
    let orders = order::repo::lock_many_in_tx(tx, ids).await?;
    let report_ids: Vec<String> = rows.iter().map(|row| row.report_id.clone()).collect();
    let known = repo::known_in_tx(tx, source, &report_ids).await?;
    let mut batch = Batch::new(orders, known);
    let mut verdicts = Vec::with_capacity(rows.len());
    for row in rows {
        verdicts.push((
            row.line,
            batch.take((source, import.map(|import| import.id)), row.clone())?,
        ));
    }
    let changed = batch.changed_reports();
    if changed.is_empty() {
        return Ok(verdicts);
    }
    if let Some(import) = import {
        repo::record_import_in_tx(tx, import).await?;
    }
    repo::upsert_in_tx(tx, &changed, origin.as_str(), now).await?;
    refill_in_tx(tx, &mut batch).await?;
    let outcome = batch.finish(origin.as_str(), now, settlement_delay)?;
    statistics::roll_up_in_tx(tx, &outcome.changes).await?;
    repo::save_orders_in_tx(tx, &outcome.orders, origin.as_str()).await?;
    let order_of = |id| outcome.orders.iter().find(|order| order.id == id);
    let steps = outcome
        .steps
        .iter()
        .filter_map(|(id, step)| order_of(*id).map(|order| (order, step.clone())));
    order::record_in_tx(tx, &steps.collect::<Vec<_>>()).await?;
    let changed_ids: Vec<_> = outcome.orders.iter().map(|order| order.id).collect();
    settlement::enqueue_in_tx(tx, &changed_ids).await?;
    Ok(verdicts)
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
