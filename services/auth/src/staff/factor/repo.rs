//! The SQL of second factors. Who writes holds the lock on the member's row.

use adfolio_kit::db::{Pool, Tx};
use chrono::{DateTime, Utc};

use super::Factor;
use crate::ids::StaffId;

/// Whether a member has a second factor, active or not.
pub async fn is_enrolled(pool: &Pool, id: StaffId) -> Result<bool, sqlx::Error> {
    sqlx::query_scalar!(
        r#"SELECT EXISTS (SELECT FROM staff WHERE id = $1 AND factor_secret IS NOT NULL) AS "enrolled!""#,
        id.0
    )
    .fetch_one(pool)
    .await
}

/// A member's second factor, active or not.
pub async fn find_in_tx(tx: &mut Tx, id: StaffId) -> Result<Option<Factor>, sqlx::Error> {
    let row = sqlx::query!(
        "SELECT factor_secret, factor_confirmed_at, factor_last_step FROM staff WHERE id = $1",
        id.0
    )
    .fetch_optional(tx)
    .await?;
    Ok(row.and_then(|row| {
        Some(Factor {
            sealed: row.factor_secret?,
            is_active: row.factor_confirmed_at.is_some(),
            last_step: row.factor_last_step,
        })
    }))
}

/// Stores a second factor that is not active, in place of an earlier one.
pub async fn replace_in_tx(
    tx: &mut Tx,
    id: StaffId,
    sealed: Option<&[u8]>,
    code_hashes: &[[u8; 32]],
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "UPDATE staff SET factor_secret = $2, factor_confirmed_at = NULL, factor_last_step = NULL WHERE id = $1",
        id.0,
        sealed,
    )
    .execute(&mut *tx)
    .await?;
    sqlx::query!("DELETE FROM staff_recovery_codes WHERE staff_id = $1", id.0)
        .execute(&mut *tx)
        .await?;
    let hashes: Vec<Vec<u8>> = code_hashes.iter().map(|hash| hash.to_vec()).collect();
    sqlx::query!(
        "INSERT INTO staff_recovery_codes (staff_id, code_hash) SELECT $1, hash FROM unnest($2::bytea[]) AS hash",
        id.0,
        &hashes,
    )
    .execute(tx)
    .await?;
    Ok(())
}

/// Activates a second factor.
pub async fn activate_in_tx(
    tx: &mut Tx,
    id: StaffId,
    now: DateTime<Utc>,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "UPDATE staff SET factor_confirmed_at = $2 WHERE id = $1",
        id.0,
        now
    )
    .execute(tx)
    .await?;
    Ok(())
}

/// Uses up a time step and all before; false if that has happened.
pub async fn use_step_in_tx(tx: &mut Tx, id: StaffId, step: i64) -> Result<bool, sqlx::Error> {
    let done = sqlx::query!(
        "UPDATE staff SET factor_last_step = $2
         WHERE id = $1 AND (factor_last_step IS NULL OR factor_last_step < $2)",
        id.0,
        step,
    )
    .execute(tx)
    .await?;
    Ok(done.rows_affected() == 1)
}

/// Uses up a recovery code; false if there is no such code, or it was used.
pub async fn use_recovery_code_in_tx(
    tx: &mut Tx,
    id: StaffId,
    code_hash: &[u8; 32],
    now: DateTime<Utc>,
) -> Result<bool, sqlx::Error> {
    let done = sqlx::query!(
        "UPDATE staff_recovery_codes SET used_at = $3 WHERE staff_id = $1 AND code_hash = $2 AND used_at IS NULL",
        id.0,
        &code_hash[..],
        now,
    )
    .execute(tx)
    .await?;
    Ok(done.rows_affected() == 1)
}

/// Members behind `after` with a second factor, in order of id, and what is sealed of each.
pub async fn lock_sealed_in_tx(
    tx: &mut Tx,
    after: StaffId,
    limit: i64,
) -> Result<Vec<(StaffId, Vec<u8>)>, sqlx::Error> {
    let rows = sqlx::query!(
        r#"SELECT id, factor_secret AS "sealed!" FROM staff WHERE id > $1 AND factor_secret IS NOT NULL
           ORDER BY id LIMIT $2 FOR NO KEY UPDATE"#,
        after.0,
        limit,
    )
    .fetch_all(tx)
    .await?;
    Ok(rows
        .into_iter()
        .map(|row| (StaffId(row.id), row.sealed))
        .collect())
}

/// Stores the same secret, sealed anew.
pub async fn reseal_in_tx(tx: &mut Tx, id: StaffId, sealed: &[u8]) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "UPDATE staff SET factor_secret = $2 WHERE id = $1",
        id.0,
        sealed
    )
    .execute(tx)
    .await?;
    Ok(())
}
