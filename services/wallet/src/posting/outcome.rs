//! What becomes of commands.

use adfolio_kit::refusal::{Reason, Refusal};
use adfolio_money::Money;
use chrono::{DateTime, Utc};

use crate::error::WalletError;
use crate::ids::{ReferenceId, TransactionId};
use crate::property::entity::Property;

/// What became of a command. All but the first two changed nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, sqlx::Type)]
#[sqlx(type_name = "posting_outcome", rename_all = "snake_case")]
pub enum Outcome {
    /// Done now.
    Applied,
    /// Done by an earlier command.
    Repeated,
    /// The available balance does not cover the amount.
    InsufficientBalance,
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
    /// Start-up funds must be returned before a withdrawal.
    StartUpFundsNotReturned,
    /// The withdrawal is decided already.
    NothingChanged,
    /// No such withdrawal of this user.
    UnknownWithdrawal,
    /// The exchange order was debited or closed for another user.
    UnknownExchange,
    /// What protects the wallet changed a short while ago.
    WithdrawalCoolingOff,
}

impl Outcome {
    /// The refusal that the outcome is, if it is one.
    fn refusal(self) -> Option<Refusal> {
        let refusal = match self {
            Self::Applied | Self::Repeated => return None,
            Self::InsufficientBalance => Refusal::new(Reason::InsufficientBalance).field("amount"),
            Self::NoWallet => Refusal::not_found("user_id"),
            Self::UnknownOrder => Refusal::not_found("order_id"),
            Self::KeyReused => Refusal::new(Reason::IdempotencyKeyReused),
            Self::OrderClosed => Refusal::new(Reason::PlanNotPuttable).field("order_id"),
            Self::ConsumedOutOfRange | Self::ConsumedDiffers => {
                Refusal::invalid("consumed_total_minor")
            }
            Self::RevenueDiffers => Refusal::invalid("revenue_total_minor"),
            Self::ShareOutOfRange => Refusal::invalid("platform_share_minor"),
            Self::BalanceLimit => {
                Refusal::invalid("amount").detail("balance would exceed its limit")
            }
            Self::AmountOutOfRange => Refusal::new(Reason::AmountOutOfRange).field("amount"),
            Self::StartUpFundsNotReturned => Refusal::new(Reason::StartUpFundsNotReturned),
            Self::NothingChanged => Refusal::new(Reason::NothingChanged),
            Self::UnknownWithdrawal => Refusal::not_found("id"),
            Self::UnknownExchange => Refusal::not_found("exchange_id"),
            Self::WithdrawalCoolingOff => Refusal::new(Reason::WithdrawalCoolingOff),
        };
        Some(refusal)
    }

    /// The name in metrics.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Applied => "applied",
            Self::Repeated => "repeated",
            _ => "refused",
        }
    }

    /// Whether postings may have been made by this very command.
    pub fn is_applied(self) -> bool {
        self == Self::Applied
    }
}

/// The answer to a command that was done, now or before.
#[derive(Clone, Debug)]
pub struct Done {
    /// The figures straight after; for a repeat the present ones.
    pub property: Property,
    /// The order's hold as it stands; zeros for what is about no order.
    pub hold: HoldFigures,
    /// The last transaction that the command wrote; for a repeated movement the first one's.
    pub transaction: Option<Booked>,
}

/// What an order holds, and what became of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct HoldFigures {
    /// Version of the delivery that stands.
    pub version: i64,
    /// Revenue that stands.
    pub revenue: i64,
    /// Given back to the available balance so far.
    pub paid_returned: i64,
    /// Given back to promotions so far.
    pub discount_returned: i64,
    /// Given back to the available balance by the settlement.
    pub paid_returned_at_settle: i64,
    pub platform_share: i64,
}

impl HoldFigures {
    /// What the settlement paid out to the available balance.
    pub fn paid_out(&self) -> Money {
        // The schema keeps the share between zero and the revenue.
        Money::from_minor(self.revenue.saturating_sub(self.platform_share))
    }
}

/// A transaction in the books.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Booked {
    pub id: TransactionId,
    pub posted_at: DateTime<Utc>,
    pub available_after: i64,
    /// The user's chain at this transaction.
    pub hash: Vec<u8>,
    /// The withdrawal or exchange order that it belongs to.
    pub reference: Option<ReferenceId>,
}

/// What the database decided about one command.
#[derive(Clone, Debug)]
pub struct Decision {
    pub outcome: Outcome,
    /// The answer, if it was done.
    pub done: Done,
}

impl Decision {
    /// The answer, or the refusal.
    pub fn into_answer(self) -> Result<Done, WalletError> {
        match self.outcome.refusal() {
            None => Ok(self.done),
            Some(refusal) => Err(refusal.into()),
        }
    }
}
