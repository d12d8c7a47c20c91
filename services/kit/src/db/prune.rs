//! Deleting what has expired.

use futures::future::BoxFuture;
use sqlx::postgres::PgQueryResult;

use super::{Pool, Tx, write};

/// How much one run deletes at most.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PruneLimits {
    /// Rows of one statement.
    pub(crate) batch: i64,
    /// Statements.
    pub(crate) rounds: u32,
}

impl Default for PruneLimits {
    fn default() -> Self {
        Self {
            batch: 1000,
            rounds: 100,
        }
    }
}

/// Runs `delete` with the size of a batch until a batch is not full; returns how many rows are
/// gone. Each batch is a transaction of its own, so no lock is held for long.
pub(crate) async fn prune<F>(
    pool: &Pool,
    limits: PruneLimits,
    delete: F,
) -> Result<u64, sqlx::Error>
where
    F: for<'t> Fn(&'t mut Tx, i64) -> BoxFuture<'t, Result<PgQueryResult, sqlx::Error>>
        + Clone
        + Send
        + 'static,
{
    let mut deleted: u64 = 0;
    for _ in 0..limits.rounds {
        let delete = delete.clone();
        let batch = write(pool, move |tx| delete(tx, limits.batch)).await?;
        deleted = deleted.saturating_add(batch.rows_affected());
        if batch.rows_affected() < limits.batch.unsigned_abs() {
            break;
        }
    }
    Ok(deleted)
}

/// Deletes rows older than `$age` from a table in batches, by its key and the column of their time.
#[rustfmt::skip]
macro_rules! prune_older {
    ($pool:ident, $age:ident, $table:literal ($key:literal), $time:literal) => {
        $crate::db::prune($pool, $crate::db::PruneLimits::default(), move |tx, limit| {
            let deleted = sqlx::query!(
                "DELETE FROM " + $table + " WHERE (" + $key + ") IN (
             SELECT " + $key + " FROM " + $table + "
             WHERE " + $time + " < now() - make_interval(secs => $1)
             ORDER BY " + $time + " LIMIT $2 FOR UPDATE SKIP LOCKED)",
                $age.as_secs_f64(),
                limit
            );
            Box::pin(deleted.execute(tx))
        })
        .await
    };
}
pub(crate) use prune_older;
