//! Amounts of an order that follow from others.

use adfolio_money::{Micros, Money, MoneyError};

use super::entity::Order;
use super::status::Status;

impl Order {
    /// What may still be charged.
    pub fn budget_left(&self) -> Result<Micros, MoneyError> {
        Micros::try_from(self.put_amount)?.checked_sub(self.delivered.charged)
    }

    /// What may still be charged and is not allotted.
    pub fn free_budget(&self) -> Result<Micros, MoneyError> {
        self.budget_left()?.checked_sub(self.allotted)
    }

    /// Spend charged, in minor units.
    pub fn consumed(&self) -> Money {
        self.delivered.charged.to_money_half_even()
    }

    /// Revenue, in minor units.
    pub fn revenue(&self) -> Money {
        self.delivered.revenue.to_money_half_even()
    }

    /// Budget not yet consumed, which wallet holds until the order settles or fails: a network may still restate what
    /// it reported.
    pub fn to_be_consumed(&self) -> Money {
        if Status::OPEN.contains(&self.status) {
            self.put_amount
                .checked_sub(self.consumed())
                .unwrap_or_default()
        } else {
            Money::ZERO
        }
    }

    /// The coupon's part of what was consumed. Wallet gives back what was not consumed in the proportion paid, and what
    /// does not divide is the user's.
    pub fn coupon_share(&self) -> Money {
        let (discount, budget) = (self.discount, self.put_amount);
        let left = budget.checked_sub(self.consumed());
        let given_back = left.and_then(|left| left.share_floor(discount.minor(), budget.minor()));
        given_back
            .and_then(|back| discount.checked_sub(back))
            .unwrap_or_default()
    }

    /// What the wallet gains: the revenue that is paid out, less the user's own part of what was consumed. Before the
    /// settlement, what it would gain now with the platform's share in basis points of the revenue.
    pub fn result(&self, platform_share: u32) -> Money {
        let revenue = self.revenue();
        let kept = revenue.basis_points_floor(platform_share);
        let paid_out = if self.is_settled() {
            Ok(self.paid_out)
        } else {
            kept.and_then(|kept| revenue.checked_sub(kept))
        };
        paid_out
            .and_then(|paid| paid.checked_sub(self.consumed()))
            .and_then(|gain| gain.checked_add(self.coupon_share()))
            .unwrap_or_default()
    }

    /// Share of the budget consumed: 0 to 100, rounded down.
    pub fn put_progress(&self) -> u32 {
        let budget = i128::from(self.put_amount.minor()).saturating_mul(10_000);
        let share = i128::from(self.delivered.charged.get())
            .saturating_mul(100)
            .checked_div(budget);
        share
            .and_then(|percent| u32::try_from(percent).ok())
            .unwrap_or(0)
            .min(100)
    }
}
