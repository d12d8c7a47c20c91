//! Reads of the books as fund details.

use adfolio_kit::db::Pool;
use adfolio_kit::identity::UserId;
use chrono::{DateTime, Utc};

use super::entity::{
    Account, COUNTER_LINE, COUPON_LINE, FlowEntry, FlowType, Kind, MAIN_LINE, Month, MonthSum, Of,
};
use super::{Query, Totals};
use crate::ids::{OrderId, ReferenceId, TransactionId};
use crate::posting::transaction_type::TransactionType;

/// A line of a transaction.
macro_rules! flow_entry {
    ($row:ident, $line:expr) => {{
        let (flow_type, account) = shown($row.kind, $line);
        let (amount, balance_after) = match account {
            Account::Available => ($row.available_change, $row.available_after),
            Account::ToBeSettled => ($row.to_be_settled_change, $row.to_be_settled_after),
            Account::Withdrawing => ($row.withdrawing_change, $row.withdrawing_after),
            _ if $line == COUPON_LINE => (
                $row.platform_change.saturating_neg(),
                $row.to_be_consumed_after,
            ),
            // The user's part of a put.
            _ if $line == COUNTER_LINE => (
                $row.available_change.saturating_neg(),
                $row.to_be_consumed_after,
            ),
            _ => ($row.to_be_consumed_change, $row.to_be_consumed_after),
        };
        FlowEntry {
            transaction_id: TransactionId($row.id),
            seq: $row.seq,
            line: $line,
            posted_at: $row.posted_at,
            flow_type,
            account,
            is_transfer: $line != COUPON_LINE && $row.kind.is_transfer(),
            amount,
            balance_after,
            remark: $row.remark,
            reference: $row.reference,
            hash: $row.hash,
        }
    }};
}

/// How a line of a transaction is shown, and the account that it is about.
fn shown(kind: TransactionType, line: i16) -> (FlowType, Account) {
    let (flow_type, other) = match kind {
        TransactionType::Accrue => return (FlowType::ProfitSharing, Account::ToBeSettled),
        TransactionType::WithdrawalPaid => return (FlowType::ManualPayout, Account::Withdrawing),
        TransactionType::Settle => (FlowType::ProfitSharing, Account::ToBeSettled),
        TransactionType::Withdraw | TransactionType::WithdrawalRejected => {
            (FlowType::ManualPayout, Account::Withdrawing)
        }
        kind => (
            kind.flow_type().unwrap_or(FlowType::AdServing),
            Account::ToBeConsumed,
        ),
    };
    match line {
        COUPON_LINE => (FlowType::DiscountAmount, Account::ToBeConsumed),
        COUNTER_LINE => (flow_type, other),
        _ => (flow_type, flow_type.account()),
    }
}

/// Ranges of lines, as columns for SQL.
#[derive(Debug, Default)]
struct Ranges {
    types: Vec<FlowType>,
    typed_lines: Vec<i16>,
    untyped: Vec<TransactionType>,
    untyped_lines: Vec<i16>,
    has_coupons: bool,
}

impl Ranges {
    fn new(query: &Query) -> Self {
        let mut ranges = Self::default();
        for kind in Kind::of(query.flow_type, query.account) {
            match kind.of {
                // No row has it.
                Of::Typed(FlowType::DiscountAmount) => {}
                Of::Typed(flow_type) => {
                    ranges.types.push(flow_type);
                    ranges.typed_lines.push(kind.line);
                }
                Of::Untyped(kind_of) => {
                    ranges.untyped.push(kind_of);
                    ranges.untyped_lines.push(kind.line);
                }
                Of::Coupon => ranges.has_coupons = true,
            }
        }
        ranges
    }
}

/// A page of lines, newest first. Each kind is read from its own range of an index, so a page costs the same however many
/// transactions that are not shown, or are of other kinds, lie between its lines.
pub(super) async fn list(
    pool: &Pool,
    user_id: UserId,
    query: &Query,
) -> Result<Vec<FlowEntry>, sqlx::Error> {
    let (before_seq, before_line) = query.before.unzip();
    let ranges = Ranges::new(query);
    let rows = sqlx::query!(
        r#"WITH bounds AS MATERIALIZED (
               SELECT CASE WHEN $2::timestamptz IS NULL THEN 1 ELSE first_seq_since($1, $2) END AS first,
                      CASE WHEN $3::timestamptz IS NULL THEN 9223372036854775807 ELSE first_seq_since($1, $3) END AS behind
           ), lines AS (
               SELECT line.*
               FROM bounds
               CROSS JOIN unnest($7::flow_type[], $8::smallint[]) AS shown (flow_type, line)
               CROSS JOIN LATERAL (
                   SELECT t.seq, shown.line
                   FROM transactions t
                   WHERE t.user_id = $1 AND t.flow_type = shown.flow_type AND t.seq >= first AND t.seq < behind
                     AND (t.seq, shown.line) < (coalesce($4, behind), coalesce($5, 0::smallint))
                     AND t.seq <= coalesce($4, behind)
                     AND (shown.line <> $12 OR t.type <> 'settle' OR t.to_be_settled_change <> 0)
                   ORDER BY t.seq DESC
                   LIMIT $6
               ) AS line
               UNION ALL
               SELECT line.*
               FROM bounds
               CROSS JOIN unnest($9::transaction_type[], $10::smallint[]) AS shown (type, line)
               CROSS JOIN LATERAL (
                   SELECT t.seq, shown.line
                   FROM transactions t
                   WHERE t.user_id = $1 AND t.flow_type IS NULL AND t.type = shown.type AND t.seq >= first AND t.seq < behind
                     AND (t.seq, shown.line) < (coalesce($4, behind), coalesce($5, 0::smallint))
                     AND t.seq <= coalesce($4, behind)
                     AND (shown.line <> $12 OR t.to_be_settled_change <> 0)
                   ORDER BY t.seq DESC
                   LIMIT $6
               ) AS line
               UNION ALL (
                   SELECT t.seq, $13::smallint
                   FROM bounds
                   CROSS JOIN transactions t
                   WHERE $11 AND t.user_id = $1 AND t.platform_account = 'promotions' AND t.order_id IS NOT NULL
                     AND t.seq >= first AND t.seq < behind
                     AND (t.seq, $13::smallint) < (coalesce($4, behind), coalesce($5, 0::smallint))
                     AND t.seq <= coalesce($4, behind)
                   ORDER BY t.seq DESC
                   LIMIT $6
               )
               ORDER BY 1 DESC, 2 DESC
               LIMIT $6
           )
           SELECT t.id, t.seq, lines.line AS "line!", t.posted_at, t.type AS "kind: TransactionType", t.available_change,
                  t.to_be_consumed_change, t.to_be_settled_change, t.withdrawing_change, t.platform_change, t.available_after,
                  t.to_be_consumed_after, t.to_be_settled_after, t.withdrawing_after, t.remark,
                  coalesce(t.order_id, t.reference) AS "reference: ReferenceId", t.hash
           FROM lines
           JOIN transactions t ON t.user_id = $1 AND t.seq = lines.seq
           ORDER BY lines.seq DESC, lines.line DESC"#,
        user_id.0,
        query.within.from,
        query.within.to,
        before_seq,
        before_line,
        query.limit,
        &ranges.types as &[FlowType],
        &ranges.typed_lines,
        &ranges.untyped as &[TransactionType],
        &ranges.untyped_lines,
        ranges.has_coupons,
        COUNTER_LINE,
        COUPON_LINE,
    )
    .fetch_all(pool)
    .await?;
    let entries = rows.into_iter().map(|row| flow_entry!(row, row.line));
    Ok(entries.collect())
}

/// A transaction's number in its user's chain; none if it is not this user's.
pub(super) async fn seq_of(
    pool: &Pool,
    user_id: UserId,
    id: TransactionId,
) -> Result<Option<i64>, sqlx::Error> {
    sqlx::query_scalar!(
        "SELECT seq FROM transactions WHERE id = $1 AND user_id = $2",
        id.0,
        user_id.0
    )
    .fetch_optional(pool)
    .await
}

/// What the lines of one account add up to, each kind in its own range of an index. Amounts are those of [`flow_entry`].
pub(super) async fn totals(
    pool: &Pool,
    user_id: UserId,
    query: &Query,
) -> Result<Totals, sqlx::Error> {
    let ranges = Ranges::new(query);
    let row = sqlx::query!(
        r#"WITH bounds AS MATERIALIZED (
               SELECT CASE WHEN $2::timestamptz IS NULL THEN 1 ELSE first_seq_since($1, $2) END AS first,
                      CASE WHEN $3::timestamptz IS NULL THEN 9223372036854775807 ELSE first_seq_since($1, $3) END AS behind
           ), lines AS (
               SELECT t.*, shown.line
               FROM bounds
               CROSS JOIN unnest($4::flow_type[], $5::smallint[]) AS shown (flow_type, line)
               JOIN transactions t ON t.user_id = $1 AND t.flow_type = shown.flow_type AND t.seq >= first AND t.seq < behind
               UNION ALL
               SELECT t.*, shown.line
               FROM bounds
               CROSS JOIN unnest($6::transaction_type[], $7::smallint[]) AS shown (type, line)
               JOIN transactions t ON t.user_id = $1 AND t.flow_type IS NULL AND t.type = shown.type
                                  AND t.seq >= first AND t.seq < behind
               UNION ALL
               SELECT t.*, $9::smallint
               FROM bounds
               CROSS JOIN transactions t
               WHERE $8 AND t.user_id = $1 AND t.platform_account = 'promotions' AND t.order_id IS NOT NULL
                 AND t.seq >= first AND t.seq < behind
           ), amounts AS (
               SELECT CASE
                   WHEN $11::ledger_account = 'available' THEN available_change
                   WHEN $11 = 'to_be_settled' THEN to_be_settled_change
                   WHEN $11 = 'withdrawing' THEN withdrawing_change
                   WHEN line = $9 THEN -platform_change
                   WHEN line = $10 THEN -available_change
                   ELSE to_be_consumed_change END AS amount
               FROM lines
           )
           SELECT coalesce(sum(amount) FILTER (WHERE amount > 0), 0)::bigint AS "incoming!",
                  coalesce(-sum(amount) FILTER (WHERE amount < 0), 0)::bigint AS "outgoing!"
           FROM amounts"#,
        user_id.0,
        query.within.from,
        query.within.to,
        &ranges.types as &[FlowType],
        &ranges.typed_lines,
        &ranges.untyped as &[TransactionType],
        &ranges.untyped_lines,
        ranges.has_coupons,
        COUPON_LINE,
        COUNTER_LINE,
        query.account as Option<Account>,
    )
    .fetch_one(pool)
    .await?;
    Ok(Totals {
        incoming: row.incoming,
        outgoing: row.outgoing,
    })
}

/// The main lines of an order and those of its coupon, oldest first. The order of the index is the order of time.
pub(super) async fn list_of_order(
    pool: &Pool,
    user_id: UserId,
    order_id: OrderId,
    limit: i64,
) -> Result<Vec<FlowEntry>, sqlx::Error> {
    let rows = sqlx::query!(
        r#"SELECT t.id, t.seq, line AS "line!", t.posted_at, t.type AS "kind: TransactionType", t.available_change,
                  t.to_be_consumed_change, t.to_be_settled_change, t.withdrawing_change, t.platform_change, t.available_after,
                  t.to_be_consumed_after, t.to_be_settled_after, t.withdrawing_after, t.remark,
                  t.order_id AS "reference: ReferenceId", t.hash
           FROM transactions t
           CROSS JOIN unnest(ARRAY[$4, $5]::smallint[]) AS line
           WHERE t.order_id = $1 AND t.user_id = $2
             AND CASE line WHEN $4 THEN t.flow_type IS NOT NULL OR t.type = 'accrue' ELSE t.platform_account = 'promotions' END
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

/// What each type changed the available balance by, month by month.
pub(super) async fn first_posted_at(
    pool: &Pool,
    user_id: UserId,
) -> Result<Option<DateTime<Utc>>, sqlx::Error> {
    sqlx::query_scalar!(
        "SELECT posted_at FROM transactions WHERE user_id = $1 ORDER BY seq LIMIT 1",
        user_id.0,
    )
    .fetch_optional(pool)
    .await
}

pub(super) async fn sum_months(
    pool: &Pool,
    user_id: UserId,
    months: &[Month],
) -> Result<Vec<MonthSum>, sqlx::Error> {
    let starts: Vec<DateTime<Utc>> = months.iter().map(|month| month.start).collect();
    let ends: Vec<DateTime<Utc>> = months.iter().map(|month| month.end).collect();
    let rows = sqlx::query!(
        r#"WITH bounds AS MATERIALIZED (
               SELECT place, first_seq_since($1, month_start) AS first, first_seq_since($1, month_end) AS behind
               FROM unnest($2::timestamptz[], $3::timestamptz[]) WITH ORDINALITY AS m (month_start, month_end, place)
           )
           SELECT place AS "place!", t.flow_type AS "flow_type!: FlowType", sum(t.available_change)::bigint AS "net!"
           FROM bounds
           CROSS JOIN unnest(enum_range(NULL::flow_type)) AS shown
           JOIN transactions t ON t.user_id = $1 AND t.flow_type = shown AND t.seq >= first AND t.seq < behind
           WHERE shown NOT IN ('ad_billing', 'discount_amount')
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
        net: row.net,
    });
    Ok(sums.collect())
}
