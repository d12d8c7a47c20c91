//! The SQL of puts. The lease's token guards everything that a drive writes: a drive that was
//! overtaken writes nothing.

use std::collections::HashSet;
use std::time::Duration;

use adfolio_kit::db::Tx;
use adfolio_kit::error::CoreError;
use adfolio_kit::identity::{IdempotencyKey, UserId};
use adfolio_kit::outbox::{Columns, Event};
use adfolio_kit::refusal::Refusal;
use adfolio_kit::saga::{Lease, Rows};
use adfolio_money::Money;
use chrono::{DateTime, Utc};
use uuid::Uuid;

use super::entity::{Amounts, Put, PutState};
use super::place::Placed;
use crate::error::PlanError;
use crate::ids::{CouponId, OrderId, PutId, ReservationId};
use crate::order::entity::{CouponUse, Order};
use crate::statistics::entity::{bucket_of, day_of};

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
    refusal_missing_minor: Option<i64>,
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
                   refusal_field, refusal_missing_minor, release_hold, redeem_due, answer, attempts, lease_token"#
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
            .map_err(|_| CoreError::Corrupt("puts.refusal_reason"))?
            .map(|refusal| Refusal {
                missing: row.refusal_missing_minor.map(Money::from_minor),
                ..refusal
            });
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

/// Writes new puts, each with its key; answers which. The others' key is taken, or their order has
/// a live put already, by an earlier put or by one that comes first in `puts`.
///
/// In order of user and key, so that two replicas that begin the same puts do not wait for each
/// other.
pub(super) async fn insert_in_tx(
    tx: &mut Tx,
    puts: &[(&Put, Option<&IdempotencyKey>)],
    lease: Duration,
) -> Result<HashSet<PutId>, PlanError> {
    let keys = puts.iter().map(|(_, key)| key.map(IdempotencyKey::as_str));
    let puts: Vec<&Put> = puts.iter().map(|(put, _)| *put).collect();
    let written = sqlx::query_scalar!(
        r#"INSERT INTO puts (id, user_id, idempotency_key, request_digest, order_id, reservation_id, amount_minor,
               user_coupon_id, state, coupon_name, release_hold, redeem_due, attempts, lease_token, lease_until,
               next_attempt_at, created_at)
           SELECT id, user_id, key, digest, order_id, reservation_id, amount, coupon_id, state, '', false, false,
               attempts, lease_token, clock_timestamp() + make_interval(secs => $12), clock_timestamp(),
               clock_timestamp()
           FROM UNNEST($1::uuid[], $2::uuid[], $3::text[], $4::bytea[], $5::uuid[], $6::uuid[], $7::bigint[],
                       $8::uuid[], $9::text[], $10::int[], $11::uuid[])
                WITH ORDINALITY AS new (id, user_id, key, digest, order_id, reservation_id, amount, coupon_id, state,
                                        attempts, lease_token, position)
           ORDER BY user_id, key, position
           ON CONFLICT DO NOTHING RETURNING id AS "id: _""#,
        &column(&puts, |put| put.id.0),
        &column(&puts, |put| put.user_id.0),
        &keys.collect::<Vec<_>>() as &[Option<&str>],
        &column(&puts, |put| put.request_digest.as_slice()) as &[&[u8]],
        &column(&puts, |put| put.order_id.0),
        &column(&puts, |put| put.reservation_id.0),
        &column(&puts, |put| put.amount.minor()),
        &column(&puts, |put| Some(put.user_coupon_id?.0)) as &[Option<Uuid>],
        &column(&puts, |put| put.state.as_str()) as &[&str],
        &column(&puts, |put| put.lease.attempts),
        &column(&puts, |put| put.lease.token),
        lease.as_secs_f64(),
    )
    .fetch_all(tx)
    .await?;
    Ok(written.into_iter().collect())
}

/// Which of the orders had a put that was refused, so that coupon may have closed the order's own
/// reservation.
pub(super) async fn refused_in_tx(
    tx: &mut Tx,
    orders: &[OrderId],
) -> Result<HashSet<OrderId>, PlanError> {
    let orders: Vec<Uuid> = orders.iter().map(|id| id.0).collect();
    let found = sqlx::query_scalar!(
        r#"SELECT order_id AS "id: _" FROM puts
           WHERE order_id = ANY($1) AND state = 'refused' AND user_coupon_id IS NOT NULL"#,
        &orders,
    )
    .fetch_all(tx)
    .await?;
    Ok(found.into_iter().collect())
}

/// Locks puts in order of id for the drives that hold their leases; answers which still do.
pub(super) async fn lock_leased_in_tx(
    tx: &mut Tx,
    puts: &[&Put],
) -> Result<HashSet<PutId>, PlanError> {
    let leased = sqlx::query_scalar!(
        r#"SELECT puts.id AS "id: _"
           FROM UNNEST($1::uuid[], $2::uuid[]) AS held (id, lease_token)
           JOIN puts ON puts.id = held.id AND puts.lease_token = held.lease_token
           ORDER BY puts.id FOR UPDATE OF puts"#,
        &column(puts, |put| put.id.0),
        &column(puts, |put| put.lease.token),
    )
    .fetch_all(tx)
    .await?;
    Ok(leased.into_iter().collect())
}

/// Writes puts that are placed with everything that follows from it, and renews their leases. The
/// caller holds the locks of the puts and their orders.
pub(super) async fn write_placed_in_tx(
    tx: &mut Tx,
    placed: &[&Placed],
    lease: Duration,
) -> Result<(), PlanError> {
    let puts: Vec<&Put> = placed.iter().map(|placed| &placed.put).collect();
    let orders: Vec<&Order> = placed.iter().map(|placed| &placed.order).collect();
    let coupons: Vec<Option<&CouponUse>> =
        orders.iter().map(|order| order.coupon.as_ref()).collect();
    let times: Vec<DateTime<Utc>> = placed.iter().map(|placed| placed.step.time).collect();
    let events: Vec<Event> = placed.iter().map(|placed| placed.event.clone()).collect();
    let events = Columns::of(&events);
    sqlx::query_file!(
        "src/put/place.sql",
        &column(&puts, |put| put.id.0),
        &column(&puts, |put| put.state.as_str()) as &[&str],
        &column(&puts, |put| put.redeem_due),
        &column(&puts, |put| put.answer.as_deref()) as &[Option<&[u8]>],
        &column(&orders, |order| order.id.0),
        &column(&orders, |order| order.user_id.0),
        &column(&orders, |order| order.status.as_str()) as &[&str],
        &column(&orders, |order| order.put_amount.minor()),
        &column(&orders, |order| order.paid.minor()),
        &column(&orders, |order| order.discount.minor()),
        &coupons
            .iter()
            .map(|coupon| Some(coupon.as_ref()?.id.0))
            .collect::<Vec<_>>() as &[Option<Uuid>],
        &coupons
            .iter()
            .map(|coupon| coupon.map_or("", |coupon| &coupon.name))
            .collect::<Vec<_>>() as &[&str],
        &coupons
            .iter()
            .map(|coupon| Some(coupon.as_ref()?.reservation_id.0))
            .collect::<Vec<_>>() as &[Option<Uuid>],
        &times,
        &column(&orders, |order| order.window_ends_at) as &[Option<DateTime<Utc>>],
        &times.iter().copied().map(bucket_of).collect::<Vec<_>>(),
        &times.iter().copied().map(day_of).collect::<Vec<_>>(),
        &events.ids,
        &events.types as &[&str],
        &events.subjects as &[&str],
        &events.sequences as &[Option<i64>],
        &events.data as &[&str],
        &events.traces as &[Option<&str>],
        lease.as_secs_f64(),
    )
    .execute(tx)
    .await?;
    Ok(())
}

fn column<'a, R, T>(rows: &[&'a R], value: impl Fn(&'a R) -> T) -> Vec<T> {
    rows.iter().map(|row| value(row)).collect()
}

/// Writes what a step of the drive brought and renews the lease.
pub(super) async fn save_in_tx(tx: &mut Tx, put: &Put, lease: Duration) -> Result<(), PlanError> {
    let refusal = put.refusal.as_ref();
    let done = sqlx::query!(
        "UPDATE puts SET state = $3, put_amount_minor = $4, paid_minor = $5, discount_minor = $6, coupon_name = $7,
             refusal_reason = $8, refusal_field = $9, release_hold = $10, redeem_due = $11, answer = $12,
             lease_until = clock_timestamp() + make_interval(secs => $13), refusal_missing_minor = $14,
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
        refusal.and_then(|refusal| refusal.missing).map(Money::minor),
    )
    .execute(tx)
    .await?;
    Ok(Lease::check(done.rows_affected())?)
}
