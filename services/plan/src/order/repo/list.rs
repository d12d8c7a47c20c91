//! The SQL of lists of orders. Each filter value is one range of an index, and the ranges are
//! merged newest first, so a page costs the same with every filter and at every depth. A range is
//! compared and ordered by all columns of its index: with equalities the planner may walk another
//! index and skip what does not fit.

use adfolio_kit::db::Pool;
use adfolio_kit::identity::UserId;
use adfolio_kit::pagination::bound;
use adfolio_money::Money;
use uuid::Uuid;

use super::row::{ListedRow, OrderRow, query_orders};
use crate::error::PlanError;
use crate::ids::OrderId;
use crate::order::entity::{Holding, Order};
use crate::order::status::{Filter, Status};

pub(super) fn names(statuses: &[Status]) -> Vec<String> {
    let name = |status: &Status| status.as_str().to_owned();
    statuses.iter().map(name).collect()
}

/// Orders before the one with id `before`, of all users.
pub async fn newest(
    pool: &Pool,
    filter: &Filter,
    before: Option<OrderId>,
    limit: i64,
) -> Result<Vec<Order>, PlanError> {
    let rows = query_orders!(
        "FROM UNNEST($1::text[]) AS wanted (wanted_status)
         CROSS JOIN UNNEST($2::boolean[]) AS kind (wanted_official)
         CROSS JOIN LATERAL (
             SELECT orders.* FROM orders
             WHERE (status, official, id) < (wanted_status, wanted_official, $3)
               AND (status, official, id) > (wanted_status, wanted_official, $5)
             ORDER BY status DESC, official DESC, id DESC LIMIT $4) AS part
         ORDER BY id DESC LIMIT $4",
        &names(&filter.statuses),
        &filter.official,
        bound(before),
        limit,
        Uuid::nil(),
    )
    .fetch_all(pool)
    .await?;
    rows.into_iter().map(Order::try_from).collect()
}

/// A user's orders before the one with id `before`, with the counts of [`counts`] unless there is no
/// such order.
///
/// Only ranges that have orders are read: `order_counts` names them. It also lets the planner guess
/// well, so that it keeps its plan; unnested filters made it plan every call anew, which took as
/// long as the query.
pub async fn newest_of_user(
    pool: &Pool,
    user: UserId,
    filter: &Filter,
    before: Option<OrderId>,
    limit: i64,
) -> Result<(Vec<Order>, Option<StatusCounts>), PlanError> {
    let rows = query_orders!(
        ListedRow,
        r#"ARRAY(SELECT status FROM order_counts WHERE user_id = $1 AND official = ANY($3)
                 ORDER BY official, status) AS "counted!: Vec<Status>",
           ARRAY(SELECT count FROM order_counts WHERE user_id = $1 AND official = ANY($3)
                 ORDER BY official, status) AS "counts!","#,
        "FROM (SELECT status AS wanted_status, official AS wanted_official FROM order_counts
               WHERE user_id = $1 AND status = ANY($2) AND official = ANY($3) AND count > 0) AS wanted
         CROSS JOIN LATERAL (
             SELECT orders.* FROM orders
             WHERE (user_id, official, status, id) < ($1, wanted_official, wanted_status, $4)
               AND (user_id, official, status, id) > ($1, wanted_official, wanted_status, $6)
             ORDER BY user_id DESC, official DESC, status DESC, id DESC LIMIT $5) AS part
         ORDER BY id DESC LIMIT $5",
        user.0,
        &names(&filter.statuses),
        &filter.official,
        bound(before),
        limit,
        Uuid::nil(),
    )
    .fetch_all(pool)
    .await?;
    let counts = rows.first().map(|row| {
        let counted = row.counted.iter().copied();
        counted.zip(row.counts.iter().copied()).collect()
    });
    let orders = rows.into_iter().map(Order::try_from);
    Ok((orders.collect::<Result<_, _>>()?, counts))
}

/// The order with a number, if the filter lets it through.
pub async fn by_number(
    pool: &Pool,
    number: &str,
    user_id: Option<UserId>,
    filter: &Filter,
) -> Result<Vec<Order>, PlanError> {
    let rows = query_orders!("FROM orders
         WHERE plan_number = $1 AND status = ANY($2) AND ($3::uuid IS NULL OR user_id = $3) AND official = ANY($4)",
        number,
        &names(&filter.statuses),
        user_id.map(|id| id.0),
        &filter.official,
    )
    .fetch_all(pool)
    .await?;
    rows.into_iter().map(Order::try_from).collect()
}

/// Statuses with a number of orders. A status may occur twice: official and not.
pub type StatusCounts = Vec<(Status, i64)>;

/// How many orders of each status a user has.
pub async fn counts(
    pool: &Pool,
    user_id: UserId,
    official: &[bool],
) -> Result<StatusCounts, PlanError> {
    let rows = sqlx::query!(
        r#"SELECT status AS "status: Status", count FROM order_counts
           WHERE user_id = $1 AND official = ANY($2)"#,
        user_id.0,
        official,
    )
    .fetch_all(pool)
    .await?;
    Ok(rows
        .into_iter()
        .map(|row| (row.status, row.count))
        .collect())
}

/// How many pushed plans wait for a user's put. This is one row, because only pushed plans wait.
pub async fn count_waiting(pool: &Pool, user_id: UserId) -> Result<i64, PlanError> {
    let count = sqlx::query_scalar!(
        "SELECT count FROM order_counts WHERE user_id = $1 AND official AND status = 'waiting'",
        user_id.0,
    )
    .fetch_optional(pool)
    .await?;
    Ok(count.unwrap_or(0))
}

/// Orders that may hold money, in order of id after `after`.
pub async fn holding(
    pool: &Pool,
    after: Option<OrderId>,
    limit: i64,
) -> Result<Vec<Holding>, PlanError> {
    let ids = sqlx::query!(
        r#"SELECT orders.id,
                  CASE WHEN rests THEN orders.posted_consumed_minor END AS posted_consumed,
                  (orders.status = 'placing' OR puts.id IS NOT NULL OR order_work.order_id IS NOT NULL AND NOT rests)
                      AS "in_flight!"
           FROM orders
           LEFT JOIN puts ON puts.order_id = orders.id AND puts.state IN ('driving', 'undoing')
           LEFT JOIN order_work ON order_work.order_id = orders.id
           -- Work that only waits for its hour (POSTING_PACE_SECONDS): the ledger has what was posted last.
           CROSS JOIN LATERAL (SELECT coalesce(order_work.is_paced AND order_work.lease_until IS NULL
               AND order_work.attempts = 0 AND orders.posted_consumed_minor IS NOT NULL, false)) AS work (rests)
           WHERE orders.id > $1
             AND orders.status IN ('placing', 'waiting', 'matching', 'putting', 'put_finished', 'waiting_settlement')
             AND (orders.status <> 'waiting' OR puts.id IS NOT NULL)
             AND (orders.status IN ('placing', 'waiting') OR order_work.order_id IS NOT NULL
                  OR orders.charged_micros < orders.put_amount_minor * 10000)
           ORDER BY orders.id LIMIT $2"#,
        after.map_or(Uuid::nil(), |id| id.0),
        limit,
    )
    .fetch_all(pool)
    .await?;
    let wanted: Vec<Uuid> = ids.iter().map(|row| row.id).collect();
    let rows = query_orders!("FROM orders WHERE id = ANY($1) ORDER BY id", &wanted)
        .fetch_all(pool)
        .await?;
    let mut flags = ids.into_iter();
    let mut holdings = Vec::new();
    for row in rows {
        let order = Order::try_from(row)?;
        let flag = flags.find(|flag| flag.id == order.id.0);
        let (posted, in_flight) =
            flag.map_or((None, false), |flag| (flag.posted_consumed, flag.in_flight));
        let open = match posted {
            Some(posted) => order.put_amount.checked_sub(Money::from_minor(posted))?,
            None => order.to_be_consumed(),
        };
        holdings.push(Holding {
            order,
            open,
            in_flight,
        });
    }
    Ok(holdings)
}
