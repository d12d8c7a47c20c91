//! The outbox's SQL.

use chrono::{DateTime, Utc};
use sqlx::PgPool;
use uuid::Uuid;

use super::event::Event;
use crate::db::Tx;

/// The advisory lock of a database's one working relay.
const RELAY_LOCK: i64 = 0x6f75_7462_6f78;

/// A row to publish.
#[derive(Debug, sqlx::FromRow)]
pub(super) struct Row {
    pub(super) id: i64,
    pub(super) event_id: Uuid,
    pub(super) event_type: String,
    pub(super) subject: String,
    pub(super) sequence: Option<i64>,
    pub(super) data: String,
    pub(super) traceparent: Option<String>,
    pub(super) created_at: DateTime<Utc>,
}

/// How much waits, and since when.
#[derive(Debug, sqlx::FromRow)]
pub(super) struct Backlog {
    pub(super) depth: i64,
    pub(super) oldest_seconds: f64,
}

/// Writes events in the transaction of what they report, with one statement for all of them.
pub async fn enqueue_in_tx(tx: &mut Tx, events: &[Event]) -> Result<(), sqlx::Error> {
    if events.is_empty() {
        return Ok(());
    }
    let ids: Vec<Uuid> = events.iter().map(|event| event.id).collect();
    let types: Vec<&str> = events.iter().map(|event| event.kind).collect();
    let subjects: Vec<&str> = events.iter().map(|event| event.subject.as_str()).collect();
    let sequences: Vec<Option<i64>> = events.iter().map(|event| event.sequence).collect();
    let data: Vec<&str> = events.iter().map(|event| event.data.as_str()).collect();
    let traces: Vec<Option<&str>> = events
        .iter()
        .map(|event| event.traceparent.as_deref())
        .collect();
    // The order of the rows is the order of the events: WITH ORDINALITY, because UNNEST alone promises none to INSERT.
    sqlx::query(
        "INSERT INTO outbox (event_id, event_type, subject, sequence, data, traceparent)
         SELECT event_id, event_type, subject, sequence, data::json, traceparent
         FROM UNNEST($1::uuid[], $2::text[], $3::text[], $4::bigint[], $5::text[], $6::text[])
              WITH ORDINALITY AS event (event_id, event_type, subject, sequence, data, traceparent, position)
         ORDER BY position",
    )
    .bind(ids)
    .bind(types)
    .bind(subjects)
    .bind(sequences)
    .bind(data)
    .bind(traces)
    .execute(tx)
    .await?;
    Ok(())
}

/// Takes the relay's lock until the end of the transaction; false when another replica has it.
pub(super) async fn try_lock_in_tx(tx: &mut Tx) -> Result<bool, sqlx::Error> {
    sqlx::query_scalar("SELECT pg_try_advisory_xact_lock($1)")
        .bind(RELAY_LOCK)
        .fetch_one(tx)
        .await
}

/// The oldest rows, in order.
pub(super) async fn batch_in_tx(tx: &mut Tx, limit: i64) -> Result<Vec<Row>, sqlx::Error> {
    sqlx::query_as(
        "SELECT id, event_id, event_type, subject, sequence, data::text AS data, traceparent, created_at
         FROM outbox ORDER BY id LIMIT $1",
    )
    .bind(limit)
    .fetch_all(tx)
    .await
}

/// Deletes what was confirmed.
pub(super) async fn delete_in_tx(tx: &mut Tx, ids: Vec<i64>) -> Result<(), sqlx::Error> {
    sqlx::query("DELETE FROM outbox WHERE id = ANY($1)")
        .bind(ids)
        .execute(tx)
        .await?;
    Ok(())
}

/// Whether anything waits: what an idle relay asks, one step on the primary key.
pub(super) async fn has_rows(pool: &PgPool) -> Result<bool, sqlx::Error> {
    sqlx::query_scalar("SELECT EXISTS (SELECT 1 FROM outbox)")
        .fetch_one(pool)
        .await
}

/// Depth and age, counted up to a bound so that a large backlog is not counted row by row.
pub(super) async fn backlog(pool: &PgPool) -> Result<Backlog, sqlx::Error> {
    sqlx::query_as(
        "SELECT (SELECT count(*) FROM (SELECT 1 FROM outbox LIMIT 100000) AS counted) AS depth,
                coalesce((SELECT extract(epoch FROM clock_timestamp() - created_at) FROM outbox ORDER BY id LIMIT 1), 0)::float8
                AS oldest_seconds",
    )
    .fetch_one(pool)
    .await
}
