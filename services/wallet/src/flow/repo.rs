//! Reads of the books as fund details.

use adfolio_kit::identity::UserId;
use chrono::{DateTime, Utc};
use sqlx::PgPool;

use super::Query;
use super::entity::{Account, FlowEntry, FlowType, Month, MonthSum};
use crate::ids::{OrderId, ReferenceId};

/// A page of lines, newest first. Each type is read from its own range of the index, so a page costs the same however
/// many entries that are not shown, or are of other types, lie between its lines.
pub(super) async fn list(
    pool: &PgPool,
    user_id: UserId,
    month: Option<Month>,
    query: &Query,
) -> Result<Vec<FlowEntry>, sqlx::Error> {
    let (before_seq, before_leg) = query.before.unzip();
    sqlx::query_as!(
        FlowEntry,
        r#"WITH bounds AS MATERIALIZED (
               SELECT CASE WHEN $3::timestamptz IS NULL THEN 1 ELSE first_seq_since($1, $3) END AS first,
                      CASE WHEN $4::timestamptz IS NULL THEN 9223372036854775807 ELSE first_seq_since($1, $4) END AS behind
           ), lines AS (
               SELECT line.*
               FROM bounds
               CROSS JOIN unnest(CASE WHEN $2::flow_type IS NULL THEN enum_range(NULL::flow_type) ELSE ARRAY[$2] END) AS type
               CROSS JOIN LATERAL (
                   SELECT e.seq, e.leg, e.flow_type, e.account, e.amount, e.balance_after
                   FROM entries e
                   WHERE e.user_id = $1 AND e.flow_type = type
                     AND (e.seq, e.leg) < (coalesce($5, behind), coalesce($6, 0::smallint))
                     AND e.seq >= first AND e.seq < behind
                   ORDER BY e.seq DESC, e.leg DESC
                   LIMIT $7
               ) AS line
               ORDER BY line.seq DESC, line.leg DESC
               LIMIT $7
           )
           SELECT t.id AS transaction_id, lines.seq, lines.leg, t.posted_at, lines.flow_type AS "flow_type!: FlowType",
                  lines.account AS "account!: Account", lines.amount, lines.balance_after AS "balance_after!", t.remark,
                  coalesce(t.order_id, t.reference) AS "reference: ReferenceId", t.hash
           FROM lines
           JOIN transactions t ON t.user_id = $1 AND t.seq = lines.seq
           ORDER BY lines.seq DESC, lines.leg DESC"#,
        user_id.0,
        query.flow_type as Option<FlowType>,
        month.map(|month| month.start),
        month.map(|month| month.end),
        before_seq,
        before_leg,
        query.limit,
    )
    .fetch_all(pool)
    .await
}

/// The lines of an order, oldest first. The order of the index is the order of time.
pub(super) async fn list_of_order(
    pool: &PgPool,
    user_id: UserId,
    order_id: OrderId,
    limit: i64,
) -> Result<Vec<FlowEntry>, sqlx::Error> {
    sqlx::query_as!(
        FlowEntry,
        r#"SELECT t.id AS transaction_id, e.seq, e.leg, t.posted_at, e.flow_type AS "flow_type!: FlowType",
                  e.account AS "account!: Account", e.amount, e.balance_after AS "balance_after!", t.remark,
                  t.order_id AS "reference: ReferenceId", t.hash
           FROM transactions t
           JOIN entries e ON e.user_id = t.user_id AND e.seq = t.seq AND e.flow_type IS NOT NULL
           WHERE t.order_id = $1 AND t.user_id = $2
           ORDER BY t.order_version, t.type, e.leg
           LIMIT $3"#,
        order_id.0,
        user_id.0,
        limit,
    )
    .fetch_all(pool)
    .await
}

/// Sums by month, type and whether the available balance changed.
pub(super) async fn sum_months(
    pool: &PgPool,
    user_id: UserId,
    months: &[Month],
) -> Result<Vec<MonthSum>, sqlx::Error> {
    let starts: Vec<DateTime<Utc>> = months.iter().map(|month| month.start).collect();
    let ends: Vec<DateTime<Utc>> = months.iter().map(|month| month.end).collect();
    sqlx::query!(
        r#"WITH bounds AS MATERIALIZED (
               SELECT place, first_seq_since($1, month_start) AS first, first_seq_since($1, month_end) AS behind
               FROM unnest($2::timestamptz[], $3::timestamptz[]) WITH ORDINALITY AS m (month_start, month_end, place)
           )
           SELECT place AS "place!", e.flow_type AS "flow_type!: FlowType", e.account = 'available' AS "is_available!",
                  coalesce(sum(e.amount) FILTER (WHERE e.amount > 0), 0)::bigint AS "incoming!",
                  coalesce(sum(e.amount) FILTER (WHERE e.amount < 0), 0)::bigint AS "outgoing!"
           FROM bounds
           CROSS JOIN unnest(enum_range(NULL::flow_type)) AS type
           JOIN entries e ON e.user_id = $1 AND e.flow_type = type AND e.seq >= bounds.first AND e.seq < bounds.behind
           GROUP BY 1, 2, 3
           ORDER BY 1, 2, 3"#,
        user_id.0,
        &starts,
        &ends,
    )
    .map(|row| MonthSum {
        // Places count from 1.
        place: usize::try_from(row.place.saturating_sub(1)).unwrap_or(usize::MAX),
        flow_type: row.flow_type,
        is_available: row.is_available,
        incoming: row.incoming,
        outgoing: row.outgoing,
    })
    .fetch_all(pool)
    .await
}
