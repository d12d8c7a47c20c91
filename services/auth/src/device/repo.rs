//! The SQL of devices.

use adfolio_kit::db::{Pool, Tx};
use chrono::{DateTime, Utc};

use super::entity::DeviceDigest;
use crate::session::{Kind, Owner};

/// Rows that one pruning statement deletes at most.
const PRUNE_BATCH: i64 = 1000;

/// Whether a token that was used after `since` is one of the account of this kind with this compared name.
pub async fn is_known(
    pool: &Pool,
    kind: Kind,
    digest: DeviceDigest,
    username_key: &str,
    since: DateTime<Utc>,
) -> Result<bool, sqlx::Error> {
    let token = &digest.0[..];
    match kind {
        Kind::User => {
            sqlx::query_scalar!(
                r#"SELECT EXISTS (
                       SELECT FROM devices d JOIN users u ON u.id = d.account_id
                       WHERE d.token_hash = $1 AND d.account_kind = 'user' AND d.last_used_at > $3
                         AND u.username_key = $2
                   ) AS "exists!""#,
                token,
                username_key,
                since,
            )
            .fetch_one(pool)
            .await
        }
        Kind::Staff => {
            sqlx::query_scalar!(
                r#"SELECT EXISTS (
                       SELECT FROM devices d JOIN staff s ON s.id = d.account_id
                       WHERE d.token_hash = $1 AND d.account_kind = 'staff' AND d.last_used_at > $3
                         AND s.username_key = $2
                   ) AS "exists!""#,
                token,
                username_key,
                since,
            )
            .fetch_one(pool)
            .await
        }
    }
}

/// Writes down that a device was used; false if it is not one of the owner's that was used after `since`.
pub async fn touch_in_tx(
    tx: &mut Tx,
    owner: Owner,
    digest: DeviceDigest,
    since: DateTime<Utc>,
    now: DateTime<Utc>,
) -> Result<bool, sqlx::Error> {
    let done = sqlx::query!(
        "UPDATE devices SET last_used_at = $5
         WHERE token_hash = $1 AND account_kind = $2 AND account_id = $3 AND last_used_at > $4",
        &digest.0[..],
        owner.kind().as_str(),
        owner.id(),
        since,
        now,
    )
    .execute(tx)
    .await?;
    Ok(done.rows_affected() == 1)
}

/// Adds a device.
pub async fn insert_in_tx(
    tx: &mut Tx,
    owner: Owner,
    digest: DeviceDigest,
    now: DateTime<Utc>,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "INSERT INTO devices (token_hash, account_kind, account_id, created_at, last_used_at)
         VALUES ($1, $2, $3, $4, $4)",
        &digest.0[..],
        owner.kind().as_str(),
        owner.id(),
        now,
    )
    .execute(tx)
    .await?;
    Ok(())
}

/// Deletes the owner's devices except the `keep` last used. The caller holds the lock on the owner's row, so that
/// devices added at the same time are counted one after the other.
pub async fn keep_last_used_in_tx(tx: &mut Tx, owner: Owner, keep: i64) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "DELETE FROM devices WHERE token_hash IN (
             SELECT token_hash FROM devices WHERE account_id = $1 AND account_kind = $2
             ORDER BY last_used_at DESC, created_at DESC, token_hash OFFSET $3)",
        owner.id(),
        owner.kind().as_str(),
        keep,
    )
    .execute(tx)
    .await?;
    Ok(())
}

/// Deletes every device of the owner.
pub async fn delete_all_in_tx(tx: &mut Tx, owner: Owner) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "DELETE FROM devices WHERE account_id = $1 AND account_kind = $2",
        owner.id(),
        owner.kind().as_str(),
    )
    .execute(tx)
    .await?;
    Ok(())
}

/// Deletes a batch of devices that were last used before `since`.
pub async fn prune_in_tx(tx: &mut Tx, since: DateTime<Utc>) -> Result<u64, sqlx::Error> {
    let done = sqlx::query!(
        "DELETE FROM devices WHERE token_hash IN (
             SELECT token_hash FROM devices WHERE last_used_at <= $1
             ORDER BY last_used_at LIMIT $2 FOR UPDATE SKIP LOCKED)",
        since,
        PRUNE_BATCH,
    )
    .execute(tx)
    .await?;
    Ok(done.rows_affected())
}
