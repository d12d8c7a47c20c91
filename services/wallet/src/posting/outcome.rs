//! What becomes of commands.

use std::time::Duration;

use adfolio_kit::error::CoreError;
use adfolio_kit::refusal::{Reason, Refusal};
use adfolio_money::Money;
use chrono::{DateTime, Utc};

use super::entity::Hold;
use crate::chain::entity::Hash;
use crate::error::WalletError;
use crate::ids::{ReferenceId, TransactionId};
use crate::property::entity::Property;

/// Why a command was refused; it changed nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refused {
    /// The available balance does not cover the amount: so much is missing, in minor units.
    InsufficientBalance(i64),
    /// The user has no wallet, and the command may not open one.
    NoWallet,
    /// The order never held anything of this user's.
    UnknownOrder,
    /// The key or order was used with other content.
    KeyReused,
    /// The order was released or settled before, or the exchange order was returned before it was debited.
    OrderClosed,
    /// More consumed than held.
    ConsumedOutOfRange,
    /// The settlement names another spend than was recorded.
    ConsumedDiffers,
    /// The settlement names another revenue than was recorded.
    RevenueDiffers,
    /// The platform's share exceeds the revenue.
    ShareOutOfRange,
    /// A balance would grow beyond its limit.
    BalanceLimit,
    /// More start-up funds returned than are outstanding.
    AmountOutOfRange,
    /// Start-up funds must be returned before money leaves.
    StartUpFundsNotReturned,
    /// The withdrawal is decided already.
    NothingChanged,
    /// No such withdrawal of this user.
    UnknownWithdrawal,
    /// The exchange order was debited or closed for another user.
    UnknownExchange,
    /// The owner has frozen the wallet.
    Frozen,
    /// What protects the wallet changed a short while ago; how long the wait is.
    CoolingOff(Duration),
    /// Too much has left within 24 hours; how long until the first of it is no longer counted.
    DayLimitReached(Duration),
}

impl From<Refused> for Refusal {
    fn from(refused: Refused) -> Self {
        match refused {
            Refused::InsufficientBalance(missing) => Self::new(Reason::InsufficientBalance)
                .field("amount")
                .missing(Money::from_minor(missing)),
            Refused::NoWallet => Self::not_found("user_id"),
            Refused::UnknownOrder => Self::not_found("order_id"),
            Refused::KeyReused => Self::new(Reason::IdempotencyKeyReused),
            Refused::OrderClosed => Self::new(Reason::PlanNotPuttable).field("order_id"),
            Refused::ConsumedOutOfRange | Refused::ConsumedDiffers => {
                Self::invalid("consumed_total_minor")
            }
            Refused::RevenueDiffers => Self::invalid("revenue_total_minor"),
            Refused::ShareOutOfRange => Self::invalid("platform_share_minor"),
            Refused::BalanceLimit => {
                Self::invalid("amount").detail("balance would exceed its limit")
            }
            Refused::AmountOutOfRange => Self::new(Reason::AmountOutOfRange).field("amount"),
            Refused::StartUpFundsNotReturned => Self::new(Reason::StartUpFundsNotReturned),
            Refused::NothingChanged => Self::new(Reason::NothingChanged),
            Refused::UnknownWithdrawal => Self::not_found("id"),
            Refused::UnknownExchange => Self::not_found("exchange_id"),
            Refused::Frozen => Self::new(Reason::WalletFrozen),
            Refused::CoolingOff(wait) => Self::new(Reason::WithdrawalCoolingOff).retry_after(wait),
            Refused::DayLimitReached(wait) => Self::new(Reason::DayLimitReached)
                .field("amount")
                .retry_after(wait),
        }
    }
}

impl From<Refused> for WalletError {
    fn from(refused: Refused) -> Self {
        Refusal::from(refused).into()
    }
}

/// The answer to a command that was done, now or before.
#[derive(Clone, Debug)]
pub struct Done {
    /// Whether an earlier command did it.
    pub is_repeat: bool,
    /// The figures straight after; for a repeat the present ones.
    pub property: Property,
    hold: Option<Hold>,
    /// The last transaction that the command wrote; for a repeated movement the first one's.
    pub transaction: Option<Booked>,
}

impl Done {
    pub(super) fn new(property: Property, hold: Option<Hold>, transaction: Option<Booked>) -> Self {
        Self {
            is_repeat: false,
            property,
            hold,
            transaction,
        }
    }

    #[must_use]
    pub(super) fn repeated(self) -> Self {
        Self {
            is_repeat: true,
            ..self
        }
    }

    /// The order's hold as it stands; a movement has none.
    pub fn hold(&self) -> Result<Hold, CoreError> {
        self.hold.ok_or(CoreError::Corrupt("hold of a posting"))
    }
}

/// A transaction in the books.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Booked {
    pub id: TransactionId,
    pub posted_at: DateTime<Utc>,
    pub available_after: i64,
    /// The user's chain at this transaction.
    pub hash: Hash,
    /// The withdrawal or exchange order that it belongs to.
    pub reference: Option<ReferenceId>,
}

/// What may become of a command, as the metrics name it.
pub const OUTCOMES: [&str; 3] = ["applied", "repeated", "refused"];

/// What became of a command, as the metrics name it.
pub fn outcome_name(outcome: &Result<Done, Refused>) -> &'static str {
    match outcome {
        Ok(done) if done.is_repeat => "repeated",
        Ok(_) => "applied",
        Err(_) => "refused",
    }
}
