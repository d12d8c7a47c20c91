//! Reads that prove the books. Each statement sees one moment, so postings may go on meanwhile.

use sqlx::PgPool;
use uuid::Uuid;

use super::entity::{CouponCost, Findings, Holds, Platform};

/// Compares one page of wallets, in order of id behind `after`, with their transactions and entries. The last page also
/// takes in whatever belongs to no wallet. Answers the findings and where to go on, if anywhere.
pub(super) async fn compare_wallets(
    pool: &PgPool,
    after: Uuid,
    limit: i64,
) -> Result<(Findings, Option<Uuid>), sqlx::Error> {
    let row = sqlx::query!(
        r#"WITH page AS MATERIALIZED (
               SELECT * FROM wallets WHERE user_id > $1 ORDER BY user_id LIMIT $2
           ), bounds AS MATERIALIZED (
               SELECT CASE WHEN (SELECT count(*) FROM page) = $2 THEN (SELECT user_id FROM page ORDER BY user_id DESC LIMIT 1)
                           ELSE 'ffffffff-ffff-ffff-ffff-ffffffffffff' END AS last
           ), legs AS (
               SELECT user_id, seq, sum(amount) AS total,
                      coalesce(sum(amount) FILTER (WHERE account = 'available'), 0) AS available,
                      coalesce(sum(amount) FILTER (WHERE account = 'to_be_consumed'), 0) AS to_be_consumed,
                      coalesce(sum(amount) FILTER (WHERE account = 'to_be_settled'), 0) AS to_be_settled,
                      coalesce(sum(amount) FILTER (WHERE account = 'withdrawing'), 0) AS withdrawing,
                      coalesce(sum(amount) FILTER (WHERE account = 'available' AND flow_type IS NOT NULL), 0) AS shown,
                      coalesce(sum(amount) FILTER (WHERE account = 'deposits_clearing'), 0) AS deposits_clearing,
                      coalesce(sum(amount) FILTER (WHERE account = 'promotions'), 0) AS promotions,
                      coalesce(sum(amount) FILTER (WHERE account = 'ad_spend'), 0) AS ad_spend,
                      coalesce(sum(amount) FILTER (WHERE account = 'ad_revenue'), 0) AS ad_revenue,
                      coalesce(sum(amount) FILTER (WHERE account = 'profit_share'), 0) AS profit_share
               FROM entries
               WHERE user_id > $1 AND user_id <= (SELECT last FROM bounds)
               GROUP BY user_id, seq
           ), booked AS (
               SELECT user_id, seq, available_change, to_be_consumed_change, to_be_settled_change, withdrawing_change,
                      seq = row_number() OVER w AND available_after = sum(available_change) OVER w
                          AND to_be_consumed_after = sum(to_be_consumed_change) OVER w
                          AND to_be_settled_after = sum(to_be_settled_change) OVER w
                          AND withdrawing_after = sum(withdrawing_change) OVER w AS on_course
               FROM transactions
               WHERE user_id > $1 AND user_id <= (SELECT last FROM bounds)
               WINDOW w AS (PARTITION BY user_id ORDER BY seq)
           ), users AS (
               SELECT user_id, count(b.seq) AS transactions, max(b.seq) AS last_seq,
                      count(*) FILTER (WHERE total IS DISTINCT FROM 0) AS unbalanced,
                      count(*) FILTER (WHERE (available_change, to_be_consumed_change, to_be_settled_change, withdrawing_change)
                          IS DISTINCT FROM (available, to_be_consumed, to_be_settled, withdrawing)) AS differing,
                      count(*) FILTER (WHERE on_course IS DISTINCT FROM true) AS off_course,
                      sum(available) AS available, sum(to_be_consumed) AS to_be_consumed,
                      sum(to_be_settled) AS to_be_settled, sum(withdrawing) AS withdrawing, sum(shown) AS shown,
                      sum(deposits_clearing) AS deposits_clearing, sum(promotions) AS promotions,
                      sum(ad_spend) AS ad_spend, sum(ad_revenue) AS ad_revenue, sum(profit_share) AS profit_share
               FROM booked b FULL JOIN legs USING (user_id, seq)
               GROUP BY user_id
           ), compared AS (
               SELECT u.*, p.user_id IS NOT NULL AS has_wallet, p.available AS wallet_available,
                      abs(coalesce(p.available, 0) - coalesce(u.available, 0))
                          + abs(coalesce(p.to_be_consumed, 0) - coalesce(u.to_be_consumed, 0))
                          + abs(coalesce(p.to_be_settled, 0) - coalesce(u.to_be_settled, 0))
                          + abs(coalesce(p.withdrawing, 0) - coalesce(u.withdrawing, 0)) AS difference,
                      coalesce(p.seq, 0) <> coalesce(u.last_seq, 0) AS seq_differs,
                      coalesce(p.available, 0) <> coalesce(u.shown, 0) AS details_differ,
                      coalesce(p.discount_total, 0) <> -coalesce(u.promotions, 0) AS discounts_differ
               FROM page p FULL JOIN users u USING (user_id)
           )
           SELECT count(*) FILTER (WHERE has_wallet) AS "wallets!",
                  coalesce(sum(transactions), 0)::bigint AS "transactions!",
                  coalesce(sum(unbalanced), 0)::bigint AS "unbalanced!",
                  coalesce(sum(differing), 0)::bigint AS "differing!",
                  coalesce(sum(off_course), 0)::bigint AS "off_course!",
                  count(*) FILTER (WHERE difference <> 0 OR seq_differs OR NOT has_wallet) AS "wallets_differing!",
                  coalesce(sum(difference), 0)::bigint AS "balance_difference!",
                  count(*) FILTER (WHERE details_differ) AS "details_differing!",
                  count(*) FILTER (WHERE discounts_differ) AS "discounts_differing!",
                  coalesce(sum(deposits_clearing), 0)::bigint AS "deposits_clearing!",
                  coalesce(sum(promotions), 0)::bigint AS "promotions!",
                  coalesce(sum(ad_spend), 0)::bigint AS "ad_spend!",
                  coalesce(sum(ad_revenue), 0)::bigint AS "ad_revenue!",
                  coalesce(sum(profit_share), 0)::bigint AS "profit_share!",
                  (SELECT last FROM bounds) AS "last!",
                  (SELECT count(*) FROM page) = $2 AS "is_full!"
           FROM compared"#,
        after,
        limit
    )
    .fetch_one(pool)
    .await?;
    let findings = Findings {
        wallets: row.wallets,
        transactions: row.transactions,
        unbalanced: row.unbalanced,
        differing: row.differing,
        off_course: row.off_course,
        wallets_differing: row.wallets_differing,
        balance_difference: row.balance_difference,
        details_differing: row.details_differing,
        discounts_differing: row.discounts_differing,
        platform: Platform {
            deposits_clearing: row.deposits_clearing,
            promotions: row.promotions,
            ad_spend: row.ad_spend,
            ad_revenue: row.ad_revenue,
            profit_share: row.profit_share,
        },
    };
    Ok((findings, row.is_full.then_some(row.last)))
}

/// Users whose holds do not add up to what their wallets say is to be consumed and to be settled.
pub(super) async fn users_off_their_holds(pool: &PgPool) -> Result<i64, sqlx::Error> {
    sqlx::query_scalar!(
        r#"WITH held AS (
               SELECT user_id, sum(paid + discount - consumed - paid_returned - discount_returned) AS open,
                      sum(revenue) AS revenue
               FROM holds WHERE state <> 'settled' GROUP BY user_id
           ), owed AS (
               SELECT user_id, to_be_consumed, to_be_settled FROM wallets WHERE to_be_consumed <> 0 OR to_be_settled <> 0
           )
           SELECT count(*) AS "count!" FROM held FULL JOIN owed USING (user_id)
           WHERE coalesce(open, 0) <> coalesce(to_be_consumed, 0) OR coalesce(revenue, 0) <> coalesce(to_be_settled, 0)"#
    )
    .fetch_one(pool)
    .await
}

/// What orders hold by the ledger's books, behind `after` up to and with `last`, in order of id.
pub(super) async fn open_holds(
    pool: &PgPool,
    after: Uuid,
    last: Uuid,
    limit: i64,
) -> Result<Holds, sqlx::Error> {
    let rows = sqlx::query!(
        r#"SELECT order_id, paid + discount - consumed - paid_returned - discount_returned AS "open!"
           FROM holds
           WHERE state <> 'settled' AND order_id > $1 AND order_id <= $2
             AND paid + discount - consumed - paid_returned - discount_returned > 0
           ORDER BY order_id LIMIT $3"#,
        after,
        last,
        limit
    )
    .fetch_all(pool)
    .await?;
    Ok(rows
        .into_iter()
        .map(|row| (row.order_id, row.open))
        .collect())
}

/// What coupons cost by the ledger's books.
pub(super) async fn coupon_cost(pool: &PgPool) -> Result<CouponCost, sqlx::Error> {
    sqlx::query_as!(
        CouponCost,
        r#"SELECT coalesce(sum(discount), 0)::bigint AS "kept!" FROM holds WHERE state <> 'released'"#
    )
    .fetch_one(pool)
    .await
}
