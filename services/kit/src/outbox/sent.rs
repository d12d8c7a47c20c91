//! Sent events, kept for the case of a restore.
//!
//! A restore rewinds the databases but not the broker, which is emptied: it holds events of
//! transactions that no longer exist. An event that was confirmed but not yet applied would be
//! lost. So sent events are kept for a while. They go back to the outbox when the relay finds that
//! the database has another history than the one they were sent in: after a restore, and after a
//! failover, which may have lost the last transactions. Consumers drop duplicates by id.
//!
//! Before anything is sent in the new history, all consumers must exist: the emptied broker has no
//! queue until its consumer has declared it, and would accept unroutable events.
//!
//! A consumer whose lag exceeds the time that events are kept may miss some after a restore.

use std::time::Duration;

use futures::FutureExt as _;
use sqlx::PgPool;
use tracing::{info, warn};

use super::repo;
use crate::db::{self, PruneLimits, Tx};

/// Most rows that one transaction puts back.
const PUT_BACK_BATCH: i64 = 5000;

/// Far more than a relay sends between two runs.
const PRUNE: PruneLimits = PruneLimits {
    batch: 5000,
    rounds: 200,
};

/// Puts a batch of sent events back into the outbox, and records the database's history with the
/// last one; false if another replica is doing so.
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
        repo::record_history_in_tx(tx).await?;
        info!("events are sent in a new history of the database");
    }
    Ok(true)
}

/// Deletes events sent longer ago than `age` in batches, so that no lock is held for long.
pub async fn prune_sent(pool: &PgPool, age: Duration) -> Result<u64, sqlx::Error> {
    db::prune(pool, PRUNE, move |tx, limit| {
        repo::prune_sent_in_tx(tx, age, limit).boxed()
    })
    .await
}
