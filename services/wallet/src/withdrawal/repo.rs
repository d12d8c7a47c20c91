//! Reads of withdrawals. They are written with the postings alone, by `posting/write.sql`.

use adfolio_kit::db::Pool;
use adfolio_kit::identity::UserId;
use adfolio_kit::metrics::InState;
use adfolio_kit::pagination::bound;
use sqlx::PgConnection;
use uuid::Uuid;

use super::Filter;
use super::entity::{Status, Withdrawal};
use crate::destination::entity::Method;
use crate::destination::seal::Sealed;
use crate::ids::{PaymentBatchId, StaffId, WithdrawalId};
use crate::pending::pending;

/// Reads whole withdrawals: `withdrawals!("WHERE …", arguments)`.
macro_rules! withdrawals {
    ($rest:literal $(, $argument:expr)* $(,)?) => {
        sqlx::query!(
            r#"SELECT id, user_id, amount, fee, method AS "method!: Method", status AS "status!: Status", reason,
                      requested_at, decided_at, key_id, sealed, payment_batch_id, take_out_asked_by
               FROM withdrawals "# + $rest
            $(, $argument)*
        )
        .map(|row| Withdrawal {
            id: WithdrawalId(row.id),
            user_id: UserId(row.user_id),
            amount: row.amount,
            fee: row.fee,
            method: row.method,
            status: row.status,
            reason: row.reason,
            requested_at: row.requested_at,
            decided_at: row.decided_at,
            sealed: Sealed {
                key_id: row.key_id,
                bytes: row.sealed,
            },
            payment_batch_id: row.payment_batch_id.map(PaymentBatchId),
            take_out_asked_by: row.take_out_asked_by.map(StaffId),
        })
    };
}

/// A page, newest first. A statement for each set of conditions, so that each has the plan of its own index; compared
/// and ordered by all of that index: with an equality, the planner may walk another index and filter.
pub(super) async fn list(
    pool: &Pool,
    filter: Filter,
    before: Option<WithdrawalId>,
    limit: i64,
) -> Result<Vec<Withdrawal>, sqlx::Error> {
    let before = bound(before);
    match (filter.user_id, filter.status) {
        (None, None) => {
            withdrawals!("WHERE id < $1 ORDER BY id DESC LIMIT $2", before, limit)
                .fetch_all(pool)
                .await
        }
        (None, Some(status)) => {
            withdrawals!(
                "WHERE (status, id) < ($1, $2) AND (status, id) > ($1, $4) ORDER BY status DESC, id DESC LIMIT $3",
                status as Status,
                before,
                limit,
                Uuid::nil()
            )
            .fetch_all(pool)
            .await
        }
        (Some(user_id), None) => {
            withdrawals!(
                "WHERE (user_id, id) < ($1, $2) AND (user_id, id) > ($1, $4) ORDER BY user_id DESC, id DESC LIMIT $3",
                user_id.0,
                before,
                limit,
                Uuid::nil()
            )
            .fetch_all(pool)
            .await
        }
        (Some(user_id), Some(status)) => {
            withdrawals!(
                "WHERE (user_id, status, id) < ($1, $2, $3) AND (user_id, status, id) > ($1, $2, $5)
                 ORDER BY user_id DESC, status DESC, id DESC LIMIT $4",
                user_id.0,
                status as Status,
                before,
                limit,
                Uuid::nil()
            )
            .fetch_all(pool)
            .await
        }
    }
}

pub(super) async fn find(pool: &Pool, id: WithdrawalId) -> Result<Option<Withdrawal>, sqlx::Error> {
    withdrawals!("WHERE id = $1", id.0)
        .fetch_optional(pool)
        .await
}

/// Those of these ids that there are.
pub async fn find_all(
    connection: &mut PgConnection,
    ids: &[Uuid],
) -> Result<Vec<Withdrawal>, sqlx::Error> {
    withdrawals!("WHERE id = ANY ($1)", ids)
        .fetch_all(connection)
        .await
}

/// What is in a payment batch, in order of id. A batch has at most 500.
pub(super) async fn in_batch(
    pool: &Pool,
    batch: PaymentBatchId,
) -> Result<Vec<Withdrawal>, sqlx::Error> {
    withdrawals!("WHERE payment_batch_id = $1 ORDER BY id", batch.0)
        .fetch_all(pool)
        .await
}

/// A page of what is in a payment batch, newest first.
pub(super) async fn list_in_batch(
    pool: &Pool,
    batch: PaymentBatchId,
    before: Option<WithdrawalId>,
    limit: i64,
) -> Result<Vec<Withdrawal>, sqlx::Error> {
    withdrawals!(
        "WHERE (payment_batch_id, id) < ($1, $2) AND (payment_batch_id, id) > ($1, $4)
         ORDER BY payment_batch_id DESC, id DESC LIMIT $3",
        batch.0,
        bound(before),
        limit,
        Uuid::nil()
    )
    .fetch_all(pool)
    .await
}

/// What was asked for under a key, and the withdrawal that came of it.
pub(super) async fn find_by_key(
    pool: &Pool,
    key: &str,
) -> Result<Option<(Vec<u8>, WithdrawalId)>, sqlx::Error> {
    sqlx::query!(
        r#"SELECT request_digest AS "request_digest!", reference AS "reference!"
           FROM transactions WHERE idempotency_key = $1 AND type = 'withdraw'"#,
        key
    )
    .map(|row| (row.request_digest, WithdrawalId(row.reference)))
    .fetch_optional(pool)
    .await
}

/// The requests that staff have not decided.
pub(super) async fn waiting(pool: &Pool) -> Result<Vec<InState>, sqlx::Error> {
    pending!(pool, "withdrawals WHERE status = 'pending'")
}
