//! The SQL of what placements have taught, and of the traffic.

use std::collections::HashMap;

use adfolio_kit::db::{Pool, Tx};
use adfolio_money::Micros;
use adfolio_placement::drift::History;
use adfolio_placement::pace::Shape;
use adfolio_placement::supply::Capacity;
use chrono::{DateTime, Utc};
use sqlx::PgExecutor;
use sqlx::types::Json;
use uuid::Uuid;

use super::{signed, unsigned};
use crate::allotment::learning::{Brought, Known, Reported, ShapeOfRound};
use crate::allotment::supply::KnownPairs;
use crate::error::PlanError;
use crate::ids::{PlacementId, ProductId};
use crate::placement::PriceModel;

/// The advisory lock of learning, any number that nothing else uses.
const LEARNING_LOCK: i64 = 0x0061_6c6c_6f74_6d65;

/// Replicas learn one after the other.
pub(in crate::allotment) async fn lock_learning_in_tx(tx: &mut Tx) -> Result<(), PlanError> {
    sqlx::query!(
        r#"SELECT pg_advisory_xact_lock($1)::text AS "locked""#,
        LEARNING_LOCK
    )
    .fetch_one(tx)
    .await?;
    Ok(())
}

/// The oldest round with something to learn.
pub(in crate::allotment) async fn next_to_learn<'e>(
    executor: impl PgExecutor<'e>,
) -> Result<Option<DateTime<Utc>>, PlanError> {
    let begins_at = sqlx::query_scalar!(
        r#"SELECT a.begins_at FROM allotments a
           WHERE a.state = 'closed' AND NOT a.is_learnt AND NOT EXISTS (
               SELECT FROM allotments o
               WHERE o.begins_at = a.begins_at AND o.placement_id = a.placement_id AND o.network_id = a.network_id
                 AND o.state = 'open')
           ORDER BY a.begins_at LIMIT 1"#,
    )
    .fetch_optional(executor)
    .await?;
    Ok(begins_at)
}

/// What a round's closed allotments brought that beliefs do not know, by product and placement; they know it from now on.
/// Placements with allotments that are still open come later. A row that a report changes at this moment, too.
pub(in crate::allotment) async fn take_brought_in_tx(
    tx: &mut Tx,
    begins_at: DateTime<Utc>,
) -> Result<Vec<Brought>, PlanError> {
    let rows = sqlx::query!(
        r#"WITH old AS (
               SELECT id, order_id, placement_id, model, price_revenue_micros, units, learnt_impressions, learnt_clicks,
                      learnt_revenue_micros
               FROM allotments a
               WHERE begins_at = $1 AND state = 'closed' AND NOT is_learnt AND NOT EXISTS (
                   SELECT FROM allotments o
                   WHERE o.begins_at = a.begins_at AND o.placement_id = a.placement_id AND o.network_id = a.network_id
                     AND o.state = 'open')
               ORDER BY id FOR NO KEY UPDATE SKIP LOCKED),
           learnt AS (
               UPDATE allotments SET is_learnt = true, learnt_impressions = allotments.impressions,
                   learnt_clicks = allotments.clicks, learnt_revenue_micros = allotments.revenue_micros
               FROM old WHERE allotments.id = old.id
               RETURNING old.order_id, old.placement_id, old.model, old.price_revenue_micros, old.units,
                         allotments.impressions, allotments.clicks, allotments.revenue_micros,
                         old.learnt_impressions, old.learnt_clicks, old.learnt_revenue_micros)
           SELECT o.product_id AS "product: ProductId", l.placement_id AS "placement: PlacementId",
                  l.model AS "model: PriceModel", l.price_revenue_micros,
                  sum(l.units)::bigint AS "units!", sum(l.impressions)::bigint AS "impressions!",
                  sum(l.clicks)::bigint AS "clicks!", sum(l.revenue_micros)::bigint AS "revenue!",
                  bool_or(l.learnt_impressions IS NOT NULL) AS "is_correction!",
                  coalesce(sum(l.learnt_impressions), 0)::bigint AS "learnt_impressions!",
                  coalesce(sum(l.learnt_clicks), 0)::bigint AS "learnt_clicks!",
                  coalesce(sum(l.learnt_revenue_micros), 0)::bigint AS "learnt_revenue!"
           FROM learnt l JOIN orders o ON o.id = l.order_id
           GROUP BY o.product_id, l.placement_id, l.model, l.price_revenue_micros
           ORDER BY o.product_id, l.placement_id"#,
        begins_at,
    )
    .fetch_all(tx)
    .await?;
    let brought = rows.into_iter().map(|row| Brought {
        product: row.product,
        placement: row.placement,
        model: row.model,
        price_revenue: Micros::new(row.price_revenue_micros),
        units: unsigned(row.units),
        is: Reported {
            impressions: unsigned(row.impressions),
            clicks: unsigned(row.clicks),
            revenue: unsigned(row.revenue),
        },
        was: row.is_correction.then(|| Reported {
            impressions: unsigned(row.learnt_impressions),
            clicks: unsigned(row.learnt_clicks),
            revenue: unsigned(row.learnt_revenue),
        }),
    });
    Ok(brought.collect())
}

/// What is known of a product on a placement.
struct KnownRow {
    product: ProductId,
    placement: PlacementId,
    clicks: Json<History>,
    fulfilment: Json<History>,
}

impl KnownRow {
    fn pair(self) -> ((ProductId, PlacementId), Known) {
        let known = Known {
            clicks: self.clicks.0,
            fulfilment: self.fulfilment.0,
        };
        ((self.product, self.placement), known)
    }
}

/// Everything that is known of products on placements.
pub(in crate::allotment) async fn known(pool: &Pool) -> Result<KnownPairs, PlanError> {
    let rows = sqlx::query_as!(
        KnownRow,
        r#"SELECT product_id AS "product: ProductId", placement_id AS "placement: PlacementId",
                  clicks AS "clicks: Json<History>", fulfilment AS "fulfilment: Json<History>" FROM placement_learning"#,
    )
    .fetch_all(pool)
    .await?;
    Ok(rows.into_iter().map(KnownRow::pair).collect())
}

/// What is known of these products on these placements.
pub(in crate::allotment) async fn known_in_tx(
    tx: &mut Tx,
    pairs: &[(ProductId, PlacementId)],
) -> Result<KnownPairs, PlanError> {
    let products: Vec<Uuid> = pairs.iter().map(|pair| pair.0.0).collect();
    let placements: Vec<Uuid> = pairs.iter().map(|pair| pair.1.0).collect();
    let rows = sqlx::query_as!(
        KnownRow,
        r#"SELECT l.product_id AS "product: ProductId", l.placement_id AS "placement: PlacementId",
                  l.clicks AS "clicks: Json<History>", l.fulfilment AS "fulfilment: Json<History>"
           FROM placement_learning l
           JOIN UNNEST($1::uuid[], $2::uuid[]) AS pair (product_id, placement_id) USING (product_id, placement_id)"#,
        &products,
        &placements,
    )
    .fetch_all(tx)
    .await?;
    Ok(rows.into_iter().map(KnownRow::pair).collect())
}

/// Writes what is known.
pub(in crate::allotment) async fn save_known_in_tx(
    tx: &mut Tx,
    known: &KnownPairs,
) -> Result<(), PlanError> {
    let products: Vec<Uuid> = known.keys().map(|pair| pair.0.0).collect();
    let placements: Vec<Uuid> = known.keys().map(|pair| pair.1.0).collect();
    let clicks: Vec<Json<_>> = known.values().map(|known| Json(&known.clicks)).collect();
    let fulfilment: Vec<Json<_>> = known
        .values()
        .map(|known| Json(&known.fulfilment))
        .collect();
    sqlx::query!(
        "INSERT INTO placement_learning (product_id, placement_id, clicks, fulfilment)
         SELECT * FROM UNNEST($1::uuid[], $2::uuid[], $3::jsonb[], $4::jsonb[])
         ON CONFLICT (product_id, placement_id) DO UPDATE SET clicks = excluded.clicks, fulfilment = excluded.fulfilment",
        &products,
        &placements,
        &clicks as _,
        &fulfilment as _,
    )
    .execute(tx)
    .await?;
    Ok(())
}

/// The time and shape of a round; none of one that is forgotten.
pub(in crate::allotment) async fn shape_of_round_in_tx(
    tx: &mut Tx,
    begins_at: DateTime<Utc>,
) -> Result<Option<ShapeOfRound>, PlanError> {
    let row = sqlx::query!(
        r#"SELECT ends_at, shape AS "shape: Json<Shape>" FROM allotment_rounds WHERE begins_at = $1"#,
        begins_at,
    )
    .fetch_optional(tx)
    .await?;
    Ok(row.map(|row| (begins_at, row.ends_at, row.shape.0)))
}

/// What placements can serve.
pub(in crate::allotment) async fn capacities_in_tx(
    tx: &mut Tx,
    placements: &[PlacementId],
) -> Result<HashMap<PlacementId, Capacity>, PlanError> {
    let ids: Vec<Uuid> = placements.iter().map(|id| id.0).collect();
    let rows = sqlx::query!(
        r#"SELECT id AS "id: PlacementId", capacity_per_hour FROM placements WHERE id = ANY($1)
           ORDER BY id FOR NO KEY UPDATE"#,
        &ids,
    )
    .fetch_all(tx)
    .await?;
    let capacities = rows
        .into_iter()
        .map(|row| (row.id, Capacity::of(row.capacity_per_hour.map(unsigned))));
    Ok(capacities.collect())
}

/// Writes what placements can serve.
pub(in crate::allotment) async fn save_capacities_in_tx(
    tx: &mut Tx,
    capacities: &HashMap<PlacementId, Capacity>,
) -> Result<(), PlanError> {
    let ids: Vec<Uuid> = capacities.keys().map(|id| id.0).collect();
    let per_hour = capacities.values().map(|it| it.per_hour().map(signed));
    let per_hour: Vec<Option<i64>> = per_hour.collect();
    sqlx::query!(
        "UPDATE placements SET capacity_per_hour = new.per_hour
         FROM UNNEST($1::uuid[], $2::bigint[]) AS new (id, per_hour) WHERE placements.id = new.id",
        &ids,
        &per_hour as &[Option<i64>],
    )
    .execute(tx)
    .await?;
    Ok(())
}

/// Adds impressions to the traffic of the hour of a time.
pub(in crate::allotment) async fn add_traffic_in_tx(
    tx: &mut Tx,
    time: DateTime<Utc>,
    impressions: i64,
) -> Result<(), PlanError> {
    sqlx::query!(
        "INSERT INTO traffic_hours AS known (hour, impressions) VALUES (date_trunc('hour', $1::timestamptz, 'UTC'), $2)
         ON CONFLICT (hour) DO UPDATE SET impressions = known.impressions + excluded.impressions",
        time,
        impressions,
    )
    .execute(tx)
    .await?;
    Ok(())
}

/// The first hour whose traffic is known.
pub(in crate::allotment) async fn first_traffic(
    pool: &Pool,
) -> Result<Option<DateTime<Utc>>, PlanError> {
    let first = sqlx::query_scalar!("SELECT min(hour) FROM traffic_hours")
        .fetch_one(pool)
        .await?;
    Ok(first)
}

/// Impressions by the hour.
pub(in crate::allotment) async fn traffic(
    pool: &Pool,
    since: DateTime<Utc>,
    until: DateTime<Utc>,
) -> Result<Vec<(DateTime<Utc>, u64)>, PlanError> {
    let rows = sqlx::query!(
        "SELECT hour, impressions FROM traffic_hours WHERE hour >= $1 AND hour < $2",
        since,
        until,
    )
    .fetch_all(pool)
    .await?;
    Ok(rows
        .into_iter()
        .map(|row| (row.hour, unsigned(row.impressions)))
        .collect())
}

// --- offers and upkeep ------------------------------------------------------------------------------------------------
