//! The inbox: which events a consumer has taken effect of.

use std::time::Duration;

use sqlx::PgPool;
use uuid::Uuid;

use crate::db::{self, Tx};

/// How long an event is remembered: far longer than a broker or a relay can hold one back.
pub const EVENT_LIFETIME: Duration = Duration::from_hours(7 * 24);

/// Rows that one pruning statement deletes at most.
const PRUNE_BATCH: i64 = 1000;

/// Statements of one pruning run at most.
const PRUNE_ROUNDS: u32 = 100;

/// Records that `consumer` takes effect of the event; false when it did before. A concurrent second delivery waits for
/// the transaction of the first.
pub async fn record_in_tx(
    tx: &mut Tx,
    consumer: &str,
    event_id: Uuid,
) -> Result<bool, sqlx::Error> {
    let inserted = sqlx::query(
        "INSERT INTO inbox (consumer, event_id) VALUES ($1, $2) ON CONFLICT DO NOTHING",
    )
    .bind(consumer)
    .bind(event_id)
    .execute(tx)
    .await?;
    Ok(inserted.rows_affected() == 1)
}

/// Forgets events past their lifetime, in batches that hold no lock for long.
pub async fn prune(pool: &PgPool) -> Result<u64, sqlx::Error> {
    prune_older_than(pool, EVENT_LIFETIME).await
}

/// Forgets events older than `age`.
pub async fn prune_older_than(pool: &PgPool, age: Duration) -> Result<u64, sqlx::Error> {
    let mut deleted: u64 = 0;
    for _ in 0..PRUNE_ROUNDS {
        let batch = db::write(pool, move |tx| Box::pin(prune_batch_in_tx(tx, age))).await?;
        deleted = deleted.saturating_add(batch);
        if batch < PRUNE_BATCH.unsigned_abs() {
            break;
        }
    }
    Ok(deleted)
}

async fn prune_batch_in_tx(tx: &mut Tx, age: Duration) -> Result<u64, sqlx::Error> {
    let done = sqlx::query(
        "DELETE FROM inbox WHERE (consumer, event_id) IN (
             SELECT consumer, event_id FROM inbox
             WHERE received_at < now() - make_interval(secs => $1)
             ORDER BY received_at LIMIT $2 FOR UPDATE SKIP LOCKED)",
    )
    .bind(age.as_secs_f64())
    .bind(PRUNE_BATCH)
    .execute(tx)
    .await?;
    Ok(done.rows_affected())
}
