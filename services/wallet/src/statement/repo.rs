//! Reads of the books for statements.

use adfolio_kit::db::Pool;
use adfolio_kit::identity::UserId;
use chrono::{DateTime, Utc};

use super::Row;
use crate::chain::chain_link;
use crate::chain::entity::GENESIS;
use crate::ids::ReferenceId;

/// The first number of a stretch of time, and the first behind it.
pub(super) async fn bounds(
    pool: &Pool,
    user_id: UserId,
    from: DateTime<Utc>,
    until: DateTime<Utc>,
) -> Result<(i64, i64), sqlx::Error> {
    sqlx::query!(
        r#"SELECT first_seq_since($1, $2) AS "first!", first_seq_since($1, $3) AS "behind!""#,
        user_id.0,
        from,
        until
    )
    .map(|row| (row.first, row.behind))
    .fetch_one(pool)
    .await
}

/// The transactions of a range of numbers, oldest first.
pub(super) async fn rows(
    pool: &Pool,
    user_id: UserId,
    first: i64,
    behind: i64,
) -> Result<Vec<Row>, sqlx::Error> {
    sqlx::query!(
        r#"SELECT t.user_id, t.seq, t.posted_at, t.id, t.type::text AS "kind!", t.chain_version, t.available_change,
                  t.to_be_consumed_change, t.to_be_settled_change, t.withdrawing_change, t.guarantee_change,
                  t.platform_account::text, t.platform_change, t.fee, t.flow_type::text, t.order_id, t.order_version,
                  t.reference, t.idempotency_key, t.request_digest, t.staff_id, t.remark, t.available_after,
                  t.to_be_consumed_after, t.to_be_settled_after, t.withdrawing_after, t.hash,
                  before.hash AS "previous_hash?"
           FROM transactions t
           LEFT JOIN transactions before ON before.user_id = t.user_id AND before.seq = t.seq - 1
           WHERE t.user_id = $1 AND t.seq >= $2 AND t.seq < $3
           ORDER BY t.seq"#,
        user_id.0,
        first,
        behind
    )
    .map(|row| Row {
        link: chain_link!(row),
        reference: row.order_id.or(row.reference).map(ReferenceId),
        remark: row.remark,
        previous_hash: row.previous_hash.unwrap_or_else(|| GENESIS.to_vec()),
    })
    .fetch_all(pool)
    .await
}
