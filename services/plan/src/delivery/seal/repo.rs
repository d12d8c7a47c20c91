//! The SQL of the chain of reports.

use std::collections::HashMap;

use adfolio_kit::db::{Pool, Tx};
use adfolio_kit::error::CoreError;
use adfolio_kit::hash_chain::Place;
use adfolio_money::Micros;
use sqlx::PgExecutor;

use super::{Batch, Received, Seal};
use crate::delivery::entity::{Origin, Report};
use crate::error::PlanError;
use crate::ids::{BatchId, ImportId, OrderId, PlacementId};

/// The advisory lock at which replicas that seal queue up: "adfolio" and a number.
const CHAIN_LOCK: i64 = 0x0061_6466_6f6c_6972;

/// Waits until no other replica seals.
pub async fn lock_chain_in_tx(tx: &mut Tx) -> Result<(), PlanError> {
    sqlx::query!(
        r#"SELECT pg_advisory_xact_lock($1)::text AS "locked""#,
        CHAIN_LOCK
    )
    .fetch_one(tx)
    .await?;
    Ok(())
}

/// Adds a batch that waits for its seal.
pub async fn add_unsealed_in_tx(tx: &mut Tx, batch: &Batch) -> Result<(), PlanError> {
    sqlx::query!(
        "INSERT INTO unsealed_batches (batch_id, reports, digest) VALUES ($1, $2, $3)",
        batch.id.0,
        batch.reports,
        &batch.digest,
    )
    .execute(tx)
    .await?;
    Ok(())
}

/// Takes batches that wait, in the order of their ids, which grow with time. The caller holds the chain's lock.
pub async fn take_unsealed_in_tx(tx: &mut Tx, limit: i64) -> Result<Vec<Batch>, PlanError> {
    let rows = sqlx::query!(
        "DELETE FROM unsealed_batches
         WHERE batch_id IN (SELECT batch_id FROM unsealed_batches ORDER BY batch_id LIMIT $1)
         RETURNING batch_id, reports, digest",
        limit,
    )
    .fetch_all(tx)
    .await?;
    let batches = rows.into_iter().map(|row| {
        let digest = row.digest.try_into();
        Ok(Batch {
            id: BatchId(row.batch_id),
            reports: row.reports,
            digest: digest.map_err(|_| CoreError::Corrupt("unsealed_batches.digest"))?,
        })
    });
    let mut batches = batches.collect::<Result<Vec<_>, PlanError>>()?;
    batches.sort_unstable_by_key(|batch| batch.id);
    Ok(batches)
}

/// How many batches wait.
pub async fn count_waiting(pool: &Pool) -> Result<i64, PlanError> {
    let count = sqlx::query_scalar!(r#"SELECT count(*) AS "count!" FROM unsealed_batches"#)
        .fetch_one(pool)
        .await?;
    Ok(count)
}

macro_rules! seal {
    ($row:ident) => {
        Seal {
            place: Place {
                seq: $row.seq,
                hash: $row
                    .hash
                    .try_into()
                    .map_err(|_| CoreError::Corrupt("report_seals.hash"))?,
            },
            batch: BatchId($row.batch_id),
            reports: $row.reports,
        }
    };
}

/// The newest seal.
pub async fn newest(executor: impl PgExecutor<'_>) -> Result<Option<Seal>, PlanError> {
    let row = sqlx::query!(
        "SELECT seq, batch_id, reports, hash FROM report_seals ORDER BY seq DESC LIMIT 1"
    )
    .fetch_optional(executor)
    .await?;
    row.map(|row| Ok(seal!(row))).transpose()
}

/// Adds seals.
pub async fn add_seals_in_tx(tx: &mut Tx, seals: &[Seal]) -> Result<(), PlanError> {
    let seqs: Vec<i64> = seals.iter().map(|seal| seal.place.seq).collect();
    let batches: Vec<_> = seals.iter().map(|seal| seal.batch.0).collect();
    let reports: Vec<i64> = seals.iter().map(|seal| seal.reports).collect();
    let hashes: Vec<Vec<u8>> = seals.iter().map(|seal| seal.place.hash.to_vec()).collect();
    sqlx::query!(
        "INSERT INTO report_seals (seq, batch_id, reports, hash)
         SELECT * FROM unnest($1::bigint[], $2::uuid[], $3::bigint[], $4::bytea[])",
        &seqs,
        &batches,
        &reports,
        &hashes,
    )
    .execute(tx)
    .await?;
    Ok(())
}

/// Seals behind `after` up to and with `last`, in their order.
pub async fn seals(pool: &Pool, after: i64, last: i64, limit: i64) -> Result<Vec<Seal>, PlanError> {
    let rows = sqlx::query!(
        "SELECT seq, batch_id, reports, hash FROM report_seals WHERE seq > $1 AND seq <= $2 ORDER BY seq LIMIT $3",
        after,
        last,
        limit,
    )
    .fetch_all(pool)
    .await?;
    rows.into_iter().map(|row| Ok(seal!(row))).collect()
}

/// The reports of these batches: revisions that are valid, and those that later ones have superseded.
pub async fn reports(
    pool: &Pool,
    seals: &[Seal],
) -> Result<HashMap<BatchId, Vec<Received>>, PlanError> {
    let batches: Vec<_> = seals.iter().map(|seal| seal.batch.0).collect();
    let rows = sqlx::query!(
        r#"SELECT source AS "source!", report_id AS "report_id!", revision AS "revision!", order_id AS "order_id!",
                  time AS "time!", impressions AS "impressions!", clicks AS "clicks!", spend_micros AS "spend_micros!",
                  revenue_micros AS "revenue_micros!", estimated AS "estimated!", origin AS "origin!: Origin",
                  received_at AS "received_at!", import_id, import_line, batch_id AS "batch_id!",
                  placement_id AS "placement_id: PlacementId"
           FROM (
               SELECT source, report_id, revision, order_id, time, impressions, clicks, spend_micros, revenue_micros,
                      estimated, origin, received_at, import_id, import_line, batch_id, placement_id
               FROM delivery_reports WHERE batch_id = ANY($1)
               UNION ALL
               SELECT source, report_id, revision, order_id, time, impressions, clicks, spend_micros, revenue_micros,
                      estimated, origin, received_at, import_id, import_line, batch_id, placement_id
               FROM superseded_reports WHERE batch_id = ANY($1)
           ) AS sealed"#,
        &batches,
    )
    .fetch_all(pool)
    .await?;
    let mut reports: HashMap<BatchId, Vec<Received>> = HashMap::new();
    for row in rows {
        let received = Received {
            report: Report {
                source: row.source,
                report_id: row.report_id,
                revision: row.revision,
                order_id: OrderId(row.order_id),
                time: row.time,
                impressions: row.impressions,
                clicks: row.clicks,
                spend: Micros::new(row.spend_micros),
                charged: Micros::ZERO,
                revenue: Micros::new(row.revenue_micros),
                estimated: row.estimated,
                origin: row.origin,
                // Of no concern here.
                is_marked: false,
                brought_by: row.import_id.map(ImportId).zip(row.import_line),
                placement: row.placement_id,
            },
            at: row.received_at,
        };
        reports
            .entry(BatchId(row.batch_id))
            .or_default()
            .push(received);
    }
    Ok(reports)
}

/// A part of all reports.
pub struct Part {
    /// How many of them have no seal and do not wait for one.
    pub unsealed: u64,
    /// Where the next part begins, if there is one: behind this source and report.
    pub next: Option<(String, String)>,
}

/// Counts reports without a seal among the next ones; those of batches that wait do not count.
pub async fn unsealed_part(
    pool: &Pool,
    (source, report_id): &(String, String),
    limit: i64,
) -> Result<Part, PlanError> {
    let row = sqlx::query!(
        r#"WITH part AS MATERIALIZED (
               SELECT source, report_id, batch_id FROM delivery_reports
               WHERE (source, report_id) > ($1, $2) ORDER BY source, report_id LIMIT $3
           ), last AS (SELECT source, report_id FROM part ORDER BY source DESC, report_id DESC LIMIT 1)
           SELECT (SELECT count(*) FROM part LEFT JOIN report_seals USING (batch_id)
                   LEFT JOIN unsealed_batches waiting USING (batch_id)
                   WHERE seq IS NULL AND waiting.digest IS NULL) AS "unsealed!",
                  (SELECT source FROM last), (SELECT report_id FROM last)"#,
        source,
        report_id,
        limit,
    )
    .fetch_one(pool)
    .await?;
    Ok(Part {
        unsealed: row.unsealed.unsigned_abs(),
        next: row.source.zip(row.report_id),
    })
}
