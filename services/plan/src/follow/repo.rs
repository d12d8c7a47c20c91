//! SQL of follows.

use adfolio_kit::db::{PgPool, Tx};
use chrono::{DateTime, Utc};
use uuid::Uuid;

use super::Follow;
use crate::error::PlanError;

/// Whom the user follows now. The caller holds the user's lock.
pub(super) async fn current_in_tx(tx: &mut Tx, user_id: Uuid) -> Result<Option<Uuid>, PlanError> {
    let found = sqlx::query_scalar!(
        "SELECT operator_id FROM follows WHERE user_id = $1 AND ended_at IS NULL",
        user_id
    )
    .fetch_optional(tx)
    .await?;
    Ok(found)
}

/// Locks the operators whose counts move, in order of id, and answers their names.
pub(super) async fn lock_operators_in_tx(
    tx: &mut Tx,
    left: Option<Uuid>,
    followed: Uuid,
) -> Result<Vec<(Uuid, String)>, PlanError> {
    let rows = sqlx::query!(
        "SELECT id, name FROM operators WHERE id = $1 OR id = $2 ORDER BY id FOR NO KEY UPDATE",
        left,
        followed,
    )
    .fetch_all(tx)
    .await?;
    Ok(rows.into_iter().map(|row| (row.id, row.name)).collect())
}

/// Ends the user's open record, if there is one.
pub(super) async fn end_in_tx(
    tx: &mut Tx,
    user_id: Uuid,
    now: DateTime<Utc>,
) -> Result<(), PlanError> {
    sqlx::query!(
        "UPDATE follows SET ended_at = greatest($2, followed_at) WHERE user_id = $1 AND ended_at IS NULL",
        user_id,
        now,
    )
    .execute(tx)
    .await?;
    Ok(())
}

/// Writes a new open record.
pub(super) async fn insert_in_tx(
    tx: &mut Tx,
    user_id: Uuid,
    follow: &Follow,
) -> Result<(), PlanError> {
    sqlx::query!(
        "INSERT INTO follows (id, user_id, operator_id, followed_at) VALUES ($1, $2, $3, $4)",
        follow.id,
        user_id,
        follow.operator_id,
        follow.followed_at,
    )
    .execute(tx)
    .await?;
    Ok(())
}

/// Moves a follower from one operator's count to another's. The caller holds both locks.
pub(super) async fn count_in_tx(
    tx: &mut Tx,
    left: Option<Uuid>,
    followed: Uuid,
) -> Result<(), PlanError> {
    sqlx::query!(
        "UPDATE operators SET followers = followers + CASE WHEN id = $2 THEN 1 ELSE -1 END WHERE id = $1 OR id = $2",
        left,
        followed,
    )
    .execute(tx)
    .await?;
    Ok(())
}

/// A user's records before the one with id `before`, newest first.
pub(super) async fn list(
    pool: &PgPool,
    user_id: Uuid,
    before: Uuid,
    limit: i64,
) -> Result<Vec<Follow>, PlanError> {
    let rows = sqlx::query_as!(
        Follow,
        r#"SELECT id, operator_id, followed_at, ended_at,
                  (SELECT name FROM operators WHERE operators.id = operator_id) AS "operator_name!"
           FROM follows
           WHERE (user_id, id) < ($1, $2) AND (user_id, id) > ($1, $4)
           ORDER BY user_id DESC, id DESC LIMIT $3"#,
        user_id,
        before,
        limit,
        Uuid::nil(),
    )
    .fetch_all(pool)
    .await?;
    Ok(rows)
}

/// Whom users follow now.
pub(super) async fn current_of(
    pool: &PgPool,
    user_ids: &[Uuid],
) -> Result<Vec<(Uuid, Uuid)>, PlanError> {
    let rows = sqlx::query!(
        "SELECT user_id, operator_id FROM follows WHERE user_id = ANY($1) AND ended_at IS NULL",
        user_ids
    )
    .fetch_all(pool)
    .await?;
    Ok(rows
        .into_iter()
        .map(|row| (row.user_id, row.operator_id))
        .collect())
}

/// Users who follow an operator now, in order of id.
pub(super) async fn followers_in_tx(
    tx: &mut Tx,
    operator_id: Uuid,
    limit: i64,
) -> Result<Vec<Uuid>, PlanError> {
    let ids = sqlx::query_scalar!(
        "SELECT user_id FROM follows WHERE operator_id = $1 AND ended_at IS NULL ORDER BY user_id LIMIT $2",
        operator_id,
        limit,
    )
    .fetch_all(tx)
    .await?;
    Ok(ids)
}
