//! SQL of puts. Everything that a drive writes is guarded by its lease's token: a drive that was overtaken writes nothing.

use std::time::Duration;

use adfolio_kit::db::{PgPool, Tx};
use adfolio_kit::metrics::{COUNTED_AT_MOST, FAILING, FAILING_ATTEMPTS, InState};
use adfolio_kit::refusal::Refusal;
use adfolio_money::Money;
use chrono::{DateTime, Utc};
use uuid::Uuid;

use super::entity::{Amounts, Put, PutState};
use crate::error::PlanError;

struct PutRow {
    id: Uuid,
    user_id: Uuid,
    request_digest: Vec<u8>,
    order_id: Uuid,
    reservation_id: Uuid,
    amount_minor: i64,
    user_coupon_id: Option<Uuid>,
    state: String,
    put_amount_minor: Option<i64>,
    paid_minor: Option<i64>,
    discount_minor: Option<i64>,
    coupon_name: String,
    refusal_reason: Option<String>,
    refusal_field: Option<String>,
    release_hold: bool,
    redeem_due: bool,
    answer: Option<Vec<u8>>,
    attempts: i32,
    lease_token: Uuid,
}

impl TryFrom<PutRow> for Put {
    type Error = PlanError;

    fn try_from(row: PutRow) -> Result<Self, PlanError> {
        let amounts = match (row.put_amount_minor, row.paid_minor, row.discount_minor) {
            (Some(put_amount), Some(paid), Some(discount)) => Some(Amounts {
                put_amount: Money::from_minor(put_amount),
                paid: Money::from_minor(paid),
                discount: Money::from_minor(discount),
            }),
            _ => None,
        };
        let refusal = match row.refusal_reason {
            Some(text) => {
                let reason = text.parse().map_err(|_| PlanError::Corrupt("reason"))?;
                Some(Refusal {
                    field: row.refusal_field,
                    ..Refusal::new(reason)
                })
            }
            None => None,
        };
        Ok(Self {
            id: row.id,
            user_id: row.user_id,
            request_digest: row.request_digest,
            order_id: row.order_id,
            reservation_id: row.reservation_id,
            amount: Money::from_minor(row.amount_minor),
            user_coupon_id: row.user_coupon_id,
            state: PutState::parse(&row.state)?,
            amounts,
            coupon_name: row.coupon_name,
            refusal,
            release_hold: row.release_hold,
            redeem_due: row.redeem_due,
            answer: row.answer,
            attempts: row.attempts,
            lease_token: row.lease_token,
        })
    }
}

/// Writes a new put; false when its key is taken or its order has a live put already.
pub(super) async fn insert_in_tx(
    tx: &mut Tx,
    put: &Put,
    key: Option<&str>,
    lease: Duration,
) -> Result<bool, PlanError> {
    let done = sqlx::query!(
        "INSERT INTO puts (id, user_id, idempotency_key, request_digest, order_id, reservation_id, amount_minor,
             user_coupon_id, state, coupon_name, release_hold, redeem_due, attempts, lease_token, lease_until,
             next_attempt_at, created_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, '', false, false, $10, $11,
                 clock_timestamp() + make_interval(secs => $12), clock_timestamp(), clock_timestamp())
         ON CONFLICT DO NOTHING",
        put.id,
        put.user_id,
        key,
        put.request_digest,
        put.order_id,
        put.reservation_id,
        put.amount.minor(),
        put.user_coupon_id,
        put.state.as_str(),
        put.attempts,
        put.lease_token,
        lease.as_secs_f64(),
    )
    .execute(tx)
    .await?;
    Ok(done.rows_affected() == 1)
}

/// The put of a user's idempotency key.
pub(super) async fn find_by_key(
    pool: &PgPool,
    user_id: Uuid,
    key: &str,
) -> Result<Option<Put>, PlanError> {
    let row = sqlx::query_as!(
        PutRow,
        "SELECT id, user_id, request_digest, order_id, reservation_id, amount_minor, user_coupon_id, state,
                put_amount_minor, paid_minor, discount_minor, coupon_name, refusal_reason, refusal_field, release_hold,
                redeem_due, answer, attempts, lease_token
         FROM puts WHERE user_id = $1 AND idempotency_key = $2",
        user_id,
        key,
    )
    .fetch_optional(pool)
    .await?;
    row.map(Put::try_from).transpose()
}

/// One put.
pub(super) async fn find(pool: &PgPool, id: Uuid) -> Result<Option<Put>, PlanError> {
    let row = sqlx::query_as!(
        PutRow,
        "SELECT id, user_id, request_digest, order_id, reservation_id, amount_minor, user_coupon_id, state,
                put_amount_minor, paid_minor, discount_minor, coupon_name, refusal_reason, refusal_field, release_hold,
                redeem_due, answer, attempts, lease_token
         FROM puts WHERE id = $1",
        id,
    )
    .fetch_optional(pool)
    .await?;
    row.map(Put::try_from).transpose()
}

/// Whether an earlier put of the order was refused, so that coupon may have closed the order's own reservation.
pub(super) async fn has_refused_in_tx(tx: &mut Tx, order_id: Uuid) -> Result<bool, PlanError> {
    let found = sqlx::query_scalar!(
        "SELECT id FROM puts WHERE order_id = $1 AND state = 'refused' AND user_coupon_id IS NOT NULL LIMIT 1",
        order_id,
    )
    .fetch_optional(tx)
    .await?;
    Ok(found.is_some())
}

/// Takes the lease of unfinished puts that nobody drives: of `only` at once, or of any whose time has come. Replicas skip
/// each other's rows, so they share the work.
pub(super) async fn claim_in_tx(
    tx: &mut Tx,
    only: Option<Uuid>,
    token: Uuid,
    lease: Duration,
    limit: i64,
) -> Result<Vec<Put>, PlanError> {
    let rows = sqlx::query_as!(
        PutRow,
        "UPDATE puts SET attempts = attempts + 1, lease_token = $2,
                         lease_until = clock_timestamp() + make_interval(secs => $3)
         WHERE id IN (
             SELECT id FROM puts
             WHERE (state IN ('driving', 'undoing') OR redeem_due) AND lease_until < clock_timestamp()
               AND CASE WHEN $1::uuid IS NULL THEN next_attempt_at <= clock_timestamp() ELSE id = $1 END
             ORDER BY next_attempt_at LIMIT $4 FOR UPDATE SKIP LOCKED)
         RETURNING id, user_id, request_digest, order_id, reservation_id, amount_minor, user_coupon_id, state,
                   put_amount_minor, paid_minor, discount_minor, coupon_name, refusal_reason, refusal_field, release_hold,
                   redeem_due, answer, attempts, lease_token",
        only,
        token,
        lease.as_secs_f64(),
        limit,
    )
    .fetch_all(tx)
    .await?;
    rows.into_iter().map(Put::try_from).collect()
}

/// Locks a put for the drive that holds its lease.
pub(super) async fn check_lease_in_tx(tx: &mut Tx, put: &Put) -> Result<(), PlanError> {
    let found = sqlx::query_scalar!(
        "SELECT id FROM puts WHERE id = $1 AND lease_token = $2 FOR UPDATE",
        put.id,
        put.lease_token,
    )
    .fetch_optional(tx)
    .await?;
    if found.is_some() {
        Ok(())
    } else {
        Err(PlanError::LeaseLost)
    }
}

/// Writes what a step of the drive brought and renews the lease.
pub(super) async fn save_in_tx(tx: &mut Tx, put: &Put, lease: Duration) -> Result<(), PlanError> {
    let refusal = put.refusal.as_ref();
    let done = sqlx::query!(
        "UPDATE puts SET state = $3, put_amount_minor = $4, paid_minor = $5, discount_minor = $6, coupon_name = $7,
             refusal_reason = $8, refusal_field = $9, release_hold = $10, redeem_due = $11, answer = $12,
             lease_until = clock_timestamp() + make_interval(secs => $13),
             finished_at = CASE WHEN $3 IN ('placed', 'refused') THEN coalesce(finished_at, clock_timestamp()) END
         WHERE id = $1 AND lease_token = $2",
        put.id,
        put.lease_token,
        put.state.as_str(),
        put.amounts.map(|amounts| amounts.put_amount.minor()),
        put.amounts.map(|amounts| amounts.paid.minor()),
        put.amounts.map(|amounts| amounts.discount.minor()),
        put.coupon_name,
        refusal.map(|refusal| refusal.reason.as_str()),
        refusal.and_then(|refusal| refusal.field.as_deref()),
        put.release_hold,
        put.redeem_due,
        put.answer,
        lease.as_secs_f64(),
    )
    .execute(tx)
    .await?;
    if done.rows_affected() == 1 {
        Ok(())
    } else {
        Err(PlanError::LeaseLost)
    }
}

/// Gives the lease back; the next attempt comes after `wait`, or at once when the user asks again.
pub(super) async fn postpone_in_tx(
    tx: &mut Tx,
    id: Uuid,
    token: Uuid,
    wait: Duration,
) -> Result<(), PlanError> {
    sqlx::query!(
        "UPDATE puts SET lease_until = '-infinity', next_attempt_at = clock_timestamp() + make_interval(secs => $3)
         WHERE id = $1 AND lease_token = $2",
        id,
        token,
        wait.as_secs_f64(),
    )
    .execute(tx)
    .await?;
    Ok(())
}

/// Forgets the keys of puts that ended before `before`; their rows stay.
pub(super) async fn forget_keys_in_tx(
    tx: &mut Tx,
    before: DateTime<Utc>,
    limit: i64,
) -> Result<u64, PlanError> {
    let done = sqlx::query!(
        "UPDATE puts SET idempotency_key = NULL WHERE id IN (
             SELECT id FROM puts WHERE idempotency_key IS NOT NULL AND finished_at < $1
             ORDER BY finished_at LIMIT $2 FOR UPDATE SKIP LOCKED)",
        before,
        limit,
    )
    .execute(tx)
    .await?;
    Ok(done.rows_affected())
}

/// What is unfinished, by state: the puts that come next of a backlog too large to be counted.
pub(super) async fn unfinished(pool: &PgPool) -> Result<Vec<InState>, PlanError> {
    let states = sqlx::query_as!(
        InState,
        r#"WITH unfinished AS (
               SELECT CASE WHEN state = 'placed' THEN 'redeeming' ELSE state END AS state, attempts,
                      extract(epoch FROM clock_timestamp() - created_at)::float8 AS age
               FROM puts WHERE state IN ('driving', 'undoing') OR redeem_due ORDER BY next_attempt_at LIMIT $1)
           SELECT state AS "state!", count(*) AS "count!", max(age) AS "oldest_seconds!" FROM unfinished GROUP BY state
           UNION ALL
           SELECT $3, count(*), coalesce(max(age), 0) FROM unfinished WHERE attempts >= $2"#,
        COUNTED_AT_MOST,
        FAILING_ATTEMPTS,
        FAILING,
    )
    .fetch_all(pool)
    .await?;
    Ok(states)
}
