//! Reads of heads and links of chains.

use adfolio_kit::db::Pool;
use adfolio_kit::identity::UserId;

use super::entity::{Head, Link};

/// A row of `transactions` as its hash covers it. Names are read as texts: those of a later release verify, too.
macro_rules! chain_link {
    ($row:ident) => {
        $crate::chain::entity::Link {
            user_id: adfolio_kit::identity::UserId($row.user_id),
            seq: $row.seq,
            posted_at: $row.posted_at,
            id: $crate::ids::TransactionId($row.id),
            kind: $row.kind,
            version: $row.chain_version,
            changes: [
                $row.available_change,
                $row.to_be_consumed_change,
                $row.to_be_settled_change,
                $row.withdrawing_change,
                $row.guarantee_change,
            ],
            details: ($row.chain_version != 1).then(|| {
                let columns = $crate::chain::details::Columns {
                    platform_account: $row.platform_account.as_deref(),
                    platform_change: $row.platform_change,
                    fee: $row.fee,
                    flow_type: $row.flow_type.as_deref(),
                    order_id: $row.order_id,
                    order_version: $row.order_version,
                    reference: $row.reference,
                    idempotency_key: $row.idempotency_key.as_deref(),
                    request_digest: $row.request_digest.as_deref(),
                    staff_id: $row.staff_id,
                    remark: &$row.remark,
                };
                columns.details()
            }),
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
    pool: &Pool,
    only: Option<UserId>,
    after: Option<UserId>,
    limit: i64,
) -> Result<Vec<Head>, sqlx::Error> {
    sqlx::query!(
        "SELECT user_id, seq, chain_head, available, to_be_consumed, to_be_settled, withdrawing, guarantee
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
            row.guarantee,
        ],
    })
    .fetch_all(pool)
    .await
}

/// The links behind `after` (a user and a number), up to and with the user `last`, in order.
pub(super) async fn links(
    pool: &Pool,
    after: (UserId, i64),
    last: UserId,
    limit: i64,
) -> Result<Vec<Link>, sqlx::Error> {
    sqlx::query!(
        r#"SELECT user_id, seq, posted_at, id, type::text AS "kind!", chain_version, available_change,
                  to_be_consumed_change, to_be_settled_change, withdrawing_change, guarantee_change,
                  platform_account::text, platform_change, fee, flow_type::text, order_id, order_version, reference,
                  idempotency_key, request_digest, staff_id, remark, available_after, to_be_consumed_after,
                  to_be_settled_after, withdrawing_after, hash
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
