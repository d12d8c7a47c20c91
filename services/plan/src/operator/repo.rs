//! The SQL of operators.

use adfolio_kit::db::{Pool, Tx};
use adfolio_kit::pagination::bound;

use super::Operator;
use crate::error::PlanError;
use crate::ids::OperatorId;

/// Writes a new operator.
pub(super) async fn insert_in_tx(tx: &mut Tx, operator: &Operator) -> Result<(), PlanError> {
    sqlx::query!(
        "INSERT INTO operators (id, name, created_at) VALUES ($1, $2, $3)",
        operator.id.0,
        operator.name,
        operator.created_at,
    )
    .execute(tx)
    .await?;
    Ok(())
}

/// Whether there is such an operator.
pub(super) async fn exists(pool: &Pool, id: OperatorId) -> Result<bool, PlanError> {
    let found = sqlx::query_scalar!("SELECT id FROM operators WHERE id = $1", id.0)
        .fetch_optional(pool)
        .await?;
    Ok(found.is_some())
}

/// Operators older than `before`, newest first.
pub(super) async fn list(
    pool: &Pool,
    before: Option<OperatorId>,
    limit: i64,
) -> Result<Vec<Operator>, PlanError> {
    let rows = sqlx::query!(
        "SELECT id, name, followers, created_at FROM operators WHERE id < $1 ORDER BY id DESC LIMIT $2",
        bound(before),
        limit,
    )
    .fetch_all(pool)
    .await?;
    let operators = rows.into_iter().map(|row| Operator {
        id: OperatorId(row.id),
        name: row.name,
        followers: row.followers,
        created_at: row.created_at,
    });
    Ok(operators.collect())
}
