//! The outbox's SQL.

use std::time::Duration;

use chrono::{DateTime, Utc};
use uuid::Uuid;

use super::event::Event;
use super::position::{Gap, Position};
use crate::db::{Pool, Tx};

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

/// How far the log was sent, and what is known at that moment.
#[derive(Debug)]
pub(super) struct State {
    /// Whether that was in the database's present history.
    pub(super) is_history_known: bool,
    pub(super) position: Position,
    /// The oldest running transaction.
    pub(super) oldest_running: i64,
}

/// The work of a relay.
#[derive(Debug)]
pub(super) struct Pending {
    pub(super) has_work: bool,
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
///
/// The transaction does not wait for the disk: a position that is lost in a crash sends events
/// twice. And it reads along the index: a plan that was made while a part was small must not read
/// all of it later.
pub(super) async fn try_lock_in_tx(tx: &mut Tx) -> Result<bool, sqlx::Error> {
    sqlx::query_scalar!(
        r#"SELECT pg_try_advisory_xact_lock($1) AS "is_taken!"
         FROM set_config('synchronous_commit', 'off', true) AS no_wait, set_config('enable_seqscan', 'off', true) AS no_scan"#,
        RELAY_LOCK
    )
    .fetch_one(tx)
    .await
}

/// The state of the log. Call it with the relay's lock, and before [`batch_in_tx`].
pub(super) async fn state_in_tx(tx: &mut Tx) -> Result<State, sqlx::Error> {
    let row = sqlx::query!(
        r#"SELECT history = database_history() AS "is_history_known!", position, gap_first, gap_last, gap_seen_by,
                pg_snapshot_xmin(pg_current_snapshot())::text::bigint AS "oldest_running!"
         FROM outbox_position"#
    )
    .fetch_one(tx)
    .await?;
    let bounds = row.gap_first.into_iter().zip(row.gap_last);
    let gaps = bounds.zip(row.gap_seen_by);
    Ok(State {
        is_history_known: row.is_history_known,
        position: Position {
            sent_to: row.position,
            gaps: gaps
                .map(|((first, last), seen_by)| Gap {
                    first,
                    last,
                    seen_by: Some(seen_by),
                })
                .collect(),
        },
        oldest_running: row.oldest_running,
    })
}

/// Up to `limit` unsent events in the gaps and up to `log_limit` behind the position, each in
/// order. One statement, so that both are of one moment: an event of a gap comes before a later one
/// of its subject. The limit in each gap makes PostgreSQL look it up in the index; a join would read
/// the whole log.
pub(super) async fn batch_in_tx(
    tx: &mut Tx,
    position: &Position,
    limit: i64,
    log_limit: i64,
) -> Result<Vec<Row>, sqlx::Error> {
    let first: Vec<_> = position.gaps.iter().map(|gap| gap.first).collect();
    let last: Vec<_> = position.gaps.iter().map(|gap| gap.last).collect();
    let mut rows = sqlx::query_as!(
        Row,
        r#"(SELECT id AS "id!", event_id AS "event_id!", event_type AS "event_type!", subject AS "subject!", sequence,
                data::text AS "data!", traceparent, created_at AS "created_at!"
         FROM unnest($2::bigint[], $3::bigint[]) AS gap (first, last),
              LATERAL (SELECT * FROM outbox WHERE id BETWEEN gap.first AND gap.last ORDER BY id LIMIT $4) AS late
         ORDER BY id LIMIT $4)
         UNION ALL
         (SELECT id, event_id, event_type, subject, sequence, data::text, traceparent, created_at
         FROM outbox WHERE id > $1 ORDER BY id LIMIT $5)"#,
        position.sent_to,
        &first,
        &last,
        limit,
        log_limit
    )
    .fetch_all(tx)
    .await?;
    rows.sort_unstable_by_key(|row| row.id);
    Ok(rows)
}

/// Records how far the log was sent. Gaps that were seen in this transaction get its id, which it
/// receives here at the latest; before the look at the log it must not have one.
pub(super) async fn record_position_in_tx(
    tx: &mut Tx,
    position: &Position,
) -> Result<(), sqlx::Error> {
    let first: Vec<_> = position.gaps.iter().map(|gap| gap.first).collect();
    let last: Vec<_> = position.gaps.iter().map(|gap| gap.last).collect();
    let seen_by: Vec<_> = position.gaps.iter().map(|gap| gap.seen_by).collect();
    sqlx::query!(
        "UPDATE outbox_position SET position = $1, gap_first = $2, gap_last = $3,
             gap_seen_by = ARRAY(
                 SELECT coalesce(seen_by, pg_current_xact_id()::text::bigint)
                 FROM unnest($4::bigint[]) WITH ORDINALITY AS gap (seen_by, number) ORDER BY number)",
        position.sent_to,
        &first,
        &last,
        &seen_by as &[Option<i64>]
    )
    .execute(tx)
    .await?;
    Ok(())
}

/// Moves the position back to before the oldest kept event, and records that events are sent in the
/// database's present history; returns how many will be sent again.
pub(super) async fn rewind_in_tx(tx: &mut Tx) -> Result<i64, sqlx::Error> {
    sqlx::query_scalar!(
        r#"UPDATE outbox_position SET history = database_history(), gap_first = '{}', gap_last = '{}', gap_seen_by = '{}',
             position = least(position, (SELECT coalesce(min(id) - 1, position) FROM outbox))
         RETURNING (SELECT count(*) FROM outbox)
                 - (SELECT count(*) FROM unsent_events) AS "count!""#
    )
    .fetch_one(tx)
    .await
}

/// Limits the waits for locks to a quarter of a second; returns the time.
pub(super) async fn limit_lock_waits_in_tx(tx: &mut Tx) -> Result<DateTime<Utc>, sqlx::Error> {
    sqlx::query_scalar!(
        r#"SELECT clock_timestamp() AS "now!" FROM set_config('lock_timeout', '250ms', true)"#
    )
    .fetch_one(tx)
    .await
}

/// The names of the log's parts.
pub(super) async fn parts_in_tx(tx: &mut Tx) -> Result<Vec<String>, sqlx::Error> {
    sqlx::query_scalar!(
        r#"SELECT relname::text AS "name!" FROM pg_inherits JOIN pg_class ON pg_class.oid = inhrelid
         WHERE inhparent = 'outbox'::regclass"#
    )
    .fetch_all(tx)
    .await
}

/// Keeps readers and writers off the log until the end of the transaction.
pub(super) async fn lock_log_in_tx(tx: &mut Tx) -> Result<(), sqlx::Error> {
    sqlx::query!("SELECT FROM lock_outbox()")
        .execute(tx)
        .await?;
    Ok(())
}

/// Makes the part of an hour.
pub(super) async fn make_part_in_tx(tx: &mut Tx, hour: DateTime<Utc>) -> Result<(), sqlx::Error> {
    sqlx::query!("SELECT FROM make_outbox_part($1)", hour)
        .execute(tx)
        .await?;
    Ok(())
}

/// Drops the part of an hour, which must have ended.
pub(super) async fn drop_part_in_tx(tx: &mut Tx, hour: DateTime<Utc>) -> Result<(), sqlx::Error> {
    sqlx::query!("SELECT FROM drop_outbox_part($1)", hour)
        .execute(tx)
        .await?;
    Ok(())
}

/// Whether an event of this time was not sent.
pub(super) async fn has_unsent_in_tx(
    tx: &mut Tx,
    from: DateTime<Utc>,
    to: DateTime<Utc>,
) -> Result<bool, sqlx::Error> {
    sqlx::query_scalar!(
        r#"SELECT EXISTS (SELECT FROM unsent_events WHERE created_at >= $1 AND created_at < $2) AS "has_unsent!""#,
        from,
        to
    )
    .fetch_one(tx)
    .await
}

/// Whether `outbox_other` has an event of this time.
pub(super) async fn has_other_in_tx(
    tx: &mut Tx,
    from: DateTime<Utc>,
    to: DateTime<Utc>,
) -> Result<bool, sqlx::Error> {
    sqlx::query_scalar!(
        r#"SELECT EXISTS (SELECT FROM outbox_other WHERE created_at >= $1 AND created_at < $2) AS "has_other!""#,
        from,
        to
    )
    .fetch_one(tx)
    .await
}

/// Deletes a batch of `outbox_other`: events that are older than `age` and sent.
pub(super) async fn prune_other_in_tx(tx: &mut Tx, age: Duration) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "DELETE FROM outbox_other WHERE id IN (
             SELECT id FROM outbox_other AS old
             WHERE created_at < clock_timestamp() - make_interval(secs => $1)
               AND NOT EXISTS (SELECT FROM unsent_events WHERE unsent_events.id = old.id)
               AND EXISTS (SELECT FROM outbox_position WHERE history = database_history())
             ORDER BY id LIMIT 5000)",
        age.as_secs_f64()
    )
    .execute(tx)
    .await?;
    Ok(())
}

/// The query of an idle relay: whether there may be events, and whether the history is known.
pub(super) async fn pending(pool: &Pool) -> Result<Pending, sqlx::Error> {
    sqlx::query_as!(
        Pending,
        r#"SELECT gap_first <> '{}' OR (SELECT id FROM outbox WHERE id > position ORDER BY id LIMIT 1) IS NOT NULL
                AS "has_work!",
                history = database_history() AS "is_history_known!"
         FROM outbox_position"#
    )
    .fetch_one(pool)
    .await
}

/// Depth and age, counted up to a bound so that a large backlog is not counted row by row.
pub(super) async fn backlog(pool: &Pool) -> Result<Backlog, sqlx::Error> {
    sqlx::query_as!(
        Backlog,
        r#"SELECT count(*) AS "depth!",
                coalesce(extract(epoch FROM clock_timestamp() - min(created_at)), 0)::float8 AS "oldest_seconds!"
         FROM ((SELECT created_at FROM outbox_position p, unnest(p.gap_first, p.gap_last) AS gap (first, last),
                    LATERAL (SELECT * FROM outbox WHERE id BETWEEN gap.first AND gap.last LIMIT 100000) AS late
                LIMIT 100000)
               UNION ALL
               (SELECT created_at FROM outbox WHERE id > (SELECT position FROM outbox_position)
                ORDER BY id LIMIT 100000)) AS unsent"#
    )
    .fetch_one(pool)
    .await
}
