//! Withdrawals, and the terms on which they are asked for.

use adfolio_kit::config::ConfigError;
use adfolio_kit::identity::UserId;
use adfolio_kit::names;
use adfolio_kit::refusal::{Reason, Refusal};
use adfolio_money::Money;
use chrono::{DateTime, Utc};

use crate::config::WithdrawalArgs;
use crate::destination::entity::Method;
use crate::destination::seal::Sealed;
use crate::ids::{PaymentBatchId, StaffId, WithdrawalId};
use crate::property::entity::Property;

names! {
    /// Where a withdrawal stands.
    Status as "withdrawal_status" {
        /// Waits for a decision.
        Pending,
        /// The money has left.
        Paid,
        /// The money came back.
        Rejected,
    }
}

names! {
    /// Where a withdrawal stands, as shown.
    ShownStatus {
        /// Waits for a decision.
        Pending,
        /// The money has left.
        Paid,
        /// Staff rejected it: the money came back.
        Rejected,
        /// Its user cancelled it: the money came back.
        Cancelled,
    }
}

impl ShownStatus {
    /// The stored status that a filter for this one lists. What users cancelled is listed with what was rejected.
    pub fn as_filter(self) -> Result<Status, Refusal> {
        match self {
            Self::Pending => Ok(Status::Pending),
            Self::Paid => Ok(Status::Paid),
            Self::Rejected => Ok(Status::Rejected),
            Self::Cancelled => Err(Refusal::invalid("status")),
        }
    }
}

#[derive(Clone, Debug)]
pub struct Withdrawal {
    pub id: WithdrawalId,
    pub user_id: UserId,
    /// What left the available balance, fee included.
    pub amount: i64,
    /// Part of it kept as the fee.
    pub fee: i64,
    pub method: Method,
    pub status: Status,
    /// Why it was rejected.
    pub reason: String,
    pub requested_at: DateTime<Utc>,
    pub decided_at: Option<DateTime<Utc>>,
    /// Where it goes, as bound then.
    pub sealed: Sealed,
    /// The payment batch that decides about it.
    pub payment_batch_id: Option<PaymentBatchId>,
    /// Who asked to take it out of a released batch.
    pub take_out_asked_by: Option<StaffId>,
}

impl Withdrawal {
    /// Where it stands, as shown. A cancellation is stored as a rejection without a reason, which staff cannot make: so a
    /// replica of the release before reads it, too.
    pub fn shown_status(&self) -> ShownStatus {
        match self.status {
            Status::Pending => ShownStatus::Pending,
            Status::Paid => ShownStatus::Paid,
            Status::Rejected if self.reason.is_empty() => ShownStatus::Cancelled,
            Status::Rejected => ShownStatus::Rejected,
        }
    }

    /// NOTHING_CHANGED once it is decided.
    pub fn require_pending(&self) -> Result<(), Refusal> {
        match self.status {
            Status::Pending => Ok(()),
            Status::Paid | Status::Rejected => Err(Refusal::new(Reason::NothingChanged)),
        }
    }

    /// NOTHING_CHANGED (`payment_batch`) where a batch decides about it.
    pub fn require_not_batched(&self) -> Result<(), Refusal> {
        match self.payment_batch_id {
            Some(_) => Err(Refusal::new(Reason::NothingChanged).field("payment_batch")),
            None => Ok(()),
        }
    }
}

/// The terms of one method.
#[derive(Clone, Copy, Debug)]
pub struct Terms {
    pub method: Method,
    pub enabled: bool,
    pub min: Money,
    pub max: Money,
    /// Fee, kept from the amount; always less than the least one.
    pub fee: Money,
}

impl Terms {
    /// The terms of every method.
    pub fn configured(args: &WithdrawalArgs) -> Result<[Self; 2], ConfigError> {
        let card = Self {
            method: Method::BankCard,
            enabled: args.withdraw_bank_card_enabled,
            min: args.withdraw_bank_card_min,
            max: args.withdraw_bank_card_max,
            fee: args.withdraw_bank_card_fee,
        };
        let address = Self {
            method: Method::WalletAddress,
            enabled: args.withdraw_wallet_address_enabled,
            min: args.withdraw_wallet_address_min,
            max: args.withdraw_wallet_address_max,
            fee: args.withdraw_wallet_address_fee,
        };
        for (terms, name) in [
            (&card, "WITHDRAW_BANK_CARD"),
            (&address, "WITHDRAW_WALLET_ADDRESS"),
        ] {
            if terms.fee.is_negative() || terms.fee >= terms.min || terms.min > terms.max {
                return Err(ConfigError::Invalid {
                    name,
                    expected: "fee < min <= max, none of them negative",
                });
            }
        }
        Ok([card, address])
    }

    /// What can be said of an amount before the transaction password is asked for, in the order of the contract.
    pub fn check(&self, amount: Money, property: &Property) -> Result<(), Refusal> {
        if !self.enabled {
            return Err(Refusal::invalid("method"));
        }
        let missing = amount.minor().saturating_sub(property.available);
        if missing > 0 {
            return Err(Refusal::new(Reason::InsufficientBalance)
                .field("amount")
                .missing(Money::from_minor(missing)));
        }
        if !(self.min..=self.max).contains(&amount) {
            return Err(Refusal::new(Reason::AmountOutOfRange).field("amount"));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::defaults;

    #[test]
    fn terms_must_fit_together() {
        assert!(Terms::configured(&defaults()).is_ok());
        let refused = |change: fn(&mut WithdrawalArgs)| {
            let mut args = defaults();
            change(&mut args);
            Terms::configured(&args).is_err()
        };
        assert!(refused(
            |args| args.withdraw_bank_card_fee = Money::from_minor(100)
        ));
        assert!(refused(
            |args| args.withdraw_bank_card_fee = Money::from_minor(-1)
        ));
        assert!(refused(
            |args| args.withdraw_wallet_address_max = Money::from_minor(199)
        ));
        assert!(refused(
            |args| args.withdraw_wallet_address_min = Money::from_minor(100)
        ));
    }

    #[test]
    fn amounts_are_checked_in_order() {
        let [card, address] = Terms::configured(&defaults()).expect("terms");
        let property = Property {
            available: 20_000_000,
            ..Property::default()
        };
        let reason = |terms: &Terms, minor| {
            let outcome = terms.check(Money::from_minor(minor), &property);
            outcome.err().map(|refusal| refusal.reason)
        };
        assert_eq!(reason(&card, 100), None);
        assert_eq!(reason(&card, 10_000_000), None);
        assert_eq!(reason(&card, 0), Some(Reason::AmountOutOfRange));
        assert_eq!(reason(&card, 99), Some(Reason::AmountOutOfRange));
        assert_eq!(reason(&address, 199), Some(Reason::AmountOutOfRange));
        assert_eq!(reason(&card, 10_000_001), Some(Reason::AmountOutOfRange));
        assert_eq!(reason(&card, 20_000_001), Some(Reason::InsufficientBalance));
        let off = Terms {
            enabled: false,
            ..card
        };
        assert_eq!(reason(&off, 100), Some(Reason::Validation));
    }
}
