//! All SQL of requests for approval.

use adfolio_kit::db::Pool;
use adfolio_kit::db::Tx;
use adfolio_kit::four_eyes::Alone;
use adfolio_kit::identity::UserId;
use adfolio_kit::metrics::InState;
use adfolio_kit::pagination::bound;
use adfolio_kit::refusal::UnknownReason;
use chrono::{DateTime, Utc};
use sqlx::PgExecutor;
use uuid::Uuid;

use super::alone::Counted;
use super::entity::{Approval, Failure, State};
use crate::ids::{ApprovalId, StaffId, TransactionId, WithdrawalId};
use crate::pending::pending;
use crate::posting::movement::MovementKind;

/// Reads whole requests: `approvals!("WHERE …", arguments)`.
macro_rules! approvals {
    ($rest:literal $(, $argument:expr)* $(,)?) => {
        sqlx::query!(
            r#"SELECT id, kind AS "kind!: MovementKind", user_id, reference, amount, remark, posting_key, request_digest,
                      request_reason, request_id, requested_by, requested_at, state AS "state!: State", decided_by, decided_at, decision_reason, transaction_id,
                      failure, failure_field
               FROM approvals "# + $rest
            $(, $argument)*
        )
        .try_map(|row| {
            let reason = row.failure.map(|name| name.parse()).transpose();
            let reason = reason.map_err(|error: UnknownReason| sqlx::Error::Decode(error.into()))?;
            Ok(Approval {
                id: ApprovalId(row.id),
                kind: row.kind,
                user_id: UserId(row.user_id),
                reference: row.reference.map(WithdrawalId),
                amount: row.amount,
                remark: row.remark,
                posting_key: row.posting_key,
                request_digest: row.request_digest,
                request_reason: row.request_reason,
                request_id: row.request_id,
                requested_by: StaffId(row.requested_by),
                requested_at: row.requested_at,
                state: row.state,
                decided: row.decided_by.map(StaffId).zip(row.decided_at),
                decision_reason: row.decision_reason,
                transaction_id: row.transaction_id.map(TransactionId),
                failure: reason.map(|reason| Failure {
                    reason,
                    field: row.failure_field,
                }),
            })
        })
    };
}

/// The request that was kept under the key of a posting.
pub(super) async fn find_by_key(
    pool: &Pool,
    posting_key: &str,
) -> Result<Option<Approval>, sqlx::Error> {
    approvals!("WHERE posting_key = $1", posting_key)
        .fetch_optional(pool)
        .await
}

pub(super) async fn find(pool: &Pool, id: ApprovalId) -> Result<Option<Approval>, sqlx::Error> {
    approvals!("WHERE id = $1", id.0).fetch_optional(pool).await
}

/// The request that keeps another from being added: of the same key, or the same member's identical one that waits.
pub(super) async fn find_alike_in_tx(
    tx: &mut Tx,
    asked: &Approval,
) -> Result<Option<Approval>, sqlx::Error> {
    approvals!(
        "WHERE posting_key = $1 OR (requested_by = $2 AND request_digest = $3 AND state = 'pending')
         ORDER BY posting_key = $1 DESC LIMIT 1",
        asked.posting_key,
        asked.requested_by.0,
        asked.request_digest
    )
    .fetch_optional(tx)
    .await
}

/// Adds a request unless there is one of the same key or the same member's identical one waits. Whether it did.
pub(super) async fn insert_in_tx(tx: &mut Tx, asked: &Approval) -> Result<bool, sqlx::Error> {
    let done = sqlx::query!(
        "INSERT INTO approvals (id, kind, user_id, reference, amount, remark, posting_key, request_digest,
                                request_reason, request_id, requested_by, requested_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)
         ON CONFLICT DO NOTHING",
        asked.id.0,
        asked.kind as MovementKind,
        asked.user_id.0,
        asked.reference.map(|id| id.0),
        asked.amount,
        asked.remark,
        asked.posting_key,
        asked.request_digest,
        asked.request_reason,
        asked.request_id,
        asked.requested_by.0,
        asked.requested_at,
    )
    .execute(tx)
    .await?;
    Ok(done.rows_affected() == 1)
}

/// Locks a request, so that of several deciders one decides.
pub(super) async fn lock_in_tx(
    tx: &mut Tx,
    id: ApprovalId,
) -> Result<Option<Approval>, sqlx::Error> {
    approvals!("WHERE id = $1 FOR UPDATE", id.0)
        .fetch_optional(tx)
        .await
}

pub(super) async fn save_decision_in_tx(
    tx: &mut Tx,
    approval: &Approval,
) -> Result<(), sqlx::Error> {
    let (decided_by, decided_at) = approval.decided.unzip();
    let failure = approval.failure.as_ref();
    sqlx::query!(
        "UPDATE approvals
         SET state = $2, decided_by = $3, decided_at = $4, decision_reason = $5, transaction_id = $6, failure = $7,
             failure_field = $8
         WHERE id = $1",
        approval.id.0,
        approval.state as State,
        decided_by.map(|id| id.0),
        decided_at,
        approval.decision_reason,
        approval.transaction_id.map(|id| id.0),
        failure.map(|failure| failure.reason.as_str()),
        failure.and_then(|failure| failure.field.as_deref()),
    )
    .execute(tx)
    .await?;
    Ok(())
}

/// Ends at most `limit` requests that are as old as `asked_before`, except those being decided right now. How many.
pub(super) async fn expire_in_tx(
    tx: &mut Tx,
    asked_before: DateTime<Utc>,
    limit: i64,
) -> Result<u64, sqlx::Error> {
    let done = sqlx::query!(
        "UPDATE approvals SET state = 'expired' WHERE id IN (
             SELECT id FROM approvals WHERE state = 'pending' AND requested_at <= $1
             ORDER BY id LIMIT $2 FOR UPDATE SKIP LOCKED)",
        asked_before,
        limit
    )
    .execute(tx)
    .await?;
    Ok(done.rows_affected())
}

/// A page. A statement for each set of conditions, so that each has the plan of its own index.
pub(super) async fn list(
    pool: &Pool,
    state: Option<State>,
    before: Option<ApprovalId>,
    limit: i64,
) -> Result<Vec<Approval>, sqlx::Error> {
    let before = bound(before);
    match state {
        None => {
            approvals!("WHERE id < $1 ORDER BY id DESC LIMIT $2", before, limit)
                .fetch_all(pool)
                .await
        }
        Some(state) => {
            approvals!(
                "WHERE (state, id) < ($1, $2) AND (state, id) > ($1, $4) ORDER BY state DESC, id DESC LIMIT $3",
                state as State,
                before,
                limit,
                Uuid::nil()
            )
            .fetch_all(pool)
            .await
        }
    }
}

pub(super) async fn is_posted(pool: &Pool, key: &str) -> Result<bool, sqlx::Error> {
    is_posted_on(pool, key).await
}

pub(super) async fn is_posted_in_tx(tx: &mut Tx, key: &str) -> Result<bool, sqlx::Error> {
    is_posted_on(tx, key).await
}

async fn is_posted_on(executor: impl PgExecutor<'_>, key: &str) -> Result<bool, sqlx::Error> {
    sqlx::query_scalar!(
        r#"SELECT EXISTS (SELECT FROM transactions WHERE idempotency_key = $1) AS "is_posted!""#,
        key
    )
    .fetch_one(executor)
    .await
}

/// What this member of staff posted alone after that time, and what anybody did for this user.
pub(super) async fn sum_in_tx(
    tx: &mut Tx,
    staff_id: StaffId,
    user_id: UserId,
    since: DateTime<Utc>,
) -> Result<Alone, sqlx::Error> {
    sqlx::query_as!(
        Alone,
        r#"SELECT (SELECT least(coalesce(sum(amount), 0), 1000000000000000000)::bigint
                   FROM lone_postings WHERE staff_id = $1 AND posted_at > $3) AS "by_member!",
                  (SELECT least(coalesce(sum(amount), 0), 1000000000000000000)::bigint
                   FROM lone_postings WHERE user_id = $2 AND posted_at > $3) AS "for_beneficiary!""#,
        staff_id.0,
        user_id.0,
        since
    )
    .fetch_one(tx)
    .await
}

pub(super) async fn count_in_tx(tx: &mut Tx, counted: &Counted) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "INSERT INTO lone_postings (transaction_id, user_id, staff_id, amount, posted_at) VALUES ($1, $2, $3, $4, $5)",
        counted.transaction_id.0,
        counted.user_id.0,
        counted.staff_id.0,
        counted.amount.minor(),
        counted.posted_at
    )
    .execute(tx)
    .await?;
    Ok(())
}

pub(super) async fn has_wallet(pool: &Pool, user_id: UserId) -> Result<bool, sqlx::Error> {
    sqlx::query_scalar!(
        r#"SELECT EXISTS (SELECT FROM wallets WHERE user_id = $1) AS "has_wallet!""#,
        user_id.0
    )
    .fetch_one(pool)
    .await
}

/// The requests that staff have not decided.
pub(super) async fn waiting(pool: &Pool) -> Result<Vec<InState>, sqlx::Error> {
    pending!(pool, "approvals WHERE state = 'pending'")
}
