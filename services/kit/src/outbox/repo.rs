//! The outbox's SQL.

use std::time::Duration;

use chrono::{DateTime, Utc};
use sqlx::PgPool;
use sqlx::postgres::PgQueryResult;
use uuid::Uuid;

use super::event::Event;
use crate::db::Tx;

/// The advisory lock of a database's one active relay.
const RELAY_LOCK: i64 = 0x6f75_7462_6f78;

/// A row to publish.
#[derive(Debug)]
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

/// The work of a relay.
#[derive(Debug)]
pub(super) struct Pending {
    pub(super) has_rows: bool,
    pub(super) is_history_known: bool,
}

/// The number of unsent events, and the age of the oldest.
#[derive(Debug)]
pub(super) struct Backlog {
    pub(super) depth: i64,
    pub(super) oldest_seconds: f64,
}

/// The columns of new rows, for statements that write events together with other rows.
#[derive(Debug, Default)]
pub struct Columns<'a> {
    /// Their ids.
    pub ids: Vec<Uuid>,
    /// Their types.
    pub types: Vec<&'a str>,
    /// What they are about.
    pub subjects: Vec<&'a str>,
    /// Their positions among the subject's events.
    pub sequences: Vec<Option<i64>>,
    /// Their data as JSON.
    pub data: Vec<&'a str>,
    /// Their traces.
    pub traces: Vec<Option<&'a str>>,
}

impl<'a> Columns<'a> {
    /// Of these events, in order.
    pub fn of(events: &'a [Event]) -> Self {
        Self {
            ids: events.iter().map(|event| event.id).collect(),
            types: events.iter().map(|event| &*event.kind).collect(),
            subjects: events.iter().map(|event| event.subject.as_str()).collect(),
            sequences: events.iter().map(|event| event.sequence).collect(),
            data: events.iter().map(|event| event.data.as_str()).collect(),
            traces: events
                .iter()
                .map(|event| event.traceparent.as_deref())
                .collect(),
        }
    }
}

/// Writes events in the transaction of the change, with one statement for all of them.
pub async fn enqueue_in_tx(tx: &mut Tx, events: &[Event]) -> Result<(), sqlx::Error> {
    if events.is_empty() {
        return Ok(());
    }
    let columns = Columns::of(events);
    // The order of the rows is the order of the events: WITH ORDINALITY, because UNNEST alone
    // guarantees no order for INSERT.
    sqlx::query!(
        "INSERT INTO outbox (event_id, event_type, subject, sequence, data, traceparent)
         SELECT event_id, event_type, subject, sequence, data::json, traceparent
         FROM UNNEST($1::uuid[], $2::text[], $3::text[], $4::bigint[], $5::text[], $6::text[])
              WITH ORDINALITY AS event (event_id, event_type, subject, sequence, data, traceparent, position)
         ORDER BY position",
        &columns.ids,
        &columns.types as &[&str],
        &columns.subjects as &[&str],
        &columns.sequences as &[Option<i64>],
        &columns.data as &[&str],
        &columns.traces as &[Option<&str>]
    )
    .execute(tx)
    .await?;
    Ok(())
}

/// Takes the relay's lock until the end of the transaction; false when another replica has it.
pub(super) async fn try_lock_in_tx(tx: &mut Tx) -> Result<bool, sqlx::Error> {
    sqlx::query_scalar!(
        r#"SELECT pg_try_advisory_xact_lock($1) AS "is_taken!""#,
        RELAY_LOCK
    )
    .fetch_one(tx)
    .await
}

/// Whether the sent events were sent in the database's present history.
pub(super) async fn is_history_known_in_tx(tx: &mut Tx) -> Result<bool, sqlx::Error> {
    sqlx::query_scalar!(
        r#"SELECT EXISTS (SELECT FROM relay_history WHERE history = database_history()) AS "is_known!""#
    )
    .fetch_one(tx)
    .await
}

/// Puts up to `limit` sent events back under their old numbers, and so before everything newer;
/// returns how many.
pub(super) async fn put_back_in_tx(tx: &mut Tx, limit: i64) -> Result<u64, sqlx::Error> {
    let done = sqlx::query!(
        "WITH back AS (
             DELETE FROM sent_events
             WHERE (sent_at, id) IN (SELECT sent_at, id FROM sent_events ORDER BY sent_at, id LIMIT $1)
             RETURNING id, event_id, event_type, subject, sequence, data, traceparent, created_at)
         INSERT INTO outbox (id, event_id, event_type, subject, sequence, data, traceparent, created_at)
         OVERRIDING SYSTEM VALUE
         SELECT id, event_id, event_type, subject, sequence, data, traceparent, created_at FROM back",
        limit
    )
    .execute(tx)
    .await?;
    Ok(done.rows_affected())
}

/// Records that events are sent in the database's present history.
pub(super) async fn record_history_in_tx(tx: &mut Tx) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "INSERT INTO relay_history (history) VALUES (database_history())
         ON CONFLICT (only_row) DO UPDATE SET history = excluded.history"
    )
    .execute(tx)
    .await?;
    Ok(())
}

/// The oldest rows, in order.
pub(super) async fn batch_in_tx(tx: &mut Tx, limit: i64) -> Result<Vec<Row>, sqlx::Error> {
    sqlx::query_as!(
        Row,
        r#"SELECT id, event_id, event_type, subject, sequence, data::text AS "data!", traceparent, created_at
         FROM outbox ORDER BY id LIMIT $1"#,
        limit
    )
    .fetch_all(tx)
    .await
}

/// Moves confirmed events to the sent events.
pub(super) async fn move_sent_in_tx(tx: &mut Tx, ids: &[i64]) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "WITH sent AS (
             DELETE FROM outbox WHERE id = ANY($1)
             RETURNING id, event_id, event_type, subject, sequence, data, traceparent, created_at)
         INSERT INTO sent_events (id, event_id, event_type, subject, sequence, data, traceparent, created_at)
         SELECT id, event_id, event_type, subject, sequence, data, traceparent, created_at FROM sent",
        ids
    )
    .execute(tx)
    .await?;
    Ok(())
}

/// Deletes up to `limit` events that were sent longer ago than `age`; none while
/// they may have to be sent again.
pub(super) async fn prune_sent_in_tx(
    tx: &mut Tx,
    age: Duration,
    limit: i64,
) -> Result<PgQueryResult, sqlx::Error> {
    sqlx::query!(
        "DELETE FROM sent_events WHERE (sent_at, id) IN (
             SELECT sent_at, id FROM sent_events
             WHERE sent_at < now() - make_interval(secs => $1)
               AND EXISTS (SELECT FROM relay_history WHERE history = database_history())
             ORDER BY sent_at, id LIMIT $2 FOR UPDATE SKIP LOCKED)",
        age.as_secs_f64(),
        limit
    )
    .execute(tx)
    .await
}

/// The query of an idle relay: whether there are events, and whether the history is known.
pub(super) async fn pending(pool: &PgPool) -> Result<Pending, sqlx::Error> {
    sqlx::query_as!(
        Pending,
        r#"SELECT EXISTS (SELECT FROM outbox) AS "has_rows!",
                EXISTS (SELECT FROM relay_history WHERE history = database_history()) AS "is_history_known!""#
    )
    .fetch_one(pool)
    .await
}

/// Depth and age, counted up to a bound so that a large backlog is not counted row by row.
pub(super) async fn backlog(pool: &PgPool) -> Result<Backlog, sqlx::Error> {
    sqlx::query_as!(
        Backlog,
        r#"SELECT (SELECT count(*) FROM (SELECT 1 FROM outbox LIMIT 100000) AS counted) AS "depth!",
                coalesce((SELECT extract(epoch FROM clock_timestamp() - created_at) FROM outbox ORDER BY id LIMIT 1), 0)::float8
                AS "oldest_seconds!""#
    )
    .fetch_one(pool)
    .await
}
