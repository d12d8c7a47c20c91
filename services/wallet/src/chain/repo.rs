//! Reads of heads and links of chains.

use sqlx::PgPool;
use uuid::Uuid;

use super::entity::{Head, Link};

/// The heads of chains behind `after` in order of the user's id; of `only` that user.
pub(super) async fn heads(
    pool: &PgPool,
    only: Option<Uuid>,
    after: Option<Uuid>,
    limit: i64,
) -> Result<Vec<Head>, sqlx::Error> {
    let rows = sqlx::query!(
        "SELECT user_id, seq, chain_head, available, to_be_consumed, to_be_settled, withdrawing
         FROM wallets
         WHERE ($1::uuid IS NULL OR user_id = $1) AND ($2::uuid IS NULL OR user_id > $2)
         ORDER BY user_id LIMIT $3",
        only,
        after,
        limit
    )
    .fetch_all(pool)
    .await?;
    let heads = rows.into_iter().map(|row| Head {
        user_id: row.user_id,
        seq: row.seq,
        hash: row.chain_head,
        balances: [
            row.available,
            row.to_be_consumed,
            row.to_be_settled,
            row.withdrawing,
        ],
    });
    Ok(heads.collect())
}

/// The links behind `after` (a user and a number), up to and with the user `last`, in order.
pub(super) async fn links(
    pool: &PgPool,
    after: (Uuid, i64),
    last: Uuid,
    limit: i64,
) -> Result<Vec<Link>, sqlx::Error> {
    let rows = sqlx::query!(
        r#"SELECT user_id, seq, posted_at, id, type::text AS "kind!", available_change, to_be_consumed_change,
                  to_be_settled_change, withdrawing_change, available_after, to_be_consumed_after, to_be_settled_after,
                  withdrawing_after, hash
           FROM transactions
           WHERE (user_id, seq) > ($1, $2) AND user_id <= $3
           ORDER BY user_id, seq LIMIT $4"#,
        after.0,
        after.1,
        last,
        limit
    )
    .fetch_all(pool)
    .await?;
    let links = rows.into_iter().map(|row| Link {
        user_id: row.user_id,
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
        hash: row.hash,
    });
    Ok(links.collect())
}
