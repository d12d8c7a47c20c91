//! The SQL of guesses.

use adfolio_kit::db::Tx;
use chrono::{DateTime, Utc};

use super::entity::{Counter, Scopes};

/// Rows that one pruning statement deletes at most.
const PRUNE_BATCH: i64 = 1000;

/// One counter.
#[derive(Debug)]
pub struct Row {
    /// What it counts.
    pub scope: Vec<u8>,
    pub counter: Counter,
}

/// Locks the counters of the scopes (in ascending order) and reads them; missing ones begin at zero.
pub async fn lock_or_add_in_tx(
    tx: &mut Tx,
    scopes: &Scopes,
    now: DateTime<Utc>,
) -> Result<Vec<Row>, sqlx::Error> {
    sqlx::query!(
        "INSERT INTO guesses (scope, began_at, failures, pending)
         SELECT scope, $2, 0, 0 FROM unnest($1::bytea[]) AS scope ORDER BY scope
         ON CONFLICT DO NOTHING",
        &digests(scopes),
        now,
    )
    .execute(&mut *tx)
    .await?;
    lock_in_tx(tx, scopes).await
}

/// Locks the counters of the scopes that are there (in ascending order) and reads them.
pub async fn lock_in_tx(tx: &mut Tx, scopes: &Scopes) -> Result<Vec<Row>, sqlx::Error> {
    let rows = sqlx::query!(
        "SELECT scope, began_at, failures, pending FROM guesses WHERE scope = ANY ($1) ORDER BY scope FOR UPDATE",
        &digests(scopes),
    )
    .fetch_all(tx)
    .await?;
    Ok(rows
        .into_iter()
        .map(|row| Row {
            scope: row.scope,
            counter: Counter {
                began_at: row.began_at,
                failures: row.failures,
                pending: row.pending,
            },
        })
        .collect())
}

/// Writes a counter back.
pub async fn save_in_tx(tx: &mut Tx, row: &Row) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "UPDATE guesses SET began_at = $2, failures = $3, pending = $4 WHERE scope = $1",
        row.scope,
        row.counter.began_at,
        row.counter.failures,
        row.counter.pending,
    )
    .execute(tx)
    .await?;
    Ok(())
}

/// Deletes a batch of counters whose hour began before `before`.
pub async fn prune_in_tx(tx: &mut Tx, before: DateTime<Utc>) -> Result<u64, sqlx::Error> {
    let done = sqlx::query!(
        "DELETE FROM guesses WHERE scope IN (
             SELECT scope FROM guesses WHERE began_at < $1 ORDER BY began_at LIMIT $2 FOR UPDATE SKIP LOCKED)",
        before,
        PRUNE_BATCH,
    )
    .execute(tx)
    .await?;
    Ok(done.rows_affected())
}

fn digests(scopes: &Scopes) -> Vec<Vec<u8>> {
    scopes.iter().map(|scope| scope.digest.to_vec()).collect()
}
