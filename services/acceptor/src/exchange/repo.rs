//! The SQL of exchange orders. Everything that a drive writes is guarded by the token of its lease.

use std::time::Duration;

use adfolio_kit::chaos::Defect;
use adfolio_kit::db::{Pool, Tx};
use adfolio_kit::error::CoreError;
use adfolio_kit::four_eyes::Alone;
use adfolio_kit::identity::{IdempotencyKey, UserId};
use adfolio_kit::metrics::COUNTED_AT_MOST;
use adfolio_kit::refusal::Refusal;
use adfolio_kit::saga::{Claim, Lease, Rows};
use adfolio_money::Money;
use chrono::{DateTime, Utc};
use sqlx::Connection as _;
use uuid::Uuid;

use super::entity::{Asked, Counterpart, Ending, EndingCall, Exchange, Late, State};
use crate::acceptance::entity::{Currency, Direction};
use crate::acceptance::rate::Rate;
use crate::acceptor::entity::Kind;
use crate::error::AcceptorError;
use crate::ids::{AcceptorId, AttemptId, ExchangeId, OfferId, StaffId};

struct Row {
    id: ExchangeId,
    user_id: UserId,
    acceptor_id: AcceptorId,
    acceptor_name: String,
    acceptor_kind: Kind,
    offer_id: OfferId,
    direction: Direction,
    currency: Currency,
    rate: Rate,
    amount_minor: i64,
    counter_amount: String,
    state: State,
    reason: String,
    created_at: DateTime<Utc>,
    expires_at: DateTime<Utc>,
    finished_at: Option<DateTime<Utc>>,
    request_digest: Vec<u8>,
    answer: Option<Vec<u8>>,
    refusal_reason: Option<String>,
    refusal_field: Option<String>,
    refusal_missing_minor: Option<i64>,
    late_from: Option<Ending>,
    late_ended_at: Option<DateTime<Utc>>,
    late_attempt: Option<AttemptId>,
    ending_scope: Option<Uuid>,
    ending_key: Option<IdempotencyKey>,
    asked_by: Option<StaffId>,
    asked_at: Option<DateTime<Utc>>,
    asked_reason: String,
    attempts: i32,
    lease_token: Uuid,
}

/// A query with the columns of [`Row`] between its two parts.
macro_rules! rows {
    ($($before:literal)+, $($after:literal)+ $(, $argument:expr)* $(,)?) => {
        sqlx::query_as!(
            Row,
            $($before +)+
                r#" id AS "id: _", user_id AS "user_id: _", acceptor_id AS "acceptor_id: _", acceptor_name,
                    acceptor_kind AS "acceptor_kind: _", offer_id AS "offer_id: _", direction AS "direction: _",
                    currency AS "currency: _", rate_e8 AS "rate: _", amount_minor, counter_amount,
                    state AS "state: _", reason, created_at, expires_at, finished_at, request_digest, answer,
                    refusal_reason, refusal_field, refusal_missing_minor, late_from AS "late_from: _", late_ended_at,
                    late_attempt AS "late_attempt: _", ending_scope, ending_key AS "ending_key: _", asked_by AS "asked_by: _",
                    asked_at, asked_reason, attempts, lease_token "#
                $(+ $after)+
            $(, $argument)*
        )
    };
}

impl TryFrom<Row> for Exchange {
    type Error = AcceptorError;

    fn try_from(row: Row) -> Result<Self, AcceptorError> {
        let refusal = Refusal::from_columns(row.refusal_reason.as_deref(), row.refusal_field)
            .map_err(|_| CoreError::Corrupt("exchanges.refusal_reason"))?
            .map(|refusal| Refusal {
                missing: row.refusal_missing_minor.map(Money::from_minor),
                ..refusal
            });
        let late = match (row.late_from, row.late_ended_at, row.late_attempt) {
            (Some(from), Some(ended_at), Some(attempt)) => Some(Late {
                from,
                ended_at,
                attempt,
            }),
            _ => None,
        };
        Ok(Self {
            id: row.id,
            user: row.user_id,
            acceptor: Counterpart {
                id: row.acceptor_id,
                name: row.acceptor_name,
                kind: row.acceptor_kind,
            },
            offer_id: row.offer_id,
            direction: row.direction,
            currency: row.currency,
            rate: row.rate,
            amount: Money::from_minor(row.amount_minor),
            counter_amount: row.counter_amount,
            state: row.state,
            reason: row.reason,
            created_at: row.created_at,
            expires_at: row.expires_at,
            finished_at: row.finished_at,
            request_digest: row.request_digest,
            answer: row.answer,
            refusal,
            late,
            asked: row.asked_by.zip(row.asked_at).map(|(by, at)| Asked {
                by,
                at,
                reason: row.asked_reason,
            }),
            ending_call: row
                .ending_scope
                .zip(row.ending_key)
                .map(|(scope, key)| EndingCall { scope, key }),
            lease: Lease {
                token: row.lease_token,
                attempts: row.attempts,
            },
        })
    }
}

impl Rows for Exchange {
    type Error = AcceptorError;

    // When an order was decided is not stored, so only orders that are not placed yet have an age.
    adfolio_kit::saga_rows!(
        rows,
        table: "exchanges",
        unfinished: "state IN ('placing', 'undoing', 'completing', 'cancelling', 'expiring')",
        state: "state",
        age: "CASE WHEN state IN ('placing', 'undoing')
                   THEN extract(epoch FROM clock_timestamp() - created_at)::float8 ELSE 0 END",
        // An order that is being placed keeps its key.
        forgettable: "state <> 'placing'",
        dated: "created_at",
    );
}

/// Writes a new order with the lease of the drive that follows; false when its key is taken or the user has an open
/// order.
pub(super) async fn insert_in_tx(
    tx: &mut Tx,
    exchange: &Exchange,
    key: Option<&str>,
    lease: Duration,
) -> Result<bool, AcceptorError> {
    let done = sqlx::query!(
        "INSERT INTO exchanges (id, user_id, acceptor_id, acceptor_name, acceptor_kind, offer_id, direction, currency,
             rate_e8, amount_minor, counter_amount, state, created_at, expires_at, idempotency_key, request_digest, attempts,
             lease_token, lease_until, next_attempt_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18,
                 clock_timestamp() + make_interval(secs => $19), clock_timestamp())
         ON CONFLICT DO NOTHING",
        exchange.id.0,
        exchange.user.0,
        exchange.acceptor.id.0,
        exchange.acceptor.name,
        exchange.acceptor.kind.as_str(),
        exchange.offer_id.0,
        exchange.direction.as_str(),
        exchange.currency.as_str(),
        exchange.rate.e8(),
        exchange.amount.minor(),
        exchange.counter_amount,
        exchange.state.as_str(),
        exchange.created_at,
        exchange.expires_at,
        key,
        exchange.request_digest,
        exchange.lease.attempts,
        exchange.lease.token,
        lease.as_secs_f64(),
    )
    .execute(tx)
    .await?;
    Ok(done.rows_affected() == 1)
}

/// Whether an order of the user has this key.
pub(super) async fn has_key_in_tx(
    tx: &mut Tx,
    user: UserId,
    key: &str,
) -> Result<bool, AcceptorError> {
    let found = sqlx::query_scalar!(
        "SELECT id FROM exchanges WHERE user_id = $1 AND idempotency_key = $2",
        user.0,
        key,
    )
    .fetch_optional(tx)
    .await?;
    Ok(found.is_some())
}

/// The user's open order, one that is being placed included.
pub(super) async fn find_open(
    pool: &Pool,
    user: UserId,
) -> Result<Option<Exchange>, AcceptorError> {
    let row = rows!(
        "SELECT",
        "FROM exchanges
         WHERE user_id = $1 AND state IN ('placing', 'pending', 'completing', 'cancelling', 'expiring')
           AND late_from IS NULL",
        user.0
    )
    .fetch_optional(pool)
    .await?;
    row.map(Exchange::try_from).transpose()
}

/// An order that its user can see.
pub(super) async fn find(pool: &Pool, id: ExchangeId) -> Result<Option<Exchange>, AcceptorError> {
    let row = rows!(
        "SELECT",
        "FROM exchanges WHERE id = $1 AND status IS NOT NULL",
        id.0
    )
    .fetch_optional(pool)
    .await?;
    row.map(Exchange::try_from).transpose()
}

/// An order that its user can see, locked.
pub(super) async fn lock_in_tx(
    tx: &mut Tx,
    id: ExchangeId,
) -> Result<Option<Exchange>, AcceptorError> {
    if !Defect::RowNotLocked.is_enabled() {
        return find_locked_in_tx(tx, id).await;
    }
    // Rolling back to before the lock releases it.
    let mut savepoint = tx.begin().await?;
    let found = find_locked_in_tx(&mut savepoint, id).await;
    savepoint.rollback().await?;
    found
}

async fn find_locked_in_tx(tx: &mut Tx, id: ExchangeId) -> Result<Option<Exchange>, AcceptorError> {
    let row = rows!(
        "SELECT",
        "FROM exchanges WHERE id = $1 AND status IS NOT NULL FOR UPDATE",
        id.0
    )
    .fetch_optional(tx)
    .await?;
    row.map(Exchange::try_from).transpose()
}

/// Writes a decision, with the lease of the drive that follows. The row is locked by the caller.
pub(super) async fn save_decision_in_tx(
    tx: &mut Tx,
    exchange: &Exchange,
    lease: Duration,
) -> Result<(), AcceptorError> {
    let (call, late) = (exchange.ending_call.as_ref(), exchange.late);
    sqlx::query!(
        "UPDATE exchanges SET state = $2, reason = $3, ending_scope = $4, ending_key = $5, attempts = $6, lease_token = $7,
             lease_until = clock_timestamp() + make_interval(secs => $8), next_attempt_at = clock_timestamp(),
             finished_at = NULL, late_from = $9, late_ended_at = $10, late_attempt = $11, refusal_reason = NULL,
             refusal_field = NULL, refusal_missing_minor = NULL
         WHERE id = $1",
        exchange.id.0,
        exchange.state.as_str(),
        exchange.reason,
        call.map(|call| call.scope),
        call.map(|call| call.key.as_str()),
        exchange.lease.attempts,
        exchange.lease.token,
        lease.as_secs_f64(),
        late.map(|late| late.from.as_str()),
        late.map(|late| late.ended_at),
        late.map(|late| late.attempt.0),
    )
    .execute(tx)
    .await?;
    Ok(())
}

/// Writes who asked for the completion. The row is locked by the caller.
pub(super) async fn save_asked_in_tx(
    tx: &mut Tx,
    id: ExchangeId,
    asked: &Asked,
) -> Result<(), AcceptorError> {
    sqlx::query!(
        "UPDATE exchanges SET asked_by = $2, asked_at = $3, asked_reason = $4 WHERE id = $1",
        id.0,
        asked.by.0,
        asked.at,
        asked.reason
    )
    .execute(tx)
    .await?;
    Ok(())
}

/// What this member of staff completed alone after that time, and what anybody did for this user.
pub(super) async fn sum_alone_in_tx(
    tx: &mut Tx,
    staff: StaffId,
    user: UserId,
    since: DateTime<Utc>,
) -> Result<Alone, AcceptorError> {
    let alone = sqlx::query_as!(
        Alone,
        r#"SELECT (SELECT least(coalesce(sum(amount), 0), 1000000000000000000)::bigint
                   FROM lone_completions WHERE staff_id = $1 AND decided_at > $3) AS "by_member!",
                  (SELECT least(coalesce(sum(amount), 0), 1000000000000000000)::bigint
                   FROM lone_completions WHERE user_id = $2 AND decided_at > $3) AS "for_beneficiary!""#,
        staff.0,
        user.0,
        since
    )
    .fetch_one(tx)
    .await?;
    Ok(alone)
}

/// Counts what a member of staff completes alone, once by its id: the order's, or that of the attempt to complete it late.
pub(super) async fn count_alone_in_tx(
    tx: &mut Tx,
    staff: StaffId,
    (id, exchange): (Uuid, &Exchange),
    now: DateTime<Utc>,
) -> Result<(), AcceptorError> {
    sqlx::query!(
        "INSERT INTO lone_completions (exchange_id, user_id, staff_id, amount, decided_at) VALUES ($1, $2, $3, $4, $5)",
        id,
        exchange.user.0,
        staff.0,
        exchange.amount.minor(),
        now
    )
    .execute(tx)
    .await?;
    Ok(())
}

/// Decides that open orders past their time expire, and leases them for the drives that follow. Skips rows that another
/// replica or another decision has locked.
pub(super) async fn expire_in_tx(
    tx: &mut Tx,
    now: DateTime<Utc>,
    claim: Claim,
) -> Result<Vec<Exchange>, AcceptorError> {
    let rows = rows!(
        "UPDATE exchanges SET state = 'expiring', attempts = 1, lease_token = $2,
             lease_until = clock_timestamp() + make_interval(secs => $3), next_attempt_at = clock_timestamp()
         WHERE id IN (SELECT id FROM exchanges WHERE state = 'pending' AND expires_at <= $1
                      ORDER BY expires_at LIMIT $4 FOR UPDATE SKIP LOCKED)
         RETURNING",
        "",
        now,
        claim.token,
        claim.lease.as_secs_f64(),
        claim.limit
    )
    .fetch_all(tx)
    .await?;
    rows.into_iter().map(Exchange::try_from).collect()
}

/// Writes the result of a drive's step and ends the lease.
pub(super) async fn save_in_tx(tx: &mut Tx, exchange: &Exchange) -> Result<(), AcceptorError> {
    let (refusal, call) = (exchange.refusal.as_ref(), exchange.ending_call.as_ref());
    let asked = exchange.asked.as_ref();
    let done = sqlx::query!(
        "UPDATE exchanges SET state = $3, finished_at = $4, answer = $5, refusal_reason = $6, refusal_field = $7,
             refusal_missing_minor = $8, reason = $9, ending_scope = $10, ending_key = $11, asked_by = $12, asked_at = $13,
             asked_reason = $14,
             lease_until = '-infinity', next_attempt_at = clock_timestamp()
         WHERE id = $1 AND lease_token = $2",
        exchange.id.0,
        exchange.lease.token,
        exchange.state.as_str(),
        exchange.finished_at,
        exchange.answer,
        refusal.map(|refusal| refusal.reason.as_str()),
        refusal.and_then(|refusal| refusal.field.as_deref()),
        refusal
            .and_then(|refusal| refusal.missing)
            .map(Money::minor),
        exchange.reason,
        call.map(|call| call.scope),
        call.map(|call| call.key.as_str()),
        asked.map(|asked| asked.by.0),
        asked.map(|asked| asked.at),
        asked.map_or("", |asked| asked.reason.as_str()),
    )
    .execute(tx)
    .await?;
    Ok(Lease::check(done.rows_affected())?)
}

/// Orders older than `before`, newest first: of one user or of all, of one status or of any. User, status and id are
/// compared as one value, because then no other index has the order: a filter on top of another index would walk past
/// everything of others.
pub(super) async fn list(
    pool: &Pool,
    user: Option<UserId>,
    status: Option<&str>,
    before: Uuid,
    fetch: i64,
) -> Result<Vec<Exchange>, AcceptorError> {
    let rows = match (user, status) {
        (Some(user), None) => {
            rows!(
                "SELECT",
                "FROM exchanges
                 WHERE (user_id, id) < ($1, $2) AND (user_id, id) >= ($1, '00000000-0000-0000-0000-000000000000') AND status IS NOT NULL
                 ORDER BY user_id DESC, id DESC LIMIT $3",
                user.0,
                before,
                fetch
            )
            .fetch_all(pool)
            .await
        }
        (Some(user), Some(status)) => {
            rows!(
                "SELECT",
                "FROM exchanges
                 WHERE (user_id, status, id) < ($1, $2, $3) AND (user_id, status, id) >= ($1, $2, '00000000-0000-0000-0000-000000000000')
                 AND status IS NOT NULL
                 ORDER BY user_id DESC, status DESC, id DESC LIMIT $4",
                user.0,
                status,
                before,
                fetch
            )
            .fetch_all(pool)
            .await
        }
        (None, None) => {
            rows!(
                "SELECT",
                "FROM exchanges WHERE status IS NOT NULL AND id < $1 ORDER BY id DESC LIMIT $2",
                before,
                fetch
            )
            .fetch_all(pool)
            .await
        }
        (None, Some(status)) => {
            rows!(
                "SELECT",
                "FROM exchanges
                 WHERE (status, id) < ($1, $2) AND (status, id) >= ($1, '00000000-0000-0000-0000-000000000000')
                 AND status IS NOT NULL
                 ORDER BY status DESC, id DESC LIMIT $3",
                status,
                before,
                fetch
            )
            .fetch_all(pool)
            .await
        }
    }?;
    rows.into_iter().map(Exchange::try_from).collect()
}

/// How many orders staff may decide, and when the oldest was opened. Those that a decision is being carried out for are
/// left out.
pub(super) async fn count_pending(
    pool: &Pool,
) -> Result<(i64, Option<DateTime<Utc>>), AcceptorError> {
    let row = sqlx::query!(
        r#"SELECT count(*) AS "count!", min(created_at) AS oldest_at
           FROM (SELECT created_at FROM exchanges WHERE state = 'pending' ORDER BY expires_at LIMIT $1) AS waiting"#,
        COUNTED_AT_MOST,
    )
    .fetch_one(pool)
    .await?;
    Ok((row.count, row.oldest_at))
}
