//! Reads that prove the books. Each statement sees one moment and is bounded, so postings may go on meanwhile.

use std::collections::BTreeMap;
use std::time::Duration;

use adfolio_kit::db::Pool;
use adfolio_kit::db::Tx;
use adfolio_kit::identity::UserId;
use sqlx::types::Json;
use uuid::Uuid;

use super::entity::{CouponCost, Delivered, Holds, Outcome, Platform, Proof};
use super::findings::{Part, Sums, Wallet};
use crate::ids::OrderId;

/// The wallets behind `after`, in order of id.
pub(super) async fn wallets(
    pool: &Pool,
    after: UserId,
    limit: i64,
) -> Result<Vec<Wallet>, sqlx::Error> {
    sqlx::query!(
        "SELECT user_id, seq, available, to_be_consumed, to_be_settled, withdrawing, guarantee,
                discount_total, start_up_outstanding
         FROM wallets WHERE user_id > $1 ORDER BY user_id LIMIT $2",
        after.0,
        limit
    )
    .map(|row| Wallet {
        user_id: UserId(row.user_id),
        seq: row.seq,
        balances: [
            row.available,
            row.to_be_consumed,
            row.to_be_settled,
            row.withdrawing,
            row.guarantee,
        ],
        discount_total: row.discount_total,
        start_up_outstanding: row.start_up_outstanding,
    })
    .fetch_all(pool)
    .await
}

/// A stretch of the books: transactions in order of user and number.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stretch {
    /// Behind this user's transaction.
    pub(super) after: (UserId, i64),
    /// Up to and with this user.
    pub(super) last_user: UserId,
    pub(super) limit: i64,
}

/// Compares the transactions of a stretch with the ones before, and sums their entries by user: of the users in `wallets`
/// up to their wallets' numbers. Answers where to go on, if anywhere.
pub(super) async fn read_stretch(
    pool: &Pool,
    wallets: &[Wallet],
    stretch: Stretch,
) -> Result<(Vec<Part>, Option<(UserId, i64)>), sqlx::Error> {
    let user_ids: Vec<Uuid> = wallets.iter().map(|wallet| wallet.user_id.0).collect();
    let numbers: Vec<i64> = wallets.iter().map(|wallet| wallet.seq).collect();
    let rows = sqlx::query_file!(
        "src/reconcile/stretch.sql",
        &user_ids,
        &numbers,
        stretch.after.0.0,
        stretch.after.1,
        stretch.last_user.0,
        stretch.limit,
    )
    .fetch_all(pool)
    .await?;
    let next = rows
        .first()
        .filter(|row| row.full_chunk)
        .map(|row| (UserId(row.last_user), row.last_seq));
    let parts = rows.into_iter().map(|row| Part {
        user_id: UserId(row.user_id),
        has_wallet: row.has_wallet,
        transactions: row.transactions,
        unbalanced: row.unbalanced,
        off_course: row.off_course,
        sums: Sums {
            transactions: row.counted,
            balances: [
                row.available,
                row.to_be_consumed,
                row.to_be_settled,
                row.withdrawing,
                row.guarantee,
            ],
            shown: row.shown,
            coupons: row.coupons,
            start_up: row.start_up,
        },
        exchanged: row.exchanged,
        platform: Platform([
            row.deposits_clearing,
            row.promotions,
            row.ad_spend,
            row.ad_revenue,
            row.profit_share,
            row.withdrawals_clearing,
            row.withdrawal_fees,
            row.chargebacks,
            row.membership,
            row.fx_clearing,
        ]),
    });
    Ok((parts.collect(), next))
}

/// Users whose holds do not add up to what their wallets say is to be consumed and to be settled.
pub(super) async fn users_off_their_holds(pool: &Pool) -> Result<i64, sqlx::Error> {
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

/// Users whose withdrawals that wait do not add up to what their wallets say is being withdrawn.
pub(super) async fn users_off_their_withdrawals(pool: &Pool) -> Result<i64, sqlx::Error> {
    sqlx::query_scalar!(
        r#"WITH waiting AS (
               SELECT user_id, sum(amount) AS amount FROM withdrawals WHERE status = 'pending' GROUP BY user_id
           ), owed AS (
               SELECT user_id, withdrawing FROM wallets WHERE withdrawing <> 0
           )
           SELECT count(*) AS "count!" FROM waiting FULL JOIN owed USING (user_id)
           WHERE coalesce(amount, 0) <> coalesce(withdrawing, 0)"#
    )
    .fetch_one(pool)
    .await
}

/// What orders hold by the ledger's books, behind `after` up to and with `last`, in order of id.
pub(super) async fn open_holds(
    pool: &Pool,
    after: OrderId,
    last: OrderId,
    limit: i64,
) -> Result<Holds, sqlx::Error> {
    let holds = sqlx::query!(
        r#"SELECT order_id, paid + discount - consumed - paid_returned - discount_returned AS "open!"
           FROM holds
           WHERE state <> 'settled' AND order_id > $1 AND order_id <= $2
             AND paid + discount - consumed - paid_returned - discount_returned > 0
           ORDER BY order_id LIMIT $3"#,
        after.0,
        last.0,
        limit
    )
    .map(|row| (OrderId(row.order_id), row.open))
    .fetch_all(pool)
    .await?;
    Ok(holds.into_iter().collect())
}

/// What these orders have consumed and earned by the ledger's books; nothing of an order that it does not know.
pub(super) async fn delivered(
    pool: &Pool,
    orders: &[Uuid],
) -> Result<BTreeMap<OrderId, Delivered>, sqlx::Error> {
    let rows = sqlx::query!(
        r#"SELECT order_id, consumed::bigint AS "consumed!", revenue::bigint AS "revenue!"
           FROM holds WHERE order_id = ANY ($1)"#,
        orders
    )
    .fetch_all(pool)
    .await?;
    let delivered = rows.into_iter().map(|row| {
        let delivered = Delivered {
            consumed: row.consumed,
            revenue: row.revenue,
        };
        (OrderId(row.order_id), delivered)
    });
    Ok(delivered.collect())
}

/// What coupons cost by the ledger's books.
pub(super) async fn coupon_cost(pool: &Pool) -> Result<CouponCost, sqlx::Error> {
    sqlx::query_as!(
        CouponCost,
        r#"SELECT coalesce(sum(discount), 0)::bigint AS "kept!" FROM holds WHERE state <> 'released'"#
    )
    .fetch_one(pool)
    .await
}

/// Claims the proof of this interval. False if another replica has it.
pub(super) async fn claim_proof_in_tx(
    tx: &mut Tx,
    interval: Duration,
) -> Result<bool, sqlx::Error> {
    let claimed = sqlx::query!(
        "UPDATE proofs SET begun_at = clock_timestamp()
         WHERE begun_at <= clock_timestamp() - make_interval(secs => $1)",
        interval.as_secs_f64()
    );
    Ok(claimed.execute(tx).await?.rows_affected() == 1)
}

pub(super) async fn keep_proof_in_tx(tx: &mut Tx, outcome: &Outcome) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "UPDATE proofs SET finished_at = clock_timestamp(), outcome = $1",
        Json(outcome) as _
    )
    .execute(tx)
    .await
    .map(|_| ())
}

/// None before the first.
pub(super) async fn last_proof(pool: &Pool) -> Result<Option<Proof>, sqlx::Error> {
    sqlx::query!(
        r#"SELECT finished_at AS "finished_at!", outcome AS "outcome!: Json<Outcome>"
           FROM proofs WHERE finished_at IS NOT NULL"#
    )
    .map(|row| Proof {
        finished_at: row.finished_at,
        outcome: row.outcome.0,
    })
    .fetch_optional(pool)
    .await
}
