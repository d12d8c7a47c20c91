//! The SQL of puts. The lease's token guards everything that a drive writes: a drive that was
//! overtaken writes nothing.

use std::time::Duration;

use adfolio_kit::db::Tx;
use adfolio_kit::error::CoreError;
use adfolio_kit::identity::{IdempotencyKey, UserId};
use adfolio_kit::refusal::Refusal;
use adfolio_kit::saga::{Lease, Rows};
use adfolio_money::Money;
use uuid::Uuid;

use super::entity::{Amounts, Put, PutState};
use crate::error::PlanError;
use crate::ids::{CouponId, OrderId, PutId, ReservationId};

struct PutRow {
    id: PutId,
    user_id: UserId,
    request_digest: Vec<u8>,
    order_id: OrderId,
    reservation_id: ReservationId,
    amount_minor: i64,
    user_coupon_id: Option<CouponId>,
    state: PutState,
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

/// `query_puts!("SELECT ", " FROM puts WHERE id = $1", id)`: a query for puts, with every column
/// named.
macro_rules! query_puts {
    ($($before:literal)+, $($after:literal)+ $(, $argument:expr)* $(,)?) => {
        sqlx::query_as!(
            PutRow,
            $($before +)+
                r#"id AS "id: _", user_id AS "user_id: _", request_digest, order_id AS "order_id: _",
                   reservation_id AS "reservation_id: _", amount_minor, user_coupon_id AS "user_coupon_id: _",
                   state AS "state: _", put_amount_minor, paid_minor, discount_minor, coupon_name, refusal_reason,
                   refusal_field, release_hold, redeem_due, answer, attempts, lease_token"#
                $(+ $after)+
            $(, $argument)*
        )
    };
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
        let refusal = Refusal::from_columns(row.refusal_reason.as_deref(), row.refusal_field)
            .map_err(|_| CoreError::Corrupt("puts.refusal_reason"))?;
        Ok(Self {
            id: row.id,
            user_id: row.user_id,
            request_digest: row.request_digest,
            order_id: row.order_id,
            reservation_id: row.reservation_id,
            amount: Money::from_minor(row.amount_minor),
            user_coupon_id: row.user_coupon_id,
            state: row.state,
            amounts,
            coupon_name: row.coupon_name,
            refusal,
            release_hold: row.release_hold,
            redeem_due: row.redeem_due,
            answer: row.answer,
            lease: Lease {
                token: row.lease_token,
                attempts: row.attempts,
            },
        })
    }
}

impl Rows for Put {
    type Error = PlanError;

    adfolio_kit::saga_rows!(
        query_puts,
        table: "puts",
        unfinished: "state IN ('driving', 'undoing') OR redeem_due",
        state: "CASE WHEN state = 'placed' THEN 'redeeming' ELSE state END",
        age: "extract(epoch FROM clock_timestamp() - created_at)::float8",
        // A put that has not ended keeps its key.
        forgettable: "finished_at IS NOT NULL",
        dated: "finished_at",
    );
}

/// Writes a new put; false when its key is taken or its order has a live put already.
pub(super) async fn insert_in_tx(
    tx: &mut Tx,
    put: &Put,
    key: Option<&IdempotencyKey>,
    lease: Duration,
) -> Result<bool, PlanError> {
    let done = sqlx::query!(
        "INSERT INTO puts (id, user_id, idempotency_key, request_digest, order_id, reservation_id, amount_minor,
             user_coupon_id, state, coupon_name, release_hold, redeem_due, attempts, lease_token, lease_until,
             next_attempt_at, created_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, '', false, false, $10, $11,
                 clock_timestamp() + make_interval(secs => $12), clock_timestamp(), clock_timestamp())
         ON CONFLICT DO NOTHING",
        put.id.0,
        put.user_id.0,
        key.map(IdempotencyKey::as_str),
        put.request_digest,
        put.order_id.0,
        put.reservation_id.0,
        put.amount.minor(),
        put.user_coupon_id.map(|id| id.0),
        put.state.as_str(),
        put.lease.attempts,
        put.lease.token,
        lease.as_secs_f64(),
    )
    .execute(tx)
    .await?;
    Ok(done.rows_affected() == 1)
}

/// Whether an earlier put of the order was refused, so that coupon may have closed the order's own
/// reservation.
pub(super) async fn has_refused_in_tx(tx: &mut Tx, order: OrderId) -> Result<bool, PlanError> {
    let found = sqlx::query_scalar!(
        "SELECT id FROM puts WHERE order_id = $1 AND state = 'refused' AND user_coupon_id IS NOT NULL LIMIT 1",
        order.0,
    )
    .fetch_optional(tx)
    .await?;
    Ok(found.is_some())
}

/// Locks a put for the drive that holds its lease.
pub(super) async fn check_lease_in_tx(tx: &mut Tx, put: &Put) -> Result<(), PlanError> {
    let found = sqlx::query_scalar!(
        "SELECT id FROM puts WHERE id = $1 AND lease_token = $2 FOR UPDATE",
        put.id.0,
        put.lease.token,
    )
    .fetch_optional(tx)
    .await?;
    if found.is_some() {
        Ok(())
    } else {
        Err(CoreError::LeaseLost.into())
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
        put.id.0,
        put.lease.token,
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
    Ok(Lease::check(done.rows_affected())?)
}
