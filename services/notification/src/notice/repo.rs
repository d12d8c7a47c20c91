//! The SQL of the inbox.

use adfolio_kit::db::{PgPool, Tx};
use adfolio_kit::identity::UserId;
use chrono::{DateTime, Utc};
use uuid::Uuid;

use super::entity::{Category, Filter, NewNotice, Notice, Params, Position};
use crate::error::NotificationError;

struct Row {
    id: Uuid,
    category: String,
    template: String,
    params: serde_json::Value,
    read: bool,
    occurred_at: DateTime<Utc>,
}

impl TryFrom<Row> for Notice {
    type Error = NotificationError;

    fn try_from(row: Row) -> Result<Self, NotificationError> {
        let unknown = NotificationError::UnknownColumnValue;
        let params: Params = serde_json::from_value(row.params).map_err(|_| unknown("params"))?;
        Ok(Self {
            id: row.id,
            category: Category::from_name(&row.category).ok_or(unknown("category"))?,
            template: row.template,
            params,
            read: row.read,
            occurred_at: row.occurred_at,
        })
    }
}

/// Where the first page begins: behind the end of time, which for PostgreSQL is later than for chrono.
const FIRST: Position = Position {
    occurred_at: DateTime::<Utc>::MAX_UTC,
    id: Uuid::max(),
};

/// Adds a notice and counts it in one statement; a happening that was told before adds nothing.
pub async fn add_in_tx(tx: &mut Tx, notice: &NewNotice) -> Result<bool, NotificationError> {
    let done = sqlx::query!(
        "WITH added AS (
             INSERT INTO notifications (id, user_id, category, template, params, source_key, occurred_at)
             VALUES ($1, $2, $3, $4, $5, $6, $7)
             ON CONFLICT (source_key) DO NOTHING
             RETURNING user_id)
         INSERT INTO unread_counters (user_id, unread) SELECT user_id, 1 FROM added
         ON CONFLICT (user_id) DO UPDATE SET unread = unread_counters.unread + 1",
        notice.id,
        notice.user.0,
        notice.category.as_str(),
        notice.template.as_str(),
        serde_json::to_value(&notice.params)?,
        notice.source_key,
        notice.occurred_at,
    )
    .execute(tx)
    .await?;
    Ok(done.rows_affected() == 1)
}

/// Each way to filter is a query of its own, so that PostgreSQL always takes the index that is made for it: a filter that
/// may be NULL would leave the choice to a generic plan.
macro_rules! page {
    ($pool:expr, $filter:literal, $user:expr, $at:expr, $id:expr, $fetch:expr $(, $value:expr)*) => {
        sqlx::query_as!(
            Row,
            "SELECT id, category, template, params, read, occurred_at FROM notifications WHERE user_id = $1 "
                + "AND (occurred_at, id) < ($2, $3) "
                + $filter
                + " ORDER BY occurred_at DESC, id DESC LIMIT $4",
            $user,
            $at,
            $id,
            $fetch
            $(, $value)*
        )
        .fetch_all($pool)
        .await?
    };
}

/// Notices behind `before`, newest first.
pub async fn list(
    pool: &PgPool,
    user: UserId,
    filter: Filter,
    before: Option<Position>,
    fetch: i64,
) -> Result<Vec<Notice>, NotificationError> {
    let Position { occurred_at, id } = before.unwrap_or(FIRST);
    let user = user.0;
    let rows = match (filter.category.map(Category::as_str), filter.read) {
        (None, None) => page!(pool, "", user, occurred_at, id, fetch),
        (Some(category), None) => page!(
            pool,
            "AND category = $5",
            user,
            occurred_at,
            id,
            fetch,
            category
        ),
        (None, Some(read)) => page!(pool, "AND read = $5", user, occurred_at, id, fetch, read),
        (Some(category), Some(read)) => {
            page!(
                pool,
                "AND category = $5 AND read = $6",
                user,
                occurred_at,
                id,
                fetch,
                category,
                read
            )
        }
    };
    rows.into_iter().map(Notice::try_from).collect()
}

/// How many notices the user has not read: one row by its key.
pub async fn unread(pool: &PgPool, user: UserId) -> Result<i64, NotificationError> {
    let unread = sqlx::query_scalar!(
        "SELECT unread FROM unread_counters WHERE user_id = $1",
        user.0
    )
    .fetch_optional(pool)
    .await?;
    Ok(unread.unwrap_or(0))
}

/// Locks the user's inbox; false when it has never had a notice.
pub async fn lock_counter_in_tx(tx: &mut Tx, user: UserId) -> Result<bool, NotificationError> {
    let found = sqlx::query_scalar!(
        "SELECT unread FROM unread_counters WHERE user_id = $1 FOR UPDATE",
        user.0
    )
    .fetch_optional(tx)
    .await?;
    Ok(found.is_some())
}

/// Marks one notice of the user; answers how many that changed. The inbox is locked.
pub async fn mark_one_in_tx(
    tx: &mut Tx,
    user: UserId,
    id: Uuid,
    now: DateTime<Utc>,
) -> Result<u64, NotificationError> {
    let done = sqlx::query!(
        "UPDATE notifications SET read = true, read_at = $3 WHERE id = $2 AND user_id = $1 AND NOT read",
        user.0,
        id,
        now,
    )
    .execute(tx)
    .await?;
    Ok(done.rows_affected())
}

/// Whether the user has this notice.
pub async fn exists_in_tx(tx: &mut Tx, user: UserId, id: Uuid) -> Result<bool, NotificationError> {
    let found = sqlx::query_scalar!(
        r#"SELECT EXISTS (SELECT 1 FROM notifications WHERE id = $2 AND user_id = $1) AS "found!""#,
        user.0,
        id,
    )
    .fetch_one(tx)
    .await?;
    Ok(found)
}

/// Marks every notice of the category, or of all; answers how many that changed. The inbox is locked.
pub async fn mark_all_in_tx(
    tx: &mut Tx,
    user: UserId,
    category: Option<Category>,
    now: DateTime<Utc>,
) -> Result<u64, NotificationError> {
    let done = sqlx::query!(
        "UPDATE notifications SET read = true, read_at = $3
         WHERE user_id = $1 AND NOT read AND ($2::text IS NULL OR category = $2)",
        user.0,
        category.map(Category::as_str),
        now,
    )
    .execute(tx)
    .await?;
    Ok(done.rows_affected())
}

/// Takes `marked` off the counter; answers what is left. The inbox is locked.
pub async fn count_down_in_tx(
    tx: &mut Tx,
    user: UserId,
    marked: u64,
) -> Result<i64, NotificationError> {
    let left = sqlx::query_scalar!(
        "UPDATE unread_counters SET unread = unread - $2 WHERE user_id = $1 RETURNING unread",
        user.0,
        i64::try_from(marked).unwrap_or(i64::MAX),
    )
    .fetch_one(tx)
    .await?;
    Ok(left)
}
