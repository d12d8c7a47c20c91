//! Rules of the put saga.

use adfolio_kit::refusal::{Reason, Refusal};
use adfolio_money::{Money, MoneyError};
use adfolio_proto::coupon::v1::CouponMode;
use uuid::Uuid;

use crate::error::PlanError;
use crate::order::entity::{CouponUse, PutTerms};

/// Where a put stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PutState {
    /// On its way forward.
    Driving,
    /// Refused for good; what it took is being given back.
    Undoing,
    /// The money is held and the plan runs.
    Placed,
    /// Refused, with nothing left behind.
    Refused,
}

impl PutState {
    /// The name in the database.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Driving => "driving",
            Self::Undoing => "undoing",
            Self::Placed => "placed",
            Self::Refused => "refused",
        }
    }

    /// The state of a name in the database.
    pub fn parse(text: &str) -> Result<Self, PlanError> {
        let all = [Self::Driving, Self::Undoing, Self::Placed, Self::Refused];
        all.into_iter()
            .find(|state| state.as_str() == text)
            .ok_or(PlanError::Corrupt("put state"))
    }
}

/// What has to happen next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// Ask coupon what the coupon is worth here, and keep it.
    Reserve(Uuid),
    /// Ask wallet for the money.
    Hold(PutTerms),
    /// Give back what was taken.
    Undo,
    /// Tell coupon that the coupon was used.
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

    /// A coupon takes its worth off what the user pays, or in mode addition adds it to the budget.
    pub fn with_coupon(amount: Money, mode: CouponMode, worth: Money) -> Result<Self, MoneyError> {
        if mode == CouponMode::Addition {
            Ok(Self {
                put_amount: amount.checked_add(worth)?,
                paid: amount,
                discount: worth,
            })
        } else {
            // A coupon is never worth more than what is paid for.
            let discount = worth.min(amount);
            Ok(Self {
                put_amount: amount,
                paid: amount.checked_sub(discount)?,
                discount,
            })
        }
    }
}

/// A put: one attempt to put money into an order.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Put {
    /// Its id.
    pub id: Uuid,
    /// Whose it is.
    pub user_id: Uuid,
    /// The digest of the request, by which a reused key is told from a repeat.
    pub request_digest: Vec<u8>,
    /// The order.
    pub order_id: Uuid,
    /// What coupon knows the order by.
    pub reservation_id: Uuid,
    /// What the user entered.
    pub amount: Money,
    /// The coupon the user chose.
    pub user_coupon_id: Option<Uuid>,
    /// Where it stands.
    pub state: PutState,
    /// What it comes to; none until coupon has said.
    pub amounts: Option<Amounts>,
    /// The coupon's name.
    pub coupon_name: String,
    /// Why it was refused.
    pub refusal: Option<Refusal>,
    /// Whether wallet must close the order when it is undone.
    pub release_hold: bool,
    /// Whether coupon has to be told.
    pub redeem_due: bool,
    /// The first answer.
    pub answer: Option<Vec<u8>>,
    /// Drives so far, this one included.
    pub attempts: i32,
    /// The drive that may write.
    pub lease_token: Uuid,
}

impl Put {
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

    /// What the user is told, once it is decided.
    pub fn outcome(&self) -> Option<Result<Vec<u8>, Refusal>> {
        match self.state {
            PutState::Driving => None,
            PutState::Placed => self.answer.clone().map(Ok),
            // The refusal is final before everything is given back; the user need not wait for that.
            PutState::Undoing | PutState::Refused => Some(Err(self
                .refusal
                .clone()
                .unwrap_or_else(|| Refusal::new(Reason::PlanNotPuttable)))),
        }
    }

    /// Coupon has said what the coupon is worth here: asked once and kept, so that every later hold is for the same amounts.
    pub fn reserved(
        &mut self,
        mode: CouponMode,
        worth: Money,
        coupon_name: String,
    ) -> Result<(), MoneyError> {
        self.amounts = Some(Amounts::with_coupon(self.amount, mode, worth)?);
        self.coupon_name = coupon_name;
        Ok(())
    }

    /// Wallet holds the money, and the plan runs.
    pub fn place(&mut self, answer: Vec<u8>) {
        self.answer = Some(answer);
        self.state = PutState::Placed;
        // The order's event names the order, and coupon knows this reservation by another id.
        self.redeem_due = self.user_coupon_id.is_some() && self.reservation_id != self.order_id;
    }

    /// It is refused for good. `release_hold` when wallet holds the money or an attempt may yet arrive there.
    pub fn refuse(&mut self, refusal: Refusal, release_hold: bool) {
        self.refusal = Some(refusal);
        self.release_hold = release_hold;
        self.state = if release_hold || self.user_coupon_id.is_some() {
            PutState::Undoing
        } else {
            PutState::Refused
        };
    }

    /// What it took is given back.
    pub fn undone(&mut self) {
        self.state = PutState::Refused;
    }

    /// Coupon knows that the coupon was used.
    pub fn redeemed(&mut self) {
        self.redeem_due = false;
    }

    /// Whether an earlier drive may have a call to wallet on its way still, which could succeed after a refusal now.
    pub fn may_have_held(&self) -> bool {
        self.attempts > 1
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

    fn amounts(mode: CouponMode, worth: i64) -> (i64, i64, i64) {
        let amounts = Amounts::with_coupon(AMOUNT, mode, Money::from_minor(worth)).unwrap();
        (
            amounts.put_amount.minor(),
            amounts.paid.minor(),
            amounts.discount.minor(),
        )
    }

    #[test]
    fn a_coupon_takes_off_or_adds() {
        assert_eq!(amounts(CouponMode::Discount, 1_500), (10_000, 8_500, 1_500));
        assert_eq!(
            amounts(CouponMode::Deduction, 2_000),
            (10_000, 8_000, 2_000)
        );
        assert_eq!(
            amounts(CouponMode::Addition, 2_000),
            (12_000, 10_000, 2_000)
        );
    }

    #[test]
    fn a_coupon_never_pays_out() {
        assert_eq!(amounts(CouponMode::Deduction, 12_000), (10_000, 0, 10_000));
    }
}
