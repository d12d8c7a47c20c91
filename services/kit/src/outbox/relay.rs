//! The relay: publishes the events of the outbox, which is a log, and remembers how far it came.
//!
//! Order: every replica runs a relay. Two of them could take neighbouring events of one subject and
//! publish them in either order, so the rows are read under an advisory lock of the database: one
//! replica works at a time, and another may take over at the next batch. The lock ends with its
//! transaction, so a replica that dies or hangs (idle-in-transaction limit) cannot keep it. One
//! relay publishes several thousand events a second, far more than the databases write.
//!
//! Routing: an event is routed by its type and, if its subject is a UUID, by `user.<subject>` as
//! well, so that a subscriber to a few users does not receive all events. A queue bound to both
//! keys receives the event once; an event for which neither key finds a queue is unrouted.
//!
//! Delivery is at least once: a failed batch is sent again, and consumers' inboxes drop duplicates.
//!
//! A restore rewinds the databases but not the broker, which is emptied: it holds events of
//! transactions that no longer exist. An event that was confirmed but not yet applied would be
//! lost. So sent events are kept for a while, and the position goes back to the oldest of them when
//! the database has another history than the one they were sent in: after a restore, and after a
//! failover, which may have lost the last transactions. Before anything is sent in the new history,
//! all consumers must exist: the emptied broker has no queue until its consumer has declared it,
//! and would accept unroutable events. A consumer whose lag exceeds the time that events are kept
//! may miss some after a restore.

use std::sync::Arc;
use std::time::Duration;

use futures::stream::{FuturesUnordered, StreamExt};
use lapin::options::BasicPublishOptions;
use lapin::protocol::basic::AMQPProperties;
use lapin::types::{AMQPValue, FieldTable};
use lapin::{Confirmation, PublisherConfirm};
use metrics::Counter;
use opentelemetry::trace::SpanKind;
use opentelemetry::{Context, KeyValue};
use tokio::sync::Notify;
use tokio::time::Instant;
use tracing::{debug, info, warn};
use uuid::Uuid;

use super::event::{CONTENT_TYPE, EnvelopeParts, encode};
use super::parts;
use super::position::Covered;
use super::repo::{self, Row, State};
use crate::backoff::Backoff;
use crate::broker::{Broker, BrokerError, Session, Stream, short};
use crate::chaos::Defect;
use crate::db::{self, Pool, Tx};
use crate::latch::Latch;
use crate::refusal::chain;
use crate::shutdown::Shutdown;
use crate::telemetry::{self, Handle, TRACEPARENT};

/// Most rows of one transaction.
const BATCH: i64 = 500;

/// Beyond this many gaps the relay waits at the position: every round looks into each of them. It
/// takes thousands of rollbacks while one transaction stays open.
const MOST_GAPS: usize = 10_000;

/// Limit of publishing and confirming a batch; shorter than the idle-in-transaction limit.
const PUBLISH_LIMIT: Duration = Duration::from_secs(6);

/// Shortest time between two rounds, unless the first was full. After a pause an event leaves at
/// once; under load a round carries the events of many transactions, at a fraction of the cost for
/// database and broker.
const ROUND_INTERVAL: Duration = Duration::from_millis(25);

/// How often an idle relay polls: other replicas, and SQL of services, write rows without waking
/// it.
const POLL_INTERVAL: Duration = Duration::from_millis(500);

/// How long sent events are kept unless [`Relay::keeping`] says otherwise.
const KEPT: Duration = Duration::from_hours(1);

/// How often depth and age are sampled.
const METRICS_INTERVAL: Duration = Duration::from_secs(5);

/// Limit of a round: opening a session, and a batch.
const ROUND_LIMIT: Duration = Duration::from_secs(30);

/// The same when the process ends: what cannot be sent stays in the outbox.
const LAST_ROUND_LIMIT: Duration = Duration::from_secs(2);

/// Persistent: a confirmed event outlives the broker's restart.
const PERSISTENT: u8 = 2;

/// The header with additional routing keys. The broker removes it before delivery.
const FURTHER_KEYS: &str = "BCC";

const SUBJECT_PREFIX: &str = "user.";

static PUBLISHED: Handle<Counter> = Handle::new(|| metrics::counter!("outbox_published_total"));

/// The routing key of the events of one subject.
pub fn subject_key(subject: Uuid) -> String {
    format!("{SUBJECT_PREFIX}{subject}")
}

/// The subject that a routing key of [`subject_key`] is about.
pub fn subject_of(key: &str) -> Option<Uuid> {
    key.strip_prefix(SUBJECT_PREFIX)?.parse().ok()
}

/// Wakes the relay of this process after a commit, so that an event leaves at once instead of at
/// the next poll. Cheap to clone; waking too often or not at all does no harm.
#[derive(Clone, Debug, Default)]
pub struct Notifier(Arc<Notify>);

impl Notifier {
    /// Wakes the relay.
    pub fn notify(&self) {
        self.0.notify_one();
    }
}

/// Why a round failed.
#[derive(Debug, thiserror::Error)]
enum RelayError {
    #[error("outbox cannot be read")]
    Database(#[from] sqlx::Error),
    #[error("events cannot be published")]
    Broker(#[from] BrokerError),
    #[error("the database was restored, and {0} has no consumer yet")]
    NoConsumer(String),
}

/// The outcome of a round.
enum Round {
    /// As many rows as a round takes were sent: more wait.
    Full,
    /// Rows were sent, or the position moved back; there may be more.
    Sent,
    /// Nothing to do, or another replica works.
    Idle,
}

/// The background task that empties a database's outbox.
#[derive(Debug)]
pub struct Relay {
    pool: Pool,
    broker: Broker,
    source: String,
    service: &'static str,
    notifier: Notifier,
    stream: Option<Stream>,
    awaited: &'static [(&'static str, &'static str)],
    kept: Duration,
}

impl Relay {
    /// A relay for the outbox of `service`.
    pub fn new(service: &'static str, pool: Pool, broker: Broker) -> Self {
        Self {
            pool,
            broker,
            source: format!("/adfolio/{service}"),
            service,
            notifier: Notifier::default(),
            stream: None,
            awaited: &[],
            kept: KEPT,
        }
    }

    /// Keeps sent events for `kept`, an hour unless this is called.
    #[must_use]
    pub fn keeping(mut self, kept: Duration) -> Self {
        self.kept = kept;
        self
    }

    /// In a new history of the database, waits for these consumers (service and name) before it
    /// sends anything.
    #[must_use]
    pub fn awaiting(mut self, consumers: &'static [(&'static str, &'static str)]) -> Self {
        self.awaited = consumers;
        self
    }

    /// Declares `stream` before anything is published, so that it misses nothing.
    #[must_use]
    pub fn with_stream(mut self, stream: Stream) -> Self {
        self.stream = Some(stream);
        self
    }

    /// The handle that wakes this relay.
    pub fn notifier(&self) -> Notifier {
        self.notifier.clone()
    }

    /// Works until `end`, then once more for the events of the last transactions. Starts once the
    /// schema is current.
    pub async fn run(self, migrated: Latch, end: Shutdown) {
        tokio::select! {
            () = migrated.wait() => {}
            () = end.cancelled() => return,
        }
        let measured = self.measure();
        let worked = self.work(&end);
        tokio::select! {
            () = measured => {}
            () = worked => {}
        }
    }

    async fn work(&self, end: &Shutdown) {
        let mut backoff = Backoff::reconnect();
        let mut session = None;
        let mut next_round = Instant::now();
        let mut next_parts = next_round;
        let mut is_busy = false;
        loop {
            end.sleep(next_round.saturating_duration_since(Instant::now()))
                .await;
            next_round = Instant::now() + ROUND_INTERVAL;
            let last = end.is_triggered();
            if !last && next_parts <= Instant::now() {
                next_parts = Instant::now() + parts::INTERVAL;
                if let Err(error) = parts::keep_parts(&self.pool, self.kept).await {
                    info!(%error, "parts of the outbox are kept later");
                }
            }
            // A dropped round leaves its transaction to `db::write`, which ends it.
            let round = tokio::select! {
                round = self.round(&mut session, is_busy) => round,
                () = round_limit(end) => Err(RelayError::Broker(BrokerError::TimedOut("the relay"))),
            };
            is_busy = matches!(round, Ok(Round::Full | Round::Sent));
            match round {
                Ok(Round::Full) => {
                    backoff.reset();
                    next_round = Instant::now();
                }
                Ok(Round::Sent) => {
                    backoff.reset();
                }
                Ok(Round::Idle) => {
                    backoff.reset();
                    if last {
                        break;
                    }
                    self.pause(end).await;
                }
                Err(error) => {
                    // After an error the state of the session is unknown.
                    session = None;
                    warn!(error = chain(&error), "outbox relay is waiting");
                    metrics::counter!("outbox_relay_errors_total").increment(1);
                    // Unsent events stay in the outbox for the next start.
                    if last || !end.sleep(backoff.next_wait()).await {
                        break;
                    }
                }
            }
        }
        if let Some(session) = session {
            session.close().await;
        }
    }

    async fn pause(&self, end: &Shutdown) {
        tokio::select! {
            () = self.notifier.0.notified() => {}
            () = tokio::time::sleep(POLL_INTERVAL) => {}
            () = end.cancelled() => {}
        }
    }

    /// Publishes one batch. Connects to the broker before taking the lock, so that a replica
    /// without a broker does not block others. A busy relay does not ask for work before.
    async fn round(
        &self,
        session: &mut Option<Arc<Session>>,
        is_busy: bool,
    ) -> Result<Round, RelayError> {
        let mut is_history_known = true;
        if !is_busy {
            let pending = repo::pending(&self.pool).await?;
            is_history_known = pending.is_history_known;
            if is_history_known && !pending.has_work {
                return Ok(Round::Idle);
            }
        }
        let open = self.open(session).await?;
        if !is_history_known {
            return self.send_again(&open).await;
        }
        let broker = self.broker.clone();
        let source = self.source.clone();
        db::write(&self.pool, move |tx| {
            Box::pin(async move { publish_batch_in_tx(tx, &open, &broker, &source).await })
        })
        .await
    }

    async fn open(&self, session: &mut Option<Arc<Session>>) -> Result<Arc<Session>, BrokerError> {
        if let Some(open) = session.take_if(|open| open.is_recalled()) {
            open.close().await;
        }
        if let Some(open) = session.as_ref().filter(|open| open.is_connected()) {
            return Ok(Arc::clone(open));
        }
        let mut fresh = self.broker.open(&format!("{}-relay", self.service)).await?;
        if let Some(stream) = &self.stream {
            self.broker.declare_stream(&mut fresh, stream).await?;
        }
        fresh.confirm().await?;
        Ok(Arc::clone(session.insert(Arc::new(fresh))))
    }

    /// Moves the position back to the oldest kept event, once all consumers exist: the broker may
    /// have been emptied.
    async fn send_again(&self, session: &Session) -> Result<Round, RelayError> {
        for (service, name) in self.awaited {
            let queue = self.broker.queue(service, name);
            if !session.is_bound(&queue).await? {
                return Err(RelayError::NoConsumer(queue));
            }
        }
        let moved = db::write(&self.pool, |tx| Box::pin(move_back_in_tx(tx)));
        Ok(if moved.await? {
            Round::Sent
        } else {
            Round::Idle
        })
    }

    async fn measure(&self) {
        loop {
            match repo::backlog(&self.pool).await {
                Ok(backlog) => {
                    #[allow(clippy::cast_precision_loss, reason = "gauges are floats")]
                    metrics::gauge!("outbox_depth").set(backlog.depth as f64);
                    metrics::gauge!("outbox_oldest_seconds").set(backlog.oldest_seconds);
                }
                Err(error) => debug!(%error, "outbox cannot be measured"),
            }
            tokio::time::sleep(METRICS_INTERVAL).await;
        }
    }
}

/// The limit of a round: shorter once the shutdown was requested.
async fn round_limit(end: &Shutdown) {
    if end.sleep(ROUND_LIMIT).await {
        return;
    }
    tokio::time::sleep(LAST_ROUND_LIMIT).await;
}

/// Moves the position back to the oldest kept event; false if another replica has the log.
async fn move_back_in_tx(tx: &mut Tx) -> Result<bool, sqlx::Error> {
    if !repo::try_lock_in_tx(tx).await? {
        return Ok(false);
    }
    if repo::state_in_tx(tx).await?.is_history_known {
        return Ok(true);
    }
    let count = repo::rewind_in_tx(tx).await?;
    metrics::counter!("outbox_put_back_total").increment(count.unsigned_abs());
    if count > 0 {
        warn!(count, "restored database: events are sent again");
    }
    info!("events are sent in a new history of the database");
    Ok(true)
}

async fn publish_batch_in_tx(
    tx: &mut Tx,
    session: &Session,
    broker: &Broker,
    source: &str,
) -> Result<Round, RelayError> {
    if !repo::try_lock_in_tx(tx).await? {
        return Ok(Round::Idle);
    }
    let state = repo::state_in_tx(tx).await?;
    // Another server may have taken over since the round began.
    if !state.is_history_known {
        return Ok(Round::Idle);
    }
    let (rows, covered) = look_in_tx(tx, &state).await?;
    let sent = if rows.is_empty() {
        Vec::new()
    } else {
        let exchange = broker.events_exchange();
        let published = publish_all(session, &exchange, source, &rows);
        tokio::time::timeout(PUBLISH_LIMIT, published)
            .await
            .map_err(|_| BrokerError::TimedOut("confirms"))??
    };
    let confirmed = sent.iter().filter(|sent| **sent).count();
    PUBLISHED
        .get()
        .increment(u64::try_from(confirmed).unwrap_or(u64::MAX));
    if confirmed == 0 && !rows.is_empty() {
        return Err(BrokerError::NotConfirmed("no event of the batch".to_owned()).into());
    }
    let is_full = i64::try_from(rows.len()).unwrap_or(i64::MAX) >= BATCH;
    let rows: Vec<_> = rows.iter().map(|row| row.id).zip(sent).collect();
    let next = state.position.after(covered, &rows, state.oldest_running);
    if next != state.position {
        repo::record_position_in_tx(tx, &next).await?;
    }
    Ok(match confirmed {
        0 => Round::Idle,
        _ if is_full => Round::Full,
        _ => Round::Sent,
    })
}

/// The next events in order, and what of the log they cover.
async fn look_in_tx(tx: &mut Tx, state: &State) -> Result<(Vec<Row>, Covered), sqlx::Error> {
    let position = &state.position;
    let is_stuck = position.gaps.len() >= MOST_GAPS;
    if is_stuck {
        warn!(
            gaps = position.gaps.len(),
            oldest_transaction = state.oldest_running,
            "outbox waits for a transaction that has been open for too long"
        );
    }
    let log_limit = if is_stuck { 0 } else { BATCH };
    let mut rows = repo::batch_in_tx(tx, position, BATCH, log_limit).await?;
    let in_gaps = rows.partition_point(|row| row.id <= position.sent_to);
    let mut covered = Covered {
        gaps_to: i64::MAX,
        log_to: position.sent_to,
    };
    if i64::try_from(in_gaps).unwrap_or(i64::MAX) >= BATCH {
        // What is left in the gaps comes before everything behind the position.
        rows.truncate(in_gaps);
        covered.gaps_to = rows.last().map_or(i64::MAX, |row| row.id);
    } else if let Some(row) = rows.last() {
        covered.log_to = row.id.max(position.sent_to);
    }
    Ok((rows, covered))
}

/// Publishes rows in order and returns which of them count as sent: acknowledged, not returned, and
/// without an earlier refused event of the same subject (that one and its successors are sent
/// again, in order).
async fn publish_all(
    session: &Session,
    exchange: &str,
    source: &str,
    rows: &[Row],
) -> Result<Vec<bool>, BrokerError> {
    let mut pending = FuturesUnordered::new();
    for (index, row) in rows.iter().enumerate() {
        let work = sending(exchange, row);
        let confirm = publish(session, exchange, source, row, &work).await?;
        pending.push(async move {
            let confirmation = confirm.await;
            drop(work);
            (index, confirmation)
        });
    }
    if Defect::ConfirmsNotAwaited.is_enabled() {
        return Ok(vec![true; rows.len()]);
    }
    let mut sent = vec![false; rows.len()];
    while let Some((index, confirmation)) = pending.next().await {
        if let (Some(slot), Some(row)) = (sent.get_mut(index), rows.get(index)) {
            *slot = is_sent(&confirmation?, row);
        }
    }
    let mut refused = std::collections::HashSet::new();
    for (row, sent) in rows.iter().zip(&mut sent) {
        *sent = *sent && !refused.contains(row.subject.as_str());
        if !*sent {
            refused.insert(row.subject.as_str());
        }
    }
    Ok(sent)
}

/// The broker also acknowledges unroutable messages: only an acknowledgement without a returned
/// message counts.
fn is_sent(confirmation: &Confirmation, row: &Row) -> bool {
    let sent = matches!(confirmation, Confirmation::Ack(None));
    if !sent {
        warn!(event_id = %row.event_id, event_type = row.event_type, "event was refused or returned by the broker");
        metrics::counter!("outbox_refused_total").increment(1);
    }
    sent
}

/// Sends an event in the trace of its change: from publishing it to its confirm.
fn sending(exchange: &str, row: &Row) -> Context {
    let change = telemetry::context_of(row.traceparent.as_deref());
    telemetry::begin(&change, &SpanKind::Producer, |span| {
        span.update_name(format!("send {}", row.event_type));
        span.set_attributes([
            KeyValue::new("messaging.system", "rabbitmq"),
            KeyValue::new("messaging.destination.name", exchange.to_owned()),
            KeyValue::new("event_id", row.event_id.to_string()),
        ]);
    })
}

async fn publish(
    session: &Session,
    exchange: &str,
    source: &str,
    row: &Row,
    work: &Context,
) -> Result<PublisherConfirm, BrokerError> {
    let parts = EnvelopeParts {
        id: row.event_id,
        event_type: &row.event_type,
        subject: &row.subject,
        sequence: row.sequence,
        time: row.created_at,
        traceparent: row.traceparent.as_deref(),
        data: &row.data,
    };
    // The column's type is json, so encoding only fails on JSON that PostgreSQL accepts and serde
    // does not.
    let body = encode(source, &parts).map_err(|error| BrokerError::NotConfirmed(chain(&error)))?;
    // Mandatory: a message without a queue is returned instead of lost silently. RabbitMQ does not
    // implement immediate.
    let options = BasicPublishOptions {
        mandatory: true,
        immediate: false,
    };
    let properties = properties(row, work)?;
    let published = session.channel.basic_publish(
        short(exchange)?,
        short(&row.event_type)?,
        options,
        &body,
        properties,
    );
    Ok(published.await?)
}

fn properties(row: &Row, work: &Context) -> Result<AMQPProperties, BrokerError> {
    let mut headers = FieldTable::default();
    // The handler's work follows from the sending; the event itself carries the trace of the
    // change.
    if let Some(trace) = telemetry::traceparent_of(work) {
        headers.insert(
            TRACEPARENT.into(),
            AMQPValue::LongString(trace.as_str().into()),
        );
    }
    if let Ok(subject) = row.subject.parse() {
        let key = AMQPValue::LongString(subject_key(subject).into());
        headers.insert(FURTHER_KEYS.into(), AMQPValue::FieldArray(vec![key].into()));
    }
    Ok(AMQPProperties::default()
        .with_content_type(CONTENT_TYPE.into())
        .with_delivery_mode(PERSISTENT)
        .with_message_id(short(&row.event_id.to_string())?)
        .with_type(short(&row.event_type)?)
        .with_headers(headers))
}
