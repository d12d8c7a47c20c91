//! Events that were sent, kept for the case of a restore.
//!
//! A restore takes the databases to one point, and the broker to none: it is emptied, for it knows of events whose transactions
//! do not exist any more. An event that had been confirmed by then and had not taken effect yet would be lost. So what is sent is
//! kept for a while, and goes back to the outbox when the relay sees that the database has another history than the one in which
//! it was sent: after a restore, and after another server took over, which may not have had the last transactions. Consumers
//! drop what they know by its id.
//!
//! Before anything is sent in the new history, all consumers must be there: the emptied broker has no queue until its consumer
//! has declared it, and would take what nobody is bound for.
//!
//! Whoever is behind by more than the time that events are kept may miss some after a restore.

use std::time::Duration;

use sqlx::PgPool;
use tracing::{info, warn};

use super::repo;
use crate::db::{self, Tx};

/// Rows that one transaction puts back at most.
const PUT_BACK_BATCH: i64 = 5000;

/// Rows that one pruning statement deletes at most.
const PRUNE_BATCH: i64 = 5000;

/// Statements of one pruning run at most: with [`PRUNE_BATCH`] far more than a relay sends between two runs.
const PRUNE_ROUNDS: u32 = 200;

/// Puts some of what was sent back into the outbox, and takes note of the database's history with the last; false when another
/// replica is at it.
pub(super) async fn put_back_batch_in_tx(tx: &mut Tx) -> Result<bool, sqlx::Error> {
    if !repo::try_lock_in_tx(tx).await? {
        return Ok(false);
    }
    if repo::is_history_known_in_tx(tx).await? {
        return Ok(true);
    }
    let count = repo::put_back_in_tx(tx, PUT_BACK_BATCH).await?;
    metrics::counter!("outbox_put_back_total").increment(count);
    if count > 0 {
        warn!(count, "restored database: events are sent again");
    }
    if count < PUT_BACK_BATCH.unsigned_abs() {
        repo::note_history_in_tx(tx).await?;
        info!("events are sent in a new history of the database");
    }
    Ok(true)
}

/// Forgets what was sent longer ago than `age`, in batches that hold no lock for long.
pub async fn prune_sent(pool: &PgPool, age: Duration) -> Result<u64, sqlx::Error> {
    let mut deleted: u64 = 0;
    for _ in 0..PRUNE_ROUNDS {
        let batch = db::write(pool, move |tx| {
            Box::pin(repo::prune_sent_in_tx(tx, age, PRUNE_BATCH))
        });
        let batch = batch.await?;
        deleted = deleted.saturating_add(batch);
        if batch < PRUNE_BATCH.unsigned_abs() {
            break;
        }
    }
    Ok(deleted)
}
