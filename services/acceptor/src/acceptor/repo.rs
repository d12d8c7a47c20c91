//! The SQL of acceptors.

use adfolio_kit::db::{Pool, Tx};
use adfolio_kit::pagination::bound;
use chrono::{DateTime, Utc};
use uuid::Uuid;

use super::entity::Acceptor;
use crate::error::AcceptorError;
use crate::ids::AcceptorId;

/// A query for acceptors: what comes after their columns and table, and its arguments.
macro_rules! query_acceptors {
    ($rest:literal $(, $argument:expr)* $(,)?) => {
        sqlx::query_as!(
            Acceptor,
            r#"SELECT id AS "id: _", kind AS "kind: _", name, rating_tenths AS "rating: _", completed_orders "#
                + "FROM acceptors " + $rest
            $(, $argument)*
        )
    };
}

/// Writes an acceptor.
pub async fn insert_in_tx(
    tx: &mut Tx,
    acceptor: &Acceptor,
    staff_id: Uuid,
    now: DateTime<Utc>,
) -> Result<(), AcceptorError> {
    sqlx::query!(
        "INSERT INTO acceptors (id, kind, name, rating_tenths, completed_orders, created_at, created_by)
         VALUES ($1, $2, $3, $4, $5, $6, $7)",
        acceptor.id.0,
        acceptor.kind.as_str(),
        acceptor.name,
        acceptor.rating.column(),
        acceptor.completed_orders,
        now,
        staff_id,
    )
    .execute(tx)
    .await?;
    Ok(())
}

/// The acceptor, if it exists.
pub async fn find_in_tx(tx: &mut Tx, id: AcceptorId) -> Result<Option<Acceptor>, AcceptorError> {
    let acceptor = query_acceptors!("WHERE id = $1", id.0)
        .fetch_optional(tx)
        .await?;
    Ok(acceptor)
}

/// Counts an exchange order that was completed.
pub async fn count_completed_in_tx(tx: &mut Tx, id: AcceptorId) -> Result<(), AcceptorError> {
    sqlx::query!(
        "UPDATE acceptors SET completed_orders = completed_orders + 1 WHERE id = $1",
        id.0,
    )
    .execute(tx)
    .await?;
    Ok(())
}

/// Acceptors older than `before`, newest first.
pub async fn list(
    pool: &Pool,
    before: Option<AcceptorId>,
    fetch: i64,
) -> Result<Vec<Acceptor>, AcceptorError> {
    let acceptors = query_acceptors!(
        "WHERE id < $1 ORDER BY id DESC LIMIT $2",
        bound(before),
        fetch,
    )
    .fetch_all(pool)
    .await?;
    Ok(acceptors)
}
