//! What left, as the books say.

use std::collections::HashMap;

use adfolio_kit::identity::UserId;
use chrono::{DateTime, TimeDelta, Utc};
use sqlx::PgConnection;
use uuid::Uuid;

use super::entity::{Exit, Left, WINDOW};
use crate::destination::entity::Method;

/// What left the wallets of these users within [`WINDOW`]. A withdrawal counts unless it was rejected, an exchange's
/// debit unless it was returned.
pub(crate) async fn read_left(
    connection: &mut PgConnection,
    user_ids: &[Uuid],
    now: DateTime<Utc>,
) -> Result<HashMap<UserId, Left>, sqlx::Error> {
    // What is exactly as old as the window counts no more: the column has microseconds.
    let counted = WINDOW - TimeDelta::microseconds(1);
    let since = now.checked_sub_signed(counted).unwrap_or(now);
    let rows = sqlx::query!(
        r#"SELECT asked.user_id AS "user_id!: UserId", w.method AS "method?: Method",
                  least(sum(-t.available_change), 1000000000000000000)::bigint AS "amount!",
                  min(t.posted_at) AS "first_at!"
           FROM (SELECT DISTINCT id AS user_id FROM unnest($1::uuid[]) AS id) AS asked
           CROSS JOIN LATERAL (SELECT first_seq_since(asked.user_id, $2) AS seq) AS first
           JOIN transactions t ON t.user_id = asked.user_id AND t.seq >= first.seq
                              AND t.flow_type IN ('manual_payout', 'exchange')
           LEFT JOIN withdrawals w ON w.id = t.reference
           WHERE (t.type = 'withdraw' AND w.status <> 'rejected')
              OR (t.type = 'exchange_debit' AND NOT EXISTS (
                  SELECT FROM transactions back
                  WHERE back.idempotency_key = replace(t.idempotency_key, 'exchange_debit:', 'exchange_return:')))
           GROUP BY asked.user_id, w.method"#,
        user_ids,
        since
    )
    .fetch_all(connection)
    .await?;
    let mut left: HashMap<UserId, Left> = HashMap::new();
    for row in rows {
        let exit = row.method.map_or(Exit::Exchange, Exit::from);
        left.entry(row.user_id)
            .or_default()
            .add(exit, row.amount, row.first_at);
    }
    Ok(left)
}
