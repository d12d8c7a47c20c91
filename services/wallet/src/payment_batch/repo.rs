//! The SQL of payment batches. What a posting reads of a withdrawal changes only together with its user's wallet.

use adfolio_kit::db::Pool;
use adfolio_kit::db::Tx;
use adfolio_kit::metrics::COUNTED_AT_MOST;
use adfolio_kit::pagination::bound;
use chrono::{DateTime, Utc};
use sqlx::PgConnection;
use uuid::Uuid;

use super::entity::{Batch, ShownState, State};
use crate::destination::entity::Method;
use crate::ids::{PaymentBatchId, StaffId, WithdrawalId};

/// Reads batches with the figures of what is in them: `batches!("WHERE …", arguments)`.
macro_rules! batches {
    ($rest:literal $(, $argument:expr)* $(,)?) => {
        sqlx::query!(
            r#"SELECT b.id, b.method AS "method!: Method", b.state AS "state!: State", b.reason, b.proposed_by,
                      b.proposed_at, b.decided_by, b.decided_at, inside.count AS "count!", inside.paid AS "paid!",
                      inside.payout AS "payout!"
               FROM payment_batches b
               CROSS JOIN LATERAL (
                   SELECT count(*) AS count, count(*) FILTER (WHERE status = 'paid') AS paid,
                          coalesce(sum(amount - fee), 0)::bigint AS payout
                   FROM withdrawals WHERE payment_batch_id = b.id
               ) AS inside "# + $rest
            $(, $argument)*
        )
        .map(|row| Batch {
            id: PaymentBatchId(row.id),
            method: row.method,
            state: row.state,
            reason: row.reason,
            proposed_by: StaffId(row.proposed_by),
            proposed_at: row.proposed_at,
            decided: row.decided_by.map(StaffId).zip(row.decided_at),
            count: row.count,
            paid_count: row.paid,
            payout: row.payout,
        })
    };
}

pub(super) async fn find(
    connection: &mut PgConnection,
    id: PaymentBatchId,
) -> Result<Option<Batch>, sqlx::Error> {
    batches!("WHERE b.id = $1", id.0)
        .fetch_optional(connection)
        .await
}

/// Locks a batch against other decisions about it.
pub(super) async fn lock_in_tx(
    tx: &mut Tx,
    id: PaymentBatchId,
) -> Result<Option<Batch>, sqlx::Error> {
    sqlx::query!("SELECT FROM payment_batches WHERE id = $1 FOR UPDATE", id.0)
        .execute(&mut *tx)
        .await?;
    find(tx, id).await
}

/// A page of batches, newest first.
pub(super) async fn list(
    pool: &Pool,
    state: Option<ShownState>,
    before: Option<PaymentBatchId>,
    limit: i64,
) -> Result<Vec<Batch>, sqlx::Error> {
    let before = bound(before);
    let Some(state) = state else {
        return batches!("WHERE b.id < $1 ORDER BY b.id DESC LIMIT $2", before, limit)
            .fetch_all(pool)
            .await;
    };
    batches!(
        "WHERE b.id < $1
           AND CASE WHEN b.state <> 'released' THEN b.state::text
                    WHEN inside.count = 0 THEN 'dissolved'
                    WHEN inside.paid = inside.count THEN 'paid'
                    ELSE 'released' END = $3
         ORDER BY b.id DESC LIMIT $2",
        before,
        limit,
        state.as_str()
    )
    .fetch_all(pool)
    .await
}

pub(super) async fn insert_in_tx(tx: &mut Tx, batch: &Batch) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "INSERT INTO payment_batches (id, method, reason, proposed_by, proposed_at) VALUES ($1, $2, $3, $4, $5)",
        batch.id.0,
        batch.method as Method,
        batch.reason,
        batch.proposed_by.0,
        batch.proposed_at,
    )
    .execute(tx)
    .await
    .map(|_| ())
}

pub(super) async fn decide_in_tx(
    tx: &mut Tx,
    id: PaymentBatchId,
    state: State,
    (by, at): (StaffId, DateTime<Utc>),
    reason: &str,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "UPDATE payment_batches SET state = $2, decided_by = $3, decided_at = $4, decision_reason = $5 WHERE id = $1",
        id.0,
        state as State,
        by.0,
        at,
        reason
    )
    .execute(tx)
    .await
    .map(|_| ())
}

/// Locks the wallets of withdrawals in order of id, as postings do, and makes postings that have read them read them
/// again. Answers how many of the withdrawals there are, and whether any of the wallets is frozen.
pub(super) async fn lock_wallets_in_tx(
    tx: &mut Tx,
    withdrawals: &[Uuid],
) -> Result<(i64, bool), sqlx::Error> {
    let users = sqlx::query_scalar!(
        "SELECT user_id FROM withdrawals WHERE id = ANY ($1)",
        withdrawals
    )
    .fetch_all(&mut *tx)
    .await?;
    let frozen = sqlx::query_scalar!(
        r#"WITH locked AS (
               SELECT user_id FROM wallets WHERE user_id = ANY ($1) ORDER BY user_id FOR UPDATE
           )
           UPDATE wallets w SET seq = w.seq FROM locked WHERE w.user_id = locked.user_id
           RETURNING w.frozen_at IS NOT NULL AS "is_frozen!""#,
        &users
    )
    .fetch_all(tx)
    .await?;
    let count = i64::try_from(users.len()).unwrap_or(i64::MAX);
    Ok((count, frozen.contains(&true)))
}

/// The ids of what is in a batch, in order of id.
pub(super) async fn withdrawals_in_tx(
    tx: &mut Tx,
    id: PaymentBatchId,
) -> Result<Vec<Uuid>, sqlx::Error> {
    sqlx::query_scalar!(
        "SELECT id FROM withdrawals WHERE payment_batch_id = $1 ORDER BY id",
        id.0
    )
    .fetch_all(tx)
    .await
}

/// Puts pending withdrawals of a method into a batch; how many could be. Their wallets must be locked.
pub(super) async fn put_in_tx(
    tx: &mut Tx,
    batch: PaymentBatchId,
    method: Method,
    withdrawals: &[Uuid],
) -> Result<u64, sqlx::Error> {
    let put = sqlx::query!(
        "UPDATE withdrawals SET payment_batch_id = $1
         WHERE id = ANY ($3) AND method = $2 AND status = 'pending' AND payment_batch_id IS NULL",
        batch.0,
        method as Method,
        withdrawals
    )
    .execute(tx)
    .await?;
    Ok(put.rows_affected())
}

/// Takes pending withdrawals out of their batch. Their wallets must be locked.
pub(super) async fn take_out_in_tx(tx: &mut Tx, withdrawals: &[Uuid]) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "UPDATE withdrawals SET payment_batch_id = NULL, take_out_asked_by = NULL
         WHERE id = ANY ($1) AND status = 'pending'",
        withdrawals
    )
    .execute(tx)
    .await
    .map(|_| ())
}

/// Keeps who asked to take a withdrawal out of its batch. Its wallet must be locked.
pub(super) async fn ask_in_tx(
    tx: &mut Tx,
    id: WithdrawalId,
    by: StaffId,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "UPDATE withdrawals SET take_out_asked_by = $2 WHERE id = $1",
        id.0,
        by.0
    )
    .execute(tx)
    .await
    .map(|_| ())
}

/// Counts batches with withdrawals that are not paid, with the time of the oldest proposal.
pub(super) async fn count_unpaid(pool: &Pool) -> Result<(i64, Option<DateTime<Utc>>), sqlx::Error> {
    sqlx::query!(
        r#"SELECT count(*) AS "count!", min(proposed_at) AS oldest_at
           FROM payment_batches
           WHERE id IN (SELECT payment_batch_id FROM withdrawals
                        WHERE status = 'pending' AND payment_batch_id IS NOT NULL LIMIT $1)"#,
        COUNTED_AT_MOST
    )
    .map(|row| (row.count, row.oldest_at))
    .fetch_one(pool)
    .await
}
