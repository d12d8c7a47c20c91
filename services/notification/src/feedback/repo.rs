//! The SQL of feedback.

use adfolio_kit::db::{Pool, Tx};
use adfolio_kit::identity::UserId;
use adfolio_kit::metrics::COUNTED_AT_MOST;
use adfolio_kit::pagination::bound;
use chrono::{DateTime, Utc};

use super::entity::{Draft, Feedback, State};
use crate::error::NotificationError;
use crate::ids::FeedbackId;

/// A query for feedback: what comes after its columns and table, and its arguments.
macro_rules! query_feedback {
    ($rest:literal $(, $argument:expr)* $(,)?) => {
        sqlx::query_as!(
            Feedback,
            r#"SELECT id AS "id: _", user_id AS "user: _", topic, content, image_file_ids AS images,
                    state AS "state: _", reply, created_at, closed_at, closed_by AS "closed_by: _"
             FROM feedback "# + $rest
            $(, $argument)*
        )
    };
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
    pool: &Pool,
    state: Option<State>,
    before: Option<FeedbackId>,
    fetch: i64,
) -> Result<Vec<Feedback>, NotificationError> {
    let before = bound(before);
    // A query of its own for each way to filter, so that PostgreSQL always takes the index that is made for it.
    let feedback = match state {
        None => {
            query_feedback!("WHERE id < $1 ORDER BY id DESC LIMIT $2", before, fetch)
                .fetch_all(pool)
                .await?
        }
        Some(state) => {
            query_feedback!(
                "WHERE state = $3 AND id < $1 ORDER BY id DESC LIMIT $2",
                before,
                fetch,
                state.as_str(),
            )
            .fetch_all(pool)
            .await?
        }
    };
    Ok(feedback)
}

/// How much is open, and when the oldest came.
pub async fn count_open(pool: &Pool) -> Result<(i64, Option<DateTime<Utc>>), NotificationError> {
    let row = sqlx::query!(
        r#"SELECT count(*) AS "count!", min(created_at) AS oldest_at
           FROM (SELECT created_at FROM feedback WHERE state = 'open' ORDER BY id LIMIT $1) AS waiting"#,
        COUNTED_AT_MOST,
    )
    .fetch_one(pool)
    .await?;
    Ok((row.count, row.oldest_at))
}

/// One, locked: of many who close it at once, each sees what the one before left.
pub async fn lock_in_tx(
    tx: &mut Tx,
    id: FeedbackId,
) -> Result<Option<Feedback>, NotificationError> {
    let feedback = query_feedback!("WHERE id = $1 FOR UPDATE", id.0)
        .fetch_optional(tx)
        .await?;
    Ok(feedback)
}

/// Keeps that it is closed, and by whom.
pub async fn close_in_tx(tx: &mut Tx, closed: &Feedback) -> Result<(), NotificationError> {
    sqlx::query!(
        "UPDATE feedback SET state = $2, reply = $3, closed_at = $4, closed_by = $5 WHERE id = $1",
        closed.id.0,
        closed.state.as_str(),
        closed.reply,
        closed.closed_at,
        closed.closed_by.map(|by| by.0),
    )
    .execute(tx)
    .await?;
    Ok(())
}
