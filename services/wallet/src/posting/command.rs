//! Commands to the ledger.

use adfolio_kit::identity::UserId;
use adfolio_kit::refusal::Refusal;
use adfolio_money::Money;
use uuid::Uuid;

use super::amount::amount_between;
use super::movement::Movement;
use crate::ids::OrderId;

/// One command: what shall be posted to whose wallet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Command {
    pub user_id: UserId,
    pub action: Action,
}

/// What a command does. An action either carries a key or is about an order, and is done at most once for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Action {
    /// Money moves by a key.
    Move(Box<Movement>),
    /// An order takes money out of the available balance, and a coupon adds its part.
    Hold {
        order_id: OrderId,
        /// The user's part.
        paid: Money,
        /// The coupon's part.
        discount: Money,
    },
    /// An order's delivery is brought to these totals.
    RecordDelivery {
        order_id: OrderId,
        /// Grows with every report.
        version: i64,
        consumed: Money,
        revenue: Money,
    },
    /// An order gives back what it still holds.
    Release { order_id: OrderId },
    /// An order's revenue is paid out.
    Settle {
        order_id: OrderId,
        /// Spend, as recorded.
        consumed: Money,
        /// Revenue, as recorded.
        revenue: Money,
        /// What of the revenue stays with the platform.
        platform_share: Money,
    },
}

/// Where a transaction comes from, as the books keep it and its hash covers it.
#[derive(Clone, Copy, Debug)]
pub struct Cause<'a> {
    pub order_id: Option<Uuid>,
    pub order_version: Option<i64>,
    /// The withdrawal or exchange order.
    pub reference: Option<Uuid>,
    pub idempotency_key: Option<&'a str>,
    pub request_digest: Option<&'a [u8]>,
    pub staff_id: Option<Uuid>,
    pub remark: &'a str,
}

impl Command {
    pub fn movement(user_id: UserId, movement: Movement) -> Self {
        Self {
            user_id,
            action: Action::Move(Box::new(movement)),
        }
    }

    /// Opens a wallet where there is none. Only for users who are known to exist.
    #[must_use]
    pub fn opening_wallet(mut self) -> Self {
        if let Action::Move(movement) = &mut self.action {
            movement.opens_wallet = true;
        }
        self
    }

    pub fn hold(
        user_id: UserId,
        order_id: OrderId,
        paid: i64,
        discount: i64,
    ) -> Result<Self, Refusal> {
        let paid = amount_between(Money::ZERO, paid, "paid_minor")?;
        let discount = amount_between(Money::ZERO, discount, "discount_minor")?;
        if paid.is_zero() && discount.is_zero() {
            return Err(Refusal::invalid("paid_minor"));
        }
        Ok(Self {
            user_id,
            action: Action::Hold {
                order_id,
                paid,
                discount,
            },
        })
    }

    pub fn record_delivery(
        user_id: UserId,
        order_id: OrderId,
        version: i64,
        consumed: i64,
        revenue: i64,
    ) -> Result<Self, Refusal> {
        if version < 1 {
            return Err(Refusal::invalid("version"));
        }
        let consumed = amount_between(Money::ZERO, consumed, "consumed_total_minor")?;
        let revenue = amount_between(Money::ZERO, revenue, "revenue_total_minor")?;
        Ok(Self {
            user_id,
            action: Action::RecordDelivery {
                order_id,
                version,
                consumed,
                revenue,
            },
        })
    }

    pub fn release(user_id: UserId, order_id: OrderId) -> Self {
        Self {
            user_id,
            action: Action::Release { order_id },
        }
    }

    pub fn settle(
        user_id: UserId,
        order_id: OrderId,
        consumed: i64,
        revenue: i64,
        platform_share: i64,
    ) -> Result<Self, Refusal> {
        let consumed = amount_between(Money::ZERO, consumed, "consumed_total_minor")?;
        let revenue = amount_between(Money::ZERO, revenue, "revenue_total_minor")?;
        let platform_share = amount_between(Money::ZERO, platform_share, "platform_share_minor")?;
        Ok(Self {
            user_id,
            action: Action::Settle {
                order_id,
                consumed,
                revenue,
                platform_share,
            },
        })
    }

    /// The name of what it does.
    pub fn name(&self) -> &'static str {
        match &self.action {
            Action::Move(movement) => movement.kind.as_str(),
            Action::Hold { .. } => "hold",
            Action::RecordDelivery { .. } => "record_delivery",
            Action::Release { .. } => "release",
            Action::Settle { .. } => "settle",
        }
    }

    /// What its transactions say besides what they move; the version is that of the order's delivery.
    pub fn cause(&self, order_version: Option<i64>) -> Cause<'_> {
        let movement = self.as_movement();
        let actor = movement.and_then(|movement| movement.actor.as_ref());
        Cause {
            order_id: self.order_id().map(|id| id.0),
            order_version,
            reference: movement
                .and_then(|movement| movement.reference)
                .map(|id| id.0),
            idempotency_key: movement.map(|movement| movement.key.as_str()),
            request_digest: movement.map(|movement| movement.digest.as_slice()),
            staff_id: actor.map(|actor| actor.staff_id),
            remark: movement.map_or("", |movement| movement.remark.as_str()),
        }
    }

    /// The order that it is about; none of a movement.
    pub fn order_id(&self) -> Option<OrderId> {
        match &self.action {
            Action::Move(_) => None,
            Action::Hold { order_id, .. }
            | Action::RecordDelivery { order_id, .. }
            | Action::Release { order_id }
            | Action::Settle { order_id, .. } => Some(*order_id),
        }
    }

    /// What it moves by a key; none of an order's.
    pub fn as_movement(&self) -> Option<&Movement> {
        match &self.action {
            Action::Move(movement) => Some(movement),
            _ => None,
        }
    }

    /// Whether it opens the wallet of a user who has none: the user is known to exist.
    pub fn opens_wallet(&self) -> bool {
        match &self.action {
            Action::Move(movement) => movement.opens_wallet,
            Action::Hold { .. } | Action::Release { .. } => true,
            Action::RecordDelivery { .. } | Action::Settle { .. } => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::amount::LARGEST_AMOUNT;
    use super::*;

    fn field(outcome: Result<Command, Refusal>) -> String {
        outcome.expect_err("a refusal").field.expect("a field")
    }

    #[test]
    fn amounts_out_of_range_are_refused_by_field() {
        let (user, order) = (UserId(Uuid::from_u128(1)), OrderId(Uuid::from_u128(2)));
        let above = LARGEST_AMOUNT.minor() + 1;
        assert_eq!(field(Command::hold(user, order, -1, 5)), "paid_minor");
        assert_eq!(
            field(Command::hold(user, order, 1, above)),
            "discount_minor"
        );
        assert_eq!(field(Command::hold(user, order, 0, 0)), "paid_minor");
        assert!(Command::hold(user, order, 0, 1).is_ok());
        assert_eq!(
            field(Command::record_delivery(user, order, 0, 1, 1)),
            "version"
        );
        assert_eq!(
            field(Command::settle(user, order, 1, 1, -1)),
            "platform_share_minor"
        );
    }
}
