//! Reads of the books as fund details.

use adfolio_kit::identity::UserId;
use chrono::{DateTime, Utc};
use sqlx::PgPool;

use super::Query;
use super::entity::{Account, COUPON_LINE, FlowEntry, FlowType, MAIN_LINE, Month, MonthSum};
use crate::ids::{OrderId, ReferenceId, TransactionId};

/// A line of a transaction: what its type is about, or the coupon's part.
macro_rules! flow_entry {
    ($row:ident, $line:expr) => {{
        let shown = $row.flow_type.filter(|_| $line == MAIN_LINE);
        let flow_type = shown.unwrap_or(FlowType::DiscountAmount);
        let account = flow_type.account();
        let (amount, balance_after) = match (shown, account) {
            (None, _) => (
                $row.platform_change.saturating_neg(),
                $row.to_be_consumed_after,
            ),
            (_, Account::ToBeConsumed) => ($row.to_be_consumed_change, $row.to_be_consumed_after),
            _ => ($row.available_change, $row.available_after),
        };
        FlowEntry {
            transaction_id: TransactionId($row.id),
            seq: $row.seq,
            line: $line,
            posted_at: $row.posted_at,
            flow_type,
            account,
            amount,
            balance_after,
            remark: $row.remark,
            reference: $row.reference,
            hash: $row.hash,
        }
    }};
}

/// A page of lines, newest first. Each type is read from its own range of an index, so a page costs the same however many
/// transactions that are not shown, or are of other types, lie between its lines.
pub(super) async fn list(
    pool: &PgPool,
    user_id: UserId,
    month: Option<Month>,
    query: &Query,
) -> Result<Vec<FlowEntry>, sqlx::Error> {
    let (before_seq, before_line) = query.before.unzip();
    let rows = sqlx::query!(
        r#"WITH bounds AS MATERIALIZED (
               SELECT CASE WHEN $3::timestamptz IS NULL THEN 1 ELSE first_seq_since($1, $3) END AS first,
                      CASE WHEN $4::timestamptz IS NULL THEN 9223372036854775807 ELSE first_seq_since($1, $4) END AS behind
           ), lines AS (
               SELECT line.*
               FROM bounds
               CROSS JOIN unnest(CASE WHEN $2::flow_type IS NULL THEN enum_range(NULL::flow_type) ELSE ARRAY[$2] END) AS shown
               CROSS JOIN LATERAL (
                   SELECT t.seq, $8::smallint AS line
                   FROM transactions t
                   WHERE t.user_id = $1 AND t.flow_type = shown AND t.seq >= first AND t.seq < behind
                     AND (t.seq, $8::smallint) < (coalesce($5, behind), coalesce($6, 0::smallint))
                     AND t.seq <= coalesce($5, behind)
                   ORDER BY t.seq DESC
                   LIMIT $7
               ) AS line
               UNION ALL (
                   SELECT t.seq, $9::smallint
                   FROM bounds
                   CROSS JOIN transactions t
                   WHERE t.user_id = $1 AND t.platform_account = 'promotions' AND t.order_id IS NOT NULL
                     AND coalesce($2::flow_type, 'discount_amount') = 'discount_amount'
                     AND t.seq >= first AND t.seq < behind
                     AND (t.seq, $9::smallint) < (coalesce($5, behind), coalesce($6, 0::smallint))
                     AND t.seq <= coalesce($5, behind)
                   ORDER BY t.seq DESC
                   LIMIT $7
               )
               ORDER BY seq DESC, line DESC
               LIMIT $7
           )
           SELECT t.id, t.seq, lines.line AS "line!", t.posted_at, t.flow_type AS "flow_type: FlowType",
                  t.available_change, t.to_be_consumed_change, t.platform_change, t.available_after,
                  t.to_be_consumed_after, t.remark, coalesce(t.order_id, t.reference) AS "reference: ReferenceId", t.hash
           FROM lines
           JOIN transactions t ON t.user_id = $1 AND t.seq = lines.seq
           ORDER BY lines.seq DESC, lines.line DESC"#,
        user_id.0,
        query.flow_type as Option<FlowType>,
        month.map(|month| month.start),
        month.map(|month| month.end),
        before_seq,
        before_line,
        query.limit,
        MAIN_LINE,
        COUPON_LINE,
    )
    .fetch_all(pool)
    .await?;
    let entries = rows.into_iter().map(|row| flow_entry!(row, row.line));
    Ok(entries.collect())
}

/// The lines of an order, oldest first. The order of the index is the order of time.
pub(super) async fn list_of_order(
    pool: &PgPool,
    user_id: UserId,
    order_id: OrderId,
    limit: i64,
) -> Result<Vec<FlowEntry>, sqlx::Error> {
    let rows = sqlx::query!(
        r#"SELECT t.id, t.seq, line AS "line!", t.posted_at, t.flow_type AS "flow_type: FlowType", t.available_change,
                  t.to_be_consumed_change, t.platform_change, t.available_after, t.to_be_consumed_after, t.remark,
                  t.order_id AS "reference: ReferenceId", t.hash
           FROM transactions t
           CROSS JOIN unnest(ARRAY[$4, $5]::smallint[]) AS line
           WHERE t.order_id = $1 AND t.user_id = $2
             AND CASE line WHEN $4 THEN t.flow_type IS NOT NULL ELSE t.platform_account = 'promotions' END
           ORDER BY t.order_version, t.type, line
           LIMIT $3"#,
        order_id.0,
        user_id.0,
        limit,
        MAIN_LINE,
        COUPON_LINE,
    )
    .fetch_all(pool)
    .await?;
    let entries = rows.into_iter().map(|row| flow_entry!(row, row.line));
    Ok(entries.collect())
}

/// Sums by month, type and whether the available balance changed.
pub(super) async fn sum_months(
    pool: &PgPool,
    user_id: UserId,
    months: &[Month],
) -> Result<Vec<MonthSum>, sqlx::Error> {
    let starts: Vec<DateTime<Utc>> = months.iter().map(|month| month.start).collect();
    let ends: Vec<DateTime<Utc>> = months.iter().map(|month| month.end).collect();
    let rows = sqlx::query!(
        r#"WITH bounds AS MATERIALIZED (
               SELECT place, first_seq_since($1, month_start) AS first, first_seq_since($1, month_end) AS behind
               FROM unnest($2::timestamptz[], $3::timestamptz[]) WITH ORDINALITY AS m (month_start, month_end, place)
           ), lines AS (
               SELECT place, t.flow_type,
                      CASE t.flow_type WHEN 'ad_billing' THEN t.to_be_consumed_change ELSE t.available_change END AS amount
               FROM bounds
               CROSS JOIN unnest(enum_range(NULL::flow_type)) AS shown
               JOIN transactions t ON t.user_id = $1 AND t.flow_type = shown AND t.seq >= first AND t.seq < behind
               UNION ALL
               SELECT place, 'discount_amount', -t.platform_change
               FROM bounds
               JOIN transactions t ON t.user_id = $1 AND t.platform_account = 'promotions' AND t.order_id IS NOT NULL
                                      AND t.seq >= first AND t.seq < behind
           )
           SELECT place AS "place!", flow_type AS "flow_type!: FlowType",
                  coalesce(sum(amount) FILTER (WHERE amount > 0), 0)::bigint AS "incoming!",
                  coalesce(sum(amount) FILTER (WHERE amount < 0), 0)::bigint AS "outgoing!"
           FROM lines
           GROUP BY 1, 2
           ORDER BY 1, 2"#,
        user_id.0,
        &starts,
        &ends,
    )
    .fetch_all(pool)
    .await?;
    let sums = rows.into_iter().map(|row| MonthSum {
        // Places count from 1.
        place: usize::try_from(row.place.saturating_sub(1)).unwrap_or(usize::MAX),
        flow_type: row.flow_type,
        is_available: row.flow_type.account() == Account::Available,
        incoming: row.incoming,
        outgoing: row.outgoing,
    });
    Ok(sums.collect())
}
