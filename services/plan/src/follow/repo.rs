//! The SQL of follows.

use adfolio_kit::db::{Pool, Tx};
use adfolio_kit::identity::UserId;
use adfolio_kit::pagination::bound;
use chrono::{DateTime, Utc};
use uuid::Uuid;

use super::{Current, Follow};
use crate::error::PlanError;
use crate::ids::{FollowId, OperatorId};

/// The operator whom the user follows now. The caller holds the user's lock.
pub(super) async fn current_in_tx(
    tx: &mut Tx,
    user: UserId,
) -> Result<Option<OperatorId>, PlanError> {
    let found = sqlx::query_scalar!(
        "SELECT operator_id FROM follows WHERE user_id = $1 AND ended_at IS NULL",
        user.0
    )
    .fetch_optional(tx)
    .await?;
    Ok(found.map(OperatorId))
}

/// Locks the operators whose counts change, in order of id, and answers their names.
pub(super) async fn lock_operators_in_tx(
    tx: &mut Tx,
    left: Option<OperatorId>,
    followed: OperatorId,
) -> Result<Vec<(OperatorId, String)>, PlanError> {
    let rows = sqlx::query!(
        "SELECT id, name FROM operators WHERE id = $1 OR id = $2 ORDER BY id FOR NO KEY UPDATE",
        left.map(|id| id.0),
        followed.0,
    )
    .fetch_all(tx)
    .await?;
    Ok(rows
        .into_iter()
        .map(|row| (OperatorId(row.id), row.name))
        .collect())
}

/// Ends the user's open record, if there is one.
pub(super) async fn end_in_tx(
    tx: &mut Tx,
    user: UserId,
    now: DateTime<Utc>,
) -> Result<(), PlanError> {
    sqlx::query!(
        "UPDATE follows SET ended_at = greatest($2, followed_at) WHERE user_id = $1 AND ended_at IS NULL",
        user.0,
        now,
    )
    .execute(tx)
    .await?;
    Ok(())
}

/// Writes a new open record.
pub(super) async fn insert_in_tx(
    tx: &mut Tx,
    user: UserId,
    follow: &Follow,
) -> Result<(), PlanError> {
    sqlx::query!(
        "INSERT INTO follows (id, user_id, operator_id, followed_at) VALUES ($1, $2, $3, $4)",
        follow.id.0,
        user.0,
        follow.operator_id.0,
        follow.followed_at,
    )
    .execute(tx)
    .await?;
    Ok(())
}

/// Moves a follower from one operator's count to another's. The caller holds both locks.
pub(super) async fn count_in_tx(
    tx: &mut Tx,
    left: Option<OperatorId>,
    followed: OperatorId,
) -> Result<(), PlanError> {
    sqlx::query!(
        "UPDATE operators SET followers = followers + CASE WHEN id = $2 THEN 1 ELSE -1 END WHERE id = $1 OR id = $2",
        left.map(|id| id.0),
        followed.0,
    )
    .execute(tx)
    .await?;
    Ok(())
}

/// A user's records older than `before`, newest first.
pub(super) async fn list(
    pool: &Pool,
    user: UserId,
    before: Option<FollowId>,
    limit: i64,
) -> Result<Vec<Follow>, PlanError> {
    let rows = sqlx::query!(
        r#"SELECT id, operator_id, followed_at, ended_at,
                  (SELECT name FROM operators WHERE operators.id = operator_id) AS "operator_name!"
           FROM follows
           WHERE (user_id, id) < ($1, $2) AND (user_id, id) > ($1, $4)
           ORDER BY user_id DESC, id DESC LIMIT $3"#,
        user.0,
        bound(before),
        limit,
        Uuid::nil(),
    )
    .fetch_all(pool)
    .await?;
    let follows = rows.into_iter().map(|row| Follow {
        id: FollowId(row.id),
        operator_id: OperatorId(row.operator_id),
        operator_name: row.operator_name,
        followed_at: row.followed_at,
        ended_at: row.ended_at,
    });
    Ok(follows.collect())
}

/// The operators whom users follow now.
pub(super) async fn current_of(pool: &Pool, users: &[UserId]) -> Result<Vec<Current>, PlanError> {
    let user_ids: Vec<Uuid> = users.iter().map(|user| user.0).collect();
    let rows = sqlx::query!(
        "SELECT user_id, operator_id FROM follows WHERE user_id = ANY($1) AND ended_at IS NULL",
        &user_ids
    )
    .fetch_all(pool)
    .await?;
    let current = rows.into_iter().map(|row| Current {
        user_id: UserId(row.user_id),
        operator_id: OperatorId(row.operator_id),
    });
    Ok(current.collect())
}

/// Users who follow an operator now, in order of id.
pub(super) async fn followers_in_tx(
    tx: &mut Tx,
    operator: OperatorId,
    limit: i64,
) -> Result<Vec<UserId>, PlanError> {
    let ids = sqlx::query_scalar!(
        "SELECT user_id FROM follows WHERE operator_id = $1 AND ended_at IS NULL ORDER BY user_id LIMIT $2",
        operator.0,
        limit,
    )
    .fetch_all(tx)
    .await?;
    Ok(ids.into_iter().map(UserId).collect())
}
