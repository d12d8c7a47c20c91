//! Failures, and the table from reasons to envelope codes.

use adfolio_kit::refusal::{Reason, Refusal};
use axum::http::StatusCode;
use tonic::{Code, Status};
use tracing::{error, warn};

use crate::lang::Lang;

/// The envelope code of a reason.
pub fn envelope_code(reason: Reason) -> u16 {
    match reason {
        Reason::NotAuthenticated => 401,
        Reason::AccountNotActivated => 402,
        Reason::AccountDisabled | Reason::Forbidden | Reason::PasswordChangeRequired => 403,
        Reason::AccountCancelled => 404,
        Reason::NotFound => 405,
        Reason::TooManyAttempts | Reason::PayPasswordLocked => 429,
        Reason::Internal | Reason::Unavailable | Reason::ChangesPaused => 500,
        Reason::SessionExpired => 503,
        Reason::UsernameTaken => 4001,
        Reason::Validation
        | Reason::IdempotencyKeyReused
        | Reason::ApprovalRequired
        | Reason::BadCredentials
        | Reason::PasswordMismatch
        | Reason::PasswordUnchanged
        | Reason::WrongPassword
        | Reason::LicenseNotFound
        | Reason::LicenseUsed
        | Reason::StoreAlreadyOpen
        | Reason::PayPasswordNotSet
        | Reason::WrongPayPassword
        | Reason::WeakPayPassword
        | Reason::InsufficientBalance
        | Reason::AmountOutOfRange
        | Reason::StartUpFundsNotReturned
        | Reason::BankCardNotBound
        | Reason::WithdrawalCoolingOff
        | Reason::DayLimitReached
        | Reason::WalletFrozen
        | Reason::SecondFactorRequired
        | Reason::StepUpRequired
        | Reason::AssertionRejected
        | Reason::EmailCodeInvalid
        | Reason::DisownLinkInvalid
        | Reason::NothingChanged
        | Reason::ChangedMeanwhile
        | Reason::PlanNotPuttable
        | Reason::CouponNotUsable
        | Reason::CouponBelowRequirement
        | Reason::CouponAlreadyClaimed
        | Reason::CouponNameClaimedToday
        | Reason::FollowIdError
        | Reason::FollowIdCurrent
        | Reason::AcceptanceCodeError
        | Reason::ExchangeLimit
        | Reason::ExchangeOpen
        | Reason::FileTooLarge
        | Reason::FileNotImage => 400,
    }
}

/// A failed call.
#[derive(Clone, Debug)]
pub struct Failure {
    /// The reason, with the offending input and the wait before the next attempt.
    pub refusal: Refusal,
    /// 200 if a service answered; another status if the call never reached one.
    pub status: StatusCode,
    /// The language of the text, if it is not the caller's.
    pub lang: Option<Lang>,
}

impl Failure {
    /// A refusal with only a reason.
    pub fn new(reason: Reason) -> Self {
        Refusal::new(reason).into()
    }

    /// VALIDATION of the named input.
    pub fn invalid(field: impl Into<String>) -> Self {
        Refusal::invalid(field).into()
    }

    /// VALIDATION of the whole request.
    pub fn malformed() -> Self {
        Self::new(Reason::Validation)
    }

    /// A call that never reached a service.
    pub fn at_the_edge(status: StatusCode, reason: Reason) -> Self {
        Self {
            status,
            ..Self::new(reason)
        }
    }

    /// A service's answer violates the contract. Logged here, once.
    pub fn broken_answer(what: &'static str) -> Self {
        error!(what, "a service's answer violates the contract");
        Self::new(Reason::Internal)
    }

    /// An error in the gateway itself. Logged here, once.
    pub fn internal(operation: &'static str, cause: &(dyn std::error::Error + 'static)) -> Self {
        error!(
            operation,
            error = adfolio_kit::refusal::chain(cause),
            "internal error"
        );
        Self::new(Reason::Internal)
    }

    /// With its text in another language.
    #[must_use]
    pub fn in_lang(mut self, lang: Lang) -> Self {
        self.lang = Some(lang);
        self
    }
}

impl From<Refusal> for Failure {
    fn from(refusal: Refusal) -> Self {
        let status = match refusal.reason {
            Reason::Unavailable | Reason::ChangesPaused => StatusCode::SERVICE_UNAVAILABLE,
            _ => StatusCode::OK,
        };
        // A refused login has no session, so auth sends the user's language with the refusal.
        let lang = refusal.lang.as_deref().and_then(Lang::from_code);
        Self {
            refusal,
            status,
            lang,
        }
    }
}

impl From<Status> for Failure {
    fn from(status: Status) -> Self {
        if let Some(refusal) = Refusal::from_status(&status) {
            return refusal.into();
        }
        match status.code() {
            // The deadline passed, in the gateway or in the service.
            Code::DeadlineExceeded | Code::Cancelled => {
                warn!(
                    message = status.message(),
                    "a service did not answer in time"
                );
                Self::at_the_edge(StatusCode::GATEWAY_TIMEOUT, Reason::Unavailable)
            }
            Code::Unavailable | Code::ResourceExhausted => {
                warn!(message = status.message(), "a service cannot be reached");
                Self::at_the_edge(StatusCode::SERVICE_UNAVAILABLE, Reason::Unavailable)
            }
            code => {
                error!(
                    ?code,
                    message = status.message(),
                    "a service answered outside the contract"
                );
                Self::new(Reason::Internal)
            }
        }
    }
}
