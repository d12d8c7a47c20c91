//! Amounts of an order that follow from others.

use adfolio_money::{Micros, Money, MoneyError};

use super::entity::Order;
use super::status::Status;

impl Order {
    /// What may still be charged.
    pub fn budget_left(&self) -> Result<Micros, MoneyError> {
        Micros::try_from(self.put_amount)?.checked_sub(self.delivered.charged)
    }

    /// Spend charged, in minor units.
    pub fn consumed(&self) -> Money {
        self.delivered.charged.to_money_half_even()
    }

    /// Revenue, in minor units.
    pub fn revenue(&self) -> Money {
        self.delivered.revenue.to_money_half_even()
    }

    /// Budget not yet consumed; nothing once delivery has ended.
    pub fn to_be_consumed(&self) -> Money {
        match self.status {
            Status::Matching | Status::Putting => self
                .put_amount
                .checked_sub(self.consumed())
                .unwrap_or_default(),
            _ => Money::ZERO,
        }
    }

    /// What wallet holds for it according to plan.
    pub fn open_hold(&self) -> Money {
        match self.status {
            Status::Matching
            | Status::Putting
            | Status::PutFinished
            | Status::WaitingSettlement => self
                .put_amount
                .checked_sub(self.consumed())
                .unwrap_or_default(),
            _ => Money::ZERO,
        }
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
