//! The SQL of login attempts.

use adfolio_kit::db::Tx;
use chrono::{DateTime, Utc};

use super::entity::{Attempts, Scopes};

/// Rows that one pruning statement deletes at most.
const PRUNE_BATCH: i64 = 1000;

/// One counter.
#[derive(Debug)]
pub struct Row {
    /// What it counts.
    pub scope: Vec<u8>,
    pub attempts: Attempts,
}

/// Locks the counters of the scopes (in ascending order) and reads them; missing ones begin at zero.
pub async fn lock_in_tx(
    tx: &mut Tx,
    scopes: &Scopes,
    now: DateTime<Utc>,
) -> Result<Vec<Row>, sqlx::Error> {
    let account = &scopes.account[..];
    let scopes = digests(scopes);
    sqlx::query!(
        "INSERT INTO login_attempts (scope, failures, last_attempt_at, account)
         SELECT scope, 0, $2, $3 FROM unnest($1::bytea[]) AS scope ORDER BY scope
         ON CONFLICT DO NOTHING",
        &scopes,
        now,
        account,
    )
    .execute(&mut *tx)
    .await?;
    let rows = sqlx::query!(
        "SELECT scope, failures, last_attempt_at, locked_until FROM login_attempts
         WHERE scope = ANY ($1) ORDER BY scope FOR UPDATE",
        &scopes,
    )
    .fetch_all(tx)
    .await?;
    Ok(rows
        .into_iter()
        .map(|row| Row {
            scope: row.scope,
            attempts: Attempts {
                failures: row.failures,
                last_attempt_at: row.last_attempt_at,
                locked_until: row.locked_until,
            },
        })
        .collect())
}

/// Writes a counter back.
pub async fn save_in_tx(tx: &mut Tx, row: &Row) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "UPDATE login_attempts SET failures = $2, last_attempt_at = $3, locked_until = $4 WHERE scope = $1",
        row.scope,
        row.attempts.failures,
        row.attempts.last_attempt_at,
        row.attempts.locked_until,
    )
    .execute(tx)
    .await?;
    Ok(())
}

/// Forgets the counters after a right password. They are locked first, in ascending order like everywhere.
pub async fn clear_in_tx(tx: &mut Tx, scopes: &Scopes) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "DELETE FROM login_attempts WHERE scope IN (
             SELECT scope FROM login_attempts WHERE scope = ANY ($1) ORDER BY scope FOR UPDATE)",
        &digests(scopes),
    )
    .execute(tx)
    .await?;
    Ok(())
}

/// Forgets all counters of an account; answers how many. They are locked first, in ascending order like everywhere.
pub async fn clear_account_in_tx(tx: &mut Tx, account: &[u8; 32]) -> Result<u64, sqlx::Error> {
    let done = sqlx::query!(
        "DELETE FROM login_attempts WHERE scope IN (
             SELECT scope FROM login_attempts WHERE account = $1 OR scope = $1 ORDER BY scope FOR UPDATE)",
        &account[..],
    )
    .execute(tx)
    .await?;
    Ok(done.rows_affected())
}

/// Deletes counters that no longer count.
pub async fn prune_in_tx(
    tx: &mut Tx,
    before: DateTime<Utc>,
    now: DateTime<Utc>,
) -> Result<u64, sqlx::Error> {
    let done = sqlx::query!(
        "DELETE FROM login_attempts WHERE scope IN (
             SELECT scope FROM login_attempts
             WHERE last_attempt_at < $1 AND (locked_until IS NULL OR locked_until < $2)
             ORDER BY last_attempt_at LIMIT $3 FOR UPDATE SKIP LOCKED)",
        before,
        now,
        PRUNE_BATCH,
    )
    .execute(tx)
    .await?;
    Ok(done.rows_affected())
}

fn digests(scopes: &Scopes) -> Vec<Vec<u8>> {
    let counters = scopes.counters().iter();
    counters.map(|(scope, _)| scope.to_vec()).collect()
}
