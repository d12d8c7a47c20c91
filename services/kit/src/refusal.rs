//! Refusals: answers of the business that are not a success, and how every other error becomes a
//! `Status`.
//!
//! A refusal travels as `google.rpc.Status` with an `ErrorInfo {reason, domain "adfolio", metadata
//! {field?, rule?, missing?, retry_after?, lang?}}`.

use std::collections::HashMap;
use std::error::Error;
use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use adfolio_money::Money;
use sqlx::error::DatabaseError;
use tonic::metadata::MetadataValue;
use tonic::{Code, Status};
use tonic_types::{ErrorDetails, StatusExt};
use tracing::{debug, error, warn};

use crate::chaos::Defect;
use crate::db::NoPrimary;

/// The domain of every `ErrorInfo`.
pub const DOMAIN: &str = "adfolio";

/// Metadata of a refusal by a replica that has not processed the call because it is starting:
/// another replica may be tried, even for a call that must not happen twice. The client acts on it
/// and removes it.
pub const NOT_TAKEN: &str = "adfolio-not-taken";

/// Metadata of the status of a call whose database has moved to another server. The layer around
/// every call acts on it and removes it.
pub(crate) const MOVED: &str = "adfolio-database-moved";

macro_rules! reasons {
    ($($(#[$doc:meta])* $variant:ident = $name:literal, $code:ident;)*) => {
        /// Why a call was refused. The names are part of the public contract.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Reason {
            $($(#[$doc])* $variant,)*
        }

        impl Reason {
            /// Every reason.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)*];

            /// The name on the wire.
            pub fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $name,)* }
            }

            /// The gRPC code that goes with it.
            pub fn code(self) -> Code {
                match self { $(Self::$variant => Code::$code,)* }
            }
        }

        impl FromStr for Reason {
            type Err = UnknownReason;

            fn from_str(text: &str) -> Result<Self, Self::Err> {
                match text {
                    $($name => Ok(Self::$variant),)*
                    _ => Err(UnknownReason),
                }
            }
        }
    };
}

/// Not a [`Reason`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown reason")]
pub struct UnknownReason;

reasons! {
    /// An input is missing, mistyped or out of form; `field` names it.
    Validation = "VALIDATION", InvalidArgument;
    /// The idempotency key was used for another request.
    IdempotencyKeyReused = "IDEMPOTENCY_KEY_REUSED", InvalidArgument;
    /// No token, or one that nobody issued.
    NotAuthenticated = "NOT_AUTHENTICATED", Unauthenticated;
    /// The staff role does not allow this.
    Forbidden = "FORBIDDEN", PermissionDenied;
    /// Another member of staff must approve this first; the request is kept.
    ApprovalRequired = "APPROVAL_REQUIRED", FailedPrecondition;
    /// The account waits for its authorisation code.
    AccountNotActivated = "ACCOUNT_NOT_ACTIVATED", PermissionDenied;
    /// The account was disabled by staff.
    AccountDisabled = "ACCOUNT_DISABLED", PermissionDenied;
    /// The account was cancelled.
    AccountCancelled = "ACCOUNT_CANCELLED", PermissionDenied;
    /// What was named does not exist or is not the caller's.
    NotFound = "NOT_FOUND", NotFound;
    /// Too many attempts; `retry_after` says when the next is allowed.
    TooManyAttempts = "TOO_MANY_ATTEMPTS", ResourceExhausted;
    /// Something broke inside.
    Internal = "INTERNAL", Internal;
    /// A part behind did not answer in time.
    Unavailable = "UNAVAILABLE", Unavailable;
    /// No database server takes changes now; what is there can be read.
    ChangesPaused = "CHANGES_PAUSED", Unavailable;
    /// The session has expired or was revoked.
    SessionExpired = "SESSION_EXPIRED", Unauthenticated;
    /// The user name is taken.
    UsernameTaken = "USERNAME_TAKEN", AlreadyExists;
    /// Wrong user name or password.
    BadCredentials = "BAD_CREDENTIALS", FailedPrecondition;
    /// The two passwords differ.
    PasswordMismatch = "PASSWORD_MISMATCH", FailedPrecondition;
    /// The new password is the old one.
    PasswordUnchanged = "PASSWORD_UNCHANGED", FailedPrecondition;
    /// The old password is wrong.
    WrongPassword = "WRONG_PASSWORD", FailedPrecondition;
    /// No such authorisation code.
    LicenseNotFound = "LICENSE_NOT_FOUND", FailedPrecondition;
    /// The authorisation code was used already.
    LicenseUsed = "LICENSE_USED", FailedPrecondition;
    /// The ad account is open already.
    StoreAlreadyOpen = "STORE_ALREADY_OPEN", FailedPrecondition;
    /// There is no transaction password yet.
    PayPasswordNotSet = "PAY_PASSWORD_NOT_SET", FailedPrecondition;
    /// The transaction password is wrong.
    WrongPayPassword = "WRONG_PAY_PASSWORD", FailedPrecondition;
    /// The transaction password is too easy to guess.
    WeakPayPassword = "WEAK_PAY_PASSWORD", FailedPrecondition;
    /// The transaction password is locked after wrong attempts.
    PayPasswordLocked = "PAY_PASSWORD_LOCKED", ResourceExhausted;
    /// The balance does not cover the amount.
    InsufficientBalance = "INSUFFICIENT_BALANCE", FailedPrecondition;
    /// The amount is outside the allowed range.
    AmountOutOfRange = "AMOUNT_OUT_OF_RANGE", FailedPrecondition;
    /// Start-up funds must be returned first.
    StartUpFundsNotReturned = "START_UP_FUNDS_NOT_RETURNED", FailedPrecondition;
    /// No bank card or wallet address is bound.
    BankCardNotBound = "BANK_CARD_NOT_BOUND", FailedPrecondition;
    /// No money leaves for a while after a change of what protects the wallet; `retry_after` says how long.
    WithdrawalCoolingOff = "WITHDRAWAL_COOLING_OFF", FailedPrecondition;
    /// As much as may leave within 24 hours has left; `retry_after` says when the first of it is no longer counted.
    DayLimitReached = "DAY_LIMIT_REACHED", FailedPrecondition;
    /// The owner has frozen the wallet: nothing leaves until the owner and staff have agreed.
    WalletFrozen = "WALLET_FROZEN", FailedPrecondition;
    /// The password was reset: it must be changed before anything else.
    PasswordChangeRequired = "PASSWORD_CHANGE_REQUIRED", PermissionDenied;
    /// Of staff: the second factor must be shown, shown again, or set up.
    SecondFactorRequired = "SECOND_FACTOR_REQUIRED", FailedPrecondition;
    /// The session is not fresh: the login password is asked for once more.
    StepUpRequired = "STEP_UP_REQUIRED", FailedPrecondition;
    /// A host's assertion is malformed, expired, used before, or signed with a key that is not registered.
    AssertionRejected = "ASSERTION_REJECTED", FailedPrecondition;
    /// The code of a mail is wrong, or confirms nothing any more.
    EmailCodeInvalid = "EMAIL_CODE_INVALID", FailedPrecondition;
    /// The link of a mail is unknown or too old.
    DisownLinkInvalid = "DISOWN_LINK_INVALID", FailedPrecondition;
    /// The request would change nothing.
    NothingChanged = "NOTHING_CHANGED", FailedPrecondition;
    /// Somebody else changed it after the caller had looked at it.
    ChangedMeanwhile = "CHANGED_MEANWHILE", FailedPrecondition;
    /// The plan cannot be put in its present state.
    PlanNotPuttable = "PLAN_NOT_PUTTABLE", FailedPrecondition;
    /// The coupon is used, expired or not applicable.
    CouponNotUsable = "COUPON_NOT_USABLE", FailedPrecondition;
    /// The amount is below what the coupon asks for.
    CouponBelowRequirement = "COUPON_BELOW_REQUIREMENT", FailedPrecondition;
    /// The coupon was claimed before.
    CouponAlreadyClaimed = "COUPON_ALREADY_CLAIMED", FailedPrecondition;
    /// A coupon of this name was claimed today.
    CouponNameClaimedToday = "COUPON_NAME_CLAIMED_TODAY", FailedPrecondition;
    /// No such operator to follow.
    FollowIdError = "FOLLOW_ID_ERROR", FailedPrecondition;
    /// That operator is followed already.
    FollowIdCurrent = "FOLLOW_ID_CURRENT", FailedPrecondition;
    /// The acceptance code is not valid.
    AcceptanceCodeError = "ACCEPTANCE_CODE_ERROR", FailedPrecondition;
    /// The amount is outside the exchange limits.
    ExchangeLimit = "EXCHANGE_LIMIT", FailedPrecondition;
    /// The user has an exchange order that is still open.
    ExchangeOpen = "EXCHANGE_OPEN", FailedPrecondition;
    /// The file is too large.
    FileTooLarge = "FILE_TOO_LARGE", FailedPrecondition;
    /// The file is not an image of a known kind.
    FileNotImage = "FILE_NOT_IMAGE", FailedPrecondition;
}

impl fmt::Display for Reason {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

crate::names! {
    /// The rule that an input of VALIDATION breaks, where there is more to say than its name. The names are part of the
    /// public contract.
    Rule {
        /// Fewer characters than it needs.
        TooShort,
        /// More characters than it may have.
        TooLong,
        /// Nothing but blanks.
        Blank,
        /// Among the passwords that are tried first.
        Common,
        /// Little more than a name of its owner.
        LikeName,
        /// Characters, or an order of characters, that such an input may not have.
        Form,
        /// Letters of several scripts, as names are forged.
        MixedScripts,
        /// A reason that does not name every limit that it allows to be passed.
        UnnamedLimit,
    }
}

/// An answer of the business that is not a success.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Refusal {
    /// The reason.
    pub reason: Reason,
    /// The offending input.
    pub field: Option<String>,
    /// The rule that the input breaks.
    pub rule: Option<Rule>,
    /// What the amount falls short by.
    pub missing: Option<Money>,
    /// How long to wait before the next attempt.
    pub retry_after: Option<Duration>,
    /// The language of the user, for calls that do not yet know the user.
    pub lang: Option<String>,
    /// A sentence for developers; never shown to users and never with secrets in it.
    pub detail: Option<String>,
}

impl Refusal {
    /// A refusal with only a reason.
    pub fn new(reason: Reason) -> Self {
        Self {
            reason,
            field: None,
            rule: None,
            missing: None,
            retry_after: None,
            lang: None,
            detail: None,
        }
    }

    /// VALIDATION of the named input.
    pub fn invalid(field: impl Into<String>) -> Self {
        Self::new(Reason::Validation).field(field)
    }

    /// VALIDATION of the named input by a rule.
    pub fn broken(rule: Rule, field: impl Into<String>) -> Self {
        Self {
            rule: Some(rule),
            ..Self::invalid(field)
        }
    }

    /// NOT_FOUND of what the named input refers to.
    pub fn not_found(field: impl Into<String>) -> Self {
        Self::new(Reason::NotFound).field(field)
    }

    /// A refusal that a row keeps, if it does.
    pub fn from_columns(
        reason: Option<&str>,
        field: Option<String>,
    ) -> Result<Option<Self>, UnknownReason> {
        let Some(reason) = reason else {
            return Ok(None);
        };
        Ok(Some(Self {
            field,
            ..Self::new(reason.parse()?)
        }))
    }

    /// Sets the offending input.
    #[must_use]
    pub fn field(mut self, field: impl Into<String>) -> Self {
        self.field = Some(field.into());
        self
    }

    /// Sets what the amount falls short by.
    #[must_use]
    pub fn missing(mut self, amount: Money) -> Self {
        self.missing = Some(amount);
        self
    }

    /// Sets the time to wait.
    #[must_use]
    pub fn retry_after(mut self, wait: Duration) -> Self {
        self.retry_after = Some(wait);
        self
    }

    /// Sets the language of the user.
    #[must_use]
    pub fn lang(mut self, lang: impl Into<String>) -> Self {
        self.lang = Some(lang.into());
        self
    }

    /// Adds a sentence for developers.
    #[must_use]
    pub fn detail(mut self, detail: impl Into<String>) -> Self {
        self.detail = Some(detail.into());
        self
    }

    /// The refusal in a status, if there is one.
    pub fn from_status(status: &Status) -> Option<Self> {
        let info = status
            .get_details_error_info()
            .filter(|info| info.domain == DOMAIN)?;
        let reason = info.reason.parse().ok()?;
        let seconds = info
            .metadata
            .get("retry_after")
            .and_then(|text| text.parse().ok());
        let message = status.message();
        Some(Self {
            reason,
            field: info.metadata.get("field").cloned(),
            // A rule of a later release is none.
            rule: info
                .metadata
                .get("rule")
                .and_then(|name| Rule::from_name(name)),
            missing: info
                .metadata
                .get("missing")
                .and_then(|amount| amount.parse().ok()),
            retry_after: seconds.map(Duration::from_secs),
            lang: info.metadata.get("lang").cloned(),
            detail: (message != info.reason).then(|| message.to_owned()),
        })
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.detail {
            Some(detail) => formatter.write_str(detail),
            None => formatter.write_str(self.reason.as_str()),
        }
    }
}

impl Error for Refusal {}

impl From<Refusal> for Status {
    fn from(refusal: Refusal) -> Self {
        let mut metadata = HashMap::new();
        if let Some(field) = &refusal.field {
            metadata.insert("field".to_owned(), field.clone());
        }
        if let Some(rule) = refusal.rule {
            metadata.insert("rule".to_owned(), rule.as_str().to_owned());
        }
        if let Some(amount) = refusal.missing {
            metadata.insert("missing".to_owned(), amount.to_string());
        }
        if let Some(wait) = refusal.retry_after {
            // Rounded up: a caller who waits that many whole seconds is allowed again.
            let seconds = wait
                .as_secs()
                .saturating_add(u64::from(wait.subsec_nanos() > 0));
            metadata.insert("retry_after".to_owned(), seconds.to_string());
        }
        if let Some(lang) = &refusal.lang {
            metadata.insert("lang".to_owned(), lang.clone());
        }
        let details = ErrorDetails::with_error_info(refusal.reason.as_str(), DOMAIN, metadata);
        Status::with_error_details(refusal.reason.code(), refusal.to_string(), details)
    }
}

/// INTERNAL, with the error and its causes logged once. The answer contains none of them.
pub fn internal_status(error: &(dyn Error + 'static)) -> Status {
    error!(error = chain(error), "internal error");
    Refusal::new(Reason::Internal).into()
}

/// UNAVAILABLE for a dependency that cannot be reached, with the cause logged.
pub fn unavailable_status(error: &(dyn Error + 'static)) -> Status {
    warn!(error = chain(error), "dependency unavailable");
    Refusal::new(Reason::Unavailable).into()
}

/// The status of a database error: CHANGES_PAUSED without a primary, UNAVAILABLE if the server
/// cannot be reached or is overloaded, else INTERNAL. Violations that belong to the business (a
/// unique key, a check) are recognised by their constraint before this is called.
pub fn database_status(error: &sqlx::Error) -> Status {
    if is_without_primary(error) {
        // The database's state is logged where it is found out, once for all calls.
        debug!(error = chain(error), "changes are paused");
        return Refusal::new(Reason::ChangesPaused).into();
    }
    if !is_unavailable(error) {
        return internal_status(error);
    }
    let mut status = unavailable_status(error);
    if is_moved(error) {
        let metadata = status.metadata_mut();
        metadata.insert(MOVED, MetadataValue::from_static("moved"));
    }
    status
}

/// Whether no server of the database is the primary.
pub fn is_without_primary(error: &sqlx::Error) -> bool {
    match error {
        sqlx::Error::Io(error) => error
            .get_ref()
            .is_some_and(<dyn Error + Send + Sync>::is::<NoPrimary>),
        _ => false,
    }
}

/// Whether the server went away or stopped being the primary, so that another one, or the same a
/// moment later, may do the work.
pub fn is_moved(error: &sqlx::Error) -> bool {
    match error {
        sqlx::Error::Io(_) => !is_without_primary(error),
        // A server that dies while a connection is being opened leaves half an answer, which sqlx
        // reports as unexpected data.
        sqlx::Error::PoolClosed | sqlx::Error::BeginFailed | sqlx::Error::Protocol(_) => true,
        sqlx::Error::Database(database) => database.code().is_some_and(|code| {
            // 08: connection; 57P01-57P03: shutdown, crash, starting up or shutting down; 25006:
            // read-only, as a standby is.
            code.starts_with("08")
                || matches!(&*code, "57P01" | "57P02" | "57P03")
                || (&*code == "25006" && !Defect::ReadOnlyUnnoticed.is_enabled())
        }),
        _ => false,
    }
}

/// Whether the server refused to change anything, as a standby does.
pub fn is_read_only(error: &sqlx::Error) -> bool {
    let database = error.as_database_error();
    database.and_then(DatabaseError::code).as_deref() == Some("25006")
}

/// Whether the database cannot do the work now, but may later.
pub fn is_unavailable(error: &sqlx::Error) -> bool {
    if is_moved(error) {
        return true;
    }
    match error {
        sqlx::Error::Io(_) | sqlx::Error::Tls(_) | sqlx::Error::PoolTimedOut => true,
        sqlx::Error::Database(database) => database.code().is_some_and(|code| {
            // 53: out of connections, memory or disk; 57P04, 57P05: dropped, idle. 25P03: idle in
            // transaction; 57014: statement timeout; 55P03: lock timeout; 40001, 40P01:
            // serialization, deadlock.
            code.starts_with("53")
                || code.starts_with("57P0")
                || matches!(&*code, "25P03" | "57014" | "55P03" | "40001" | "40P01")
        }),
        _ => false,
    }
}

/// Whether two transactions conflicted, so that a retry may succeed.
pub fn is_serialization_failure(error: &sqlx::Error) -> bool {
    error
        .as_database_error()
        .and_then(DatabaseError::code)
        .is_some_and(|code| matches!(&*code, "40001" | "40P01"))
}

/// Whether the error is a violation of the named unique constraint or index.
pub fn is_unique_violation(error: &sqlx::Error, constraint: &str) -> bool {
    error.as_database_error().is_some_and(|database| {
        database.is_unique_violation() && database.constraint() == Some(constraint)
    })
}

/// An error and its causes in one line.
pub fn chain(error: &(dyn Error + 'static)) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(inner) = cause {
        let inner_text = inner.to_string();
        // Some libraries repeat the cause in their own text.
        if !text.ends_with(&inner_text) {
            text.push_str(": ");
            text.push_str(&inner_text);
        }
        cause = inner.source();
    }
    text
}
