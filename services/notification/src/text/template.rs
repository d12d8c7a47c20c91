//! What notices say.

use adfolio_kit::names;

names! {
    /// What a notice says; the key of its text in every catalogue.
    Template {
        /// A deposit was credited.
        DepositCredited,
        /// A plan was pushed and waits.
        PlanWaiting,
        /// A pushed plan was not placed in time.
        PlanExpired,
        /// A plan's delivery has finished.
        PlanFinished,
        /// A plan is settled.
        PlanSettled,
        /// A plan failed.
        PlanFailed,
        /// Money was charged back.
        Chargeback,
        /// A recharge was corrected.
        RechargeDeduction,
        /// The user became a member.
        Membership,
        /// Start-up funds came.
        StartUpGrant,
        /// Start-up funds went back.
        StartUpReturn,
        /// A withdrawal was paid.
        WithdrawalPaid,
        /// A withdrawal was rejected.
        WithdrawalRejected,
        /// A withdrawal was rejected, and it is said why.
        WithdrawalRejectedWithReason,
        /// A transaction password was set.
        PayPasswordSet,
        /// The transaction password was changed.
        PayPasswordChanged,
        /// Staff reset the transaction password.
        PayPasswordReset,
        /// The transaction password is locked.
        PayPasswordLocked,
        /// A bank card was bound.
        BankCardBound,
        /// A wallet address was bound.
        WalletAddressBound,
        /// The login password was changed.
        PasswordChanged,
        /// Staff gave a coupon.
        CouponGranted,
        /// Wallet money was exchanged.
        ExchangeCompletedFromWallet,
        /// Other money was exchanged into the wallet.
        ExchangeCompletedToWallet,
        /// An exchange of wallet money was cancelled.
        ExchangeCancelledFromWallet,
        /// An exchange of wallet money was cancelled, and it is said why.
        ExchangeCancelledFromWalletWithReason,
        /// An exchange into the wallet was cancelled.
        ExchangeCancelledToWallet,
        /// An exchange into the wallet was cancelled, and it is said why.
        ExchangeCancelledToWalletWithReason,
        /// An exchange of wallet money expired.
        ExchangeExpiredFromWallet,
        /// An exchange into the wallet expired.
        ExchangeExpiredToWallet,
        /// Staff answered feedback.
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
