//! SQL of operators.

use adfolio_kit::db::{PgPool, Tx};
use uuid::Uuid;

use super::Operator;
use crate::error::PlanError;

/// Writes a new operator.
pub(super) async fn insert_in_tx(tx: &mut Tx, operator: &Operator) -> Result<(), PlanError> {
    sqlx::query!(
        "INSERT INTO operators (id, name, created_at) VALUES ($1, $2, $3)",
        operator.id,
        operator.name,
        operator.created_at,
    )
    .execute(tx)
    .await?;
    Ok(())
}

/// Whether there is such an operator.
pub(super) async fn exists(pool: &PgPool, id: Uuid) -> Result<bool, PlanError> {
    let found = sqlx::query_scalar!("SELECT id FROM operators WHERE id = $1", id)
        .fetch_optional(pool)
        .await?;
    Ok(found.is_some())
}

/// Operators created before the one with id `before`, newest first.
pub(super) async fn list(
    pool: &PgPool,
    before: Uuid,
    limit: i64,
) -> Result<Vec<Operator>, PlanError> {
    let operators = sqlx::query_as!(
        Operator,
        "SELECT id, name, followers, created_at FROM operators WHERE id < $1 ORDER BY id DESC LIMIT $2",
        before,
        limit,
    )
    .fetch_all(pool)
    .await?;
    Ok(operators)
}
