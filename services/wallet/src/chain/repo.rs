//! Reads of heads and links of chains.

use adfolio_kit::identity::UserId;
use sqlx::PgPool;

use super::entity::{Head, Link};

/// A row of `transactions` as its hash covers it.
macro_rules! chain_link {
    ($row:ident) => {
        $crate::chain::entity::Link {
            user_id: adfolio_kit::identity::UserId($row.user_id),
            seq: $row.seq,
            posted_at: $row.posted_at,
            id: $crate::ids::TransactionId($row.id),
            kind: $row.kind,
            changes: [
                $row.available_change,
                $row.to_be_consumed_change,
                $row.to_be_settled_change,
                $row.withdrawing_change,
            ],
            after: [
                $row.available_after,
                $row.to_be_consumed_after,
                $row.to_be_settled_after,
                $row.withdrawing_after,
            ],
            hash: $row.hash,
        }
    };
}
pub(crate) use chain_link;

/// The heads of chains behind `after` in order of the user's id; of `only` that user.
pub(super) async fn heads(
    pool: &PgPool,
    only: Option<UserId>,
    after: Option<UserId>,
    limit: i64,
) -> Result<Vec<Head>, sqlx::Error> {
    sqlx::query!(
        "SELECT user_id, seq, chain_head, available, to_be_consumed, to_be_settled, withdrawing
         FROM wallets
         WHERE ($1::uuid IS NULL OR user_id = $1) AND ($2::uuid IS NULL OR user_id > $2)
         ORDER BY user_id LIMIT $3",
        only.map(|id| id.0),
        after.map(|id| id.0),
        limit
    )
    .map(|row| Head {
        user_id: UserId(row.user_id),
        seq: row.seq,
        hash: row.chain_head,
        balances: [
            row.available,
            row.to_be_consumed,
            row.to_be_settled,
            row.withdrawing,
        ],
    })
    .fetch_all(pool)
    .await
}

/// The links behind `after` (a user and a number), up to and with the user `last`, in order.
pub(super) async fn links(
    pool: &PgPool,
    after: (UserId, i64),
    last: UserId,
    limit: i64,
) -> Result<Vec<Link>, sqlx::Error> {
    sqlx::query!(
        r#"SELECT user_id, seq, posted_at, id, type::text AS "kind!", available_change, to_be_consumed_change,
                  to_be_settled_change, withdrawing_change, available_after, to_be_consumed_after, to_be_settled_after,
                  withdrawing_after, hash
           FROM transactions
           WHERE (user_id, seq) > ($1, $2) AND user_id <= $3
           ORDER BY user_id, seq LIMIT $4"#,
        after.0.0,
        after.1,
        last.0,
        limit
    )
    .map(|row| chain_link!(row))
    .fetch_all(pool)
    .await
}
