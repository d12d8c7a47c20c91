//! The SQL of guesses.

use adfolio_kit::db::{Pool, Tx};
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

/// A row of `guesses`.
macro_rules! row {
    ($row:ident) => {
        Row {
            scope: $row.scope,
            counter: Counter {
                began_at: $row.began_at,
                failures: $row.failures,
                pending: $row.pending,
            },
        }
    };
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

/// Reads the counters of the scopes that are there, as they are at this moment.
pub async fn find(pool: &Pool, scopes: &Scopes) -> Result<Vec<Row>, sqlx::Error> {
    sqlx::query!(
        "SELECT scope, began_at, failures, pending FROM guesses WHERE scope = ANY ($1)",
        &digests(scopes),
    )
    .map(|row| row!(row))
    .fetch_all(pool)
    .await
}

/// Locks the counters of the scopes that are there (in ascending order) and reads them.
pub async fn lock_in_tx(tx: &mut Tx, scopes: &Scopes) -> Result<Vec<Row>, sqlx::Error> {
    sqlx::query!(
        "SELECT scope, began_at, failures, pending FROM guesses WHERE scope = ANY ($1) ORDER BY scope FOR UPDATE",
        &digests(scopes),
    )
    .map(|row| row!(row))
    .fetch_all(tx)
    .await
}

/// Writes locked counters back, in one statement: everybody behind an address waits for it.
pub async fn save_in_tx(tx: &mut Tx, rows: &[Row]) -> Result<(), sqlx::Error> {
    let scopes: Vec<Vec<u8>> = rows.iter().map(|row| row.scope.clone()).collect();
    let began_at: Vec<DateTime<Utc>> = rows.iter().map(|row| row.counter.began_at).collect();
    let failures: Vec<i32> = rows.iter().map(|row| row.counter.failures).collect();
    let pending: Vec<i32> = rows.iter().map(|row| row.counter.pending).collect();
    sqlx::query!(
        "UPDATE guesses g SET began_at = n.began_at, failures = n.failures, pending = n.pending
         FROM unnest($1::bytea[], $2::timestamptz[], $3::integer[], $4::integer[])
              AS n (scope, began_at, failures, pending)
         WHERE g.scope = n.scope",
        &scopes,
        &began_at,
        &failures,
        &pending,
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
