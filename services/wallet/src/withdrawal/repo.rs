//! Reads of withdrawals. They are written with the postings, by `post_commands` alone.

use adfolio_kit::metrics::{COUNTED_AT_MOST, InState};
use sqlx::PgPool;
use uuid::Uuid;

use super::entity::{Status, Withdrawal};
use crate::destination::entity::Method;
use crate::destination::seal::Sealed;

/// Which withdrawals, newest first.
#[derive(Clone, Copy, Debug)]
pub(super) struct Selection {
    pub(super) user_id: Option<Uuid>,
    pub(super) status: Option<Status>,
    /// Only those before this one.
    pub(super) before: Option<Uuid>,
    pub(super) limit: i64,
}

struct Row {
    id: Uuid,
    user_id: Uuid,
    amount: i64,
    fee: i64,
    method: Method,
    status: Status,
    reason: String,
    requested_at: chrono::DateTime<chrono::Utc>,
    decided_at: Option<chrono::DateTime<chrono::Utc>>,
    key_id: String,
    sealed: Vec<u8>,
}

impl From<Row> for Withdrawal {
    fn from(row: Row) -> Self {
        Self {
            id: row.id,
            user_id: row.user_id,
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
        }
    }
}

/// A page. A statement for each set of conditions, so that each has the plan of its own index; compared and ordered by all of
/// that index, for with an equality the planner may walk another index and leave out what does not fit.
pub(super) async fn list(
    pool: &PgPool,
    selection: Selection,
) -> Result<Vec<Withdrawal>, sqlx::Error> {
    let before = selection.before.unwrap_or(Uuid::max());
    let limit = selection.limit;
    let rows = match (selection.user_id, selection.status) {
        (None, None) => {
            sqlx::query_as!(
                Row,
                r#"SELECT id, user_id, amount, fee, method AS "method!: Method", status AS "status!: Status", reason,
                          requested_at, decided_at, key_id, sealed
                   FROM withdrawals WHERE id < $1 ORDER BY id DESC LIMIT $2"#,
                before,
                limit
            )
            .fetch_all(pool)
            .await?
        }
        (None, Some(status)) => {
            sqlx::query_as!(
                Row,
                r#"SELECT id, user_id, amount, fee, method AS "method!: Method", status AS "status!: Status", reason,
                          requested_at, decided_at, key_id, sealed
                   FROM withdrawals WHERE (status, id) < ($1, $2) AND (status, id) > ($1, $4)
                   ORDER BY status DESC, id DESC LIMIT $3"#,
                status as Status,
                before,
                limit,
                Uuid::nil()
            )
            .fetch_all(pool)
            .await?
        }
        (Some(user_id), None) => {
            sqlx::query_as!(
                Row,
                r#"SELECT id, user_id, amount, fee, method AS "method!: Method", status AS "status!: Status", reason,
                          requested_at, decided_at, key_id, sealed
                   FROM withdrawals WHERE (user_id, id) < ($1, $2) AND (user_id, id) > ($1, $4)
                   ORDER BY user_id DESC, id DESC LIMIT $3"#,
                user_id,
                before,
                limit,
                Uuid::nil()
            )
            .fetch_all(pool)
            .await?
        }
        (Some(user_id), Some(status)) => {
            sqlx::query_as!(
                Row,
                r#"SELECT id, user_id, amount, fee, method AS "method!: Method", status AS "status!: Status", reason,
                          requested_at, decided_at, key_id, sealed
                   FROM withdrawals WHERE (user_id, status, id) < ($1, $2, $3) AND (user_id, status, id) > ($1, $2, $5)
                   ORDER BY user_id DESC, status DESC, id DESC LIMIT $4"#,
                user_id,
                status as Status,
                before,
                limit,
                Uuid::nil()
            )
            .fetch_all(pool)
            .await?
        }
    };
    Ok(rows.into_iter().map(Withdrawal::from).collect())
}

pub(super) async fn find(pool: &PgPool, id: Uuid) -> Result<Option<Withdrawal>, sqlx::Error> {
    let row = sqlx::query_as!(
        Row,
        r#"SELECT id, user_id, amount, fee, method AS "method!: Method", status AS "status!: Status", reason,
                  requested_at, decided_at, key_id, sealed
           FROM withdrawals WHERE id = $1"#,
        id
    )
    .fetch_optional(pool)
    .await?;
    Ok(row.map(Withdrawal::from))
}

/// What was asked for under a key, and the withdrawal that came of it.
pub(super) async fn find_by_key(
    pool: &PgPool,
    key: &str,
) -> Result<Option<(Vec<u8>, Uuid)>, sqlx::Error> {
    let row = sqlx::query!(
        r#"SELECT request_digest AS "request_digest!", reference AS "reference!"
           FROM transactions WHERE idempotency_key = $1 AND type = 'withdraw'"#,
        key
    )
    .fetch_optional(pool)
    .await?;
    Ok(row.map(|row| (row.request_digest, row.reference)))
}

/// What waits for staff.
pub(super) async fn waiting(pool: &PgPool) -> Result<Vec<InState>, sqlx::Error> {
    sqlx::query_as!(
        InState,
        r#"SELECT 'pending' AS "state!", count(*) AS "count!",
                  coalesce(extract(epoch FROM clock_timestamp() - min(requested_at)), 0)::float8 AS "oldest_seconds!"
           FROM (SELECT requested_at FROM withdrawals WHERE status = 'pending' ORDER BY id LIMIT $1) AS waiting"#,
        COUNTED_AT_MOST
    )
    .fetch_all(pool)
    .await
}
