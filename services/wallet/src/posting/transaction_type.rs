//! The types of transactions, as the books name them.

use adfolio_kit::names;

use super::movement::MovementKind;
use crate::flow::entity::{Account, FlowType};

names! {
    /// What a transaction is.
    TransactionType as "transaction_type" {
        /// Staff credited money.
        Deposit,
        /// An order took money, and a coupon added its part.
        Hold,
        /// An order's delivery was paid for.
        Consume,
        /// An order's delivery earned revenue.
        Accrue,
        /// An order gave back what it still held.
        Release,
        /// An order's revenue was paid out.
        Settle,
        /// A user asked for a withdrawal.
        Withdraw,
        /// A withdrawal left.
        WithdrawalPaid,
        /// A withdrawal came back.
        WithdrawalRejected,
        /// A disputed payment was taken back.
        Chargeback,
        /// A virtual recharge was taken back.
        RechargeDeduction,
        /// A membership fee.
        Membership,
        /// An exchange order took money.
        ExchangeDebit,
        /// An exchange order gave back what it took.
        ExchangeReturn,
        /// An exchange order brought money.
        ExchangeCredit,
        /// Start-up funds were given.
        StartUpGrant,
        /// Start-up funds were returned.
        StartUpReturn,
        /// Money of the user became the guarantee.
        GuaranteeDeposit,
        /// The guarantee, or a part of it, was given back.
        GuaranteeReturn,
    }
}

impl TransactionType {
    /// The account of the platform on the other side; none where money moves between the user's accounts alone.
    pub fn platform_account(self) -> Option<Account> {
        match self {
            Self::Deposit | Self::RechargeDeduction => Some(Account::DepositsClearing),
            Self::Hold | Self::Release | Self::StartUpGrant | Self::StartUpReturn => {
                Some(Account::Promotions)
            }
            Self::Consume => Some(Account::AdSpend),
            Self::Accrue => Some(Account::AdRevenue),
            Self::Settle => Some(Account::ProfitShare),
            Self::WithdrawalPaid => Some(Account::WithdrawalsClearing),
            Self::Chargeback => Some(Account::Chargebacks),
            Self::Membership => Some(Account::Membership),
            Self::ExchangeDebit | Self::ExchangeReturn | Self::ExchangeCredit => {
                Some(Account::FxClearing)
            }
            Self::Withdraw
            | Self::WithdrawalRejected
            | Self::GuaranteeDeposit
            | Self::GuaranteeReturn => None,
        }
    }

    /// Whether it moves money between two of the user's own accounts.
    pub fn is_transfer(self) -> bool {
        matches!(
            self,
            Self::Hold
                | Self::Release
                | Self::Settle
                | Self::Withdraw
                | Self::WithdrawalRejected
                | Self::GuaranteeDeposit
                | Self::GuaranteeReturn
        )
    }

    /// How the fund details show it; none where they do not.
    pub fn flow_type(self) -> Option<FlowType> {
        match self {
            Self::Deposit => Some(FlowType::SystemTopUp),
            Self::Hold | Self::Release => Some(FlowType::AdServing),
            Self::Consume => Some(FlowType::AdBilling),
            Self::Settle => Some(FlowType::ProfitSharing),
            Self::Withdraw | Self::WithdrawalRejected => Some(FlowType::ManualPayout),
            Self::Chargeback => Some(FlowType::SystemChargeback),
            Self::RechargeDeduction => Some(FlowType::VirtualRechargeDeduction),
            Self::Membership => Some(FlowType::OpenMembership),
            Self::ExchangeDebit | Self::ExchangeReturn | Self::ExchangeCredit => {
                Some(FlowType::Exchange)
            }
            Self::StartUpGrant | Self::StartUpReturn => Some(FlowType::StartUpFunds),
            Self::GuaranteeDeposit | Self::GuaranteeReturn => Some(FlowType::Guarantee),
            Self::Accrue | Self::WithdrawalPaid => None,
        }
    }
}

impl From<MovementKind> for TransactionType {
    fn from(kind: MovementKind) -> Self {
        match kind {
            MovementKind::Deposit => Self::Deposit,
            MovementKind::Withdraw => Self::Withdraw,
            MovementKind::WithdrawalPaid => Self::WithdrawalPaid,
            MovementKind::WithdrawalRejected => Self::WithdrawalRejected,
            MovementKind::Chargeback => Self::Chargeback,
            MovementKind::RechargeDeduction => Self::RechargeDeduction,
            MovementKind::Membership => Self::Membership,
            MovementKind::ExchangeDebit => Self::ExchangeDebit,
            MovementKind::ExchangeReturn => Self::ExchangeReturn,
            MovementKind::ExchangeCredit => Self::ExchangeCredit,
            MovementKind::StartUpGrant => Self::StartUpGrant,
            MovementKind::StartUpReturn => Self::StartUpReturn,
            MovementKind::GuaranteeDeposit => Self::GuaranteeDeposit,
            MovementKind::GuaranteeReturn => Self::GuaranteeReturn,
        }
    }
}
