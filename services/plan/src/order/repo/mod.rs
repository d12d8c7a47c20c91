//! The SQL of orders: one order at a time, and what every change of state writes.

pub mod figure;
pub mod list;
mod row;
pub mod table;

use std::collections::HashSet;

use adfolio_kit::db::{Pool, Tx};
use adfolio_kit::identity::UserId;
use chrono::{DateTime, Utc};
use uuid::Uuid;

use super::Name;
use super::entity::Order;
use super::status::{Pending, Status, TimelineEntry, Transition};
use crate::error::PlanError;
use crate::ids::OrderId;
use row::{OrderRow, query_orders};

/// One order.
pub async fn find(pool: &Pool, id: OrderId) -> Result<Option<Order>, PlanError> {
    let row = query_orders!("FROM orders WHERE id = $1", id.0)
        .fetch_optional(pool)
        .await?;
    row.map(Order::try_from).transpose()
}

/// One order, locked until the transaction ends.
pub async fn lock_in_tx(tx: &mut Tx, id: OrderId) -> Result<Option<Order>, PlanError> {
    let row = query_orders!("FROM orders WHERE id = $1 FOR UPDATE", id.0)
        .fetch_optional(tx)
        .await?;
    row.map(Order::try_from).transpose()
}

/// Orders, locked in order of id. Every transaction locks several orders in this order, so two
/// never wait for each other.
pub async fn lock_many_in_tx(tx: &mut Tx, ids: Vec<OrderId>) -> Result<Vec<Order>, PlanError> {
    let ids: Vec<Uuid> = ids.into_iter().map(|id| id.0).collect();
    let rows = query_orders!(
        "FROM orders WHERE id = ANY($1) ORDER BY id FOR UPDATE",
        &ids
    )
    .fetch_all(tx)
    .await?;
    rows.into_iter().map(Order::try_from).collect()
}

/// Locks the row of `user_totals` of each user, in order of id, and creates it where it is missing.
/// Every transaction that changes a user's plans holds this lock, so the user's events leave in the
/// order of the commits.
pub async fn lock_users_in_tx(tx: &mut Tx, users: &[UserId]) -> Result<(), PlanError> {
    let user_ids: Vec<Uuid> = users.iter().map(|user| user.0).collect();
    sqlx::query!(
        "INSERT INTO user_totals (user_id) SELECT DISTINCT u FROM UNNEST($1::uuid[]) AS u ORDER BY u ON CONFLICT DO NOTHING",
        &user_ids,
    )
    .execute(&mut *tx)
    .await?;
    sqlx::query!(
        "SELECT user_id FROM user_totals WHERE user_id = ANY($1) ORDER BY user_id FOR UPDATE",
        &user_ids
    )
    .fetch_all(tx)
    .await?;
    Ok(())
}

/// What a user's orders are called.
pub async fn names(pool: &Pool, user: UserId, ids: &[Uuid]) -> Result<Vec<Name>, PlanError> {
    let rows = sqlx::query_as!(
        Name,
        r#"SELECT id AS "id: OrderId", plan_number AS number, product_name AS product FROM orders
           WHERE id = ANY($2) AND user_id = $1 AND status NOT IN ('placing', 'refused')"#,
        user.0,
        ids,
    )
    .fetch_all(pool)
    .await?;
    Ok(rows)
}

/// Orders, without a lock.
pub async fn find_many_in_tx(tx: &mut Tx, ids: &[OrderId]) -> Result<Vec<Order>, PlanError> {
    let ids: Vec<Uuid> = ids.iter().map(|id| id.0).collect();
    let rows = query_orders!("FROM orders WHERE id = ANY($1)", &ids)
        .fetch_all(tx)
        .await?;
    rows.into_iter().map(Order::try_from).collect()
}

/// Writes new orders that differ only in id, user, number and amount from the first one.
pub async fn insert_in_tx(tx: &mut Tx, orders: &[Order]) -> Result<(), PlanError> {
    let Some(first) = orders.first() else {
        return Ok(());
    };
    let ids: Vec<Uuid> = orders.iter().map(|order| order.id.0).collect();
    let user_ids: Vec<Uuid> = orders.iter().map(|order| order.user_id.0).collect();
    let numbers: Vec<String> = orders
        .iter()
        .map(|order| order.plan_number.clone())
        .collect();
    let amounts: Vec<i64> = orders
        .iter()
        .map(|order| order.put_amount.minor())
        .collect();
    let (age_min, age_max) = first.audience.age_columns();
    sqlx::query!(
        "INSERT INTO orders (id, user_id, plan_number, product_id, product_name, product_icon_url, status, official,
             operator_id, put_content, put_rule, regions, age_min, age_max, gender, put_amount_minor, paid_amount_minor,
             discount_amount_minor, coupon_name, impressions, clicks, reported_micros, charged_micros, revenue_micros,
             estimated_reports, sources, version, posted_version, fail_reason, paid_out_minor, created_at, expires_at)
         SELECT new.id, new.user_id, new.plan_number, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16,
             new.put_amount, 0, 0, '', 0, 0, 0, 0, 0, 0, '{}', 0, 0, '', 0, $17, $18
         FROM UNNEST($1::uuid[], $2::uuid[], $3::text[], $4::bigint[]) AS new (id, user_id, plan_number, put_amount)
         ORDER BY new.user_id",
        &ids,
        &user_ids,
        &numbers,
        &amounts,
        first.product_id.0,
        first.product_name,
        first.product_icon_url,
        first.status.as_str(),
        first.official,
        first.operator_id.map(|id| id.0),
        first.put_content,
        first.put_rule,
        &first.audience.regions,
        age_min,
        age_max,
        first.audience.gender.as_str(),
        first.created_at,
        first.expires_at,
    )
    .execute(tx)
    .await?;
    Ok(())
}

/// Writes everything that changes in the life of an order except its delivery, which only reports
/// change.
pub async fn save_in_tx(tx: &mut Tx, order: &Order) -> Result<(), PlanError> {
    let coupon = order.coupon.as_ref();
    sqlx::query!(
        "UPDATE orders SET status = $2, put_amount_minor = $3, paid_amount_minor = $4, discount_amount_minor = $5,
             coupon_id = $6, coupon_name = $7, reservation_id = $8, posted_version = $9, pending = $10, fail_reason = $11,
             paid_out_minor = $12, put_at = $13, window_ends_at = $14, finished_at = $15, settle_after = $16,
             settled_at = $17, allotted_micros = $18
         WHERE id = $1",
        order.id.0,
        order.status.as_str(),
        order.put_amount.minor(),
        order.paid.minor(),
        order.discount.minor(),
        coupon.map(|coupon| coupon.id.0),
        coupon.map_or("", |coupon| coupon.name.as_str()),
        coupon.map(|coupon| coupon.reservation_id.0),
        order.posted_version,
        order.pending.map(Pending::as_str),
        order.fail_reason,
        order.paid_out.minor(),
        order.put_at,
        order.window_ends_at,
        order.finished_at,
        order.settle_after,
        order.settled_at,
        order.allotted.get(),
    )
    .execute(tx)
    .await?;
    Ok(())
}

/// Writes steps into the timelines.
pub async fn insert_history_in_tx(
    tx: &mut Tx,
    steps: &[(&Order, Transition)],
) -> Result<(), PlanError> {
    let ids: Vec<Uuid> = steps.iter().map(|(order, _)| order.id.0).collect();
    let statuses: Vec<String> = steps
        .iter()
        .map(|(_, step)| step.to.as_str().to_owned())
        .collect();
    let times: Vec<DateTime<Utc>> = steps.iter().map(|(_, step)| step.time).collect();
    let reasons: Vec<String> = steps.iter().map(|(_, step)| step.reason.clone()).collect();
    sqlx::query!(
        "INSERT INTO order_history (order_id, status, time, reason)
         SELECT order_id, status, time, reason
         FROM UNNEST($1::uuid[], $2::text[], $3::timestamptz[], $4::text[])
              WITH ORDINALITY AS step (order_id, status, time, reason, position)
         ORDER BY position",
        &ids,
        &statuses,
        &times,
        &reasons,
    )
    .execute(tx)
    .await?;
    Ok(())
}

/// The timeline of an order, oldest first.
pub async fn history(pool: &Pool, id: OrderId) -> Result<Vec<TimelineEntry>, PlanError> {
    let rows = sqlx::query!(
        "SELECT status, time, reason FROM order_history WHERE order_id = $1 ORDER BY id LIMIT 100",
        id.0,
    )
    .fetch_all(pool)
    .await?;
    let entries = rows.into_iter().map(|row| TimelineEntry {
        status: Status::from_name(&row.status),
        time: row.time,
        reason: row.reason,
    });
    Ok(entries.collect())
}

/// Pushed orders whose time is over and that no put holds.
pub(super) async fn expired(
    pool: &Pool,
    now: DateTime<Utc>,
    limit: i64,
) -> Result<Vec<OrderId>, PlanError> {
    let ids = sqlx::query_scalar!(
        "SELECT id FROM orders
         WHERE status = 'waiting' AND expires_at <= $1
           AND NOT EXISTS (SELECT FROM puts WHERE order_id = orders.id AND state IN ('driving', 'undoing', 'placed'))
         ORDER BY expires_at LIMIT $2",
        now,
        limit,
    )
    .fetch_all(pool)
    .await?;
    Ok(ids.into_iter().map(OrderId).collect())
}

/// Whether a put of the order is under way or succeeded. The caller holds the order's lock.
pub(super) async fn has_live_put_in_tx(tx: &mut Tx, order: OrderId) -> Result<bool, PlanError> {
    let found = sqlx::query_scalar!(
        "SELECT id FROM puts WHERE order_id = $1 AND state IN ('driving', 'undoing', 'placed')",
        order.0,
    )
    .fetch_optional(tx)
    .await?;
    Ok(found.is_some())
}

/// Which of these plan numbers are taken.
pub(super) async fn taken_numbers_in_tx(
    tx: &mut Tx,
    numbers: &[String],
) -> Result<HashSet<String>, PlanError> {
    let taken = sqlx::query_scalar!(
        "SELECT plan_number FROM orders WHERE plan_number = ANY($1)",
        numbers
    )
    .fetch_all(tx)
    .await?;
    Ok(taken.into_iter().collect())
}
