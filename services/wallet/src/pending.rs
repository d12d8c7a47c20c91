//! Number and age of the requests that staff have not decided, for metrics.

/// Counts the pending rows of a table and measures the age of the oldest, by its column `requested_at`:
/// `pending!(pool, "approvals WHERE state = 'pending'")`.
macro_rules! pending {
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

pub(crate) use pending;
