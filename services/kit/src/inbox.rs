//! The inbox: the events that a consumer has applied.

use std::collections::HashSet;
use std::time::Duration;

use uuid::Uuid;

use crate::db::{self, Pool, Tx};

/// How long an event is remembered: far longer than a broker or a relay can delay one.
pub const EVENT_LIFETIME: Duration = Duration::from_hours(7 * 24);

/// Records that `consumer` applies the event; false if it did before. A concurrent duplicate waits
/// for the transaction of the first.
pub async fn record_in_tx(
    tx: &mut Tx,
    consumer: &str,
    event_id: Uuid,
) -> Result<bool, sqlx::Error> {
    let inserted = sqlx::query!(
        "INSERT INTO inbox (consumer, event_id) VALUES ($1, $2) ON CONFLICT DO NOTHING",
        consumer,
        event_id
    )
    .execute(tx)
    .await?;
    Ok(inserted.rows_affected() == 1)
}

/// Records that `consumer` applies these events; returns those that it did not apply before.
pub(crate) async fn record_all_in_tx(
    tx: &mut Tx,
    consumer: &str,
    event_ids: &[Uuid],
) -> Result<HashSet<Uuid>, sqlx::Error> {
    let inserted = sqlx::query_scalar!(
        "INSERT INTO inbox (consumer, event_id) SELECT $1, unnest($2::uuid[])
         ON CONFLICT DO NOTHING RETURNING event_id",
        consumer,
        event_ids
    )
    .fetch_all(tx)
    .await?;
    Ok(inserted.into_iter().collect())
}

/// Deletes events older than `age` in batches, so that no lock is held for long.
pub async fn prune(pool: &Pool, age: Duration) -> Result<u64, sqlx::Error> {
    db::prune_older!(pool, age, "inbox"("consumer, event_id"), "received_at")
}
