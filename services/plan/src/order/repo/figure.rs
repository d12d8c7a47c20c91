//! The SQL of figures: the orders that they count, and their sums.

use adfolio_kit::db::Pool;
use adfolio_kit::identity::UserId;
use adfolio_kit::pagination::bound;
use adfolio_money::Money;
use chrono::{DateTime, Utc};

use super::list::names;
use super::row::{OrderRow, query_orders};
use crate::error::PlanError;
use crate::ids::OrderId;
use crate::order::entity::Order;
use crate::order::status::Filter;
use crate::statistics::entity::Puts;

/// What is left of an order that is not settled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Open {
    /// Budget that is not consumed.
    Budget,
    /// Revenue that is not paid out.
    Revenue,
}

/// A user's orders that were paid in a stretch of time, before the one with id `before`.
pub async fn paid(
    pool: &Pool,
    user: UserId,
    filter: &Filter,
    (from, to): (DateTime<Utc>, DateTime<Utc>),
    before: Option<OrderId>,
    limit: i64,
) -> Result<Vec<Order>, PlanError> {
    let rows = query_orders!(
        "FROM orders
         WHERE user_id = $1 AND put_at >= $2 AND put_at < $3 AND status = ANY($4) AND official = ANY($5) AND id < $6
         ORDER BY id DESC LIMIT $7",
        user.0,
        from,
        to,
        &names(&filter.statuses),
        &filter.official,
        bound(before),
        limit,
    )
    .fetch_all(pool)
    .await?;
    rows.into_iter().map(Order::try_from).collect()
}

/// The sums of a user's orders that were paid in a stretch of time, or ever.
pub async fn sum_of_paid(
    pool: &Pool,
    user: UserId,
    filter: &Filter,
    within: Option<(DateTime<Utc>, DateTime<Utc>)>,
) -> Result<Puts, PlanError> {
    let (from, to) = within.unzip();
    let row = sqlx::query!(
        r#"SELECT coalesce(sum(put_amount_minor), 0)::bigint AS "invested!", count(*) AS "orders!" FROM orders
           WHERE user_id = $1 AND put_at >= coalesce($2::timestamptz, '-infinity') AND put_at < coalesce($3::timestamptz, 'infinity')
             AND status = ANY($4) AND official = ANY($5)"#,
        user.0,
        from,
        to,
        &names(&filter.statuses),
        &filter.official,
    )
    .fetch_one(pool)
    .await?;
    Ok(Puts {
        invested: Money::from_minor(row.invested),
        orders: row.orders,
    })
}

/// A user's orders of which something is left, before the one with id `before`.
pub async fn open(
    pool: &Pool,
    user: UserId,
    filter: &Filter,
    what: Open,
    before: Option<OrderId>,
    limit: i64,
) -> Result<Vec<Order>, PlanError> {
    let rows = query_orders!(
        "FROM orders
         WHERE user_id = $1 AND status IN ('matching', 'putting', 'put_finished', 'waiting_settlement')
           AND status = ANY($2) AND official = ANY($3) AND id < $5
           AND CASE WHEN $4 THEN put_amount_minor - minor_of(charged_micros) ELSE minor_of(revenue_micros) END <> 0
         ORDER BY id DESC LIMIT $6",
        user.0,
        &names(&filter.statuses),
        &filter.official,
        what == Open::Budget,
        bound(before),
        limit,
    )
    .fetch_all(pool)
    .await?;
    rows.into_iter().map(Order::try_from).collect()
}

/// What is left of a user's orders in total.
pub async fn sum_of_open(
    pool: &Pool,
    user: UserId,
    filter: &Filter,
    what: Open,
) -> Result<Money, PlanError> {
    let sum = sqlx::query_scalar!(
        r#"SELECT coalesce(sum(
               CASE WHEN $4 THEN put_amount_minor - minor_of(charged_micros) ELSE minor_of(revenue_micros) END
           ), 0)::bigint AS "sum!"
           FROM orders
           WHERE user_id = $1 AND status IN ('matching', 'putting', 'put_finished', 'waiting_settlement')
             AND status = ANY($2) AND official = ANY($3)"#,
        user.0,
        &names(&filter.statuses),
        &filter.official,
        what == Open::Budget,
    )
    .fetch_one(pool)
    .await?;
    Ok(Money::from_minor(sum))
}
