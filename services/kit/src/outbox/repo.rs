//! The outbox's SQL.

use std::time::Duration;

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

/// What there is to do.
#[derive(Debug, sqlx::FromRow)]
pub(super) struct Look {
    pub(super) has_rows: bool,
    pub(super) is_history_known: bool,
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
    let types: Vec<&str> = events.iter().map(|event| &*event.kind).collect();
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

/// Whether what was sent was sent in the history that the database has now.
pub(super) async fn is_history_known_in_tx(tx: &mut Tx) -> Result<bool, sqlx::Error> {
    sqlx::query_scalar(
        "SELECT EXISTS (SELECT FROM relay_history WHERE history = database_history())",
    )
    .fetch_one(tx)
    .await
}

/// Puts up to `limit` sent events back under their old numbers, and so before everything newer; answers how many.
pub(super) async fn put_back_in_tx(tx: &mut Tx, limit: i64) -> Result<u64, sqlx::Error> {
    let done = sqlx::query(
        "WITH back AS (
             DELETE FROM sent_events
             WHERE (sent_at, id) IN (SELECT sent_at, id FROM sent_events ORDER BY sent_at, id LIMIT $1)
             RETURNING id, event_id, event_type, subject, sequence, data, traceparent, created_at)
         INSERT INTO outbox (id, event_id, event_type, subject, sequence, data, traceparent, created_at)
         OVERRIDING SYSTEM VALUE
         SELECT id, event_id, event_type, subject, sequence, data, traceparent, created_at FROM back",
    )
    .bind(limit)
    .execute(tx)
    .await?;
    Ok(done.rows_affected())
}

/// Records that events are sent in the history that the database has now.
pub(super) async fn note_history_in_tx(tx: &mut Tx) -> Result<(), sqlx::Error> {
    sqlx::query(
        "INSERT INTO relay_history (history) VALUES (database_history())
         ON CONFLICT (only_row) DO UPDATE SET history = excluded.history",
    )
    .execute(tx)
    .await?;
    Ok(())
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

/// Moves what was confirmed to the sent events.
pub(super) async fn move_sent_in_tx(tx: &mut Tx, ids: Vec<i64>) -> Result<(), sqlx::Error> {
    sqlx::query(
        "WITH sent AS (
             DELETE FROM outbox WHERE id = ANY($1)
             RETURNING id, event_id, event_type, subject, sequence, data, traceparent, created_at)
         INSERT INTO sent_events (id, event_id, event_type, subject, sequence, data, traceparent, created_at)
         SELECT id, event_id, event_type, subject, sequence, data, traceparent, created_at FROM sent",
    )
    .bind(ids)
    .execute(tx)
    .await?;
    Ok(())
}

/// Forgets up to `limit` events that were sent longer ago than `age`; answers how many. None while they may have to go again.
pub(super) async fn prune_sent_in_tx(
    tx: &mut Tx,
    age: Duration,
    limit: i64,
) -> Result<u64, sqlx::Error> {
    let done = sqlx::query(
        "DELETE FROM sent_events WHERE (sent_at, id) IN (
             SELECT sent_at, id FROM sent_events
             WHERE sent_at < now() - make_interval(secs => $1)
               AND EXISTS (SELECT FROM relay_history WHERE history = database_history())
             ORDER BY sent_at, id LIMIT $2 FOR UPDATE SKIP LOCKED)",
    )
    .bind(age.as_secs_f64())
    .bind(limit)
    .execute(tx)
    .await?;
    Ok(done.rows_affected())
}

/// What an idle relay asks, a step or two: whether anything waits, and whether the history is known.
pub(super) async fn look(pool: &PgPool) -> Result<Look, sqlx::Error> {
    sqlx::query_as(
        "SELECT EXISTS (SELECT FROM outbox) AS has_rows,
                EXISTS (SELECT FROM relay_history WHERE history = database_history()) AS is_history_known",
    )
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
