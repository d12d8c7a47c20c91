//! The SQL of passkeys. Who writes holds the lock on the member's row.

use adfolio_kit::db::Pool;
use adfolio_kit::db::Tx;
use chrono::{DateTime, Utc};
use sqlx::PgExecutor;
use sqlx::types::Json;
use webauthn_rs::prelude as webauthn;

use super::Passkey;
use crate::ids::{PasskeyId, StaffId};

/// Rows that one run deletes at most.
const PRUNE_BATCH: i64 = 1_000;

/// The passkeys of a member, oldest first.
pub(super) async fn of_member(
    executor: impl PgExecutor<'_>,
    id: StaffId,
) -> Result<Vec<Passkey>, sqlx::Error> {
    sqlx::query!(
        r#"SELECT id, credential AS "credential!: Json<webauthn::Passkey>", name, created_at, last_used_at
           FROM staff_passkeys WHERE staff_id = $1 ORDER BY id"#,
        id.0
    )
    .map(|row| Passkey {
        id: PasskeyId(row.id),
        credential: row.credential.0,
        name: row.name,
        created_at: row.created_at,
        last_used_at: row.last_used_at,
    })
    .fetch_all(executor)
    .await
}

/// Whose passkey has this id on its device.
pub(super) async fn owner(
    pool: &Pool,
    credential_id: &[u8],
) -> Result<Option<StaffId>, sqlx::Error> {
    let found = sqlx::query_scalar!(
        "SELECT staff_id FROM staff_passkeys WHERE credential_id = $1",
        credential_id
    )
    .fetch_optional(pool)
    .await?;
    Ok(found.map(StaffId))
}

/// Adds a passkey; false if some account has it already.
pub(super) async fn insert_in_tx(
    tx: &mut Tx,
    of: StaffId,
    passkey: &Passkey,
) -> Result<bool, sqlx::Error> {
    let done = sqlx::query!(
        "INSERT INTO staff_passkeys (id, staff_id, credential_id, credential, name, created_at)
         VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (credential_id) DO NOTHING",
        passkey.id.0,
        of.0,
        passkey.credential.cred_id().as_ref() as &[u8],
        Json(&passkey.credential) as _,
        passkey.name,
        passkey.created_at,
    )
    .execute(tx)
    .await?;
    Ok(done.rows_affected() == 1)
}

/// Stores what a use has changed.
pub(super) async fn save_use_in_tx(
    tx: &mut Tx,
    passkey: &Passkey,
    now: DateTime<Utc>,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "UPDATE staff_passkeys SET credential = $2, last_used_at = $3 WHERE id = $1",
        passkey.id.0,
        Json(&passkey.credential) as _,
        now,
    )
    .execute(tx)
    .await?;
    Ok(())
}

/// Removes one passkey.
pub(super) async fn remove_in_tx(tx: &mut Tx, id: PasskeyId) -> Result<(), sqlx::Error> {
    sqlx::query!("DELETE FROM staff_passkeys WHERE id = $1", id.0)
        .execute(tx)
        .await?;
    Ok(())
}

/// Removes all of a member's, and answers how many there were.
pub async fn remove_all_in_tx(tx: &mut Tx, of: StaffId) -> Result<u64, sqlx::Error> {
    let done = sqlx::query!("DELETE FROM staff_passkeys WHERE staff_id = $1", of.0)
        .execute(tx)
        .await?;
    Ok(done.rows_affected())
}

/// Ends a ceremony; false if it has ended before.
pub(super) async fn use_ceremony_in_tx(
    tx: &mut Tx,
    digest: &[u8; 32],
    expires_at: DateTime<Utc>,
) -> Result<bool, sqlx::Error> {
    let done = sqlx::query!(
        "INSERT INTO used_ceremonies (digest, expires_at) VALUES ($1, $2) ON CONFLICT (digest) DO NOTHING",
        &digest[..],
        expires_at,
    )
    .execute(tx)
    .await?;
    Ok(done.rows_affected() == 1)
}

/// Deletes a batch of ceremonies whose time is over.
pub(super) async fn prune_in_tx(tx: &mut Tx, now: DateTime<Utc>) -> Result<u64, sqlx::Error> {
    let done = sqlx::query!(
        "DELETE FROM used_ceremonies WHERE digest IN (
             SELECT digest FROM used_ceremonies WHERE expires_at <= $1
             ORDER BY expires_at LIMIT $2 FOR UPDATE SKIP LOCKED)",
        now,
        PRUNE_BATCH,
    )
    .execute(tx)
    .await?;
    Ok(done.rows_affected())
}
