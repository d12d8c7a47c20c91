//! The SQL of reservations.

use adfolio_kit::db::{Pool, Tx};
use adfolio_kit::identity::UserId;
use adfolio_money::Money;
use chrono::{DateTime, Utc};

use super::entity::{Reservation, State};
use crate::error::CouponError;
use crate::ids::{CouponId, OrderId};

/// What coupons cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Totals {
    /// Of all coupons that are used or held.
    pub redeemed: Money,
    /// Of those that are only held.
    pub reserved: Money,
}

/// Lets one transaction at a time change an order, whether or not it has a row yet. Two orders may share a lock by chance,
/// which costs a wait and nothing else.
pub async fn lock_order_in_tx(tx: &mut Tx, order: OrderId) -> Result<(), CouponError> {
    sqlx::query!(
        "SELECT pg_advisory_xact_lock(hashtextextended('order:' || $1, 0))",
        order.to_string()
    )
    .execute(tx)
    .await?;
    Ok(())
}

/// The order's reservation, if it has one.
pub async fn find_in_tx(tx: &mut Tx, order: OrderId) -> Result<Option<Reservation>, CouponError> {
    let row = sqlx::query!(
        r#"SELECT order_id AS "order: OrderId", user_id AS "user: UserId", coupon_id AS "coupon: CouponId",
                state AS "state: State", amount_minor, discount_minor
         FROM reservations WHERE order_id = $1"#,
        order.0,
    )
    .fetch_optional(tx)
    .await?;
    Ok(row.map(|row| Reservation {
        order: row.order,
        user: row.user,
        coupon: row.coupon,
        amount: Money::from_minor(row.amount_minor),
        discount: Money::from_minor(row.discount_minor),
        state: row.state,
    }))
}

/// Writes the reservation of an order that had none.
pub async fn insert_in_tx(
    tx: &mut Tx,
    reservation: &Reservation,
    now: DateTime<Utc>,
) -> Result<(), CouponError> {
    sqlx::query!(
        "INSERT INTO reservations (order_id, user_id, coupon_id, state, amount_minor, discount_minor, created_at, updated_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $7)",
        reservation.order.0,
        reservation.user.0,
        reservation.coupon.map(|coupon| coupon.0),
        reservation.state.as_str(),
        reservation.amount.minor(),
        reservation.discount.minor(),
        now,
    )
    .execute(tx)
    .await?;
    Ok(())
}

/// Writes where a reservation stands.
pub async fn save_in_tx(
    tx: &mut Tx,
    reservation: &Reservation,
    now: DateTime<Utc>,
) -> Result<(), CouponError> {
    sqlx::query!(
        "UPDATE reservations SET state = $2, updated_at = $3 WHERE order_id = $1",
        reservation.order.0,
        reservation.state.as_str(),
        now,
    )
    .execute(tx)
    .await?;
    Ok(())
}

/// What coupons cost, summed from an index that holds the amounts.
pub async fn totals(pool: &Pool) -> Result<Totals, CouponError> {
    let row = sqlx::query!(
        r#"SELECT coalesce(sum(discount_minor), 0)::bigint AS "redeemed!",
                  coalesce(sum(discount_minor) FILTER (WHERE state = 'reserved'), 0)::bigint AS "reserved!"
           FROM reservations WHERE state <> 'released'"#,
    )
    .fetch_one(pool)
    .await?;
    Ok(Totals {
        redeemed: Money::from_minor(row.redeemed),
        reserved: Money::from_minor(row.reserved),
    })
}
