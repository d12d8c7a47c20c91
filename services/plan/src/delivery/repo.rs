//! The SQL of delivery reports: one statement for each kind of row of a batch.

use adfolio_kit::db::{PgPool, Tx};
use adfolio_money::{Micros, Money};
use chrono::{DateTime, Utc};
use uuid::Uuid;

use super::entity::Report;
use super::simulator::Running;
use crate::error::PlanError;
use crate::ids::OrderId;
use crate::order::entity::Order;

struct ReportRow {
    source: String,
    report_id: String,
    revision: i64,
    order_id: Uuid,
    time: DateTime<Utc>,
    impressions: i64,
    clicks: i64,
    spend_micros: i64,
    charged_micros: i64,
    revenue_micros: i64,
    estimated: bool,
}

impl From<ReportRow> for Report {
    fn from(row: ReportRow) -> Self {
        Self {
            source: row.source,
            report_id: row.report_id,
            revision: row.revision,
            order_id: OrderId(row.order_id),
            time: row.time,
            impressions: row.impressions,
            clicks: row.clicks,
            spend: Micros::new(row.spend_micros),
            charged: Micros::new(row.charged_micros),
            revenue: Micros::new(row.revenue_micros),
            estimated: row.estimated,
        }
    }
}

/// Imports of one source queue up here, so two of them never both find a report unknown.
pub(super) async fn lock_source_in_tx(tx: &mut Tx, source: &str) -> Result<(), PlanError> {
    sqlx::query!(
        r#"SELECT pg_advisory_xact_lock(hashtextextended($1, 0))::text AS "locked""#,
        source
    )
    .fetch_one(tx)
    .await?;
    Ok(())
}

/// The orders with these numbers.
pub(super) async fn ids_of_numbers_in_tx(
    tx: &mut Tx,
    numbers: &[String],
) -> Result<Vec<OrderId>, PlanError> {
    let ids = sqlx::query_scalar!("SELECT id FROM orders WHERE plan_number = ANY($1)", numbers)
        .fetch_all(tx)
        .await?;
    Ok(ids.into_iter().map(OrderId).collect())
}

/// The reports of a source that are known.
pub(super) async fn known_in_tx(
    tx: &mut Tx,
    source: &str,
    report_ids: &[String],
) -> Result<Vec<Report>, PlanError> {
    let rows = sqlx::query_as!(
        ReportRow,
        "SELECT source, report_id, revision, order_id, time, impressions, clicks, spend_micros, charged_micros,
                revenue_micros, estimated
         FROM delivery_reports WHERE source = $1 AND report_id = ANY($2)",
        source,
        report_ids,
    )
    .fetch_all(tx)
    .await?;
    Ok(rows.into_iter().map(Report::from).collect())
}

/// Reports of an order that were not charged in full, earliest first. The caller holds the order's
/// lock.
pub(super) async fn not_charged_in_tx(
    tx: &mut Tx,
    order: OrderId,
    limit: i64,
) -> Result<Vec<Report>, PlanError> {
    let rows = sqlx::query_as!(
        ReportRow,
        "SELECT source, report_id, revision, order_id, time, impressions, clicks, spend_micros, charged_micros,
                revenue_micros, estimated
         FROM delivery_reports WHERE order_id = $1 AND charged_micros < spend_micros
         ORDER BY time, source, report_id LIMIT $2",
        order.0,
        limit,
    )
    .fetch_all(tx)
    .await?;
    Ok(rows.into_iter().map(Report::from).collect())
}

/// Writes reports, in place of their earlier revisions.
pub(super) async fn upsert_in_tx(
    tx: &mut Tx,
    reports: &[Report],
    origin: &str,
    now: DateTime<Utc>,
) -> Result<(), PlanError> {
    macro_rules! column {
        ($($field:tt)*) => { reports.iter().map(|report| report.$($field)*).collect::<Vec<_>>() };
    }
    sqlx::query!(
        "INSERT INTO delivery_reports (source, report_id, revision, order_id, time, impressions, clicks, spend_micros,
                                       charged_micros, revenue_micros, estimated, origin, received_at)
         SELECT *, $12, $13
         FROM UNNEST($1::text[], $2::text[], $3::bigint[], $4::uuid[], $5::timestamptz[], $6::bigint[], $7::bigint[],
                     $8::bigint[], $9::bigint[], $10::bigint[], $11::boolean[])
         ON CONFLICT (source, report_id) DO UPDATE SET
             revision = excluded.revision, order_id = excluded.order_id, time = excluded.time,
             impressions = excluded.impressions, clicks = excluded.clicks, spend_micros = excluded.spend_micros,
             charged_micros = excluded.charged_micros, revenue_micros = excluded.revenue_micros,
             estimated = excluded.estimated, origin = excluded.origin, received_at = excluded.received_at",
        &column!(source.clone()),
        &column!(report_id.clone()),
        &column!(revision),
        &column!(order_id.0),
        &column!(time),
        &column!(impressions),
        &column!(clicks),
        &column!(spend.get()),
        &column!(charged.get()),
        &column!(revenue.get()),
        &column!(estimated),
        origin,
        now,
    )
    .execute(tx)
    .await?;
    Ok(())
}

/// Writes what of reports is charged.
pub(super) async fn update_charged_in_tx(tx: &mut Tx, reports: &[Report]) -> Result<(), PlanError> {
    let sources: Vec<String> = reports.iter().map(|report| report.source.clone()).collect();
    let ids: Vec<String> = reports
        .iter()
        .map(|report| report.report_id.clone())
        .collect();
    let charged: Vec<i64> = reports.iter().map(|report| report.charged.get()).collect();
    sqlx::query!(
        "UPDATE delivery_reports SET charged_micros = new.charged
         FROM UNNEST($1::text[], $2::text[], $3::bigint[]) AS new (source, report_id, charged)
         WHERE delivery_reports.source = new.source AND delivery_reports.report_id = new.report_id",
        &sources,
        &ids,
        &charged,
    )
    .execute(tx)
    .await?;
    Ok(())
}

/// Writes what delivery changes of orders.
pub(super) async fn save_orders_in_tx(
    tx: &mut Tx,
    orders: &[Order],
    origin: &str,
) -> Result<(), PlanError> {
    macro_rules! column {
        ($($field:tt)*) => { orders.iter().map(|order| order.$($field)*).collect::<Vec<_>>() };
    }
    let statuses: Vec<String> = orders
        .iter()
        .map(|order| order.status.as_str().to_owned())
        .collect();
    sqlx::query!(
        "UPDATE orders SET status = new.status, impressions = new.impressions, clicks = new.clicks,
             reported_micros = new.reported, charged_micros = new.charged, revenue_micros = new.revenue,
             estimated_reports = new.estimated_reports, version = new.version, finished_at = new.finished_at,
             settle_after = new.settle_after,
             sources = CASE WHEN $12 = ANY(orders.sources) THEN orders.sources ELSE orders.sources || $12::text END
         FROM UNNEST($1::uuid[], $2::text[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[], $7::bigint[],
                     $8::bigint[], $9::bigint[], $10::timestamptz[], $11::timestamptz[])
              AS new (id, status, impressions, clicks, reported, charged, revenue, estimated_reports, version,
                      finished_at, settle_after)
         WHERE orders.id = new.id",
        &column!(id.0),
        &statuses,
        &column!(delivered.impressions),
        &column!(delivered.clicks),
        &column!(delivered.reported.get()),
        &column!(delivered.charged.get()),
        &column!(delivered.revenue.get()),
        &column!(delivered.estimated_reports),
        &column!(version),
        &column!(finished_at) as &[Option<DateTime<Utc>>],
        &column!(settle_after) as &[Option<DateTime<Utc>>],
        origin,
    )
    .execute(tx)
    .await?;
    Ok(())
}

/// Plans that deliver, in order of id after `after`.
pub(super) async fn running(
    pool: &PgPool,
    after: Option<OrderId>,
    limit: i64,
) -> Result<Vec<Running>, PlanError> {
    let rows = sqlx::query!(
        "SELECT id, plan_number, put_amount_minor FROM orders
         WHERE id > $1 AND status IN ('matching', 'putting') AND pending IS NULL
         ORDER BY id LIMIT $2",
        after.map_or(Uuid::nil(), |id| id.0),
        limit,
    )
    .fetch_all(pool)
    .await?;
    let plans = rows.into_iter().map(|row| Running {
        id: OrderId(row.id),
        plan_number: row.plan_number,
        budget: Money::from_minor(row.put_amount_minor),
    });
    Ok(plans.collect())
}
