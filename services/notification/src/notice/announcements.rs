//! The SQL of announcements as users see and mark them. Publishing them is in `publish`.
//!
//! A limit in a joined query makes it a look-up per row of the page, whatever PostgreSQL expects of the page's size.

use adfolio_kit::db::{Pool, Tx};
use adfolio_kit::identity::UserId;
use chrono::{DateTime, Utc};

use super::entity::{Body, Category, Inbox, Kind, Message, Notice, Position, Ranges};
use crate::error::NotificationError;
use crate::ids::NoticeId;
use crate::localized;

struct Row {
    number: i64,
    id: NoticeId,
    category: Category,
    published_at: DateTime<Utc>,
    title: serde_json::Value,
    content: serde_json::Value,
    marked: bool,
}

impl Row {
    fn into_notice(self, is_read: impl Fn(&Self) -> bool) -> Result<Notice, NotificationError> {
        let read = is_read(&self);
        Ok(Notice {
            id: self.id,
            category: self.category,
            kind: Kind::Offer,
            target: None,
            body: Body::Written(Message {
                title: localized::from_json(self.title, "title")?,
                content: localized::from_json(self.content, "content")?,
            }),
            read,
            occurred_at: self.published_at,
        })
    }
}

/// The number of the last announcement before this position; 0 without one. Numbers and times have the same order.
pub async fn last_before(pool: &Pool, position: Position) -> Result<i64, NotificationError> {
    let number = sqlx::query_scalar!(
        "SELECT number FROM announcements WHERE (published_at, id) < ($1, $2) ORDER BY published_at DESC, id DESC LIMIT 1",
        position.occurred_at,
        position.id.0,
    )
    .fetch_optional(pool)
    .await?;
    Ok(number.unwrap_or(0))
}

/// Announcements by `$sql`, which may ask for the user, the ranges and the number of rows; read as `$is_read` says.
macro_rules! notices {
    (($pool:ident, $user:ident, $ranges:ident, $fetch:ident), $sql:literal, $is_read:expr) => {{
        let Ranges {
            categories,
            lows,
            highs,
        } = &$ranges;
        let rows = sqlx::query_as!(Row, $sql, $user.0, categories, lows, highs, $fetch)
            .fetch_all($pool)
            .await?;
        rows.into_iter()
            .map(|row| row.into_notice($is_read))
            .collect()
    }};
}

/// Announcements in these ranges, newest first. Each range is read from the end of its index and no further than the page.
pub async fn list(
    pool: &Pool,
    user: UserId,
    inbox: &Inbox,
    ranges: Ranges,
    fetch: i64,
) -> Result<Vec<Notice>, NotificationError> {
    notices!(
        (pool, user, ranges, fetch),
        r#"SELECT page.number AS "number!", page.id AS "id!: _", page.category AS "category!: _",
                  page.published_at AS "published_at!", message.title, message.content,
                  mark.number IS NOT NULL AS "marked!"
           FROM (SELECT found.number, found.id, found.category, found.published_at
                 FROM UNNEST($2::text[], $3::bigint[], $4::bigint[]) AS range (category, low, high)
                 CROSS JOIN LATERAL (
                     SELECT one.number, one.id, one.category, one.published_at FROM announcements AS one
                     WHERE one.category = range.category AND one.number > range.low AND one.number <= range.high
                     ORDER BY one.number DESC LIMIT $5) AS found
                 ORDER BY found.number DESC LIMIT $5) AS page
           CROSS JOIN LATERAL (SELECT text.title, text.content FROM messages AS text WHERE text.id = page.id LIMIT 1)
               AS message
           LEFT JOIN LATERAL (SELECT mark.number FROM announcement_reads AS mark
                              WHERE mark.user_id = $1 AND mark.category = page.category AND mark.number = page.number
                              LIMIT 1) AS mark ON true
           ORDER BY page.number DESC"#,
        |row| row.marked || row.number <= inbox.through(row.category)
    )
}

/// Announcements in these ranges that the user has not marked, newest first. The mark is looked up for each of them, from the
/// newest on: PostgreSQL takes half of them for unread, so it does not read all of them first, as it might for an anti-join.
pub async fn list_unread(
    pool: &Pool,
    user: UserId,
    ranges: Ranges,
    fetch: i64,
) -> Result<Vec<Notice>, NotificationError> {
    notices!(
        (pool, user, ranges, fetch),
        r#"SELECT page.number AS "number!", page.id AS "id!: _", page.category AS "category!: _",
                  page.published_at AS "published_at!", message.title, message.content, false AS "marked!"
           FROM (SELECT found.number, found.id, found.category, found.published_at
                 FROM UNNEST($2::text[], $3::bigint[], $4::bigint[]) AS range (category, low, high)
                 CROSS JOIN LATERAL (
                     SELECT one.number, one.id, one.category, one.published_at FROM announcements AS one
                     WHERE one.category = range.category AND one.number > range.low AND one.number <= range.high
                       AND NOT coalesce((SELECT true FROM announcement_reads AS mark
                                         WHERE mark.user_id = $1 AND mark.category = range.category
                                           AND mark.number = one.number), false)
                     ORDER BY one.number DESC LIMIT $5) AS found
                 ORDER BY found.number DESC LIMIT $5) AS page
           CROSS JOIN LATERAL (SELECT text.title, text.content FROM messages AS text WHERE text.id = page.id LIMIT 1)
               AS message
           ORDER BY page.number DESC"#,
        |_| false
    )
}

/// Announcements in these ranges that the user has marked one by one, newest first.
pub async fn list_marked(
    pool: &Pool,
    user: UserId,
    ranges: Ranges,
    fetch: i64,
) -> Result<Vec<Notice>, NotificationError> {
    notices!(
        (pool, user, ranges, fetch),
        r#"SELECT one.number, one.id AS "id: _", one.category AS "category: _", one.published_at, message.title,
                  message.content, true AS "marked!"
           FROM (SELECT found.number
                 FROM UNNEST($2::text[], $3::bigint[], $4::bigint[]) AS range (category, low, high)
                 CROSS JOIN LATERAL (
                     SELECT mark.number FROM announcement_reads AS mark
                     WHERE mark.user_id = $1 AND mark.category = range.category
                       AND mark.number > range.low AND mark.number <= range.high
                     ORDER BY mark.number DESC LIMIT $5) AS found
                 ORDER BY found.number DESC LIMIT $5) AS page
           CROSS JOIN LATERAL (SELECT * FROM announcements WHERE number = page.number LIMIT 1) AS one
           CROSS JOIN LATERAL (SELECT text.title, text.content FROM messages AS text WHERE text.id = one.id LIMIT 1)
               AS message
           ORDER BY page.number DESC"#,
        |_| true
    )
}

/// Marks one announcement for the user; answers 1 if that changed it, 0 if it was read before. One from before the user
/// came is none of theirs. The inbox is locked.
pub async fn mark_one_in_tx(
    tx: &mut Tx,
    user: UserId,
    inbox: &Inbox,
    id: NoticeId,
) -> Result<u64, NotificationError> {
    let found = sqlx::query!(
        r#"SELECT number, category AS "category: Category" FROM announcements WHERE id = $1"#,
        id.0
    )
    .fetch_optional(&mut *tx)
    .await?
    .filter(|found| found.number > inbox.base)
    .ok_or(NotificationError::NotificationUnknown)?;
    if found.number <= inbox.through(found.category) {
        return Ok(0);
    }
    let done = sqlx::query!(
        "INSERT INTO announcement_reads (user_id, category, number) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING",
        user.0,
        found.category.as_str(),
        found.number,
    )
    .execute(tx)
    .await?;
    Ok(done.rows_affected())
}

/// Marks every announcement of the category, or of all, up to the last one; answers how many that changed. What was marked
/// one by one goes into the mark. The inbox is locked.
pub async fn mark_all_in_tx(
    tx: &mut Tx,
    user: UserId,
    inbox: &Inbox,
    category: Option<Category>,
) -> Result<u64, NotificationError> {
    let last = sqlx::query_scalar!("SELECT number FROM announcements ORDER BY number DESC LIMIT 1")
        .fetch_optional(&mut *tx)
        .await?
        .unwrap_or(0);
    let wanted = Category::ALL
        .iter()
        .filter(|one| category.is_none_or(|only| only == **one));
    let mut changed: u64 = 0;
    for category in wanted {
        let low = inbox.through(*category);
        let open = open_in_tx(tx, *category, low, last).await?;
        if open == 0 {
            continue;
        }
        let marked = sqlx::query!(
            "DELETE FROM announcement_reads WHERE user_id = $1 AND category = $2 AND number <= $3",
            user.0,
            category.as_str(),
            last,
        )
        .execute(&mut *tx)
        .await?
        .rows_affected();
        set_through_in_tx(tx, user, *category, last).await?;
        changed = changed.saturating_add(open.saturating_sub(marked));
    }
    Ok(changed)
}

/// How many announcements of the category lie between two numbers: the difference of two looks at the index.
async fn open_in_tx(
    tx: &mut Tx,
    category: Category,
    low: i64,
    high: i64,
) -> Result<u64, NotificationError> {
    let open = sqlx::query_scalar!(
        r#"SELECT coalesce((SELECT category_number FROM announcements WHERE category = $1 AND number <= $3
                            ORDER BY number DESC LIMIT 1), 0)
                - coalesce((SELECT category_number FROM announcements WHERE category = $1 AND number <= $2
                            ORDER BY number DESC LIMIT 1), 0) AS "open!""#,
        category.as_str(),
        low,
        high,
    )
    .fetch_one(tx)
    .await?;
    Ok(u64::try_from(open).unwrap_or(0))
}

async fn set_through_in_tx(
    tx: &mut Tx,
    user: UserId,
    category: Category,
    last: i64,
) -> Result<(), NotificationError> {
    sqlx::query!(
        "UPDATE unread_counters SET
             announcement_through = CASE WHEN $2 = 'announcement' THEN $3 ELSE announcement_through END,
             maintenance_through = CASE WHEN $2 = 'maintenance' THEN $3 ELSE maintenance_through END,
             activity_through = CASE WHEN $2 = 'activity' THEN $3 ELSE activity_through END
         WHERE user_id = $1",
        user.0,
        category.as_str(),
        last,
    )
    .execute(tx)
    .await?;
    Ok(())
}
