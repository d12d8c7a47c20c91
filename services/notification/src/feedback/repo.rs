//! The SQL of feedback.

use adfolio_kit::db::{PgPool, Tx};
use adfolio_kit::error::CoreError;
use adfolio_kit::identity::UserId;
use chrono::{DateTime, Utc};
use uuid::Uuid;

use super::entity::{Draft, Feedback, State};
use crate::error::NotificationError;
use crate::ids::FeedbackId;

struct Row {
    id: Uuid,
    user_id: Uuid,
    topic: String,
    content: String,
    image_file_ids: Vec<String>,
    state: String,
    reply: String,
    created_at: DateTime<Utc>,
    closed_at: Option<DateTime<Utc>>,
}

impl TryFrom<Row> for Feedback {
    type Error = NotificationError;

    fn try_from(row: Row) -> Result<Self, NotificationError> {
        Ok(Self {
            id: FeedbackId(row.id),
            user: UserId(row.user_id),
            topic: row.topic,
            content: row.content,
            images: row.image_file_ids,
            state: State::from_name(&row.state).ok_or(CoreError::Corrupt("feedback.state"))?,
            reply: row.reply,
            created_at: row.created_at,
            closed_at: row.closed_at,
        })
    }
}

/// Keeps what a user handed in.
pub async fn insert_in_tx(
    tx: &mut Tx,
    id: FeedbackId,
    user: UserId,
    draft: &Draft,
    now: DateTime<Utc>,
) -> Result<(), NotificationError> {
    sqlx::query!(
        "INSERT INTO feedback (id, user_id, topic, content, image_file_ids, created_at) VALUES ($1, $2, $3, $4, $5, $6)",
        id.0,
        user.0,
        draft.topic,
        draft.content,
        &draft.images,
        now,
    )
    .execute(tx)
    .await?;
    Ok(())
}

/// Feedback behind `before`, newest first: ids grow with time.
pub async fn list(
    pool: &PgPool,
    state: Option<State>,
    before: Option<FeedbackId>,
    fetch: i64,
) -> Result<Vec<Feedback>, NotificationError> {
    let before = before.map_or(Uuid::max(), |id| id.0);
    // A query of its own for each way to filter, so that PostgreSQL always takes the index that is made for it.
    let rows = match state {
        None => {
            sqlx::query_as!(
                Row,
                "SELECT id, user_id, topic, content, image_file_ids, state, reply, created_at, closed_at
                 FROM feedback WHERE id < $1 ORDER BY id DESC LIMIT $2",
                before,
                fetch,
            )
            .fetch_all(pool)
            .await?
        }
        Some(state) => {
            sqlx::query_as!(
                Row,
                "SELECT id, user_id, topic, content, image_file_ids, state, reply, created_at, closed_at
                 FROM feedback WHERE state = $3 AND id < $1 ORDER BY id DESC LIMIT $2",
                before,
                fetch,
                state.as_str(),
            )
            .fetch_all(pool)
            .await?
        }
    };
    rows.into_iter().map(Feedback::try_from).collect()
}

/// One, locked: of many who close it at once, each sees what the one before left.
pub async fn lock_in_tx(
    tx: &mut Tx,
    id: FeedbackId,
) -> Result<Option<Feedback>, NotificationError> {
    sqlx::query_as!(
        Row,
        "SELECT id, user_id, topic, content, image_file_ids, state, reply, created_at, closed_at
         FROM feedback WHERE id = $1 FOR UPDATE",
        id.0,
    )
    .fetch_optional(tx)
    .await?
    .map(Feedback::try_from)
    .transpose()
}

/// Keeps that it is closed, and by whom.
pub async fn close_in_tx(
    tx: &mut Tx,
    closed: &Feedback,
    staff: Uuid,
) -> Result<(), NotificationError> {
    sqlx::query!(
        "UPDATE feedback SET state = $2, reply = $3, closed_at = $4, closed_by = $5 WHERE id = $1",
        closed.id.0,
        closed.state.as_str(),
        closed.reply,
        closed.closed_at,
        staff,
    )
    .execute(tx)
    .await?;
    Ok(())
}
