//! The SQL of acceptors.

use adfolio_kit::db::{PgPool, Tx};
use adfolio_kit::error::CoreError;
use chrono::{DateTime, Utc};
use uuid::Uuid;

use super::entity::{Acceptor, Kind, Rating};
use crate::error::AcceptorError;
use crate::ids::AcceptorId;

struct Row {
    id: Uuid,
    kind: String,
    name: String,
    rating_tenths: i16,
    completed_orders: i64,
}

impl TryFrom<Row> for Acceptor {
    type Error = AcceptorError;

    fn try_from(row: Row) -> Result<Self, AcceptorError> {
        Ok(Self {
            id: AcceptorId(row.id),
            kind: Kind::from_name(&row.kind).ok_or(CoreError::Corrupt("acceptors.kind"))?,
            name: row.name,
            rating: Rating::from_column(row.rating_tenths),
            completed_orders: row.completed_orders,
        })
    }
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
    let row = sqlx::query_as!(
        Row,
        "SELECT id, kind, name, rating_tenths, completed_orders FROM acceptors WHERE id = $1",
        id.0,
    )
    .fetch_optional(tx)
    .await?;
    row.map(Acceptor::try_from).transpose()
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
    pool: &PgPool,
    before: Option<AcceptorId>,
    fetch: i64,
) -> Result<Vec<Acceptor>, AcceptorError> {
    let rows = sqlx::query_as!(
        Row,
        "SELECT id, kind, name, rating_tenths, completed_orders FROM acceptors
         WHERE id < $1 ORDER BY id DESC LIMIT $2",
        // One bound in every case keeps the plan of the first page and of the last the same.
        before.map_or(Uuid::max(), |id| id.0),
        fetch,
    )
    .fetch_all(pool)
    .await?;
    rows.into_iter().map(Acceptor::try_from).collect()
}
