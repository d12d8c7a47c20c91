//! The SQL of the inbox.

use adfolio_kit::db::{Pool, Tx};
use adfolio_kit::error::CoreError;
use adfolio_kit::identity::UserId;
use chrono::{DateTime, Utc};
use uuid::Uuid;

use super::entity::{
    self, Body, Category, Filter, Inbox, Message, NewNotice, Notice, Position, Unread,
};
use crate::error::NotificationError;
use crate::ids::NoticeId;
use crate::localized;
use crate::text;

struct Row {
    id: NoticeId,
    category: Category,
    template: String,
    params: serde_json::Value,
    title: Option<serde_json::Value>,
    content: Option<serde_json::Value>,
    source_key: String,
    read: bool,
    occurred_at: DateTime<Utc>,
}

impl TryFrom<Row> for Notice {
    type Error = NotificationError;

    fn try_from(row: Row) -> Result<Self, NotificationError> {
        let body = match (row.title, row.content) {
            (Some(title), Some(content)) => Body::Written(Message {
                title: localized::from_json(title, "title")?,
                content: localized::from_json(content, "content")?,
            }),
            _ => Body::Event {
                template: row.template,
                params: text::params_from_json(row.params)
                    .ok_or(CoreError::Corrupt("notifications.params"))?,
            },
        };
        let (kind, target) = entity::about(&row.source_key);
        Ok(Self {
            id: row.id,
            category: row.category,
            kind,
            target,
            body,
            read: row.read,
            occurred_at: row.occurred_at,
        })
    }
}

/// What stands in `template` of a notice that staff wrote.
const WRITTEN: &str = "written";

/// Where the first page begins: behind the end of time, which for PostgreSQL is later than for chrono.
const FIRST: Position = Position {
    occurred_at: DateTime::<Utc>::MAX_UTC,
    id: NoticeId(Uuid::max()),
};

/// Adds a notice and counts it in one statement; a repeated event adds nothing.
pub async fn add_in_tx(tx: &mut Tx, notice: &NewNotice) -> Result<bool, NotificationError> {
    let done = sqlx::query!(
        "WITH added AS (
             INSERT INTO notifications (id, user_id, category, template, params, source_key, occurred_at)
             VALUES ($1, $2, $3, $4, $5, $6, $7)
             ON CONFLICT (source_key) DO NOTHING
             RETURNING user_id)
         INSERT INTO unread_counters (user_id, unread) SELECT user_id, 1 FROM added
         ON CONFLICT (user_id) DO UPDATE SET unread = unread_counters.unread + 1",
        notice.id.0,
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

/// The limit in the join makes it a look-up per row of the page, whatever PostgreSQL expects of the page's size. And
/// each way to filter is a query of its own, so that PostgreSQL always takes the index that is made for it: a filter that
/// may be NULL would leave the choice to a generic plan.
macro_rules! page {
    ($pool:expr, $keys:expr, $filter:literal $(, $value:expr)*) => {
        sqlx::query_as!(
            Row,
            r#"SELECT page.id AS "id!: _", page.category AS "category!: _", page.template AS "template!", page.params AS "params!",
                      page.source_key AS "source_key!", page.read AS "read!", page.occurred_at AS "occurred_at!",
                      message.title AS "title?", message.content AS "content?"
               FROM (SELECT id, category, template, params, source_key, read, occurred_at, message_id FROM notifications
                     WHERE user_id = $1 AND (occurred_at, id) < ($2, $3) "#
                + $filter
                + r#" ORDER BY occurred_at DESC, id DESC LIMIT $4) AS page
               LEFT JOIN LATERAL (SELECT one.title, one.content FROM messages AS one WHERE one.id = page.message_id LIMIT 1)
                   AS message ON true
               ORDER BY page.occurred_at DESC, page.id DESC"#,
            $keys.0,
            $keys.1,
            $keys.2,
            $keys.3
            $(, $value)*
        )
        .fetch_all($pool)
        .await?
    };
}

/// Notices behind `before`, newest first.
pub async fn list(
    pool: &Pool,
    user: UserId,
    filter: Filter,
    before: Option<Position>,
    fetch: i64,
) -> Result<Vec<Notice>, NotificationError> {
    let Position { occurred_at, id } = before.unwrap_or(FIRST);
    let keys = (user.0, occurred_at, id.0, fetch);
    let rows = match (filter.category.map(Category::as_str), filter.read) {
        (None, None) => page!(pool, keys, ""),
        (Some(category), None) => page!(pool, keys, "AND category = $5", category),
        (None, Some(read)) => page!(pool, keys, "AND read = $5", read),
        (Some(category), Some(read)) => {
            page!(
                pool,
                keys,
                "AND category = $5 AND read = $6",
                category,
                read
            )
        }
    };
    rows.into_iter().map(Notice::try_from).collect()
}

/// Adds a notice that staff wrote for each of the users, who are in order and differ, and counts it: two that add to the
/// same users at once take their inboxes in the same order.
pub async fn add_written_in_tx(
    tx: &mut Tx,
    message: NoticeId,
    category: Category,
    notices: &[(NoticeId, UserId)],
    now: DateTime<Utc>,
) -> Result<(), NotificationError> {
    let (ids, users): (Vec<Uuid>, Vec<Uuid>) =
        notices.iter().map(|(id, user)| (id.0, user.0)).unzip();
    sqlx::query!(
        "INSERT INTO notifications (id, user_id, category, template, params, source_key, occurred_at, message_id)
         SELECT fresh.id, fresh.user_id, $3, $4, '{}', 'message:' || $5::uuid::text || ':' || fresh.user_id::text, $6, $5
         FROM UNNEST($1::uuid[], $2::uuid[]) AS fresh (id, user_id)",
        &ids,
        &users,
        category.as_str(),
        WRITTEN,
        message.0,
        now,
    )
    .execute(&mut *tx)
    .await?;
    sqlx::query!(
        "INSERT INTO unread_counters (user_id, unread)
         SELECT user_id, 1 FROM UNNEST($1::uuid[]) WITH ORDINALITY AS fresh (user_id, position) ORDER BY position
         ON CONFLICT (user_id) DO UPDATE SET unread = unread_counters.unread + 1",
        &users,
    )
    .execute(tx)
    .await?;
    Ok(())
}

struct InboxRow {
    unread: i64,
    base: i64,
    announcements_done: i64,
    announcement_through: i64,
    maintenance_through: i64,
    activity_through: i64,
    revision: i64,
}

impl From<InboxRow> for Inbox {
    fn from(row: InboxRow) -> Self {
        Self {
            personal_unread: row.unread,
            base: row.base,
            done: row.announcements_done,
            through: [
                row.announcement_through,
                row.maintenance_through,
                row.activity_through,
            ],
            revision: row.revision,
        }
    }
}

/// The user's row by its key, with the number of the last announcement, which one look at the end of an index tells. None
/// while it is not known since when the user is here.
pub async fn inbox(pool: &Pool, user: UserId) -> Result<Option<(Inbox, i64)>, NotificationError> {
    let found = sqlx::query!(
        r#"SELECT unread, announcements_base AS "base!", announcements_done, announcement_through, maintenance_through,
                  activity_through, revision,
                  coalesce((SELECT number FROM announcements ORDER BY number DESC LIMIT 1), 0) AS "latest!"
           FROM unread_counters WHERE user_id = $1 AND announcements_base IS NOT NULL"#,
        user.0
    )
    .fetch_optional(pool)
    .await?;
    Ok(found.map(|row| {
        let inbox = InboxRow {
            unread: row.unread,
            base: row.base,
            announcements_done: row.announcements_done,
            announcement_through: row.announcement_through,
            maintenance_through: row.maintenance_through,
            activity_through: row.activity_through,
            revision: row.revision,
        };
        (inbox.into(), row.latest)
    }))
}

/// Writes down which announcements came before the user, unless that is known: all of them are done with.
pub async fn open_in_tx(
    tx: &mut Tx,
    user: UserId,
    since: DateTime<Utc>,
) -> Result<(), NotificationError> {
    sqlx::query!(
        "WITH last AS (SELECT coalesce((SELECT number FROM announcements WHERE published_at <= $2
                                        ORDER BY published_at DESC LIMIT 1), 0) AS number)
         INSERT INTO unread_counters (user_id, unread, announcements_base, announcements_done, announcement_through,
                                      maintenance_through, activity_through)
         SELECT $1, 0, number, number, number, number, number FROM last
         ON CONFLICT (user_id) DO UPDATE SET
             announcements_base = excluded.announcements_base, announcements_done = excluded.announcements_done,
             announcement_through = excluded.announcement_through, maintenance_through = excluded.maintenance_through,
             activity_through = excluded.activity_through
         WHERE unread_counters.announcements_base IS NULL",
        user.0,
        since,
    )
    .execute(tx)
    .await?;
    Ok(())
}

/// Locks the user's inbox, which was opened before.
pub async fn lock_in_tx(tx: &mut Tx, user: UserId) -> Result<Inbox, NotificationError> {
    let row = sqlx::query_as!(
        InboxRow,
        r#"SELECT unread, announcements_base AS "base!", announcements_done, announcement_through, maintenance_through,
                  activity_through, revision
           FROM unread_counters WHERE user_id = $1 FOR UPDATE"#,
        user.0
    )
    .fetch_one(tx)
    .await?;
    Ok(row.into())
}

/// Marks one notice of the user; answers how many that changed. The inbox is locked.
pub async fn mark_one_in_tx(
    tx: &mut Tx,
    user: UserId,
    id: NoticeId,
    now: DateTime<Utc>,
) -> Result<u64, NotificationError> {
    let done = sqlx::query!(
        "UPDATE notifications SET read = true, read_at = $3 WHERE id = $2 AND user_id = $1 AND NOT read",
        user.0,
        id.0,
        now,
    )
    .execute(tx)
    .await?;
    Ok(done.rows_affected())
}

/// Whether the user has this notice.
pub async fn exists_in_tx(
    tx: &mut Tx,
    user: UserId,
    id: NoticeId,
) -> Result<bool, NotificationError> {
    let found = sqlx::query_scalar!(
        r#"SELECT EXISTS (SELECT 1 FROM notifications WHERE id = $2 AND user_id = $1) AS "found!""#,
        user.0,
        id.0,
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

/// Takes what was marked off the user's own unread notices and adds what was marked to the announcements that are done;
/// answers what is left unread in all. The inbox is locked.
pub async fn count_down_in_tx(
    tx: &mut Tx,
    user: UserId,
    own: u64,
    to_all: u64,
) -> Result<Unread, NotificationError> {
    let left = sqlx::query_as!(
        Unread,
        r#"UPDATE unread_counters SET unread = unread - $2, announcements_done = announcements_done + $3
           WHERE user_id = $1
           RETURNING unread - announcements_done
                     + coalesce((SELECT number FROM announcements ORDER BY number DESC LIMIT 1), 0) AS "total!",
                     revision + coalesce((SELECT number FROM announcements ORDER BY number DESC LIMIT 1), 0)
                     AS "sequence!""#,
        user.0,
        i64::try_from(own).unwrap_or(i64::MAX),
        i64::try_from(to_all).unwrap_or(i64::MAX),
    )
    .fetch_one(tx)
    .await?;
    Ok(left)
}
