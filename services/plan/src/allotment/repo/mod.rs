//! The SQL of allotments: what rounds decide, grant and close.

pub mod learning;
pub mod shown;

use std::collections::{HashMap, HashSet};
use std::time::Duration;

use adfolio_kit::db::{Pool, Tx};
use adfolio_kit::error::CoreError;
use adfolio_kit::identity::UserId;
use adfolio_money::{Micros, Money};
use adfolio_placement::pace::{Schedule, Shape, Standing};
use adfolio_placement::supply::Capacity;
use chrono::{DateTime, TimeDelta, Utc};
use sqlx::types::Json;
use uuid::Uuid;

use crate::allotment::Place;
use crate::allotment::entity::{Allotment, Allotments, Sums};
use crate::allotment::offer::{Offer, Position};
use crate::allotment::replay::Stored;
use crate::allotment::round::{Grant, NewMenu, Running, Span};
use crate::allotment::supply::{Aim, Site, SupplyChange};
use crate::error::PlanError;
use crate::ids::{AllotmentId, NetworkId, OrderId, PlacementId, ProductId};
use crate::order::entity::Order;
use crate::placement::PriceModel;
use crate::product::entity::{Creative, Goal};

fn unsigned(number: i64) -> u64 {
    u64::try_from(number).unwrap_or(0)
}

fn signed(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

/// The allotments that cover these places. No round is longer than an hour. The caller holds the orders' locks.
pub(in crate::allotment) async fn at_places_in_tx(
    tx: &mut Tx,
    places: &[Place],
) -> Result<Allotments, PlanError> {
    let orders: Vec<Uuid> = places.iter().map(|place| place.0.0).collect();
    let placements: Vec<Uuid> = places.iter().map(|place| place.1.0).collect();
    let times: Vec<DateTime<Utc>> = places.iter().map(|place| place.2).collect();
    let rows = sqlx::query!(
        r#"SELECT DISTINCT a.id AS "id!: AllotmentId", a.order_id AS "order_id!: OrderId",
                  a.placement_id AS "placement_id!: PlacementId", a.begins_at AS "begins_at!", a.ends_at AS "ends_at!",
                  a.budget_micros AS "budget_micros!", a.state = 'open' AS "is_open!", a.drawn_micros AS "drawn_micros!",
                  a.impressions AS "impressions!", a.clicks AS "clicks!", a.spend_micros AS "spend_micros!",
                  a.revenue_micros AS "revenue_micros!"
           FROM UNNEST($1::uuid[], $2::uuid[], $3::timestamptz[]) AS place (order_id, placement_id, time)
           CROSS JOIN LATERAL (
               SELECT * FROM allotments
               WHERE order_id = place.order_id AND placement_id = place.placement_id
                 AND begins_at <= place.time AND begins_at > place.time - interval '1 hour'
               ORDER BY begins_at DESC LIMIT 1) AS a
           WHERE a.ends_at > place.time"#,
        &orders,
        &placements,
        &times,
    )
    .fetch_all(tx)
    .await?;
    let allotments = rows.into_iter().map(|row| Allotment {
        id: row.id,
        order_id: row.order_id,
        placement_id: row.placement_id,
        begins_at: row.begins_at,
        ends_at: row.ends_at,
        budget: Micros::new(row.budget_micros),
        is_open: row.is_open,
        drawn: Micros::new(row.drawn_micros),
        reported: Sums {
            impressions: row.impressions,
            clicks: row.clicks,
            spend: Micros::new(row.spend_micros),
            revenue: Micros::new(row.revenue_micros),
        },
    });
    Ok(allotments.collect())
}

/// Writes what reports say of allotments. The caller holds the orders' locks.
pub(in crate::allotment) async fn save_reported_in_tx(
    tx: &mut Tx,
    allotments: &[Allotment],
) -> Result<(), PlanError> {
    macro_rules! column {
        ($($field:tt)*) => { allotments.iter().map(|allotment| allotment.$($field)*).collect::<Vec<_>>() };
    }
    sqlx::query!(
        "UPDATE allotments SET impressions = new.impressions, clicks = new.clicks, spend_micros = new.spend,
             revenue_micros = new.revenue, drawn_micros = new.drawn, is_learnt = false
         FROM UNNEST($1::uuid[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[])
              AS new (id, impressions, clicks, spend, revenue, drawn)
         WHERE allotments.id = new.id",
        &column!(id.0),
        &column!(reported.impressions),
        &column!(reported.clicks),
        &column!(reported.spend.get()),
        &column!(reported.revenue.get()),
        &column!(drawn.get()),
    )
    .execute(tx)
    .await?;
    Ok(())
}

// --- rounds -----------------------------------------------------------------------------------------------------------

/// Whether a round was allotted.
pub(in crate::allotment) async fn is_done(
    pool: &Pool,
    begins_at: DateTime<Utc>,
) -> Result<bool, PlanError> {
    let done = sqlx::query_scalar!(
        r#"SELECT done_at IS NOT NULL AS "done!" FROM allotment_rounds WHERE begins_at = $1"#,
        begins_at,
    )
    .fetch_optional(pool)
    .await?;
    Ok(done.unwrap_or(false))
}

/// Claims a round that nobody has claimed, or not got on with; answers its shape, which is the first claim's. None if
/// another replica works on it.
pub(in crate::allotment) async fn claim_in_tx(
    tx: &mut Tx,
    span: Span,
    claim: Uuid,
    shape: &Shape,
    lease: Duration,
) -> Result<Option<Shape>, PlanError> {
    let shape = sqlx::query_scalar!(
        r#"INSERT INTO allotment_rounds AS known (begins_at, ends_at, shape, claim, claimed_until)
           VALUES ($1, $2, $3, $4, clock_timestamp() + make_interval(secs => $5))
           ON CONFLICT (begins_at) DO UPDATE SET claim = excluded.claim, claimed_until = excluded.claimed_until
               WHERE known.done_at IS NULL AND known.claimed_until < clock_timestamp()
           RETURNING shape AS "shape: Json<Shape>""#,
        span.begins_at,
        span.ends_at,
        Json(shape) as _,
        claim,
        lease.as_secs_f64(),
    )
    .fetch_optional(tx)
    .await?;
    Ok(shape.map(|shape| shape.0))
}

/// Renews a claim; false if another replica has taken over.
pub(in crate::allotment) async fn renew_in_tx(
    tx: &mut Tx,
    begins_at: DateTime<Utc>,
    claim: Uuid,
    lease: Duration,
) -> Result<bool, PlanError> {
    let renewed = sqlx::query!(
        "UPDATE allotment_rounds SET claimed_until = clock_timestamp() + make_interval(secs => $3)
         WHERE begins_at = $1 AND claim = $2 AND done_at IS NULL",
        begins_at,
        claim,
        lease.as_secs_f64(),
    )
    .execute(tx)
    .await?;
    Ok(renewed.rows_affected() == 1)
}

/// Ends a round: networks see what it allotted.
pub(in crate::allotment) async fn done_in_tx(
    tx: &mut Tx,
    begins_at: DateTime<Utc>,
    claim: Uuid,
    off_pace: i64,
    now: DateTime<Utc>,
) -> Result<(), PlanError> {
    sqlx::query!(
        "UPDATE allotment_rounds SET done_at = $3, off_pace = $4 WHERE begins_at = $1 AND claim = $2",
        begins_at,
        claim,
        now,
        off_pace,
    )
    .execute(tx)
    .await?;
    Ok(())
}

/// Plans that run until the end of a round, with what was allotted since `hour`.
pub(in crate::allotment) async fn running(
    pool: &Pool,
    begins_at: DateTime<Utc>,
    hour: DateTime<Utc>,
) -> Result<Vec<Running>, PlanError> {
    let rows = sqlx::query!(
        r#"SELECT o.id AS "id: OrderId", o.product_id AS "product_id: ProductId", o.regions, o.put_amount_minor,
                  o.put_at AS "put_at!", o.window_ends_at AS "window_ends_at!", o.charged_micros, o.allotted_micros,
                  o.no_supply_since IS NOT NULL AS "is_without_supply!", h.allotted AS "allotted_in_hour!"
           FROM orders o CROSS JOIN LATERAL (
               SELECT coalesce(sum(CASE state WHEN 'open' THEN budget_micros ELSE drawn_micros END), 0)::bigint AS allotted
               FROM allotments WHERE order_id = o.id AND begins_at >= $2 AND begins_at < $1) AS h
           WHERE o.status IN ('matching', 'putting') AND o.pending IS NULL AND o.window_ends_at > $1 AND o.put_at IS NOT NULL
           ORDER BY o.id"#,
        begins_at,
        hour,
    )
    .fetch_all(pool)
    .await?;
    let plans = rows.into_iter().map(|row| {
        Ok(Running {
            id: row.id,
            product: row.product_id,
            regions: row.regions,
            schedule: Schedule {
                budget: Micros::try_from(Money::from_minor(row.put_amount_minor))?,
                from: row.put_at,
                to: row.window_ends_at,
            },
            standing: Standing {
                charged: Micros::new(row.charged_micros),
                allotted: Micros::new(row.allotted_micros),
                allotted_in_hour: Micros::new(row.allotted_in_hour),
            },
            is_without_supply: row.is_without_supply,
        })
    });
    plans.collect()
}

/// The plans for which a round has decided already, before another replica took over.
pub(in crate::allotment) async fn decided(
    pool: &Pool,
    begins_at: DateTime<Utc>,
) -> Result<HashSet<OrderId>, PlanError> {
    let ids = sqlx::query_scalar!(
        r#"SELECT order_id AS "id: OrderId" FROM allotment_decisions WHERE begins_at = $1"#,
        begins_at,
    )
    .fetch_all(pool)
    .await?;
    Ok(ids.into_iter().collect())
}

/// What a round has allotted of placements already.
pub(in crate::allotment) async fn units_taken(
    pool: &Pool,
    begins_at: DateTime<Utc>,
) -> Result<HashMap<PlacementId, u64>, PlanError> {
    let rows = sqlx::query!(
        r#"SELECT placement_id AS "id: PlacementId", sum(units)::bigint AS "units!" FROM allotments
           WHERE begins_at = $1 GROUP BY placement_id"#,
        begins_at,
    )
    .fetch_all(pool)
    .await?;
    Ok(rows
        .into_iter()
        .map(|row| (row.id, unsigned(row.units)))
        .collect())
}

/// Placements that plans may choose in a round that begins then, by id: active ones of active networks with a price.
pub(in crate::allotment) async fn sites(
    pool: &Pool,
    begins_at: DateTime<Utc>,
) -> Result<Vec<Site>, PlanError> {
    let rows = sqlx::query!(
        r#"SELECT p.id AS "id: PlacementId", p.network_id AS "network_id: NetworkId", p.countries, p.capacity_per_hour,
                  n.report_delay_seconds, price.model AS "model: PriceModel", price.cost_micros, price.revenue_micros,
                  EXISTS (SELECT FROM quarantined_reports q
                          WHERE q.placement_id = p.id AND q.state IN ('waiting', 'approved')) AS "is_held!"
           FROM placements p JOIN networks n ON n.id = p.network_id
           CROSS JOIN LATERAL (
               SELECT model, cost_micros, revenue_micros FROM placement_prices
               WHERE placement_id = p.id AND greatest(valid_from, confirmed_at) <= $1 AND confirmed_at IS NOT NULL
               ORDER BY greatest(valid_from, confirmed_at) DESC, valid_from DESC LIMIT 1) AS price
           WHERE p.state = 'active' AND n.state = 'active'
           ORDER BY p.id"#,
        begins_at,
    )
    .fetch_all(pool)
    .await?;
    let sites = rows.into_iter().map(|row| Site {
        placement: row.id,
        network: row.network_id,
        report_delay: TimeDelta::seconds(row.report_delay_seconds.into()),
        countries: row.countries,
        model: row.model,
        cost: Micros::new(row.cost_micros),
        revenue: Micros::new(row.revenue_micros),
        capacity: Capacity::of(row.capacity_per_hour.map(unsigned)),
        is_held: row.is_held,
    });
    Ok(sites.collect())
}

/// How plans of these products are placed.
pub(in crate::allotment) async fn aims(
    pool: &Pool,
    products: &[ProductId],
) -> Result<HashMap<ProductId, Aim>, PlanError> {
    let ids: Vec<Uuid> = products.iter().map(|id| id.0).collect();
    let rows = sqlx::query!(
        r#"SELECT id AS "id: ProductId", goal AS "goal: Goal", placement_ids FROM products WHERE id = ANY($1)"#,
        &ids,
    )
    .fetch_all(pool)
    .await?;
    let aims = rows.into_iter().map(|row| {
        let placements = row.placement_ids.into_iter().map(PlacementId);
        let aim = Aim {
            goal: row.goal,
            placements: placements.collect(),
        };
        (row.id, aim)
    });
    Ok(aims.collect())
}

/// Writes the menus of a round.
pub(in crate::allotment) async fn insert_menus_in_tx(
    tx: &mut Tx,
    begins_at: DateTime<Utc>,
    menus: &[NewMenu],
    sites: &[Site],
) -> Result<(), PlanError> {
    for menu in menus {
        let placements = menu.sites.iter().filter_map(|at| sites.get(*at));
        let placements: Vec<Uuid> = placements.map(|site| site.placement.0).collect();
        let shares = menu.shares.iter().map(|share| i32::try_from(*share));
        let shares = shares.collect::<Result<Vec<i32>, _>>();
        sqlx::query!(
            "INSERT INTO allotment_menus (id, begins_at, product_id, placement_ids, menu, shares)
             VALUES ($1, $2, $3, $4, $5, $6)",
            menu.id.0,
            begins_at,
            menu.product.0,
            &placements,
            Json(&menu.menu) as _,
            &shares.map_err(|_| CoreError::Corrupt("allotment_menus.shares"))?,
        )
        .execute(&mut *tx)
        .await?;
    }
    Ok(())
}

/// Notes for which plans no placement can be chosen, and for which one can again; answers for which that is new.
pub(in crate::allotment) async fn set_supply_in_tx(
    tx: &mut Tx,
    without: &[OrderId],
    supplied: &[OrderId],
    now: DateTime<Utc>,
) -> Result<Vec<SupplyChange>, PlanError> {
    let ids = |orders: &[OrderId]| orders.iter().map(|id| id.0).collect::<Vec<Uuid>>();
    let changes = sqlx::query_as!(
        SupplyChange,
        r#"WITH changed AS (
             SELECT id FROM orders
             WHERE (id = ANY($1) AND no_supply_since IS NULL) OR (id = ANY($2) AND no_supply_since IS NOT NULL)
             ORDER BY id FOR UPDATE)
         UPDATE orders SET no_supply_since = CASE WHEN orders.id = ANY($1) THEN $3::timestamptz END
         FROM changed WHERE orders.id = changed.id
         RETURNING orders.id AS "order: OrderId", plan_number, user_id AS "user: UserId",
                   no_supply_since IS NULL AS "is_supplied!""#,
        &ids(without),
        &ids(supplied),
        now,
    )
    .fetch_all(tx)
    .await?;
    Ok(changes)
}

/// What supply lacks.
pub(in crate::allotment) struct Lacks {
    /// Running plans for which no placement can be chosen.
    pub orders: i64,
    /// Networks of whose allotments none that closed lately has a report.
    pub silent_networks: i64,
    /// Active placements without a price.
    pub unpriced: i64,
    /// Running plans that were off pace in the newest round.
    pub off_pace: i64,
}

/// What supply lacks now; networks by their allotments that closed since a time. The condition on their beginning is for
/// the index.
pub(in crate::allotment) async fn count_lacks(
    pool: &Pool,
    since: DateTime<Utc>,
    now: DateTime<Utc>,
) -> Result<Lacks, PlanError> {
    let lacks = sqlx::query_as!(
        Lacks,
        r#"SELECT (SELECT count(*) FROM orders
                   WHERE status IN ('matching', 'putting') AND pending IS NULL AND no_supply_since IS NOT NULL) AS "orders!",
                  (SELECT count(*) FROM networks n WHERE n.state = 'active'
                     AND EXISTS (SELECT FROM allotments a
                                 WHERE a.network_id = n.id AND a.closes_at > $1 AND a.closes_at <= $2
                                   AND a.begins_at > $1 - make_interval(secs => n.report_delay_seconds) - ($2 - $1))
                     AND NOT EXISTS (SELECT FROM allotments a
                                 WHERE a.network_id = n.id AND a.closes_at > $1 AND a.closes_at <= $2
                                   AND a.begins_at > $1 - make_interval(secs => n.report_delay_seconds) - ($2 - $1)
                                   AND (a.impressions > 0 OR a.clicks > 0))) AS "silent_networks!",
                  (SELECT count(*) FROM placements p JOIN networks n ON n.id = p.network_id
                   WHERE p.state = 'active' AND n.state = 'active'
                     AND NOT EXISTS (SELECT FROM placement_prices WHERE placement_id = p.id AND confirmed_at IS NOT NULL
                                       AND greatest(valid_from, confirmed_at) <= $2)) AS "unpriced!",
                  coalesce((SELECT off_pace FROM allotment_rounds WHERE done_at IS NOT NULL ORDER BY begins_at DESC LIMIT 1), 0)
                      AS "off_pace!""#,
        since,
        now,
    )
    .fetch_one(pool)
    .await?;
    Ok(lacks)
}

/// Writes decisions; answers for which plans. For the others the round has decided before.
pub(in crate::allotment) async fn insert_decisions_in_tx(
    tx: &mut Tx,
    begins_at: DateTime<Utc>,
    grants: &[Grant],
) -> Result<HashSet<OrderId>, PlanError> {
    let orders: Vec<Uuid> = grants.iter().map(|grant| grant.order.0).collect();
    let menus: Vec<Uuid> = grants.iter().map(|grant| grant.menu.0).collect();
    let inputs: Vec<Json<_>> = grants.iter().map(|grant| Json(&grant.inputs)).collect();
    let decisions: Vec<Json<_>> = grants.iter().map(|grant| Json(&grant.decision)).collect();
    let written = sqlx::query_scalar!(
        r#"INSERT INTO allotment_decisions (order_id, begins_at, menu_id, inputs, decision)
           SELECT order_id, $1, menu_id, inputs, decision
           FROM UNNEST($2::uuid[], $3::uuid[], $4::jsonb[], $5::jsonb[]) AS new (order_id, menu_id, inputs, decision)
           ON CONFLICT DO NOTHING RETURNING order_id AS "id: OrderId""#,
        begins_at,
        &orders,
        &menus,
        &inputs as _,
        &decisions as _,
    )
    .fetch_all(tx)
    .await?;
    Ok(written.into_iter().collect())
}

/// Writes the allotments of grants.
pub(in crate::allotment) async fn insert_allotments_in_tx(
    tx: &mut Tx,
    span: Span,
    grants: &[Grant],
    sites: &[Site],
) -> Result<(), PlanError> {
    let new: Vec<_> = grants
        .iter()
        .flat_map(|grant| grant.allotments.iter().map(|it| (grant.order, it)))
        .filter_map(|(order, it)| Some((order, it, sites.get(it.site)?)))
        .collect();
    macro_rules! column {
        ($order:pat, $new:pat, $site:pat => $value:expr) => {
            new.iter()
                .map(|($order, $new, $site)| $value)
                .collect::<Vec<_>>()
        };
    }
    let closes_at = |site: &Site| {
        let closes_at = span.ends_at.checked_add_signed(site.report_delay);
        closes_at.unwrap_or(span.ends_at)
    };
    sqlx::query!(
        "INSERT INTO allotments (id, order_id, placement_id, network_id, closes_at, model, cost_micros,
                                 price_revenue_micros, units, budget_micros, begins_at, ends_at, state)
         SELECT *, $11, $12, 'open'
         FROM UNNEST($1::uuid[], $2::uuid[], $3::uuid[], $4::uuid[], $5::timestamptz[], $6::text[], $7::bigint[],
                     $8::bigint[], $9::bigint[], $10::bigint[])",
        &column!(_, new, _ => new.id.0),
        &column!(order, _, _ => order.0),
        &column!(_, _, site => site.placement.0),
        &column!(_, _, site => site.network.0),
        &column!(_, _, site => closes_at(site)),
        &column!(_, _, site => site.model.as_str().to_owned()),
        &column!(_, _, site => site.cost.get()),
        &column!(_, _, site => site.revenue.get()),
        &column!(_, new, _ => signed(new.units)),
        &column!(_, new, _ => new.budget.get()),
        span.begins_at,
        span.ends_at,
    )
    .execute(tx)
    .await?;
    Ok(())
}

/// Takes what was granted from the plans' free budget. The caller holds their locks.
pub(in crate::allotment) async fn add_allotted_in_tx(
    tx: &mut Tx,
    grants: &[Grant],
) -> Result<(), PlanError> {
    let orders: Vec<Uuid> = grants.iter().map(|grant| grant.order.0).collect();
    let totals: Vec<i64> = grants
        .iter()
        .map(|grant| grant.decision.total().get())
        .collect();
    sqlx::query!(
        "UPDATE orders SET allotted_micros = allotted_micros + new.total
         FROM UNNEST($1::uuid[], $2::bigint[]) AS new (id, total) WHERE orders.id = new.id AND new.total > 0",
        &orders,
        &totals,
    )
    .execute(tx)
    .await?;
    Ok(())
}

// --- closing ----------------------------------------------------------------------------------------------------------

/// Plans with allotments whose time for reports is over.
pub(in crate::allotment) async fn orders_due(
    pool: &Pool,
    now: DateTime<Utc>,
    limit: i64,
) -> Result<Vec<OrderId>, PlanError> {
    let ids = sqlx::query_scalar!(
        r#"SELECT DISTINCT order_id AS "id: OrderId" FROM allotments WHERE state = 'open' AND closes_at <= $1 LIMIT $2"#,
        now,
        limit,
    )
    .fetch_all(pool)
    .await?;
    Ok(ids)
}

/// Closes open allotments of orders, those that are due or all; answers what becomes free of each order. The caller holds
/// their locks.
pub(in crate::allotment) async fn close_in_tx(
    tx: &mut Tx,
    orders: &[Order],
    due: Option<DateTime<Utc>>,
) -> Result<HashMap<OrderId, Micros>, PlanError> {
    let ids: Vec<Uuid> = orders.iter().map(|order| order.id.0).collect();
    let rows = sqlx::query!(
        r#"WITH closed AS (
               UPDATE allotments SET state = 'closed'
               WHERE order_id = ANY($1) AND state = 'open' AND ($2::timestamptz IS NULL OR closes_at <= $2)
               RETURNING order_id, budget_micros - drawn_micros AS freed)
           SELECT order_id AS "id: OrderId", sum(freed)::bigint AS "freed!" FROM closed GROUP BY order_id"#,
        &ids,
        due,
    )
    .fetch_all(tx)
    .await?;
    Ok(rows
        .into_iter()
        .map(|row| (row.id, Micros::new(row.freed)))
        .collect())
}

/// When an allotment of a network begins.
pub(in crate::allotment) async fn begin_of(
    pool: &Pool,
    network: NetworkId,
    id: AllotmentId,
) -> Result<Option<DateTime<Utc>>, PlanError> {
    let begins_at = sqlx::query_scalar!(
        "SELECT begins_at FROM allotments WHERE id = $1 AND network_id = $2",
        id.0,
        network.0,
    )
    .fetch_optional(pool)
    .await?;
    Ok(begins_at)
}

/// A network's allotments of decided rounds that have not ended and whose plans run, oldest first.
pub(in crate::allotment) async fn offers_in_tx(
    tx: &mut Tx,
    network: NetworkId,
    after: Option<Position>,
    now: DateTime<Utc>,
    limit: usize,
) -> Result<Vec<Offer>, PlanError> {
    let rounds = sqlx::query_scalar!(
        "SELECT begins_at FROM allotment_rounds
         WHERE done_at IS NOT NULL AND ends_at > $1 AND ($2::timestamptz IS NULL OR begins_at >= $2) ORDER BY begins_at",
        now,
        after.map(|after| after.begins_at),
    )
    .fetch_all(&mut *tx)
    .await?;
    // Until the transaction ends: along the index. A round may write a million allotments at once, and until the statistics
    // know of them, the planner would rather read and sort them all for each page.
    sqlx::query!(
        "SELECT FROM set_config('enable_bitmapscan', 'off', true) AS no_bitmaps,
                     set_config('enable_sort', 'off', true) AS no_sort,
                     set_config('enable_hashjoin', 'off', true) AS no_hashes"
    )
    .execute(&mut *tx)
    .await?;
    let mut offers = Vec::new();
    for begins_at in rounds {
        let behind = after.filter(|after| after.begins_at == begins_at);
        let behind = behind.map_or(AllotmentId(Uuid::nil()), |after| after.id);
        let left = limit.saturating_sub(offers.len());
        offers.extend(offers_of_round_in_tx(tx, network, (begins_at, behind), left).await?);
        if offers.len() >= limit {
            break;
        }
    }
    Ok(offers)
}

/// A network's allotments of a round behind one of them.
async fn offers_of_round_in_tx(
    tx: &mut Tx,
    network: NetworkId,
    (begins_at, behind): (DateTime<Utc>, AllotmentId),
    limit: usize,
) -> Result<impl Iterator<Item = Offer> + use<>, PlanError> {
    let rows = sqlx::query!(
        r#"SELECT a.id AS "id: AllotmentId", o.plan_number, a.placement_id AS "placement_id: PlacementId",
                  p.name AS placement_name, a.budget_micros, a.units, a.model AS "model: PriceModel", a.cost_micros,
                  a.price_revenue_micros, a.begins_at, a.ends_at, a.closes_at,
                  CASE pr.creative_title WHEN '' THEN pr.name ELSE pr.creative_title END AS "title!",
                  CASE pr.creative_picture_url WHEN '' THEN pr.cover_url ELSE pr.creative_picture_url END AS "picture_url!",
                  pr.creative_destination_url AS destination_url
           FROM allotments a
           JOIN orders o ON o.id = a.order_id AND o.status IN ('matching', 'putting') AND o.pending IS NULL
           JOIN placements p ON p.id = a.placement_id
           JOIN products pr ON pr.id = o.product_id
           WHERE a.network_id = $1 AND a.begins_at = $2 AND a.id > $3 AND a.state = 'open'
           ORDER BY a.id LIMIT $4"#,
        network.0,
        begins_at,
        behind.0,
        i64::try_from(limit).unwrap_or(i64::MAX),
    )
    .fetch_all(tx)
    .await?;
    Ok(rows.into_iter().map(|row| Offer {
        id: row.id,
        plan_number: row.plan_number,
        placement_id: row.placement_id,
        placement_name: row.placement_name,
        budget: Micros::new(row.budget_micros),
        units: row.units,
        model: row.model,
        cost: Micros::new(row.cost_micros),
        revenue: Micros::new(row.price_revenue_micros),
        begins_at: row.begins_at,
        ends_at: row.ends_at,
        closes_at: row.closes_at,
        creative: Creative {
            title: row.title,
            picture_url: row.picture_url,
            destination_url: row.destination_url,
        },
    }))
}

/// The decision about a plan in the round at a time, or in its newest one.
pub(in crate::allotment) async fn decision(
    pool: &Pool,
    plan_number: &str,
    at: Option<DateTime<Utc>>,
) -> Result<Option<Stored>, PlanError> {
    let row = sqlx::query!(
        r#"SELECT r.begins_at, r.ends_at, r.shape::text AS "shape!", m.menu::text AS "menu!", m.shares,
                  d.inputs::text AS "inputs!", d.decision::text AS "decision!",
                  ARRAY(SELECT coalesce(p.name, '') FROM UNNEST(m.placement_ids) WITH ORDINALITY AS listed (id, position)
                        LEFT JOIN placements p ON p.id = listed.id ORDER BY position) AS "placements!"
           FROM orders o
           JOIN allotment_decisions d ON d.order_id = o.id
           JOIN allotment_rounds r ON r.begins_at = d.begins_at
           JOIN allotment_menus m ON m.id = d.menu_id
           WHERE o.plan_number = $1 AND ($2::timestamptz IS NULL OR (r.begins_at <= $2 AND r.ends_at > $2))
           ORDER BY r.begins_at DESC LIMIT 1"#,
        plan_number,
        at,
    )
    .fetch_optional(pool)
    .await?;
    let Some(row) = row else { return Ok(None) };
    let shares = row.shares.into_iter().map(u32::try_from);
    let shares = shares.collect::<Result<Vec<u32>, _>>();
    Ok(Some(Stored {
        begins_at: row.begins_at,
        ends_at: row.ends_at,
        placements: row.placements,
        menu: row.menu,
        shares: shares.map_err(|_| CoreError::Corrupt("allotment_menus.shares"))?,
        shape: row.shape,
        inputs: row.inputs,
        decision: row.decision,
    }))
}

/// Deletes rounds that ended before a time, with menus and decisions, and their allotments; answers how many rounds.
pub(in crate::allotment) async fn forget_in_tx(
    tx: &mut Tx,
    before: DateTime<Utc>,
    limit: i64,
) -> Result<u64, PlanError> {
    let rounds = sqlx::query_scalar!(
        "SELECT begins_at FROM allotment_rounds WHERE ends_at < $1 ORDER BY begins_at LIMIT $2 FOR UPDATE SKIP LOCKED",
        before,
        limit,
    )
    .fetch_all(&mut *tx)
    .await?;
    sqlx::query!(
        "DELETE FROM allotments WHERE begins_at = ANY($1) AND state = 'closed' AND is_learnt",
        &rounds
    )
    .execute(&mut *tx)
    .await?;
    let deleted = sqlx::query!(
        "DELETE FROM allotment_rounds WHERE begins_at = ANY($1)",
        &rounds
    )
    .execute(tx)
    .await?;
    Ok(deleted.rows_affected())
}
