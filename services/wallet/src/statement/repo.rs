//! Reads of the books for statements.

use chrono::{DateTime, Utc};
use sqlx::PgPool;
use uuid::Uuid;

use super::Row;
use crate::chain::entity::GENESIS;

/// The first number of a stretch of time, and the first behind it.
pub(super) async fn bounds(
    pool: &PgPool,
    user_id: Uuid,
    from: DateTime<Utc>,
    until: DateTime<Utc>,
) -> Result<(i64, i64), sqlx::Error> {
    let row = sqlx::query!(
        r#"SELECT first_seq_since($1, $2) AS "first!", first_seq_since($1, $3) AS "behind!""#,
        user_id,
        from,
        until
    )
    .fetch_one(pool)
    .await?;
    Ok((row.first, row.behind))
}

/// The transactions of a range of numbers, oldest first.
pub(super) async fn rows(
    pool: &PgPool,
    user_id: Uuid,
    first: i64,
    behind: i64,
) -> Result<Vec<Row>, sqlx::Error> {
    let rows = sqlx::query!(
        r#"SELECT t.seq, t.posted_at, t.id, t.type::text AS "kind!", t.available_change, t.to_be_consumed_change,
                  t.to_be_settled_change, t.withdrawing_change, t.available_after, t.to_be_consumed_after,
                  t.to_be_settled_after, t.withdrawing_after, coalesce(t.order_id, t.reference) AS reference, t.remark,
                  before.hash AS "previous_hash?", t.hash
           FROM transactions t
           LEFT JOIN transactions before ON before.user_id = t.user_id AND before.seq = t.seq - 1
           WHERE t.user_id = $1 AND t.seq >= $2 AND t.seq < $3
           ORDER BY t.seq"#,
        user_id,
        first,
        behind
    )
    .fetch_all(pool)
    .await?;
    let rows = rows.into_iter().map(|row| Row {
        seq: row.seq,
        posted_at: row.posted_at,
        id: row.id,
        kind: row.kind,
        changes: [
            row.available_change,
            row.to_be_consumed_change,
            row.to_be_settled_change,
            row.withdrawing_change,
        ],
        after: [
            row.available_after,
            row.to_be_consumed_after,
            row.to_be_settled_after,
            row.withdrawing_after,
        ],
        reference: row.reference,
        remark: row.remark,
        previous_hash: row.previous_hash.unwrap_or_else(|| GENESIS.to_vec()),
        hash: row.hash,
    });
    Ok(rows.collect())
}
