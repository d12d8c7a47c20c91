//! The coupon's part in the put saga: reserve, redeem, release, each idempotent by the order's id.
//!
//! Every change is one transaction of these statements, in this order, so that no two can block each other for ever:
//! 1. the order's advisory lock: the order may have no row yet, and a release must not slip past a reservation of it;
//! 2. the order's reservation;
//! 3. the coupon, locked: two orders that want the same coupon queue up here;
//! 4. coupon, reservation and event.

pub mod entity;
mod repo;

use adfolio_kit::db::{self, Tx};
use adfolio_kit::identity::UserId;
use adfolio_money::Money;
use chrono::{DateTime, Utc};

use entity::{Change, Reservation};
pub use repo::Totals;

use crate::app::App;
use crate::coupon::{self, Coupon};
use crate::error::CouponError;
use crate::events;
use crate::ids::{CouponId, OrderId};

/// A coupon held for an order.
#[derive(Clone, Debug)]
pub struct Reserved {
    /// The coupon.
    pub coupon: Coupon,
    /// What it is worth for the order.
    pub discount: Money,
}

/// Holds a coupon for an order. A repeat answers the same.
pub async fn reserve(
    app: &App,
    order: OrderId,
    user: UserId,
    coupon: CouponId,
    amount: Money,
) -> Result<Reserved, CouponError> {
    let now = app.clock.now();
    db::write(&app.pool, move |tx| {
        Box::pin(reserve_in_tx(tx, order, user, coupon, amount, now))
    })
    .await
}

/// Uses up the coupon held for an order.
pub async fn redeem(app: &App, order: OrderId, user: UserId) -> Result<(), CouponError> {
    let now = app.clock.now();
    app.write(move |tx| Box::pin(redeem_in_tx(tx, order, user, now)))
        .await
}

/// Gives an order's coupon back and closes the order to coupons.
pub async fn release(app: &App, order: OrderId, user: UserId) -> Result<(), CouponError> {
    let now = app.clock.now();
    app.write(move |tx| Box::pin(release_in_tx(tx, order, user, now)))
        .await
}

/// What coupons cost so far.
pub async fn totals(app: &App) -> Result<Totals, CouponError> {
    repo::totals(&app.reads).await
}

async fn reserve_in_tx(
    tx: &mut Tx,
    order: OrderId,
    user: UserId,
    coupon: CouponId,
    amount: Money,
    now: DateTime<Utc>,
) -> Result<Reserved, CouponError> {
    repo::lock_order_in_tx(tx, order).await?;
    if let Some(known) = find_own_in_tx(tx, order, user).await? {
        let coupon = known.repeat(coupon, amount)?;
        let coupon = lock_coupon_in_tx(tx, coupon, user).await?;
        return Ok(Reserved {
            coupon,
            discount: known.discount,
        });
    }
    let mut coupon = lock_coupon_in_tx(tx, coupon, user).await?;
    let discount = coupon.reserve(order, amount, now)?;
    coupon::repo::save_in_tx(tx, &coupon).await?;
    let reservation = Reservation::reserved(order, user, coupon.id, amount, discount);
    repo::insert_in_tx(tx, &reservation, now).await?;
    Ok(Reserved { coupon, discount })
}

/// Also used by the consumer, in the transaction of its inbox row.
pub(crate) async fn redeem_in_tx(
    tx: &mut Tx,
    order: OrderId,
    user: UserId,
    now: DateTime<Utc>,
) -> Result<(), CouponError> {
    repo::lock_order_in_tx(tx, order).await?;
    let mut reservation = find_own_in_tx(tx, order, user)
        .await?
        .ok_or(CouponError::OrderUnknown)?;
    let Change::Coupon(coupon) = reservation.redeem()? else {
        return Ok(());
    };
    let mut coupon = lock_coupon_in_tx(tx, coupon, user).await?;
    coupon.redeem(order, now)?;
    coupon::repo::save_in_tx(tx, &coupon).await?;
    repo::save_in_tx(tx, &reservation, now).await?;
    events::redeemed_in_tx(tx, user, order, coupon.id, reservation.discount).await
}

/// Also used by the consumer, in the transaction of its inbox row.
pub(crate) async fn release_in_tx(
    tx: &mut Tx,
    order: OrderId,
    user: UserId,
    now: DateTime<Utc>,
) -> Result<(), CouponError> {
    repo::lock_order_in_tx(tx, order).await?;
    let Some(mut reservation) = find_own_in_tx(tx, order, user).await? else {
        // Released before it had reserved: from here on a late reservation finds the order closed.
        return repo::insert_in_tx(tx, &Reservation::closed(order, user), now).await;
    };
    let Change::Coupon(coupon) = reservation.release() else {
        return Ok(());
    };
    let mut coupon = lock_coupon_in_tx(tx, coupon, user).await?;
    coupon.release(order, now)?;
    coupon::repo::save_in_tx(tx, &coupon).await?;
    repo::save_in_tx(tx, &reservation, now).await?;
    events::released_in_tx(tx, user, order, coupon.id).await
}

/// The order's reservation. Another user's order answers like an unknown one, and is left alone.
async fn find_own_in_tx(
    tx: &mut Tx,
    order: OrderId,
    user: UserId,
) -> Result<Option<Reservation>, CouponError> {
    match repo::find_in_tx(tx, order).await? {
        Some(found) if found.user != user => Err(CouponError::OrderUnknown),
        found => Ok(found),
    }
}

async fn lock_coupon_in_tx(
    tx: &mut Tx,
    coupon: CouponId,
    user: UserId,
) -> Result<Coupon, CouponError> {
    coupon::repo::lock_in_tx(tx, coupon, user)
        .await?
        .ok_or(CouponError::CouponUnknown)
}
