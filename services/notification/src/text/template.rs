//! What notices say.

use adfolio_kit::names;

names! {
    /// What a notice says; the key of its text in every catalogue.
    Template {
        DepositCredited,
        PlanWaiting,
        PlanExpired,
        PlanStarted,
        PlanFinished,
        PlanSettled,
        PlanFailed,
        Chargeback,
        RechargeDeduction,
        Membership,
        StartUpGrant,
        StartUpReturn,
        GuaranteeDeposit,
        GuaranteeReturn,
        WithdrawalPaid,
        WithdrawalRejected,
        WithdrawalRejectedWithReason,
        PayPasswordSet,
        PayPasswordChanged,
        PayPasswordReset,
        PayPasswordLocked,
        BankCardBound,
        WalletAddressBound,
        WalletFrozen,
        WalletUnfrozen,
        PasswordChanged,
        CouponGranted,
        ExchangeCompletedFromWallet,
        ExchangeCompletedToWallet,
        ExchangeCancelledFromWallet,
        ExchangeCancelledFromWalletWithReason,
        ExchangeCancelledToWallet,
        ExchangeCancelledToWalletWithReason,
        ExchangeExpiredFromWallet,
        ExchangeExpiredToWallet,
        WithdrawalRequested,
        ExchangeRequestedFromWallet,
        NewClientLoggedIn,
        EmailChanged,
        EmailCode,
        PhoneChanged,
        ChangedByStaff,
        FeedbackReply,
    }
}

/// Where users read it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// In the inbox alone: plans, offers, replies.
    Inbox,
    /// In mail alone: what was just done in the app, and is news only if somebody else did it.
    Mail,
    /// In both: money and security.
    Both,
}

impl Template {
    /// Where users read it.
    pub fn place(self) -> Place {
        match self {
            Self::PlanWaiting
            | Self::PlanExpired
            | Self::PlanStarted
            | Self::PlanFinished
            | Self::PlanSettled
            | Self::PlanFailed
            | Self::CouponGranted
            | Self::FeedbackReply => Place::Inbox,
            Self::WithdrawalRequested
            | Self::ExchangeRequestedFromWallet
            | Self::NewClientLoggedIn
            | Self::EmailChanged
            | Self::EmailCode
            | Self::PhoneChanged
            | Self::ChangedByStaff => Place::Mail,
            Self::DepositCredited
            | Self::Chargeback
            | Self::RechargeDeduction
            | Self::Membership
            | Self::StartUpGrant
            | Self::StartUpReturn
            | Self::GuaranteeDeposit
            | Self::GuaranteeReturn
            | Self::WithdrawalPaid
            | Self::WithdrawalRejected
            | Self::WithdrawalRejectedWithReason
            | Self::PayPasswordSet
            | Self::PayPasswordChanged
            | Self::PayPasswordReset
            | Self::PayPasswordLocked
            | Self::BankCardBound
            | Self::WalletAddressBound
            | Self::WalletFrozen
            | Self::WalletUnfrozen
            | Self::PasswordChanged
            | Self::ExchangeCompletedFromWallet
            | Self::ExchangeCompletedToWallet
            | Self::ExchangeCancelledFromWallet
            | Self::ExchangeCancelledFromWalletWithReason
            | Self::ExchangeCancelledToWallet
            | Self::ExchangeCancelledToWalletWithReason
            | Self::ExchangeExpiredFromWallet
            | Self::ExchangeExpiredToWallet => Place::Both,
        }
    }

    /// Whether it is worth a message on the screens of the user's devices: money that came, a plan that started, a decision
    /// about a withdrawal, and whatever protects the account.
    pub fn is_pushed(self) -> bool {
        matches!(
            self,
            Self::DepositCredited
                | Self::PlanStarted
                | Self::WithdrawalPaid
                | Self::WithdrawalRejected
                | Self::WithdrawalRejectedWithReason
                | Self::PayPasswordSet
                | Self::PayPasswordChanged
                | Self::PayPasswordReset
                | Self::PayPasswordLocked
                | Self::BankCardBound
                | Self::WalletAddressBound
                | Self::WalletFrozen
                | Self::WalletUnfrozen
                | Self::PasswordChanged
                | Self::NewClientLoggedIn
                | Self::EmailChanged
                | Self::PhoneChanged
                | Self::ChangedByStaff
        )
    }

    /// The parameters that its texts may name.
    pub fn params(self) -> &'static [&'static str] {
        match self {
            Self::PayPasswordSet
            | Self::PayPasswordChanged
            | Self::PayPasswordReset
            | Self::PayPasswordLocked
            | Self::BankCardBound
            | Self::WalletAddressBound
            | Self::WalletFrozen
            | Self::WalletUnfrozen
            | Self::PasswordChanged
            | Self::NewClientLoggedIn
            | Self::EmailChanged
            | Self::PhoneChanged
            | Self::ChangedByStaff => &[],
            Self::DepositCredited
            | Self::Chargeback
            | Self::RechargeDeduction
            | Self::Membership
            | Self::StartUpGrant
            | Self::StartUpReturn
            | Self::GuaranteeDeposit
            | Self::GuaranteeReturn
            | Self::WithdrawalRejected
            | Self::WithdrawalRequested => &["amount"],
            Self::PlanWaiting | Self::PlanExpired | Self::PlanStarted | Self::PlanFailed => {
                &["plan_number", "product", "budget"]
            }
            Self::PlanFinished => &["plan_number", "product", "consumed", "budget"],
            Self::PlanSettled => &["plan_number", "product", "paid_out", "revenue"],
            Self::WithdrawalPaid => &["amount", "fee"],
            Self::WithdrawalRejectedWithReason => &["amount", "reason"],
            Self::CouponGranted => &["name", "expires_on"],
            Self::ExchangeCompletedFromWallet
            | Self::ExchangeCompletedToWallet
            | Self::ExchangeCancelledFromWallet
            | Self::ExchangeCancelledToWallet
            | Self::ExchangeExpiredFromWallet
            | Self::ExchangeExpiredToWallet
            | Self::ExchangeRequestedFromWallet => &["amount", "counter_amount", "currency"],
            Self::ExchangeCancelledFromWalletWithReason
            | Self::ExchangeCancelledToWalletWithReason => {
                &["amount", "counter_amount", "currency", "reason"]
            }
            Self::FeedbackReply => &["topic", "reply"],
            Self::EmailCode => &["code"],
        }
    }
}
