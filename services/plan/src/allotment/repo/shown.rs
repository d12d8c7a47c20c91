//! The SQL of what advertisers see of placing.

use adfolio_kit::db::Pool;
use adfolio_money::Micros;
use adfolio_placement::belief::Counts;
use adfolio_placement::decision::{Decision, Part};
use adfolio_placement::pace::Shape;
use chrono::{DateTime, Utc};
use sqlx::types::Json;

use super::unsigned;
use crate::allotment::shown::ShownPlace;
use crate::error::PlanError;
use crate::ids::{OrderId, PlacementId};

/// Whether anything of a plan was ever allotted.
pub(in crate::allotment) async fn is_placed(
    pool: &Pool,
    order: OrderId,
) -> Result<bool, PlanError> {
    let found = sqlx::query_scalar!(
        r#"SELECT EXISTS (SELECT FROM allotments WHERE order_id = $1) AS "found!""#,
        order.0
    )
    .fetch_one(pool)
    .await?;
    Ok(found)
}

/// The traffic's shape of the newest round.
pub(in crate::allotment) async fn newest_shape(pool: &Pool) -> Result<Option<Shape>, PlanError> {
    let shape = sqlx::query_scalar!(
        r#"SELECT shape AS "shape: Json<Shape>" FROM allotment_rounds ORDER BY begins_at DESC LIMIT 1"#
    )
    .fetch_optional(pool)
    .await?;
    Ok(shape.map(|shape| shape.0))
}

/// What a plan has shown by placement, by spend.
pub(in crate::allotment) async fn places(
    pool: &Pool,
    order: OrderId,
) -> Result<Vec<ShownPlace>, PlanError> {
    let rows = sqlx::query!(
        r#"SELECT o.placement_id AS "id: PlacementId", coalesce(p.name, '') AS "name!", o.impressions, o.clicks,
                  o.charged_micros, o.simulated > 0 AS "is_simulated!"
           FROM order_placements o LEFT JOIN placements p ON p.id = o.placement_id
           WHERE o.order_id = $1 ORDER BY o.charged_micros DESC, o.placement_id"#,
        order.0,
    )
    .fetch_all(pool)
    .await?;
    let places = rows.into_iter().map(|row| ShownPlace {
        placement: Some(row.id),
        name: row.name,
        counts: Counts::new(unsigned(row.impressions), unsigned(row.clicks)),
        charged: Micros::new(row.charged_micros),
        is_simulated: row.is_simulated,
        decided: None,
    });
    Ok(places.collect())
}

/// Whether anything that a plan was reported without a placement was simulated.
pub(in crate::allotment) async fn is_simulated_without_placement(
    pool: &Pool,
    order: OrderId,
) -> Result<bool, PlanError> {
    let found = sqlx::query_scalar!(
        r#"SELECT EXISTS (SELECT FROM delivery_reports
                          WHERE order_id = $1 AND placement_id IS NULL AND origin = 'simulator') AS "found!""#,
        order.0
    )
    .fetch_one(pool)
    .await?;
    Ok(found)
}

/// The time of a plan's newest report.
pub(in crate::allotment) async fn newest_report(
    pool: &Pool,
    order: OrderId,
) -> Result<Option<DateTime<Utc>>, PlanError> {
    let newest = sqlx::query_scalar!(
        "SELECT max(time) FROM delivery_reports WHERE order_id = $1",
        order.0
    )
    .fetch_one(pool)
    .await?;
    Ok(newest)
}

/// What the newest round decided about a plan's candidates.
pub(in crate::allotment) async fn newest_parts(
    pool: &Pool,
    order: OrderId,
) -> Result<Vec<(PlacementId, String, Part)>, PlanError> {
    let row = sqlx::query!(
        r#"SELECT m.placement_ids, d.decision AS "decision: Json<Decision>",
                  ARRAY(SELECT coalesce(p.name, '') FROM UNNEST(m.placement_ids) WITH ORDINALITY AS listed (id, position)
                        LEFT JOIN placements p ON p.id = listed.id ORDER BY position) AS "names!"
           FROM allotment_decisions d JOIN allotment_menus m ON m.id = d.menu_id
           WHERE d.order_id = $1 ORDER BY d.begins_at DESC LIMIT 1"#,
        order.0,
    )
    .fetch_optional(pool)
    .await?;
    let Some(row) = row else {
        return Ok(Vec::new());
    };
    let placements = row.placement_ids.into_iter().map(PlacementId);
    let parts = placements.zip(row.names).zip(row.decision.0.parts);
    Ok(parts.map(|((id, name), part)| (id, name, part)).collect())
}
