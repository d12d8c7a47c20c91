//! Rules of the put saga.

use adfolio_kit::identity::UserId;
use adfolio_kit::names;
use adfolio_kit::refusal::{Reason, Refusal};
use adfolio_kit::saga::Lease;
use adfolio_money::{Money, MoneyError};
use uuid::Uuid;

use crate::ids::{CouponId, OrderId, ProductId, PutId, ReservationId};
use crate::order::entity::{CouponUse, PutTerms};

/// What money is put into.
#[derive(Clone, Copy, Debug)]
pub enum Target {
    /// A product: a new order.
    Product(ProductId),
    /// A pushed plan.
    Plan(OrderId),
}

/// A put as a caller asks for it.
#[derive(Clone, Debug)]
pub struct Command {
    /// What money is put into.
    pub target: Target,
    /// How much.
    pub amount: Money,
    /// With which coupon.
    pub user_coupon_id: Option<CouponId>,
    /// The digest of the request, which tells a repeat from a reused key.
    pub digest: [u8; 32],
}

/// What a coupon does to a put.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// Takes its worth off what the user pays.
    TakesOff,
    /// Adds its worth to the budget.
    AddsOn,
}

/// What a coupon is worth for a put.
#[derive(Clone, Debug)]
pub struct Worth {
    /// What it does.
    pub effect: Effect,
    /// By how much.
    pub amount: Money,
    /// The coupon's name.
    pub coupon_name: String,
}

names! {
    /// Where a put stands.
    PutState {
        /// Goes forward.
        Driving,
        /// Refused for good; what it took is being returned.
        Undoing,
        /// The money is held and the plan runs.
        Placed,
        /// Refused, with nothing left behind.
        Refused,
    }
}

/// What has to happen next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// Ask coupon what the coupon is worth here, and keep it.
    Reserve(CouponId),
    /// Ask wallet for the money.
    Hold(PutTerms),
    /// Return what was taken.
    Undo,
    /// Report to coupon that the coupon was used.
    Redeem,
    /// Nothing.
    Done,
}

/// The amounts of a put.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Amounts {
    /// The budget.
    pub put_amount: Money,
    /// The user's part.
    pub paid: Money,
    /// The coupon's part.
    pub discount: Money,
}

impl Amounts {
    /// Without a coupon the user pays all.
    pub fn without_coupon(amount: Money) -> Self {
        Self {
            put_amount: amount,
            paid: amount,
            discount: Money::ZERO,
        }
    }

    /// A coupon changes what the user pays, or the budget.
    pub fn with_coupon(amount: Money, effect: Effect, worth: Money) -> Result<Self, MoneyError> {
        match effect {
            Effect::AddsOn => Ok(Self {
                put_amount: amount.checked_add(worth)?,
                paid: amount,
                discount: worth,
            }),
            Effect::TakesOff => {
                // A coupon is never worth more than the amount.
                let discount = worth.min(amount);
                Ok(Self {
                    put_amount: amount,
                    paid: amount.checked_sub(discount)?,
                    discount,
                })
            }
        }
    }
}

/// A put: one attempt to put money into an order.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Put {
    /// Its id.
    pub id: PutId,
    /// Its user.
    pub user_id: UserId,
    /// The digest of the request, which tells a repeat from a reused key.
    pub request_digest: Vec<u8>,
    /// The order.
    pub order_id: OrderId,
    /// The id by which coupon knows the order.
    pub reservation_id: ReservationId,
    /// The amount that the user entered.
    pub amount: Money,
    /// The coupon that the user chose.
    pub user_coupon_id: Option<CouponId>,
    /// Where it stands.
    pub state: PutState,
    /// Its amounts with the coupon; none until coupon has answered.
    pub amounts: Option<Amounts>,
    /// The coupon's name.
    pub coupon_name: String,
    /// Why it was refused.
    pub refusal: Option<Refusal>,
    /// Whether wallet must close the order when the put is undone.
    pub release_hold: bool,
    /// Whether the coupon's use has to be reported to coupon.
    pub redeem_due: bool,
    /// The first answer.
    pub answer: Option<Vec<u8>>,
    /// The lease of the drive that may write.
    pub lease: Lease,
}

impl Put {
    /// A new put into `order_id`, whose lease is the drive's that follows.
    pub fn begin(id: Uuid, user_id: UserId, order_id: OrderId, amount: Money) -> Self {
        Self {
            id: PutId(id),
            user_id,
            request_digest: Vec::new(),
            order_id,
            reservation_id: ReservationId(order_id.0),
            amount,
            user_coupon_id: None,
            state: PutState::Driving,
            amounts: None,
            coupon_name: String::new(),
            refusal: None,
            release_hold: false,
            redeem_due: false,
            answer: None,
            lease: Lease::first(id),
        }
    }

    /// What has to happen next.
    pub fn next_step(&self) -> Step {
        match (self.state, self.user_coupon_id, self.amounts) {
            (PutState::Driving, Some(coupon), None) => Step::Reserve(coupon),
            (PutState::Driving, ..) => Step::Hold(self.terms()),
            (PutState::Undoing, ..) => Step::Undo,
            (PutState::Placed, ..) if self.redeem_due => Step::Redeem,
            (PutState::Placed | PutState::Refused, ..) => Step::Done,
        }
    }

    /// The answer to the user, once it is decided.
    pub fn outcome(&self) -> Option<Result<Vec<u8>, Refusal>> {
        match self.state {
            PutState::Driving => None,
            PutState::Placed => self.answer.clone().map(Ok),
            // The refusal is final before everything is returned; the user need not wait for that.
            PutState::Undoing | PutState::Refused => Some(Err(self
                .refusal
                .clone()
                .unwrap_or_else(|| Refusal::new(Reason::PlanNotPuttable)))),
        }
    }

    /// Coupon has answered what the coupon is worth. The answer is stored, so every later hold is
    /// for the same amounts.
    pub fn reserved(&mut self, worth: Worth) -> Result<(), MoneyError> {
        let amounts = Amounts::with_coupon(self.amount, worth.effect, worth.amount)?;
        self.amounts = Some(amounts);
        self.coupon_name = worth.coupon_name;
        Ok(())
    }

    /// Wallet holds the money, and the plan runs.
    pub fn place(&mut self, answer: Vec<u8>) {
        self.answer = Some(answer);
        self.state = PutState::Placed;
        // The order's event names the order, and coupon may know the reservation by another id.
        self.redeem_due = self.user_coupon_id.is_some() && self.reservation_id.0 != self.order_id.0;
    }

    /// It is refused for good. `release_hold` if wallet holds the money or may still receive an
    /// attempt.
    pub fn refuse(&mut self, refusal: Refusal, release_hold: bool) {
        self.refusal = Some(refusal);
        self.release_hold = release_hold;
        self.state = if release_hold || self.user_coupon_id.is_some() {
            PutState::Undoing
        } else {
            PutState::Refused
        };
    }

    /// What it took is returned.
    pub fn undone(&mut self) {
        self.state = PutState::Refused;
    }

    /// Coupon knows that the coupon was used.
    pub fn redeemed(&mut self) {
        self.redeem_due = false;
    }

    fn terms(&self) -> PutTerms {
        let amounts = self
            .amounts
            .unwrap_or_else(|| Amounts::without_coupon(self.amount));
        let coupon = self.user_coupon_id.map(|id| CouponUse {
            id,
            name: self.coupon_name.clone(),
            reservation_id: self.reservation_id,
        });
        PutTerms {
            put_amount: amounts.put_amount,
            paid: amounts.paid,
            discount: amounts.discount,
            coupon,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const AMOUNT: Money = Money::from_minor(10_000);

    #[track_caller]
    fn assert_amounts(effect: Effect, worth: i64, put_amount: i64, paid: i64, discount: i64) {
        let amounts = Amounts::with_coupon(AMOUNT, effect, Money::from_minor(worth)).unwrap();
        assert_eq!(amounts.put_amount, Money::from_minor(put_amount));
        assert_eq!(amounts.paid, Money::from_minor(paid));
        assert_eq!(amounts.discount, Money::from_minor(discount));
    }

    #[test]
    fn a_coupon_takes_off_or_adds() {
        assert_amounts(Effect::TakesOff, 1_500, 10_000, 8_500, 1_500);
        assert_amounts(Effect::TakesOff, 2_000, 10_000, 8_000, 2_000);
        assert_amounts(Effect::AddsOn, 2_000, 12_000, 10_000, 2_000);
    }

    #[test]
    fn a_coupon_never_pays_out() {
        assert_amounts(Effect::TakesOff, 12_000, 10_000, 0, 10_000);
    }
}
