//! The SQL of delivery reports: one statement for each kind of row of a batch.

use adfolio_kit::db::{Pool, Tx};
use adfolio_money::{Micros, Money};
use chrono::{DateTime, Utc};
use uuid::Uuid;

use super::entity::{Origin, Report};
use super::simulator::Running;
use crate::error::PlanError;
use crate::ids::{BatchId, ImportId, OrderId, PlacementId};
use crate::order::entity::Order;

/// 2200-01-01: later than any report.
const LATEST_SECONDS: i64 = 7_258_118_400;

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
    origin: Origin,
    is_marked: bool,
    import_id: Option<Uuid>,
    import_line: Option<i64>,
    placement_id: Option<PlacementId>,
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
            origin: row.origin,
            is_marked: row.is_marked,
            brought_by: row.import_id.map(ImportId).zip(row.import_line),
            placement: row.placement_id,
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
        r#"SELECT source, report_id, revision, order_id, time, impressions, clicks, spend_micros, charged_micros,
                  revenue_micros, estimated, origin AS "origin: Origin", is_marked, import_id, import_line,
                  placement_id AS "placement_id: PlacementId"
           FROM delivery_reports WHERE source = $1 AND report_id = ANY($2)"#,
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
        r#"SELECT source, report_id, revision, order_id, time, impressions, clicks, spend_micros, charged_micros,
                  revenue_micros, estimated, origin AS "origin: Origin", is_marked, import_id, import_line,
                  placement_id AS "placement_id: PlacementId"
           FROM delivery_reports WHERE order_id = $1 AND charged_micros < spend_micros
           ORDER BY time, source, report_id LIMIT $2"#,
        order.0,
        limit,
    )
    .fetch_all(tx)
    .await?;
    Ok(rows.into_iter().map(Report::from).collect())
}

/// Orders with reports whose marks the roll-ups do not have.
pub(super) async fn orders_without_marks_in_tx(
    tx: &mut Tx,
    reports: i64,
) -> Result<Vec<OrderId>, PlanError> {
    let ids = sqlx::query_scalar!(
        r#"SELECT DISTINCT order_id AS "order_id!" FROM (
               SELECT order_id FROM delivery_reports WHERE NOT is_marked AND (estimated OR origin = 'simulator')
               ORDER BY order_id LIMIT $1) AS unmarked"#,
        reports,
    )
    .fetch_all(tx)
    .await?;
    Ok(ids.into_iter().map(OrderId).collect())
}

/// Reports of an order whose marks the roll-ups do not have. The caller holds the order's lock.
pub(super) async fn without_marks_in_tx(
    tx: &mut Tx,
    order: OrderId,
    limit: i64,
) -> Result<Vec<Report>, PlanError> {
    let rows = sqlx::query_as!(
        ReportRow,
        r#"SELECT source, report_id, revision, order_id, time, impressions, clicks, spend_micros, charged_micros,
                  revenue_micros, estimated, origin AS "origin: Origin", is_marked, import_id, import_line,
                  placement_id AS "placement_id: PlacementId"
           FROM delivery_reports WHERE order_id = $1 AND NOT is_marked AND (estimated OR origin = 'simulator') LIMIT $2"#,
        order.0,
        limit,
    )
    .fetch_all(tx)
    .await?;
    Ok(rows.into_iter().map(Report::from).collect())
}

/// Notes that the roll-ups have the marks of reports.
pub(super) async fn set_marked_in_tx(tx: &mut Tx, reports: &[Report]) -> Result<(), PlanError> {
    let sources: Vec<String> = reports.iter().map(|report| report.source.clone()).collect();
    let ids: Vec<String> = reports
        .iter()
        .map(|report| report.report_id.clone())
        .collect();
    sqlx::query!(
        "UPDATE delivery_reports SET is_marked = true FROM UNNEST($1::text[], $2::text[]) AS marked (source, report_id)
         WHERE delivery_reports.source = marked.source AND delivery_reports.report_id = marked.report_id",
        &sources,
        &ids,
    )
    .execute(tx)
    .await?;
    Ok(())
}

/// Writes reports of a batch, in place of their earlier revisions.
pub(super) async fn upsert_in_tx(
    tx: &mut Tx,
    batch: BatchId,
    reports: &[Report],
    origin: Origin,
    now: DateTime<Utc>,
) -> Result<(), PlanError> {
    macro_rules! column {
        ($($field:tt)*) => { reports.iter().map(|report| report.$($field)*).collect::<Vec<_>>() };
    }
    let brought = reports.iter().map(|report| report.brought_by);
    let (imports, lines): (Vec<_>, Vec<_>) = brought
        .map(|brought| brought.map(|(import, line)| (import.0, line)).unzip())
        .unzip();
    sqlx::query!(
        "INSERT INTO delivery_reports (source, report_id, revision, order_id, time, impressions, clicks, spend_micros,
                                       charged_micros, revenue_micros, estimated, import_id, import_line,
                                       placement_id, origin, received_at, batch_id, is_marked)
         SELECT *, $15, $16, $17, true
         FROM UNNEST($1::text[], $2::text[], $3::bigint[], $4::uuid[], $5::timestamptz[], $6::bigint[], $7::bigint[],
                     $8::bigint[], $9::bigint[], $10::bigint[], $11::boolean[], $12::uuid[], $13::bigint[], $14::uuid[])
         ON CONFLICT (source, report_id) DO UPDATE SET
             revision = excluded.revision, order_id = excluded.order_id, time = excluded.time,
             impressions = excluded.impressions, clicks = excluded.clicks, spend_micros = excluded.spend_micros,
             charged_micros = excluded.charged_micros, revenue_micros = excluded.revenue_micros,
             estimated = excluded.estimated, origin = excluded.origin, received_at = excluded.received_at,
             import_id = excluded.import_id, import_line = excluded.import_line, batch_id = excluded.batch_id,
             is_marked = true",
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
        &imports as &[Option<Uuid>],
        &lines as &[Option<i64>],
        &column!(placement.map(|id| id.0)) as &[Option<Uuid>],
        origin.as_str(),
        now,
        batch.0,
    )
    .execute(tx)
    .await?;
    Ok(())
}

/// A report as its owner sees it, with the file that brought it.
#[derive(Debug)]
pub struct Shown {
    /// The report.
    pub report: Report,
    /// When its file was imported, and the file's SHA-256 once it was read to its end.
    pub import: Option<(DateTime<Utc>, Option<Vec<u8>>)>,
    /// The name of its placement.
    pub placement_name: Option<String>,
}

/// Where a list of reports goes on: before this time, source and id.
#[derive(Clone, Debug)]
pub struct Position {
    /// The time.
    pub time: DateTime<Utc>,
    /// The source.
    pub source: String,
    /// The id within the source.
    pub report_id: String,
}

/// Reports of an order, newest first.
pub(super) async fn list_of_order(
    pool: &Pool,
    order: OrderId,
    before: Option<&Position>,
    limit: i64,
) -> Result<Vec<Shown>, PlanError> {
    let rows = sqlx::query!(
        r#"SELECT r.source, r.report_id, r.revision, r.time, r.impressions, r.clicks, r.spend_micros, r.charged_micros,
                  r.revenue_micros, r.estimated, r.origin AS "origin: Origin", r.is_marked, r.import_id, r.import_line,
                  i.began_at AS "began_at?", i.sha256, r.placement_id AS "placement_id: PlacementId",
                  p.name AS "placement_name?"
           FROM delivery_reports r
           LEFT JOIN delivery_imports i ON i.id = r.import_id
           LEFT JOIN placements p ON p.id = r.placement_id
           WHERE r.order_id = $1 AND (r.time, r.source, r.report_id) < ($2, $3, $4)
           ORDER BY r.time DESC, r.source DESC, r.report_id DESC LIMIT $5"#,
        order.0,
        before.map_or(DateTime::<Utc>::from_timestamp(LATEST_SECONDS, 0), |before| Some(before.time)),
        before.map_or("", |before| &before.source),
        before.map_or("", |before| &before.report_id),
        limit,
    )
    .fetch_all(pool)
    .await?;
    let shown = rows.into_iter().map(|row| Shown {
        report: Report {
            source: row.source,
            report_id: row.report_id,
            revision: row.revision,
            order_id: order,
            time: row.time,
            impressions: row.impressions,
            clicks: row.clicks,
            spend: Micros::new(row.spend_micros),
            charged: Micros::new(row.charged_micros),
            revenue: Micros::new(row.revenue_micros),
            estimated: row.estimated,
            origin: row.origin,
            is_marked: row.is_marked,
            brought_by: row.import_id.map(ImportId).zip(row.import_line),
            placement: row.placement_id,
        },
        placement_name: row.placement_name,
        import: row.began_at.map(|began_at| (began_at, row.sha256)),
    });
    Ok(shown.collect())
}

/// What of the reports and roll-ups of a plan adds up to its figures, and what the ledger should say of it.
#[derive(Debug)]
pub struct Book {
    /// The plan.
    pub order_id: OrderId,
    /// Spend charged, in minor units. While reports wait to be posted together, this is what was posted last.
    pub consumed: Money,
    /// Revenue, in minor units, likewise.
    pub revenue: Money,
    /// Whether a posting is under way.
    pub in_flight: bool,
    /// Whether its reports sum to its figures.
    pub equals_reports: bool,
    /// Whether its roll-ups do.
    pub equals_buckets: bool,
}

fn posted_or(posted: Option<i64>, micros: i64) -> Money {
    posted.map_or_else(
        || Micros::new(micros).to_money_half_even(),
        Money::from_minor,
    )
}

/// The plans after `after` into which money was put, in order of id, as one moment knows them.
pub(super) async fn books(pool: &Pool, after: OrderId, limit: i64) -> Result<Vec<Book>, PlanError> {
    let rows = sqlx::query!(
        r#"SELECT o.id, o.charged_micros, o.revenue_micros,
                  CASE WHEN rests THEN o.posted_consumed_minor END AS posted_consumed,
                  CASE WHEN rests THEN o.posted_revenue_minor END AS posted_revenue,
                  (o.posted_version < o.version AND NOT rests OR o.pending IS NOT NULL) AS "in_flight!",
                  ((o.impressions, o.clicks, o.reported_micros, o.charged_micros, o.revenue_micros, o.estimated_reports)
                   = (r.impressions, r.clicks, r.reported, r.charged, r.revenue, r.estimated)) AS "equals_reports!",
                  ((o.impressions, o.clicks, o.charged_micros, o.revenue_micros)
                   = (b.impressions, b.clicks, b.charged, b.revenue)
                   AND (r.placed_impressions, r.placed_clicks, r.placed_charged, r.placed_revenue)
                   = (p.impressions, p.clicks, p.charged, p.revenue)) AS "equals_buckets!"
           FROM (SELECT * FROM orders WHERE id > $1 AND put_at IS NOT NULL ORDER BY id LIMIT $2) AS o
           LEFT JOIN order_work w ON w.order_id = o.id
           CROSS JOIN LATERAL (SELECT coalesce(w.is_paced AND w.lease_until IS NULL AND w.attempts = 0
               AND o.posted_consumed_minor IS NOT NULL, false)) AS work (rests)
           CROSS JOIN LATERAL (
               SELECT coalesce(sum(impressions), 0) AS impressions, coalesce(sum(clicks), 0) AS clicks,
                      coalesce(sum(spend_micros), 0) AS reported, coalesce(sum(charged_micros), 0) AS charged,
                      coalesce(sum(revenue_micros), 0) AS revenue, count(*) FILTER (WHERE estimated) AS estimated,
                      coalesce(sum(impressions) FILTER (WHERE placement_id IS NOT NULL), 0) AS placed_impressions,
                      coalesce(sum(clicks) FILTER (WHERE placement_id IS NOT NULL), 0) AS placed_clicks,
                      coalesce(sum(charged_micros) FILTER (WHERE placement_id IS NOT NULL), 0) AS placed_charged,
                      coalesce(sum(revenue_micros) FILTER (WHERE placement_id IS NOT NULL), 0) AS placed_revenue
               FROM delivery_reports WHERE order_id = o.id) AS r
           CROSS JOIN LATERAL (
               SELECT coalesce(sum(impressions), 0) AS impressions, coalesce(sum(clicks), 0) AS clicks,
                      coalesce(sum(charged_micros), 0) AS charged, coalesce(sum(revenue_micros), 0) AS revenue
               FROM plan_buckets WHERE order_id = o.id) AS b
           CROSS JOIN LATERAL (
               SELECT coalesce(sum(impressions), 0) AS impressions, coalesce(sum(clicks), 0) AS clicks,
                      coalesce(sum(charged_micros), 0) AS charged, coalesce(sum(revenue_micros), 0) AS revenue
               FROM order_placements WHERE order_id = o.id) AS p
           ORDER BY o.id"#,
        after.0,
        limit,
    )
    .fetch_all(pool)
    .await?;
    let books = rows.into_iter().map(|row| Book {
        order_id: OrderId(row.id),
        consumed: posted_or(row.posted_consumed, row.charged_micros),
        revenue: posted_or(row.posted_revenue, row.revenue_micros),
        in_flight: row.in_flight,
        equals_reports: row.equals_reports,
        equals_buckets: row.equals_buckets,
    });
    Ok(books.collect())
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
    origin: Option<&str>,
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
             settle_after = new.settle_after, allotted_micros = new.allotted,
             sources = CASE WHEN $13::text IS NULL OR $13 = ANY(orders.sources) THEN orders.sources
                            ELSE orders.sources || $13::text END
         FROM UNNEST($1::uuid[], $2::text[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[], $7::bigint[],
                     $8::bigint[], $9::bigint[], $10::timestamptz[], $11::timestamptz[], $12::bigint[])
              AS new (id, status, impressions, clicks, reported, charged, revenue, estimated_reports, version,
                      finished_at, settle_after, allotted)
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
        &column!(allotted.get()),
        origin,
    )
    .execute(tx)
    .await?;
    Ok(())
}

/// Plans that deliver, in order of id after `after`.
pub(super) async fn running(
    pool: &Pool,
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
