//! The number and age of what waits for staff, for metrics.

/// Reads what waits in a table: `waiting!(pool, "approvals WHERE state = 'pending'")`. The rows have a `requested_at`.
macro_rules! waiting {
    ($pool:expr, $rows:literal) => {
        sqlx::query_as!(
            adfolio_kit::metrics::InState,
            r#"SELECT 'pending' AS "state!", count(*) AS "count!",
                  coalesce(extract(epoch FROM clock_timestamp() - min(requested_at)), 0)::float8 AS "oldest_seconds!"
           FROM (SELECT requested_at FROM "# + $rows + r#" ORDER BY id LIMIT $1) AS waiting"#,
            adfolio_kit::metrics::COUNTED_AT_MOST
        )
        .fetch_all($pool)
        .await
    };
}

pub(crate) use waiting;
