//! The SQL of the work that orders wait for: a queue with leases, and orders whose time is over.

use std::time::Duration;

use adfolio_kit::db::{Pool, Tx};
use adfolio_kit::metrics::{COUNTED_AT_MOST, FAILING, FAILING_ATTEMPTS, InState};
use adfolio_money::Money;
use chrono::{DateTime, Utc};
use uuid::Uuid;

use crate::error::PlanError;
use crate::ids::OrderId;

/// An order whose work is leased.
pub(super) struct Leased {
    pub(super) order: OrderId,
    pub(super) attempts: i32,
}

/// Puts orders into the queue, in the transaction that creates the work. The caller holds the
/// orders' locks. What waited only to be posted together waits no longer.
pub(super) async fn enqueue_in_tx(tx: &mut Tx, orders: &[OrderId]) -> Result<(), PlanError> {
    let ids: Vec<Uuid> = orders.iter().map(|order| order.0).collect();
    sqlx::query!(
        "INSERT INTO order_work (order_id, due_at) SELECT id, clock_timestamp() FROM UNNEST($1::uuid[]) AS id ORDER BY id
         ON CONFLICT (order_id) DO UPDATE SET due_at = excluded.due_at, is_paced = false WHERE order_work.is_paced",
        &ids,
    )
    .execute(tx)
    .await?;
    Ok(())
}

/// The same for orders whose totals are posted together: not before `pace` after the last posting.
pub(super) async fn enqueue_paced_in_tx(
    tx: &mut Tx,
    orders: &[OrderId],
    pace: Duration,
) -> Result<(), PlanError> {
    let ids: Vec<Uuid> = orders.iter().map(|order| order.0).collect();
    sqlx::query!(
        "INSERT INTO order_work (order_id, due_at, is_paced)
         SELECT id, greatest(clock_timestamp(), posted_at + make_interval(secs => $2)), true
         FROM orders WHERE id = ANY($1) ORDER BY id
         ON CONFLICT DO NOTHING",
        &ids,
        pace.as_secs_f64(),
    )
    .execute(tx)
    .await?;
    Ok(())
}

/// Keeps which totals the ledger has now; none where it is ahead of what is known here.
pub(super) async fn note_posted_in_tx(
    tx: &mut Tx,
    order: OrderId,
    totals: Option<(Money, Money)>,
) -> Result<(), PlanError> {
    let (consumed, revenue) = totals.unzip();
    sqlx::query!(
        "UPDATE orders SET posted_at = clock_timestamp(), posted_consumed_minor = $2, posted_revenue_minor = $3
         WHERE id = $1",
        order.0,
        consumed.map(Money::minor),
        revenue.map(Money::minor),
    )
    .execute(tx)
    .await?;
    Ok(())
}

/// Returns the lease of an order that has posted and has more to post, if that is all that it waits for: the rest is posted
/// together later. False if it does not wait.
pub(super) async fn rest_in_tx(
    tx: &mut Tx,
    order: OrderId,
    token: Uuid,
    pace: Duration,
) -> Result<bool, PlanError> {
    let rested = sqlx::query!(
        "UPDATE order_work SET attempts = 0, lease_until = NULL, due_at = orders.posted_at + make_interval(secs => $3)
         FROM orders
         WHERE order_id = $1 AND lease_token = $2 AND is_paced AND orders.id = $1 AND orders.posted_at IS NOT NULL",
        order.0,
        token,
        pace.as_secs_f64(),
    )
    .execute(tx)
    .await?;
    Ok(rested.rows_affected() == 1)
}

/// Leases orders that nobody works on: `only` at once, or any that are due. Replicas skip each
/// other's orders.
pub(super) async fn claim_in_tx(
    tx: &mut Tx,
    only: Option<OrderId>,
    token: Uuid,
    lease: Duration,
    limit: i64,
) -> Result<Vec<Leased>, PlanError> {
    let rows = sqlx::query!(
        "UPDATE order_work SET attempts = attempts + 1, lease_token = $2,
                               lease_until = clock_timestamp() + make_interval(secs => $3)
         WHERE order_id IN (
             SELECT order_id FROM order_work
             WHERE (lease_until IS NULL OR lease_until < clock_timestamp())
               AND CASE WHEN $1::uuid IS NULL THEN due_at <= clock_timestamp() ELSE order_id = $1 END
             ORDER BY due_at LIMIT $4 FOR UPDATE SKIP LOCKED)
         RETURNING order_id, attempts",
        only.map(|order| order.0),
        token,
        lease.as_secs_f64(),
        limit,
    )
    .fetch_all(tx)
    .await?;
    let leased = rows.into_iter().map(|row| Leased {
        order: OrderId(row.order_id),
        attempts: row.attempts,
    });
    Ok(leased.collect())
}

/// Renews a lease after a step; false when it was lost.
pub(super) async fn renew_in_tx(
    tx: &mut Tx,
    order: OrderId,
    token: Uuid,
    lease: Duration,
) -> Result<bool, PlanError> {
    let done = sqlx::query!(
        "UPDATE order_work SET attempts = 1, lease_until = clock_timestamp() + make_interval(secs => $3)
         WHERE order_id = $1 AND lease_token = $2",
        order.0,
        token,
        lease.as_secs_f64(),
    )
    .execute(tx)
    .await?;
    Ok(done.rows_affected() == 1)
}

/// Takes an order out of the queue. The caller holds the order's lock and has seen that nothing is
/// left to do. No work is lost: a transaction that creates new work waits for that lock and puts
/// the order in again.
pub(super) async fn remove_in_tx(
    tx: &mut Tx,
    order: OrderId,
    token: Uuid,
) -> Result<(), PlanError> {
    sqlx::query!(
        "DELETE FROM order_work WHERE order_id = $1 AND lease_token = $2",
        order.0,
        token
    )
    .execute(tx)
    .await?;
    Ok(())
}

/// Returns the lease; the next attempt comes after `wait`.
pub(super) async fn postpone_in_tx(
    tx: &mut Tx,
    order: OrderId,
    token: Uuid,
    wait: Duration,
) -> Result<(), PlanError> {
    sqlx::query!(
        "UPDATE order_work SET lease_until = NULL, due_at = clock_timestamp() + make_interval(secs => $3)
         WHERE order_id = $1 AND lease_token = $2",
        order.0,
        token,
        wait.as_secs_f64(),
    )
    .execute(tx)
    .await?;
    Ok(())
}

/// Orders whose put window is over. One that nobody has reported yet waits for the reports of what was allotted.
pub(super) async fn window_over(
    pool: &Pool,
    now: DateTime<Utc>,
    limit: i64,
) -> Result<Vec<OrderId>, PlanError> {
    let ids = sqlx::query_scalar!(
        "SELECT id FROM orders WHERE status IN ('matching', 'putting') AND pending IS NULL AND window_ends_at <= $1
           AND (status = 'putting' OR allotted_micros = 0)
         ORDER BY window_ends_at LIMIT $2",
        now,
        limit,
    )
    .fetch_all(pool)
    .await?;
    Ok(ids.into_iter().map(OrderId).collect())
}

/// How many orders [`window_over`] would find, and when the first window ended.
pub(super) async fn count_window_over(
    pool: &Pool,
    now: DateTime<Utc>,
) -> Result<(i64, Option<DateTime<Utc>>), PlanError> {
    let row = sqlx::query!(
        r#"SELECT count(*) AS "count!", min(window_ends_at) AS oldest_at
           FROM (SELECT window_ends_at FROM orders
                 WHERE status IN ('matching', 'putting') AND pending IS NULL AND window_ends_at <= $1
                   AND (status = 'putting' OR allotted_micros = 0)
                 ORDER BY window_ends_at LIMIT $2) AS over"#,
        now,
        COUNTED_AT_MOST,
    )
    .fetch_one(pool)
    .await?;
    Ok((row.count, row.oldest_at))
}

/// Orders whose time for restatements is over.
pub(super) async fn settlement_due(
    pool: &Pool,
    now: DateTime<Utc>,
    limit: i64,
) -> Result<Vec<OrderId>, PlanError> {
    let ids = sqlx::query_scalar!(
        "SELECT id FROM orders WHERE status = 'waiting_settlement' AND pending IS NULL AND settle_after <= $1
         ORDER BY settle_after LIMIT $2",
        now,
        limit,
    )
    .fetch_all(pool)
    .await?;
    Ok(ids.into_iter().map(OrderId).collect())
}

/// What orders wait for: work to be done, work that fails again and again, and settlements past
/// their time.
pub(super) async fn waiting(pool: &Pool, now: DateTime<Utc>) -> Result<Vec<InState>, PlanError> {
    let states = sqlx::query_as!(
        InState,
        r#"WITH work AS (
               SELECT attempts, greatest(extract(epoch FROM clock_timestamp() - due_at), 0)::float8 AS age
               FROM order_work WHERE due_at <= clock_timestamp() ORDER BY due_at LIMIT $1),
           overdue AS (
               SELECT extract(epoch FROM $4 - settle_after)::float8 AS age FROM orders
               WHERE status = 'waiting_settlement' AND pending IS NULL AND settle_after <= $4
               ORDER BY settle_after LIMIT $1)
           SELECT 'due' AS "state!", count(*) AS "count!", coalesce(max(age), 0) AS "oldest_seconds!" FROM work
           UNION ALL
           SELECT $3, count(*), coalesce(max(age), 0) FROM work WHERE attempts >= $2
           UNION ALL
           SELECT 'overdue', count(*), coalesce(max(age), 0) FROM overdue"#,
        COUNTED_AT_MOST,
        FAILING_ATTEMPTS,
        FAILING,
        now,
    )
    .fetch_all(pool)
    .await?;
    Ok(states)
}

/// Who has asked since `since` that the plan settles before its time.
pub(super) async fn asked_by(
    pool: &Pool,
    order: OrderId,
    since: DateTime<Utc>,
) -> Result<Option<Uuid>, PlanError> {
    let asked_by = sqlx::query_scalar!(
        "SELECT asked_by FROM settlement_requests WHERE order_id = $1 AND asked_at > $2",
        order.0,
        since,
    )
    .fetch_optional(pool)
    .await?;
    Ok(asked_by)
}

/// Keeps who asks, unless somebody has asked since `since`; answers whether it did.
pub(super) async fn ask_in_tx(
    tx: &mut Tx,
    order: OrderId,
    by: Uuid,
    (since, now): (DateTime<Utc>, DateTime<Utc>),
) -> Result<bool, PlanError> {
    let asked = sqlx::query!(
        "INSERT INTO settlement_requests (order_id, asked_by, asked_at) VALUES ($1, $2, $3)
         ON CONFLICT (order_id) DO UPDATE SET asked_by = excluded.asked_by, asked_at = excluded.asked_at
             WHERE settlement_requests.asked_at <= $4",
        order.0,
        by,
        now,
        since,
    )
    .execute(tx)
    .await?;
    Ok(asked.rows_affected() == 1)
}
