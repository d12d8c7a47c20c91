//! The SQL of placements and their prices.

use std::collections::{HashMap, HashSet};

use adfolio_kit::clock::Clock;
use adfolio_kit::db::{Pool, Tx};
use adfolio_kit::pagination::bound;
use adfolio_kit::refusal::{Refusal, is_unique_violation};
use adfolio_money::Micros;
use chrono::{DateTime, Utc};
use uuid::Uuid;

use super::entity::{Details, Placement, Price, PriceModel};
use crate::error::PlanError;
use crate::ids::{NetworkId, PlacementId};
use crate::network::SupplyState;

struct PlacementRow {
    id: PlacementId,
    network_id: NetworkId,
    network_name: String,
    name: String,
    format: String,
    countries: Vec<String>,
    systems: Vec<String>,
    state: SupplyState,
    created_at: DateTime<Utc>,
}

impl PlacementRow {
    fn with(self, prices: &[PriceRow]) -> Placement {
        let own = prices.iter().filter(|price| price.placement_id == self.id);
        Placement {
            prices: own.map(Price::from).collect(),
            id: self.id,
            network_id: self.network_id,
            network_name: self.network_name,
            details: Details {
                name: self.name,
                format: self.format,
                countries: self.countries,
                systems: self.systems,
                state: self.state,
            },
            created_at: self.created_at,
        }
    }
}

struct PriceRow {
    placement_id: PlacementId,
    valid_from: DateTime<Utc>,
    model: PriceModel,
    cost_micros: i64,
    revenue_micros: i64,
    set_by: Uuid,
    confirmed_by: Option<Uuid>,
    confirmed_at: Option<DateTime<Utc>>,
}

impl From<&PriceRow> for Price {
    fn from(row: &PriceRow) -> Self {
        Self {
            model: row.model,
            cost: Micros::new(row.cost_micros),
            revenue: Micros::new(row.revenue_micros),
            valid_from: row.valid_from,
            set_by: row.set_by,
            confirmed_by: row.confirmed_by,
            confirmed_at: row.confirmed_at,
        }
    }
}

/// A query for placements: what follows WHERE, and its arguments.
macro_rules! query_placements {
    ($condition:literal $(, $argument:expr)* $(,)?) => {
        sqlx::query_as!(
            PlacementRow,
            r#"SELECT p.id AS "id: _", p.network_id AS "network_id: _", n.name AS network_name, p.name, p.format, p.countries,
                p.systems, p.state AS "state: _", p.created_at
         FROM placements p JOIN networks n ON n.id = p.network_id
         WHERE "# + $condition
            $(, $argument)*
        )
    };
}

/// The price of placements that holds now, and those that were set for later, by time. Prices hold in the order of
/// valid_from, so what was set for earlier holds no more, or never.
macro_rules! query_prices {
    ($ids:expr, $now:expr) => {
        sqlx::query_as!(
            PriceRow,
            r#"SELECT p.placement_id AS "placement_id: _", p.valid_from, p.model AS "model: _", p.cost_micros,
                p.revenue_micros, p.set_by, p.confirmed_by, p.confirmed_at
         FROM placement_prices p
         WHERE p.placement_id = ANY($1)
           AND p.valid_from >= COALESCE((SELECT valid_from FROM placement_prices
                                         WHERE placement_id = p.placement_id AND confirmed_at IS NOT NULL
                                           AND GREATEST(valid_from, confirmed_at) <= $2
                                         ORDER BY GREATEST(valid_from, confirmed_at) DESC, valid_from DESC LIMIT 1),
                                        '-infinity')
         ORDER BY p.placement_id, p.valid_from"#,
            $ids as &[Uuid],
            $now,
        )
    };
}

/// Writes a new placement. VALIDATION of `name` if its network has one of this name.
pub(super) async fn insert_in_tx(tx: &mut Tx, placement: &Placement) -> Result<(), PlanError> {
    let details = &placement.details;
    let inserted = sqlx::query!(
        "INSERT INTO placements (id, network_id, name, format, countries, systems, state, created_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8)",
        placement.id.0,
        placement.network_id.0,
        details.name,
        details.format,
        &details.countries,
        &details.systems,
        details.state.as_str(),
        placement.created_at,
    )
    .execute(tx)
    .await;
    inserted.map(|_| ()).map_err(named)
}

/// Writes what may change of a placement. VALIDATION of `name` if its network has another one of this name.
pub(super) async fn update_in_tx(
    tx: &mut Tx,
    id: PlacementId,
    details: &Details,
) -> Result<(), PlanError> {
    let updated = sqlx::query!(
        "UPDATE placements SET name = $2, format = $3, countries = $4, systems = $5, state = $6 WHERE id = $1",
        id.0,
        details.name,
        details.format,
        &details.countries,
        &details.systems,
        details.state.as_str(),
    )
    .execute(tx)
    .await;
    updated.map(|_| ()).map_err(named)
}

fn named(error: sqlx::Error) -> PlanError {
    if is_unique_violation(&error, "placements_name") {
        let refusal = Refusal::invalid("name");
        refusal
            .detail("the network has a placement of this name")
            .into()
    } else {
        error.into()
    }
}

/// One placement, locked until the transaction ends, and the time since which it is.
pub(super) async fn lock_in_tx(
    tx: &mut Tx,
    id: PlacementId,
    clock: &Clock,
) -> Result<Option<(Placement, DateTime<Utc>)>, PlanError> {
    let row = query_placements!("p.id = $1 FOR NO KEY UPDATE OF p", id.0)
        .fetch_optional(&mut *tx)
        .await?;
    let Some(row) = row else { return Ok(None) };
    // Not before the lock: a price must not begin at a time that passed while its transaction waited.
    let now = clock.now();
    let prices = query_prices!(&[id.0], now).fetch_all(tx).await?;
    Ok(Some((row.with(&prices), now)))
}

/// One placement.
pub(super) async fn find(
    pool: &Pool,
    id: PlacementId,
    now: DateTime<Utc>,
) -> Result<Option<Placement>, PlanError> {
    let row = query_placements!("p.id = $1", id.0)
        .fetch_optional(pool)
        .await?;
    let Some(row) = row else { return Ok(None) };
    let prices = query_prices!(&[id.0], now).fetch_all(pool).await?;
    Ok(Some(row.with(&prices)))
}

/// Placements older than `before`, newest first; only those of a network, if one is named.
pub(super) async fn list(
    pool: &Pool,
    network: Option<NetworkId>,
    before: Option<PlacementId>,
    limit: i64,
    now: DateTime<Utc>,
) -> Result<Vec<Placement>, PlanError> {
    let rows = match network {
        Some(network) => {
            query_placements!(
                "p.network_id = $1 AND p.id < $2 ORDER BY p.id DESC LIMIT $3",
                network.0,
                bound(before),
                limit,
            )
            .fetch_all(pool)
            .await?
        }
        None => {
            query_placements!(
                "p.id < $1 ORDER BY p.id DESC LIMIT $2",
                bound(before),
                limit
            )
            .fetch_all(pool)
            .await?
        }
    };
    let ids: Vec<Uuid> = rows.iter().map(|row| row.id.0).collect();
    let prices = query_prices!(&ids, now).fetch_all(pool).await?;
    Ok(rows.into_iter().map(|row| row.with(&prices)).collect())
}

/// How many of these placements exist.
pub(super) async fn count_in_tx(tx: &mut Tx, ids: &[PlacementId]) -> Result<usize, PlanError> {
    let ids: Vec<Uuid> = ids.iter().map(|id| id.0).collect();
    let count = sqlx::query_scalar!(
        r#"SELECT count(*) AS "count!" FROM placements WHERE id = ANY($1)"#,
        &ids
    )
    .fetch_one(tx)
    .await?;
    Ok(usize::try_from(count).unwrap_or(usize::MAX))
}

/// When the last price of a placement begins. One that is not confirmed counts from the time that it was set for.
pub(super) async fn newest_price_in_tx(
    tx: &mut Tx,
    id: PlacementId,
) -> Result<Option<DateTime<Utc>>, PlanError> {
    let newest = sqlx::query_scalar!(
        "SELECT max(GREATEST(valid_from, confirmed_at)) FROM placement_prices WHERE placement_id = $1",
        id.0
    )
    .fetch_one(tx)
    .await?;
    Ok(newest)
}

/// Writes a new price.
pub(super) async fn insert_price_in_tx(
    tx: &mut Tx,
    id: PlacementId,
    price: &Price,
    now: DateTime<Utc>,
) -> Result<(), PlanError> {
    sqlx::query!(
        "INSERT INTO placement_prices (placement_id, valid_from, model, cost_micros, revenue_micros, set_by, set_at,
                                       confirmed_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8)",
        id.0,
        price.valid_from,
        price.model.as_str(),
        price.cost.get(),
        price.revenue.get(),
        price.set_by,
        now,
        price.confirmed_at,
    )
    .execute(tx)
    .await?;
    Ok(())
}

/// Writes that a price is confirmed.
pub(super) async fn confirm_price_in_tx(
    tx: &mut Tx,
    id: PlacementId,
    price: &Price,
) -> Result<(), PlanError> {
    sqlx::query!(
        "UPDATE placement_prices SET confirmed_by = $3, confirmed_at = $4
         WHERE placement_id = $1 AND valid_from = $2",
        id.0,
        price.valid_from,
        price.confirmed_by,
        price.confirmed_at,
    )
    .execute(tx)
    .await?;
    Ok(())
}

/// The placements of a source's network that reports name, by the name or the id that they use.
pub(super) async fn named_in_tx(
    tx: &mut Tx,
    source: &str,
    names: &[String],
) -> Result<HashMap<String, PlacementId>, PlanError> {
    let rows = sqlx::query!(
        r#"SELECT named.name AS "name!", p.id AS "id: PlacementId"
           FROM UNNEST($2::text[]) AS named (name)
           JOIN placements p ON named.name IN (p.name, p.id::text)
           JOIN networks n ON n.id = p.network_id
           WHERE n.source = $1"#,
        source,
        names,
    )
    .fetch_all(tx)
    .await?;
    Ok(rows.into_iter().map(|row| (row.name, row.id)).collect())
}

/// Those of these names and ids that other networks than a source's have a placement by. The caller leaves out those that
/// its own network has.
pub(super) async fn foreign_in_tx(
    tx: &mut Tx,
    source: &str,
    names: &[String],
) -> Result<HashSet<String>, PlanError> {
    let names = sqlx::query_scalar!(
        r#"SELECT DISTINCT named.name AS "name!"
           FROM UNNEST($2::text[]) AS named (name)
           JOIN placements p ON named.name IN (p.name, p.id::text)
           JOIN networks n ON n.id = p.network_id
           WHERE n.source <> $1"#,
        source,
        names,
    )
    .fetch_all(tx)
    .await?;
    Ok(names.into_iter().collect())
}
