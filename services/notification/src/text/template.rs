//! What notices say.

use adfolio_kit::names;

names! {
    /// What a notice says; the key of its text in every catalogue.
    Template {
        DepositCredited,
        PlanWaiting,
        PlanExpired,
        PlanFinished,
        PlanSettled,
        PlanFailed,
        Chargeback,
        RechargeDeduction,
        Membership,
        StartUpGrant,
        StartUpReturn,
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
        FeedbackReply,
    }
}

impl Template {
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
            | Self::PasswordChanged => &[],
            Self::DepositCredited
            | Self::Chargeback
            | Self::RechargeDeduction
            | Self::Membership
            | Self::StartUpGrant
            | Self::StartUpReturn
            | Self::WithdrawalRejected => &["amount"],
            Self::PlanWaiting | Self::PlanExpired | Self::PlanFailed => {
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
            | Self::ExchangeExpiredToWallet => &["amount", "counter_amount", "currency"],
            Self::ExchangeCancelledFromWalletWithReason
            | Self::ExchangeCancelledToWalletWithReason => {
                &["amount", "counter_amount", "currency", "reason"]
            }
            Self::FeedbackReply => &["topic", "reply"],
        }
    }
}
