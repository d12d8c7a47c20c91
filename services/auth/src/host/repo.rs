//! The SQL of hosts.

use adfolio_kit::db::{Pool, Tx};
use adfolio_kit::signing_key::{Kid, PublicKey};
use chrono::{DateTime, Utc};
use sqlx::PgExecutor;

use super::assertion::Assertion;
use super::entity::{Host, HostKey};
use crate::ids::HostId;

/// Rows that one pruning statement deletes at most.
const PRUNE_BATCH: i64 = 1000;

/// Adds a host; false if another has the name.
pub async fn insert_in_tx(
    tx: &mut Tx,
    id: HostId,
    name: &str,
    now: DateTime<Utc>,
) -> Result<bool, sqlx::Error> {
    let done = sqlx::query!(
        "INSERT INTO hosts (id, name, created_at) VALUES ($1, $2, $3) ON CONFLICT ON CONSTRAINT hosts_name DO NOTHING",
        id.0,
        name,
        now
    )
    .execute(tx)
    .await?;
    Ok(done.rows_affected() == 1)
}

/// Adds a key; false if it is registered already.
pub async fn insert_key_in_tx(
    tx: &mut Tx,
    id: HostId,
    key: &PublicKey,
    now: DateTime<Utc>,
) -> Result<bool, sqlx::Error> {
    let kid = key.kid();
    let done = sqlx::query!(
        "INSERT INTO host_keys (kid, host_id, public_key, added_at) VALUES ($1, $2, $3, $4)
         ON CONFLICT ON CONSTRAINT host_keys_kid DO NOTHING",
        kid.as_str(),
        id.0,
        &key.0[..],
        now
    )
    .execute(tx)
    .await?;
    Ok(done.rows_affected() == 1)
}

/// The host of a key and when the key was revoked, locked against uses of it.
pub async fn lock_key_in_tx(
    tx: &mut Tx,
    kid: &Kid,
) -> Result<Option<(HostId, Option<DateTime<Utc>>)>, sqlx::Error> {
    let row = sqlx::query!(
        "SELECT host_id, revoked_at FROM host_keys WHERE kid = $1 FOR UPDATE",
        kid.as_str()
    )
    .fetch_optional(tx)
    .await?;
    Ok(row.map(|row| (HostId(row.host_id), row.revoked_at)))
}

pub async fn revoke_key_in_tx(
    tx: &mut Tx,
    kid: &Kid,
    now: DateTime<Utc>,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "UPDATE host_keys SET revoked_at = $2 WHERE kid = $1",
        kid.as_str(),
        now
    )
    .execute(tx)
    .await?;
    Ok(())
}

/// The host and the key of this id, unless it was revoked.
pub async fn find_valid_key(
    pool: &Pool,
    kid: &Kid,
) -> Result<Option<(HostId, PublicKey)>, sqlx::Error> {
    let row = sqlx::query!(
        "SELECT host_id, public_key FROM host_keys WHERE kid = $1 AND revoked_at IS NULL",
        kid.as_str()
    )
    .fetch_optional(pool)
    .await?;
    Ok(row.and_then(|row| {
        let key = row.public_key.try_into().ok()?;
        Some((HostId(row.host_id), PublicKey(key)))
    }))
}

/// Whether a key is valid, which lasts until the end of the transaction.
pub async fn share_valid_key_in_tx(tx: &mut Tx, kid: &Kid) -> Result<bool, sqlx::Error> {
    let row = sqlx::query!(
        "SELECT FROM host_keys WHERE kid = $1 AND revoked_at IS NULL FOR SHARE",
        kid.as_str()
    )
    .fetch_optional(tx)
    .await?;
    Ok(row.is_some())
}

/// Writes an assertion down as used; false if it was before.
pub async fn insert_assertion_in_tx(
    tx: &mut Tx,
    assertion: &Assertion,
) -> Result<bool, sqlx::Error> {
    let done = sqlx::query!(
        "INSERT INTO host_assertions (host_id, jti, expires_at) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING",
        assertion.host.0,
        assertion.claims.jti,
        assertion.claims.expires_at()
    )
    .execute(tx)
    .await?;
    Ok(done.rows_affected() == 1)
}

/// Deletes a batch of assertions that expired before `before`.
pub async fn prune_in_tx(tx: &mut Tx, before: DateTime<Utc>) -> Result<u64, sqlx::Error> {
    let done = sqlx::query!(
        "DELETE FROM host_assertions WHERE (host_id, jti) IN (
             SELECT host_id, jti FROM host_assertions WHERE expires_at < $1
             ORDER BY expires_at LIMIT $2 FOR UPDATE SKIP LOCKED)",
        before,
        PRUNE_BATCH
    )
    .execute(tx)
    .await?;
    Ok(done.rows_affected())
}

/// Whether there is no other host than this one.
pub async fn is_only_one_in_tx(tx: &mut Tx, id: HostId) -> Result<bool, sqlx::Error> {
    sqlx::query_scalar!(
        r#"SELECT NOT EXISTS (SELECT FROM hosts WHERE id <> $1) AS "only!""#,
        id.0
    )
    .fetch_one(tx)
    .await
}

/// The host of this name, if this is a valid key of it.
pub async fn find_alike_in_tx(
    tx: &mut Tx,
    name: &str,
    key: &PublicKey,
) -> Result<Option<Host>, sqlx::Error> {
    let id = sqlx::query_scalar!("SELECT id FROM hosts WHERE name = $1", name)
        .fetch_optional(&mut *tx)
        .await?;
    let Some(id) = id else { return Ok(None) };
    let host = find_in_tx(tx, HostId(id)).await?;
    Ok(host.filter(|host| host.has_valid(&key.kid())))
}

pub async fn find_in_tx(tx: &mut Tx, id: HostId) -> Result<Option<Host>, sqlx::Error> {
    Ok(select(&mut *tx, Some(id)).await?.pop())
}

/// Oldest first.
pub async fn list(pool: &Pool) -> Result<Vec<Host>, sqlx::Error> {
    select(pool, None).await
}

async fn select(
    executor: impl PgExecutor<'_>,
    id: Option<HostId>,
) -> Result<Vec<Host>, sqlx::Error> {
    let rows = sqlx::query!(
        r#"SELECT h.id, h.name, h.created_at, k.kid AS "kid?: Kid", k.added_at AS "added_at?", k.revoked_at
           FROM hosts h LEFT JOIN host_keys k ON k.host_id = h.id
           WHERE $1::uuid IS NULL OR h.id = $1
           ORDER BY h.id, k.added_at, k.kid"#,
        id.map(|id| id.0)
    )
    .fetch_all(executor)
    .await?;
    let mut hosts: Vec<Host> = Vec::new();
    for row in rows {
        if hosts.last().is_none_or(|last| last.id.0 != row.id) {
            hosts.push(Host {
                id: HostId(row.id),
                name: row.name,
                keys: Vec::new(),
                created_at: row.created_at,
            });
        }
        if let (Some(host), Some(kid), Some(added_at)) = (hosts.last_mut(), row.kid, row.added_at) {
            host.keys.push(HostKey {
                kid,
                added_at,
                revoked_at: row.revoked_at,
            });
        }
    }
    Ok(hosts)
}
