//! What notices say.

use adfolio_kit::names;

names! {
    /// What a notice says; the key of its text in every catalogue.
    Template {
        /// A deposit was credited.
        DepositCredited = "deposit_credited",
        /// A plan was pushed and waits.
        PlanWaiting = "plan_waiting",
        /// A pushed plan was not placed in time.
        PlanExpired = "plan_expired",
        /// A plan's delivery has finished.
        PlanFinished = "plan_finished",
        /// A plan is settled.
        PlanSettled = "plan_settled",
        /// A plan failed.
        PlanFailed = "plan_failed",
        /// Money was charged back.
        Chargeback = "chargeback",
        /// A recharge was corrected.
        RechargeDeduction = "recharge_deduction",
        /// The user became a member.
        Membership = "membership",
        /// Start-up funds came.
        StartUpGrant = "start_up_grant",
        /// Start-up funds went back.
        StartUpReturn = "start_up_return",
        /// A withdrawal was paid.
        WithdrawalPaid = "withdrawal_paid",
        /// A withdrawal was rejected.
        WithdrawalRejected = "withdrawal_rejected",
        /// A withdrawal was rejected, and it is said why.
        WithdrawalRejectedWithReason = "withdrawal_rejected_with_reason",
        /// A transaction password was set.
        PayPasswordSet = "pay_password_set",
        /// The transaction password was changed.
        PayPasswordChanged = "pay_password_changed",
        /// Staff reset the transaction password.
        PayPasswordReset = "pay_password_reset",
        /// The transaction password is locked.
        PayPasswordLocked = "pay_password_locked",
        /// A bank card was bound.
        BankCardBound = "bank_card_bound",
        /// A wallet address was bound.
        WalletAddressBound = "wallet_address_bound",
        /// The login password was changed.
        PasswordChanged = "password_changed",
        /// Staff gave a coupon.
        CouponGranted = "coupon_granted",
        /// Wallet money was exchanged.
        ExchangeCompletedFromWallet = "exchange_completed_from_wallet",
        /// Other money was exchanged into the wallet.
        ExchangeCompletedToWallet = "exchange_completed_to_wallet",
        /// An exchange of wallet money was cancelled.
        ExchangeCancelledFromWallet = "exchange_cancelled_from_wallet",
        /// An exchange of wallet money was cancelled, and it is said why.
        ExchangeCancelledFromWalletWithReason = "exchange_cancelled_from_wallet_with_reason",
        /// An exchange into the wallet was cancelled.
        ExchangeCancelledToWallet = "exchange_cancelled_to_wallet",
        /// An exchange into the wallet was cancelled, and it is said why.
        ExchangeCancelledToWalletWithReason = "exchange_cancelled_to_wallet_with_reason",
        /// An exchange of wallet money expired.
        ExchangeExpiredFromWallet = "exchange_expired_from_wallet",
        /// An exchange into the wallet expired.
        ExchangeExpiredToWallet = "exchange_expired_to_wallet",
        /// Staff answered feedback.
        FeedbackReply = "feedback_reply",
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
