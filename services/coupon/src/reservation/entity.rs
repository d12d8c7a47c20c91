//! The coupon's part in one order.

use adfolio_kit::error::CoreError;
use adfolio_kit::identity::UserId;
use adfolio_kit::names;
use adfolio_money::Money;

use crate::error::CouponError;
use crate::ids::{CouponId, OrderId};

names! {
    /// Where an order's reservation stands.
    State {
        /// The coupon is held for the order.
        Reserved,
        /// The coupon is used for the order.
        Redeemed,
        /// The order has no coupon and will never have one.
        Released,
    }
}

/// The row of one order. It is never deleted: it is what makes the saga's steps idempotent.
#[derive(Clone, Debug)]
pub struct Reservation {
    /// The order.
    pub order: OrderId,
    /// Whose order.
    pub user: UserId,
    /// The coupon; none for an order that was released before it had reserved.
    pub coupon: Option<CouponId>,
    /// The amount the user entered.
    pub amount: Money,
    /// What the coupon is worth for it.
    pub discount: Money,
    pub(super) state: State,
}

/// What a guarded change has to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// It was done before.
    None,
    /// This coupon changes with it.
    Coupon(CouponId),
}

impl Reservation {
    /// A coupon held for an order.
    pub fn reserved(
        order: OrderId,
        user: UserId,
        coupon: CouponId,
        amount: Money,
        discount: Money,
    ) -> Self {
        Self {
            order,
            user,
            coupon: Some(coupon),
            amount,
            discount,
            state: State::Reserved,
        }
    }

    /// An order that is closed before it had a coupon.
    pub fn closed(order: OrderId, user: UserId) -> Self {
        Self {
            order,
            user,
            coupon: None,
            amount: Money::ZERO,
            discount: Money::ZERO,
            state: State::Released,
        }
    }

    /// Whether a repeated reservation means this one. Once released, an order is closed; other terms are a mistake.
    pub fn repeat(&self, coupon: CouponId, amount: Money) -> Result<CouponId, CouponError> {
        if self.state == State::Released {
            return Err(CouponError::OrderClosed);
        }
        match self.coupon {
            Some(known) if known == coupon && self.amount == amount => Ok(known),
            _ => Err(CouponError::OrderDiffers),
        }
    }

    /// The coupon is used.
    pub fn redeem(&mut self) -> Result<Change, CouponError> {
        match (self.state, self.coupon) {
            (State::Redeemed, _) => Ok(Change::None),
            (State::Reserved, Some(coupon)) => {
                self.state = State::Redeemed;
                Ok(Change::Coupon(coupon))
            }
            (State::Reserved, None) => Err(CoreError::Corrupt("reservations.coupon_id").into()),
            (State::Released, _) => Err(CouponError::OrderClosed),
        }
    }

    /// The coupon goes back, whether it was held or used.
    pub fn release(&mut self) -> Change {
        let before = self.state;
        self.state = State::Released;
        match (before, self.coupon) {
            (State::Reserved | State::Redeemed, Some(coupon)) => Change::Coupon(coupon),
            _ => Change::None,
        }
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    #[test]
    fn a_released_order_stays_closed() {
        let (order, user) = (OrderId(Uuid::now_v7()), UserId(Uuid::now_v7()));
        let coupon = CouponId(Uuid::now_v7());
        let amount = Money::from_minor(100);
        let mut reservation =
            Reservation::reserved(order, user, coupon, amount, Money::from_minor(10));
        assert_eq!(reservation.repeat(coupon, amount).unwrap(), coupon);
        assert!(matches!(
            reservation.repeat(coupon, Money::ZERO),
            Err(CouponError::OrderDiffers)
        ));
        assert_eq!(reservation.redeem().unwrap(), Change::Coupon(coupon));
        assert_eq!(reservation.redeem().unwrap(), Change::None);
        assert_eq!(reservation.release(), Change::Coupon(coupon));
        assert_eq!(reservation.release(), Change::None);
        assert!(matches!(
            reservation.redeem(),
            Err(CouponError::OrderClosed)
        ));
        assert!(matches!(
            reservation.repeat(coupon, amount),
            Err(CouponError::OrderClosed)
        ));
        assert_eq!(Reservation::closed(order, user).release(), Change::None);
    }
}
