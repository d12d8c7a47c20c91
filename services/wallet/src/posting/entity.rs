//! Commands to the ledger.

use adfolio_kit::identity::{IdempotencyKey, Staff};
use adfolio_kit::refusal::Refusal;
use adfolio_money::Money;
use sha2::{Digest, Sha256};
use uuid::Uuid;

/// The largest amount that one command may move: ten trillion units. Thousands of them fit into a balance, whose limit
/// (a thousand times this) the schema keeps far inside 64 bits.
pub const LARGEST_AMOUNT: Money = Money::from_minor(1_000_000_000_000_000);

/// Characters of a remark at most.
const LONGEST_REMARK: usize = 500;

/// One command: what shall be posted to whose wallet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Command {
    /// Whose wallet.
    pub user_id: Uuid,
    /// What shall be done.
    pub action: Action,
}

/// What a command does. An action either carries a key or is about an order, and is done at most once for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Action {
    /// Staff credit money.
    Deposit(Deposit),
    /// An order takes money out of the available balance, and a coupon adds its part.
    Hold {
        /// The order.
        order_id: Uuid,
        /// The user's part.
        paid: Money,
        /// The coupon's part.
        discount: Money,
    },
    /// An order's delivery is brought to these totals.
    RecordDelivery {
        /// The order.
        order_id: Uuid,
        /// Grows with every report.
        version: i64,
        /// Spend so far.
        consumed: Money,
        /// Revenue so far.
        revenue: Money,
    },
    /// An order gives back what it still holds.
    Release {
        /// The order.
        order_id: Uuid,
    },
    /// An order's revenue is paid out.
    Settle {
        /// The order.
        order_id: Uuid,
        /// Spend, as recorded.
        consumed: Money,
        /// Revenue, as recorded.
        revenue: Money,
        /// What of the revenue stays with the platform.
        platform_share: Money,
    },
}

/// A deposit as staff ask for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Deposit {
    /// The caller's key within the staff member's scope.
    pub key: String,
    /// SHA-256 of what is asked for.
    pub digest: [u8; 32],
    /// How much.
    pub amount: Money,
    /// Shown to the user.
    pub remark: String,
    /// Who credits.
    pub staff_id: Uuid,
    /// Whether it may open the wallet, because the user is known to exist.
    pub opens_wallet: bool,
}

/// What a command is about. Two commands with the same subject are never in one batch.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Subject {
    /// An idempotency key.
    Key(String),
    /// An order.
    Order(Uuid),
}

impl Command {
    /// A deposit. A call without a key is a deposit of its own each time, so it gets `fresh` as its key: the posting may
    /// then still be repeated inside the service.
    pub fn deposit(
        user_id: Uuid,
        staff: Staff,
        key: Option<&IdempotencyKey>,
        fresh: Uuid,
        amount: i64,
        remark: &str,
    ) -> Result<Self, Refusal> {
        let amount = amount_between(Money::from_minor(1), amount, "amount")?;
        let remark = remark.trim();
        if remark.chars().count() > LONGEST_REMARK || remark.contains('\0') {
            return Err(Refusal::invalid("remark"));
        }
        // The marks keep a caller's key and a made-up one apart.
        let key = key.map_or_else(|| format!("new:{fresh}"), |key| format!("key:{key}"));
        let mut digest = Sha256::new();
        digest.update(user_id.as_bytes());
        digest.update(amount.minor().to_be_bytes());
        digest.update(remark.as_bytes());
        let deposit = Deposit {
            key: format!("deposit:{}:{key}", staff.id),
            digest: digest.finalize().into(),
            amount,
            remark: remark.to_owned(),
            staff_id: staff.id,
            opens_wallet: false,
        };
        Ok(Self {
            user_id,
            action: Action::Deposit(deposit),
        })
    }

    /// The same deposit for a user who is known to exist, so that it opens a wallet where there is none.
    #[must_use]
    pub fn opening_wallet(mut self) -> Self {
        if let Action::Deposit(deposit) = &mut self.action {
            deposit.opens_wallet = true;
        }
        self
    }

    /// A hold.
    pub fn hold(user_id: Uuid, order_id: Uuid, paid: i64, discount: i64) -> Result<Self, Refusal> {
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

    /// A report of delivery.
    pub fn record_delivery(
        user_id: Uuid,
        order_id: Uuid,
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

    /// A release.
    pub fn release(user_id: Uuid, order_id: Uuid) -> Self {
        Self {
            user_id,
            action: Action::Release { order_id },
        }
    }

    /// A settlement.
    pub fn settle(
        user_id: Uuid,
        order_id: Uuid,
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

    /// What the command is about.
    pub fn subject(&self) -> Subject {
        match &self.action {
            Action::Deposit(deposit) => Subject::Key(deposit.key.clone()),
            Action::Hold { order_id, .. }
            | Action::RecordDelivery { order_id, .. }
            | Action::Release { order_id }
            | Action::Settle { order_id, .. } => Subject::Order(*order_id),
        }
    }
}

fn amount_between(least: Money, minor: i64, field: &'static str) -> Result<Money, Refusal> {
    let amount = Money::from_minor(minor);
    if (least..=LARGEST_AMOUNT).contains(&amount) {
        Ok(amount)
    } else {
        Err(Refusal::invalid(field))
    }
}

#[cfg(test)]
mod tests {
    use adfolio_kit::identity::StaffRole;

    use super::*;

    fn staff() -> Staff {
        Staff {
            id: Uuid::from_u128(7),
            role: StaffRole::Finance,
        }
    }

    fn field(outcome: Result<Command, Refusal>) -> String {
        outcome.expect_err("a refusal").field.expect("a field")
    }

    #[test]
    fn amounts_out_of_range_are_refused_by_field() {
        let (user, order) = (Uuid::from_u128(1), Uuid::from_u128(2));
        let above = LARGEST_AMOUNT.minor() + 1;
        for amount in [i64::MIN, -1, 0, above, i64::MAX] {
            assert_eq!(
                field(Command::deposit(user, staff(), None, order, amount, "")),
                "amount"
            );
        }
        assert!(Command::deposit(user, staff(), None, order, LARGEST_AMOUNT.minor(), "").is_ok());
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

    #[test]
    fn remarks_are_trimmed_and_bounded() {
        let user = Uuid::from_u128(1);
        let deposit = |remark: &str| Command::deposit(user, staff(), None, user, 5, remark);
        assert!(deposit(&"ü".repeat(500)).is_ok());
        assert_eq!(field(deposit(&"ü".repeat(501))), "remark");
        assert_eq!(deposit(" a ").expect("fits"), deposit("a").expect("fits"));
    }

    #[test]
    fn keys_are_scoped_and_digests_tell_requests_apart() {
        let key: IdempotencyKey = "k".parse().expect("a key");
        let parts = |user: u128, amount, remark: &str| {
            let command = Command::deposit(
                Uuid::from_u128(user),
                staff(),
                Some(&key),
                Uuid::nil(),
                amount,
                remark,
            );
            match command.expect("a deposit").action {
                Action::Deposit(deposit) => (deposit.key, deposit.digest),
                _ => unreachable!(),
            }
        };
        let first = parts(1, 5, "a");
        assert_eq!(first, parts(1, 5, "a"));
        for other in [parts(2, 5, "a"), parts(1, 6, "a"), parts(1, 5, "b")] {
            assert_eq!(first.0, other.0);
            assert_ne!(first.1, other.1);
        }
    }
}
