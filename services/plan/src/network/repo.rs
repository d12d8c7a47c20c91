//! The SQL of networks.

use adfolio_kit::db::{Pool, Tx};
use adfolio_kit::error::CoreError;
use adfolio_kit::pagination::bound;
use adfolio_kit::refusal::{Refusal, is_unique_violation};
use chrono::{DateTime, Utc};
use uuid::Uuid;

use super::Caller;
use super::entity::{IssuedKey, Key, Network, SupplyState};
use crate::error::PlanError;
use crate::ids::NetworkId;

struct NetworkRow {
    id: NetworkId,
    name: String,
    source: String,
    state: SupplyState,
    is_simulated: bool,
    report_delay_seconds: i32,
    created_at: DateTime<Utc>,
}

impl NetworkRow {
    fn with(self, keys: Vec<IssuedKey>) -> Result<Network, PlanError> {
        let delay = u32::try_from(self.report_delay_seconds);
        Ok(Network {
            id: self.id,
            name: self.name,
            source: self.source,
            state: self.state,
            is_simulated: self.is_simulated,
            report_delay_seconds: delay
                .map_err(|_| CoreError::Corrupt("networks.report_delay_seconds"))?,
            created_at: self.created_at,
            keys,
        })
    }
}

/// A query for networks: what follows FROM, and its arguments.
macro_rules! query_networks {
    ($from:literal $(, $argument:expr)* $(,)?) => {
        sqlx::query_as!(
            NetworkRow,
            r#"SELECT id AS "id: _", name, source, state AS "state: _", is_simulated, report_delay_seconds, created_at
         FROM "# + $from
            $(, $argument)*
        )
    };
}

/// The valid keys of networks, newest first; of those of one moment the one without an end.
macro_rules! keys {
    ($ids:expr, $now:expr) => {
        sqlx::query_as!(
            KeyRow,
            r#"SELECT network_id AS "network_id: _", hint, issued_at, expires_at FROM network_keys
         WHERE network_id = ANY($1) AND (expires_at IS NULL OR expires_at > $2) ORDER BY issued_at DESC, expires_at DESC, hint"#,
            $ids as &[Uuid],
            $now,
        )
    };
}
/// Writes a new network. VALIDATION of `source` if another one has it.
pub(super) async fn insert_in_tx(tx: &mut Tx, network: &Network) -> Result<(), PlanError> {
    let inserted = sqlx::query!(
        "INSERT INTO networks (id, name, source, state, is_simulated, report_delay_seconds, created_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7)",
        network.id.0,
        network.name,
        network.source,
        network.state.as_str(),
        network.is_simulated,
        i32::try_from(network.report_delay_seconds).unwrap_or(i32::MAX),
        network.created_at,
    )
    .execute(tx)
    .await;
    match inserted {
        Ok(_) => Ok(()),
        Err(error) if is_unique_violation(&error, "networks_source") => {
            Err(Refusal::invalid("source")
                .detail("another network has this source")
                .into())
        }
        Err(error) => Err(error.into()),
    }
}

/// Writes what may change of a network.
pub(super) async fn update_in_tx(tx: &mut Tx, network: &Network) -> Result<(), PlanError> {
    sqlx::query!(
        "UPDATE networks SET name = $2, state = $3, report_delay_seconds = $4 WHERE id = $1",
        network.id.0,
        network.name,
        network.state.as_str(),
        i32::try_from(network.report_delay_seconds).unwrap_or(i32::MAX),
    )
    .execute(tx)
    .await?;
    Ok(())
}

/// One network with its valid keys, locked until the transaction ends.
pub(super) async fn lock_in_tx(
    tx: &mut Tx,
    id: NetworkId,
    now: DateTime<Utc>,
) -> Result<Option<Network>, PlanError> {
    let row = query_networks!("networks WHERE id = $1 FOR NO KEY UPDATE", id.0)
        .fetch_optional(&mut *tx)
        .await?;
    let Some(row) = row else { return Ok(None) };
    let keys = keys!(&[id.0], now).fetch_all(tx).await?;
    row.with(keys.into_iter().map(KeyRow::issued).collect())
        .map(Some)
}

/// One network with its valid keys.
pub(super) async fn find(
    pool: &Pool,
    id: NetworkId,
    now: DateTime<Utc>,
) -> Result<Option<Network>, PlanError> {
    let row = query_networks!("networks WHERE id = $1", id.0)
        .fetch_optional(pool)
        .await?;
    Ok(with_keys(pool, row.into_iter().collect(), now).await?.pop())
}

/// Networks older than `before` with their valid keys, newest first.
pub(super) async fn list(
    pool: &Pool,
    before: Option<NetworkId>,
    limit: i64,
    now: DateTime<Utc>,
) -> Result<Vec<Network>, PlanError> {
    let rows = query_networks!(
        "networks WHERE id < $1 ORDER BY id DESC LIMIT $2",
        bound(before),
        limit,
    )
    .fetch_all(pool)
    .await?;
    with_keys(pool, rows, now).await
}

async fn with_keys(
    pool: &Pool,
    rows: Vec<NetworkRow>,
    now: DateTime<Utc>,
) -> Result<Vec<Network>, PlanError> {
    let ids: Vec<Uuid> = rows.iter().map(|row| row.id.0).collect();
    let keys = keys!(&ids, now).fetch_all(pool).await?;
    rows.into_iter()
        .map(|row| {
            let own = keys.iter().filter(|key| key.network_id == row.id);
            let own = own.cloned().map(KeyRow::issued).collect();
            row.with(own)
        })
        .collect()
}

#[derive(Clone)]
struct KeyRow {
    network_id: NetworkId,
    hint: String,
    issued_at: DateTime<Utc>,
    expires_at: Option<DateTime<Utc>>,
}

impl KeyRow {
    fn issued(self) -> IssuedKey {
        IssuedKey {
            hint: self.hint,
            issued_at: self.issued_at,
            expires_at: self.expires_at,
        }
    }
}

/// Writes a new key.
pub(super) async fn insert_key_in_tx(
    tx: &mut Tx,
    id: NetworkId,
    key: &Key,
    issued_by: Uuid,
    now: DateTime<Utc>,
) -> Result<(), PlanError> {
    sqlx::query!(
        "INSERT INTO network_keys (digest, network_id, hint, issued_by, issued_at) VALUES ($1, $2, $3, $4, $5)",
        &key.digest()[..],
        id.0,
        key.hint(),
        issued_by,
        now,
    )
    .execute(tx)
    .await?;
    Ok(())
}

/// Ends the keys of a network at a time, unless they end before.
pub(super) async fn end_keys_in_tx(
    tx: &mut Tx,
    id: NetworkId,
    end: DateTime<Utc>,
) -> Result<(), PlanError> {
    sqlx::query!(
        "UPDATE network_keys SET expires_at = $2 WHERE network_id = $1 AND (expires_at IS NULL OR expires_at > $2)",
        id.0,
        end,
    )
    .execute(tx)
    .await?;
    Ok(())
}

/// The network with this key, while the key is valid.
pub(super) async fn of_key(
    pool: &Pool,
    key: &Key,
    now: DateTime<Utc>,
) -> Result<Option<Caller>, PlanError> {
    let caller = sqlx::query_as!(
        Caller,
        r#"SELECT n.id AS "id: NetworkId", n.source FROM network_keys k JOIN networks n ON n.id = k.network_id
           WHERE k.digest = $1 AND (k.expires_at IS NULL OR k.expires_at > $2)"#,
        &key.digest()[..],
        now,
    )
    .fetch_optional(pool)
    .await?;
    Ok(caller)
}

/// The network that reports under a source's name, and whether it is simulated.
pub(super) async fn of_source_in_tx(
    tx: &mut Tx,
    source: &str,
) -> Result<Option<(NetworkId, bool)>, PlanError> {
    let found = sqlx::query!(
        r#"SELECT id AS "id: NetworkId", is_simulated FROM networks WHERE source = $1"#,
        source
    )
    .fetch_optional(tx)
    .await?;
    Ok(found.map(|row| (row.id, row.is_simulated)))
}

/// Whether there is a network at all.
pub(super) async fn is_any_registered(pool: &Pool) -> Result<bool, PlanError> {
    let found = sqlx::query_scalar!(r#"SELECT EXISTS (SELECT FROM networks) AS "found!""#)
        .fetch_one(pool)
        .await?;
    Ok(found)
}
