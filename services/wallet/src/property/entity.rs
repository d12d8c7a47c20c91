//! The balances of a wallet, and what is set up in it.

use adfolio_kit::identity::UserId;
use adfolio_kit::refusal::Reason;
use chrono::{DateTime, Utc};

use crate::posting::entity::Balances;
use crate::posting::outcome::Refused;

/// The balances of a wallet in minor units, and what is set up in it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Property {
    /// Free to use.
    pub available: i64,
    /// Held by running plans, coupon parts included.
    pub to_be_consumed: i64,
    /// Earned, waiting for settlement.
    pub to_be_settled: i64,
    pub withdrawing: i64,
    /// Held as the user's guarantee.
    pub guarantee: i64,
    /// What coupons paid towards puts, less what was given back.
    pub discount_total: i64,
    pub start_up_outstanding: i64,
    pub has_pay_password: bool,
    pub has_bank_card: bool,
    pub has_wallet_address: bool,
    pub protection_changed_at: Option<DateTime<Utc>>,
    /// Since when nothing leaves; none where nothing is frozen.
    pub frozen_at: Option<DateTime<Utc>>,
}

impl Property {
    /// The balances of the five accounts.
    pub fn balances(&self) -> Balances {
        Balances {
            available: self.available,
            to_be_consumed: self.to_be_consumed,
            to_be_settled: self.to_be_settled,
            withdrawing: self.withdrawing,
            guarantee: self.guarantee,
        }
    }

    /// Refuses WALLET_FROZEN where nothing may leave.
    pub fn require_not_frozen(&self) -> Result<(), Refused> {
        match self.frozen_at {
            Some(_) => Err(Refused::Frozen),
            None => Ok(()),
        }
    }

    /// Why a withdrawal would be refused now, whatever its amount, in the order of the checks.
    pub fn withdrawal_blocked_by(&self, cools_off: bool) -> Vec<Reason> {
        let checks = [
            (self.frozen_at.is_some(), Reason::WalletFrozen),
            (self.available == 0, Reason::InsufficientBalance),
            (!self.has_pay_password, Reason::PayPasswordNotSet),
            (
                self.start_up_outstanding > 0,
                Reason::StartUpFundsNotReturned,
            ),
            (
                !self.has_bank_card && !self.has_wallet_address,
                Reason::BankCardNotBound,
            ),
            (cools_off, Reason::WithdrawalCoolingOff),
        ];
        let blocking = checks.into_iter().filter(|(blocks, _)| *blocks);
        blocking.map(|(_, reason)| reason).collect()
    }
}

/// What is set up in one wallet, and its guarantee.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    pub user_id: UserId,
    pub has_pay_password: bool,
    pub has_bank_card: bool,
    pub guarantee: i64,
}
