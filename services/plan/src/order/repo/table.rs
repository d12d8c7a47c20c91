//! The SQL of tables of orders.

use adfolio_kit::db::Pool;
use adfolio_kit::identity::UserId;
use adfolio_kit::pagination::bound;
use adfolio_money::Money;

use super::list::names;
use super::row::{OrderRow, query_orders};
use crate::error::PlanError;
use crate::ids::OrderId;
use crate::order::entity::Order;
use crate::order::status::Filter;
use crate::order::table::{Table, Totals};

/// A page of a user's orders, behind the row with this value and id.
pub async fn page(
    pool: &Pool,
    user: UserId,
    table: &Table,
    filter: &Filter,
    behind: Option<(i64, OrderId)>,
    limit: i64,
) -> Result<Vec<Order>, PlanError> {
    let (value, id) = behind.unzip();
    let value = value.map_or(i64::MAX, |value| value.saturating_mul(table.sign()));
    let rows = query_orders!(
        "FROM (SELECT orders.*, $8::bigint * CASE $7::text
                   WHEN 'put_amount' THEN put_amount_minor
                   WHEN 'consumed' THEN charged_micros
                   WHEN 'revenue' THEN revenue_micros
                   WHEN 'profit' THEN revenue_micros - charged_micros
                   WHEN 'impressions' THEN impressions
                   WHEN 'clicks' THEN clicks
                   ELSE (extract(epoch FROM created_at) * 1000000)::bigint END AS value
               FROM orders
               WHERE user_id = $1 AND status = ANY($2) AND official = ANY($3)
                 AND ($4::timestamptz IS NULL OR created_at >= $4) AND ($5::timestamptz IS NULL OR created_at < $5)
                 AND (product_name ILIKE $6 OR plan_number ILIKE $6)) AS sorted
         WHERE (value, id) < ($9, $10)
         ORDER BY value DESC, id DESC LIMIT $11",
        user.0,
        &names(&filter.statuses),
        &filter.official,
        table.from,
        table.to,
        pattern(&table.query),
        table.sort.as_str(),
        table.sign(),
        value,
        bound(id),
        limit,
    )
    .fetch_all(pool)
    .await?;
    rows.into_iter().map(Order::try_from).collect()
}

/// The totals of all rows.
pub async fn totals(
    pool: &Pool,
    user: UserId,
    table: &Table,
    filter: &Filter,
) -> Result<Totals, PlanError> {
    let row = sqlx::query!(
        r#"SELECT count(*) AS "count!", coalesce(sum(put_amount_minor), 0)::bigint AS "put_amount!",
                  coalesce(sum(minor_of(charged_micros)), 0)::bigint AS "consumed!",
                  coalesce(sum(minor_of(revenue_micros)), 0)::bigint AS "revenue!",
                  coalesce(sum(impressions), 0)::bigint AS "impressions!", coalesce(sum(clicks), 0)::bigint AS "clicks!"
           FROM orders
           WHERE user_id = $1 AND status = ANY($2) AND official = ANY($3)
             AND ($4::timestamptz IS NULL OR created_at >= $4) AND ($5::timestamptz IS NULL OR created_at < $5)
             AND (product_name ILIKE $6 OR plan_number ILIKE $6)"#,
        user.0,
        &names(&filter.statuses),
        &filter.official,
        table.from,
        table.to,
        pattern(&table.query),
    )
    .fetch_one(pool)
    .await?;
    Ok(Totals {
        count: row.count,
        put_amount: Money::from_minor(row.put_amount),
        consumed: Money::from_minor(row.consumed),
        revenue: Money::from_minor(row.revenue),
        impressions: row.impressions,
        clicks: row.clicks,
    })
}

/// What LIKE finds a text by, wherever it stands.
fn pattern(query: &str) -> String {
    let mut pattern = String::from("%");
    for letter in query.chars() {
        if matches!(letter, '%' | '_' | '\\') {
            pattern.push('\\');
        }
        pattern.push(letter);
    }
    pattern.push('%');
    pattern
}
