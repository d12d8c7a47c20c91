//! The SQL of publishing.

use adfolio_kit::db::{Pool, Tx};
use adfolio_kit::error::CoreError;
use adfolio_kit::identity::UserId;
use adfolio_kit::pagination::bound;
use chrono::{DateTime, Utc};
use uuid::Uuid;

use super::entity::{Announcement, Publication, Recipients, State};
use crate::error::NotificationError;
use crate::ids::{NoticeId, StaffId};
use crate::localized;
use crate::notice::{Category, Message};

/// Who made a publication, and when.
#[derive(Clone, Copy, Debug)]
pub struct Made {
    pub by: StaffId,
    pub at: DateTime<Utc>,
}

struct Row {
    id: NoticeId,
    category: Category,
    state: State,
    recipients: Option<i64>,
    users: Option<Vec<Uuid>>,
    reached: Option<i64>,
    title: Option<serde_json::Value>,
    content: Option<serde_json::Value>,
    version: i64,
    made_by: Option<StaffId>,
    made_at: DateTime<Utc>,
    publish_at: Option<DateTime<Utc>>,
    published_at: Option<DateTime<Utc>>,
    changed_by: Option<StaffId>,
    changed_at: Option<DateTime<Utc>>,
    withdrawal_reason: String,
}

impl TryFrom<Row> for Announcement {
    type Error = NotificationError;

    fn try_from(row: Row) -> Result<Self, NotificationError> {
        Ok(Self {
            id: row.id,
            category: row.category,
            state: row.state,
            recipients: row.recipients,
            reached: row.reached,
            message: message(row.title, row.content)?,
            version: row.version,
            made_by: row.made_by,
            made_at: row.made_at,
            publish_at: row.publish_at,
            published_at: row.published_at,
            changed: row.changed_by.zip(row.changed_at),
            withdrawal_reason: row.withdrawal_reason,
        })
    }
}

fn message(
    title: Option<serde_json::Value>,
    content: Option<serde_json::Value>,
) -> Result<Message, NotificationError> {
    let (title, content) = title
        .zip(content)
        .ok_or(CoreError::Corrupt("texts of publications"))?;
    Ok(Message {
        title: localized::from_json(title, "publications.title")?,
        content: localized::from_json(content, "publications.content")?,
    })
}

/// A query for publications: what comes after their columns and tables, and its arguments. What a published one says is in
/// its message. A list goes without the ids of recipients, of which each may have many.
macro_rules! query_publications {
    ($rest:literal $(, $argument:expr)* $(,)?) => {
        query_publications!(users: "NULL::uuid[]", $rest $(, $argument)*)
    };
    (users: $users:literal, $rest:literal $(, $argument:expr)*) => {
        sqlx::query_as!(
            Row,
            "SELECT " + $users + r#" AS users, publication.id AS "id: _", category AS "category: _", state AS "state: _",
                      cardinality(recipients)::bigint AS recipients, reached,
                      coalesce(publication.title, message.title) AS "title?",
                      coalesce(publication.content, message.content) AS "content?", version, made_by AS "made_by: _",
                      made_at, publish_at, published_at, changed_by AS "changed_by: _", changed_at, withdrawal_reason
               FROM publications AS publication
               LEFT JOIN LATERAL (SELECT one.title, one.content FROM messages AS one WHERE one.id = publication.id LIMIT 1)
                   AS message ON true "# + $rest
            $(, $argument)*
        )
    };
}

/// Publications behind `before`, newest first: ids grow with time.
pub async fn list(
    pool: &Pool,
    state: Option<State>,
    before: Option<NoticeId>,
    fetch: i64,
) -> Result<Vec<Announcement>, NotificationError> {
    let before = bound(before);
    let rows =
        match state {
            None => {
                query_publications!(
                    "WHERE publication.id < $1 ORDER BY publication.id DESC LIMIT $2",
                    before,
                    fetch
                )
                .fetch_all(pool)
                .await?
            }
            Some(state) => query_publications!(
                "WHERE state = $3 AND publication.id < $1 ORDER BY publication.id DESC LIMIT $2",
                before,
                fetch,
                state.as_str(),
            )
            .fetch_all(pool)
            .await?,
        };
    rows.into_iter().map(Announcement::try_from).collect()
}

/// One with its recipients; none if it is for all. One statement, so that both are as they were at the same moment.
pub async fn find(
    pool: &Pool,
    id: NoticeId,
) -> Result<Option<(Announcement, Vec<UserId>)>, NotificationError> {
    let row = query_publications!(users: "recipients", "WHERE publication.id = $1", id.0)
        .fetch_optional(pool)
        .await?;
    row.map(|mut row| {
        let users = row.users.take().unwrap_or_default();
        let users = users.into_iter().map(UserId).collect();
        Ok((row.try_into()?, users))
    })
    .transpose()
}

/// One, locked: of a change, a withdrawal and its publication at once, each sees what the one before left.
pub async fn lock_in_tx(
    tx: &mut Tx,
    id: NoticeId,
) -> Result<Option<Announcement>, NotificationError> {
    let row = query_publications!("WHERE publication.id = $1 FOR UPDATE OF publication", id.0)
        .fetch_optional(tx)
        .await?;
    row.map(Announcement::try_from).transpose()
}

/// Writes a publication down: scheduled with a time, published without one.
pub async fn insert_in_tx(
    tx: &mut Tx,
    id: NoticeId,
    publication: &Publication,
    publish_at: Option<DateTime<Utc>>,
    made: Made,
) -> Result<(), NotificationError> {
    let recipients = uuids(&publication.to);
    if let Some(at) = publish_at {
        sqlx::query!(
            "INSERT INTO publications (id, category, recipients, state, title, content, made_by, made_at, publish_at)
             VALUES ($1, $2, $3, 'scheduled', $4, $5, $6, $7, $8)",
            id.0,
            publication.category.as_str(),
            recipients.as_deref(),
            localized::to_json(&publication.message.title)?,
            localized::to_json(&publication.message.content)?,
            made.by.0,
            made.at,
            at,
        )
        .execute(tx)
        .await?;
    } else {
        sqlx::query!(
            "INSERT INTO publications (id, category, recipients, state, made_by, made_at, published_at, reached)
             VALUES ($1, $2, $3, 'published', $4, $5, $5, $6)",
            id.0,
            publication.category.as_str(),
            recipients.as_deref(),
            made.by.0,
            made.at,
            publication.to.count(),
        )
        .execute(tx)
        .await?;
    }
    Ok(())
}

/// Writes a change of what is not published. It is locked.
pub async fn save_in_tx(tx: &mut Tx, announcement: &Announcement) -> Result<(), NotificationError> {
    let (changed_by, changed_at) = announcement.changed.unzip();
    sqlx::query!(
        "UPDATE publications SET category = $2, state = $3, title = $4, content = $5, publish_at = $6, version = $7,
                                 changed_by = $8, changed_at = $9, withdrawal_reason = $10
         WHERE id = $1",
        announcement.id.0,
        announcement.category.as_str(),
        announcement.state.as_str(),
        localized::to_json(&announcement.message.title)?,
        localized::to_json(&announcement.message.content)?,
        announcement.publish_at,
        announcement.version,
        changed_by.map(|by| by.0),
        changed_at,
        announcement.withdrawal_reason,
    )
    .execute(tx)
    .await?;
    Ok(())
}

/// Replaces the recipients. The publication must be locked.
pub async fn save_recipients_in_tx(
    tx: &mut Tx,
    id: NoticeId,
    to: &Recipients,
) -> Result<(), NotificationError> {
    let recipients = uuids(to);
    sqlx::query!(
        "UPDATE publications SET recipients = $2 WHERE id = $1",
        id.0,
        recipients.as_deref(),
    )
    .execute(tx)
    .await?;
    Ok(())
}

/// What is due, the earliest first.
pub async fn due(
    pool: &Pool,
    now: DateTime<Utc>,
    limit: i64,
) -> Result<Vec<NoticeId>, NotificationError> {
    let ids = sqlx::query_scalar!(
        r#"SELECT id AS "id: NoticeId" FROM publications WHERE state = 'scheduled' AND publish_at <= $1
           ORDER BY publish_at, id LIMIT $2"#,
        now,
        limit,
    )
    .fetch_all(pool)
    .await?;
    Ok(ids)
}

/// What is due, locked; none if another replica has it, or if it is not due any more.
pub async fn lock_due_in_tx(
    tx: &mut Tx,
    id: NoticeId,
    now: DateTime<Utc>,
) -> Result<Option<Publication>, NotificationError> {
    let row = sqlx::query!(
        r#"SELECT category AS "category: Category", recipients, title, content
           FROM publications WHERE id = $1 AND state = 'scheduled' AND publish_at <= $2 FOR UPDATE SKIP LOCKED"#,
        id.0,
        now,
    )
    .fetch_optional(tx)
    .await?;
    row.map(|row| {
        Ok(Publication {
            category: row.category,
            to: row.recipients.map_or(Recipients::All, |users| {
                Recipients::Users(users.into_iter().map(UserId).collect())
            }),
            message: message(row.title, row.content)?,
        })
    })
    .transpose()
}

/// Marks it as published. It is locked, and its message is written.
pub async fn mark_published_in_tx(
    tx: &mut Tx,
    id: NoticeId,
    reached: Option<i64>,
    now: DateTime<Utc>,
) -> Result<(), NotificationError> {
    sqlx::query!(
        "UPDATE publications SET state = 'published', title = NULL, content = NULL, published_at = $2, reached = $3
         WHERE id = $1",
        id.0,
        now,
        reached,
    )
    .execute(tx)
    .await?;
    Ok(())
}

/// Announcements whose readers nobody has counted yet.
pub async fn uncounted(pool: &Pool, limit: i64) -> Result<Vec<NoticeId>, NotificationError> {
    let ids = sqlx::query_scalar!(
        r#"SELECT id AS "id: NoticeId" FROM publications
           WHERE state = 'published' AND reached IS NULL AND made_by IS NOT NULL ORDER BY id LIMIT $1"#,
        limit,
    )
    .fetch_all(pool)
    .await?;
    Ok(ids)
}

/// Keeps the first count of each.
pub async fn set_reached_in_tx(
    tx: &mut Tx,
    ids: &[NoticeId],
    reached: i64,
) -> Result<(), NotificationError> {
    let ids: Vec<Uuid> = ids.iter().map(|id| id.0).collect();
    sqlx::query!(
        "UPDATE publications SET reached = $2 WHERE id = ANY($1) AND reached IS NULL",
        &ids,
        reached,
    )
    .execute(tx)
    .await?;
    Ok(())
}

fn uuids(to: &Recipients) -> Option<Vec<Uuid>> {
    match to {
        Recipients::All => None,
        Recipients::Users(users) => Some(users.iter().map(|user| user.0).collect()),
    }
}

/// Writes down what the message says.
pub async fn insert_message_in_tx(
    tx: &mut Tx,
    id: NoticeId,
    publication: &Publication,
) -> Result<(), NotificationError> {
    sqlx::query!(
        "INSERT INTO messages (id, title, content) VALUES ($1, $2, $3)",
        id.0,
        localized::to_json(&publication.message.title)?,
        localized::to_json(&publication.message.content)?,
    )
    .execute(tx)
    .await?;
    Ok(())
}

/// Gives the message the next numbers. Publishers wait for each other until they commit, so that numbers have no holes and
/// become visible in their order; readers do not wait. A time is never that of an announcement before.
pub async fn announce_in_tx(
    tx: &mut Tx,
    id: NoticeId,
    category: Category,
    now: DateTime<Utc>,
) -> Result<(), NotificationError> {
    sqlx::query!("LOCK TABLE announcements IN SHARE ROW EXCLUSIVE MODE")
        .execute(&mut *tx)
        .await?;
    sqlx::query!(
        "WITH last AS (SELECT number, published_at FROM announcements ORDER BY number DESC LIMIT 1),
              last_of_category AS (SELECT category_number FROM announcements WHERE category = $2
                                   ORDER BY number DESC LIMIT 1)
         INSERT INTO announcements (number, id, category, category_number, published_at)
         VALUES (coalesce((SELECT number FROM last), 0) + 1, $1, $2,
                 coalesce((SELECT category_number FROM last_of_category), 0) + 1,
                 greatest($3, (SELECT published_at + interval '1 microsecond' FROM last)))",
        id.0,
        category.as_str(),
        now,
    )
    .execute(tx)
    .await?;
    Ok(())
}
