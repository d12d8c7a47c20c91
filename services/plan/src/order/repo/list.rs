//! SQL of lists of orders. Each filter value is one range of an index, and the ranges are merged newest first, so a page
//! costs the same with every filter and at every depth. A range is compared and ordered by all columns of its index, because
//! with equalities the planner may walk another index and leave out what does not fit.

use adfolio_kit::db::PgPool;
use uuid::Uuid;

use super::entity::{Order, Status};
use super::row::OrderRow;
use crate::error::PlanError;

/// Which orders.
#[derive(Clone, Debug)]
pub struct Filter {
    /// Statuses; never empty.
    pub statuses: Vec<Status>,
    /// Values of `official`; never empty.
    pub official: Vec<bool>,
}

impl Filter {
    fn status_names(&self) -> Vec<String> {
        self.statuses
            .iter()
            .map(|status| status.as_str().to_owned())
            .collect()
    }
}

/// Orders of a user before the one with id `before`.
pub(super) async fn of_user(
    pool: &PgPool,
    user_id: Uuid,
    filter: &Filter,
    before: Uuid,
    limit: i64,
) -> Result<Vec<Order>, PlanError> {
    let rows = sqlx::query_as!(
        OrderRow,
        "SELECT part.* FROM UNNEST($2::text[]) AS wanted (status)
         CROSS JOIN UNNEST($3::boolean[]) AS kind (official)
         CROSS JOIN LATERAL (
             SELECT * FROM orders
             WHERE (user_id, official, status, id) < ($1, kind.official, wanted.status, $4)
               AND (user_id, official, status, id) > ($1, kind.official, wanted.status, $6)
             ORDER BY user_id DESC, official DESC, status DESC, id DESC LIMIT $5) AS part
         ORDER BY part.id DESC LIMIT $5",
        user_id,
        &filter.status_names(),
        &filter.official,
        before,
        limit,
        Uuid::nil(),
    )
    .fetch_all(pool)
    .await?;
    rows.into_iter().map(Order::try_from).collect()
}

/// Orders of all users before the one with id `before`.
pub(super) async fn of_all(
    pool: &PgPool,
    filter: &Filter,
    before: Uuid,
    limit: i64,
) -> Result<Vec<Order>, PlanError> {
    let rows = sqlx::query_as!(
        OrderRow,
        "SELECT part.* FROM UNNEST($1::text[]) AS wanted (status)
         CROSS JOIN UNNEST($2::boolean[]) AS kind (official)
         CROSS JOIN LATERAL (
             SELECT * FROM orders
             WHERE (status, official, id) < (wanted.status, kind.official, $3)
               AND (status, official, id) > (wanted.status, kind.official, $5)
             ORDER BY status DESC, official DESC, id DESC LIMIT $4) AS part
         ORDER BY part.id DESC LIMIT $4",
        &filter.status_names(),
        &filter.official,
        before,
        limit,
        Uuid::nil(),
    )
    .fetch_all(pool)
    .await?;
    rows.into_iter().map(Order::try_from).collect()
}

/// The order with a number, if the filter lets it through.
pub(super) async fn by_number(
    pool: &PgPool,
    number: &str,
    user_id: Option<Uuid>,
    filter: &Filter,
) -> Result<Vec<Order>, PlanError> {
    let rows = sqlx::query_as!(
        OrderRow,
        "SELECT * FROM orders
         WHERE plan_number = $1 AND status = ANY($2) AND ($3::uuid IS NULL OR user_id = $3) AND official = ANY($4)",
        number,
        &filter.status_names(),
        user_id,
        &filter.official,
    )
    .fetch_all(pool)
    .await?;
    rows.into_iter().map(Order::try_from).collect()
}

/// How many orders of each status a user has.
pub(super) async fn counts(
    pool: &PgPool,
    user_id: Uuid,
    official: &[bool],
) -> Result<Vec<(Status, i64)>, PlanError> {
    let rows = sqlx::query!(
        r#"SELECT status, sum(count)::bigint AS "count!" FROM order_counts
           WHERE user_id = $1 AND official = ANY($2) GROUP BY status"#,
        user_id,
        official,
    )
    .fetch_all(pool)
    .await?;
    rows.into_iter()
        .map(|row| Ok((Status::parse(&row.status)?, row.count)))
        .collect()
}

/// How many pushed plans wait for a user's put: one row, for only pushed plans wait.
pub(super) async fn count_waiting(pool: &PgPool, user_id: Uuid) -> Result<i64, PlanError> {
    let count = sqlx::query_scalar!(
        "SELECT count FROM order_counts WHERE user_id = $1 AND official AND status = 'waiting'",
        user_id
    )
    .fetch_optional(pool)
    .await?;
    Ok(count.unwrap_or(0))
}

/// An order with money in the ledger, for reconciliation.
pub struct Holding {
    /// The order.
    pub order: Order,
    /// Whether wallet may be ahead of or behind what the order says.
    pub in_flight: bool,
}

/// Orders that may hold money, in order of id after `after`.
pub(super) async fn holding(
    pool: &PgPool,
    after: Uuid,
    limit: i64,
) -> Result<Vec<Holding>, PlanError> {
    let ids = sqlx::query!(
        r#"SELECT orders.id,
                  (orders.status = 'placing' OR puts.id IS NOT NULL OR order_work.order_id IS NOT NULL) AS "in_flight!"
           FROM orders
           LEFT JOIN puts ON puts.order_id = orders.id AND puts.state IN ('driving', 'undoing')
           LEFT JOIN order_work ON order_work.order_id = orders.id
           WHERE orders.id > $1
             AND orders.status IN ('placing', 'waiting', 'matching', 'putting', 'put_finished', 'waiting_settlement')
             AND (orders.status <> 'waiting' OR puts.id IS NOT NULL)
             AND (orders.status IN ('placing', 'waiting') OR order_work.order_id IS NOT NULL
                  OR orders.charged_micros < orders.put_amount_minor * 10000)
           ORDER BY orders.id LIMIT $2"#,
        after,
        limit,
    )
    .fetch_all(pool)
    .await?;
    let wanted: Vec<Uuid> = ids.iter().map(|row| row.id).collect();
    let rows = sqlx::query_as!(
        OrderRow,
        "SELECT * FROM orders WHERE id = ANY($1) ORDER BY id",
        &wanted
    )
    .fetch_all(pool)
    .await?;
    let mut flags = ids.into_iter();
    let mut holdings = Vec::new();
    for row in rows {
        let order = Order::try_from(row)?;
        let in_flight = flags
            .find(|flag| flag.id == order.id)
            .is_some_and(|flag| flag.in_flight);
        holdings.push(Holding { order, in_flight });
    }
    Ok(holdings)
}
