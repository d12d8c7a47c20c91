//! The SQL of the gate: what it compares reports with. Every statement reads a bounded number of rows.

use std::collections::{BTreeSet, HashMap, HashSet};

use adfolio_kit::db::Tx;
use adfolio_money::Micros;
use adfolio_placement::review::{Model, Price, Roundness, Row, Tally};
use chrono::{DateTime, NaiveDate, Utc};
use uuid::Uuid;

use super::{Subject, Sums};
use crate::error::PlanError;
use crate::ids::{NetworkId, OrderId, PlacementId};
use crate::placement::PriceModel;

/// Reports of one minute of a plan that are read at most.
const MOST_OF_MINUTE: i64 = 200;

/// The times from and to which plans had allotments of placements.
pub(super) type Spans = HashMap<(OrderId, PlacementId), Vec<(DateTime<Utc>, DateTime<Utc>)>>;

/// What a peer reported in some days.
#[derive(Debug)]
pub(super) struct PeerDays {
    pub kind: String,
    /// As the rules know it: an id, or the name of a source.
    pub name: String,
    pub tally: Tally,
}

/// A report that posted.
#[derive(Debug)]
pub(super) struct Posted {
    pub report_id: String,
    pub order: OrderId,
    pub placement: Option<PlacementId>,
    time: DateTime<Utc>,
    impressions: i64,
    clicks: i64,
    spend: i64,
    revenue: i64,
}

impl Posted {
    /// Its plan and placement as the rules know them.
    pub fn names(&self) -> (String, Option<String>) {
        let placement = self.placement.map(|id| id.to_string());
        (self.order.to_string(), placement)
    }

    pub fn row<'a>(&'a self, plan: &'a str, placement: Option<&'a str>) -> Row<'a> {
        Row {
            line: 0,
            report_id: &self.report_id,
            revision: 1,
            plan,
            placement,
            time: self.time,
            impressions: self.impressions,
            clicks: self.clicks,
            spend: Micros::new(self.spend),
            revenue: Micros::new(self.revenue),
            is_estimated: false,
        }
    }
}

/// What subjects of a source, and the source, reported from the first day to before the second, and since then.
pub(super) async fn days_in_tx(
    tx: &mut Tx,
    source: &str,
    subjects: &BTreeSet<Subject>,
    (since, recent): (NaiveDate, NaiveDate),
) -> Result<HashMap<Subject, (Sums, Sums)>, PlanError> {
    let subjects: Vec<Subject> = subjects.iter().copied().chain([Subject::Source]).collect();
    let kinds: Vec<String> = subjects.iter().map(|it| it.kind().to_owned()).collect();
    let ids: Vec<Uuid> = subjects.iter().map(|it| it.id()).collect();
    let rows = sqlx::query!(
        r#"SELECT d.kind, d.subject, d.day >= $5 AS "is_recent!", sum(d.impressions)::bigint AS "impressions!",
                  sum(d.clicks)::bigint AS "clicks!", sum(d.large_rows)::bigint AS "large_rows!",
                  sum(d.tens)::bigint AS "tens!", sum(d.hundreds)::bigint AS "hundreds!"
           FROM UNNEST($2::text[], $3::uuid[]) AS s (kind, subject)
           JOIN reported_days d ON d.source = $1 AND d.kind = s.kind AND d.subject = s.subject AND d.day >= $4
           GROUP BY 1, 2, 3"#,
        source,
        &kinds,
        &ids,
        since,
        recent,
    )
    .fetch_all(tx)
    .await?;
    let mut days: HashMap<Subject, (Sums, Sums)> = HashMap::new();
    for row in rows {
        let subject = match row.kind.as_str() {
            "placement" => Subject::Placement(PlacementId(row.subject)),
            "plan" => Subject::Plan(OrderId(row.subject)),
            _ => Subject::Source,
        };
        let (before, lately) = days.entry(subject).or_default();
        let sums = if row.is_recent { lately } else { before };
        *sums = Sums {
            tally: tally(row.impressions, row.clicks),
            roundness: Roundness {
                rows: row.large_rows.max(0),
                tens: row.tens.max(0),
                hundreds: row.hundreds.max(0),
            },
        };
    }
    Ok(days)
}

/// A sum of days, on some of which more was restated than came.
fn tally(impressions: i64, clicks: i64) -> Tally {
    Tally {
        impressions: impressions.max(0),
        clicks: clicks.max(0),
    }
}

/// The newest and largest days of placements, plans without placements, and other sources.
pub(super) async fn peers_in_tx(
    tx: &mut Tx,
    source: &str,
    since: NaiveDate,
    limit: i64,
) -> Result<Vec<PeerDays>, PlanError> {
    let rows = sqlx::query!(
        r#"SELECT d.kind AS "kind!", CASE d.kind WHEN 'source' THEN d.source ELSE d.subject::text END AS "name!",
                  sum(d.impressions)::bigint AS "impressions!", sum(d.clicks)::bigint AS "clicks!"
           FROM UNNEST(ARRAY['source', 'placement', 'plan']) AS k (kind)
           CROSS JOIN LATERAL (
               SELECT * FROM reported_days
               WHERE kind = k.kind AND day >= $2 AND (k.kind <> 'source' OR source <> $1)
               ORDER BY day DESC, impressions DESC LIMIT $3) AS d
           GROUP BY 1, 2"#,
        source,
        since,
        limit,
    )
    .fetch_all(tx)
    .await?;
    let peers = rows.into_iter().map(|row| PeerDays {
        kind: row.kind,
        name: row.name,
        tally: tally(row.impressions, row.clicks),
    });
    Ok(peers.collect())
}

/// The newest reports of plans from a source within a span of time, so many of each plan at most.
pub(super) async fn posted_in_tx(
    tx: &mut Tx,
    source: &str,
    orders: &[OrderId],
    (from, to): (DateTime<Utc>, DateTime<Utc>),
    limit: i64,
) -> Result<Vec<Posted>, PlanError> {
    let orders: Vec<Uuid> = orders.iter().map(|id| id.0).collect();
    let rows = sqlx::query_as!(
        Posted,
        r#"SELECT r.report_id, r.order_id AS "order: OrderId", r.placement_id AS "placement: PlacementId", r.time,
                  r.impressions, r.clicks, r.spend_micros AS spend, r.revenue_micros AS revenue
           FROM UNNEST($2::uuid[]) AS o (id)
           CROSS JOIN LATERAL (
               SELECT * FROM delivery_reports WHERE order_id = o.id AND time BETWEEN $3 AND $4
               ORDER BY time DESC LIMIT $5) AS r
           WHERE r.source = $1"#,
        source,
        &orders,
        from,
        to,
        limit,
    )
    .fetch_all(tx)
    .await?;
    Ok(rows)
}

/// Reports of plans from a source within these minutes, without those of some ids.
pub(super) async fn of_minutes_in_tx(
    tx: &mut Tx,
    source: &str,
    minutes: &[(OrderId, DateTime<Utc>)],
    without: &[String],
) -> Result<Vec<Posted>, PlanError> {
    let orders: Vec<Uuid> = minutes.iter().map(|(order, _)| order.0).collect();
    let starts: Vec<DateTime<Utc>> = minutes.iter().map(|(_, start)| *start).collect();
    let rows = sqlx::query_as!(
        Posted,
        r#"SELECT r.report_id, r.order_id AS "order: OrderId", r.placement_id AS "placement: PlacementId", r.time,
                  r.impressions, r.clicks, r.spend_micros AS spend, r.revenue_micros AS revenue
           FROM UNNEST($2::uuid[], $3::timestamptz[]) AS m (order_id, start)
           CROSS JOIN LATERAL (
               SELECT * FROM delivery_reports
               WHERE order_id = m.order_id AND time >= m.start AND time < m.start + interval '1 minute'
               LIMIT $5) AS r
           WHERE r.source = $1 AND r.report_id <> ALL($4)"#,
        source,
        &orders,
        &starts,
        without,
        MOST_OF_MINUTE,
    )
    .fetch_all(tx)
    .await?;
    Ok(rows)
}

/// Those of these plans of which a network was ever allotted something.
pub(super) async fn supplied_in_tx(
    tx: &mut Tx,
    network: NetworkId,
    orders: &[OrderId],
) -> Result<HashSet<OrderId>, PlanError> {
    let orders: Vec<Uuid> = orders.iter().map(|id| id.0).collect();
    let ids = sqlx::query_scalar!(
        r#"SELECT o.id AS "id!: OrderId" FROM UNNEST($2::uuid[]) AS o (id)
           WHERE EXISTS (SELECT FROM allotments a WHERE a.order_id = o.id AND a.network_id = $1)"#,
        network.0,
        &orders,
    )
    .fetch_all(tx)
    .await?;
    Ok(ids.into_iter().collect())
}

/// When plans had allotments of placements within a span of time.
pub(super) async fn windows_in_tx(
    tx: &mut Tx,
    pairs: &[(OrderId, PlacementId)],
    (from, to): (DateTime<Utc>, DateTime<Utc>),
) -> Result<Spans, PlanError> {
    let orders: Vec<Uuid> = pairs.iter().map(|(order, _)| order.0).collect();
    let placements: Vec<Uuid> = pairs.iter().map(|(_, placement)| placement.0).collect();
    let rows = sqlx::query!(
        r#"SELECT a.order_id AS "order_id: OrderId", a.placement_id AS "placement_id: PlacementId", a.begins_at, a.ends_at
           FROM UNNEST($1::uuid[], $2::uuid[]) AS p (order_id, placement_id)
           JOIN allotments a ON a.order_id = p.order_id AND a.placement_id = p.placement_id
           WHERE a.begins_at <= $4 AND a.ends_at >= $3"#,
        &orders,
        &placements,
        from,
        to,
    )
    .fetch_all(tx)
    .await?;
    let mut windows = Spans::new();
    for row in rows {
        let pair = (row.order_id, row.placement_id);
        let spans = windows.entry(pair).or_default();
        spans.push((row.begins_at, row.ends_at));
    }
    Ok(windows)
}

/// The prices of placements that ever held or will hold.
pub(super) async fn prices_in_tx(
    tx: &mut Tx,
    placements: &[PlacementId],
) -> Result<HashMap<PlacementId, Vec<Price>>, PlanError> {
    let placements: Vec<Uuid> = placements.iter().map(|id| id.0).collect();
    let rows = sqlx::query!(
        r#"SELECT placement_id AS "placement_id: PlacementId", GREATEST(valid_from, confirmed_at) AS "from!",
                  model AS "model: PriceModel", cost_micros, revenue_micros
           FROM placement_prices WHERE placement_id = ANY($1) AND confirmed_at IS NOT NULL"#,
        &placements,
    )
    .fetch_all(tx)
    .await?;
    let mut prices: HashMap<PlacementId, Vec<Price>> = HashMap::new();
    for row in rows {
        let price = Price {
            from: row.from,
            until: None,
            model: match row.model {
                PriceModel::Cpm => Model::Cpm,
                PriceModel::Cpc => Model::Cpc,
            },
            cost: Micros::new(row.cost_micros),
            revenue: Micros::new(row.revenue_micros),
        };
        prices.entry(row.placement_id).or_default().push(price);
    }
    Ok(prices)
}

/// Adds what a batch posted to the day of its subjects. The caller holds the source's lock.
pub(super) async fn add_days_in_tx(
    tx: &mut Tx,
    source: &str,
    sums: &[(Subject, Sums)],
    now: DateTime<Utc>,
) -> Result<(), PlanError> {
    macro_rules! column {
        ($($field:tt)*) => { sums.iter().map(|(_, sums)| sums.$($field)*).collect::<Vec<i64>>() };
    }
    let kinds: Vec<String> = sums.iter().map(|(it, _)| it.kind().to_owned()).collect();
    let ids: Vec<Uuid> = sums.iter().map(|(it, _)| it.id()).collect();
    sqlx::query!(
        "INSERT INTO reported_days (source, kind, subject, day, impressions, clicks, large_rows, tens, hundreds, last_at)
         SELECT $1, kind, subject, $4, impressions, clicks, large_rows, tens, hundreds, $10
         FROM UNNEST($2::text[], $3::uuid[], $5::bigint[], $6::bigint[], $7::bigint[], $8::bigint[], $9::bigint[])
             AS added (kind, subject, impressions, clicks, large_rows, tens, hundreds)
         ON CONFLICT (source, kind, subject, day) DO UPDATE SET
             impressions = reported_days.impressions + excluded.impressions,
             clicks = reported_days.clicks + excluded.clicks,
             large_rows = reported_days.large_rows + excluded.large_rows,
             tens = reported_days.tens + excluded.tens,
             hundreds = reported_days.hundreds + excluded.hundreds,
             last_at = greatest(reported_days.last_at, excluded.last_at)",
        source,
        &kinds,
        &ids,
        now.date_naive(),
        &column!(tally.impressions),
        &column!(tally.clicks),
        &column!(roundness.rows),
        &column!(roundness.tens),
        &column!(roundness.hundreds),
        now,
    )
    .execute(tx)
    .await?;
    Ok(())
}

/// Deletes days before this one.
pub(super) async fn forget_days_in_tx(tx: &mut Tx, before: NaiveDate) -> Result<(), PlanError> {
    sqlx::query!("DELETE FROM reported_days WHERE day < $1", before)
        .execute(tx)
        .await?;
    Ok(())
}
