//! The errors that any service can have, and the one conversion to a `Status`.
//!
//! A service has one error enum. Its first variant wraps [`CoreError`]; the others are refusals
//! that its own code distinguishes. [`core_error!`](crate::core_error) makes `?` work on everything
//! that kit returns:
//!
//! ```
//! use adfolio_kit::error::CoreError;
//!
//! #[derive(Debug, thiserror::Error)]
//! enum LampError {
//!     #[error(transparent)]
//!     Core(#[from] CoreError),
//!     #[error("the lamp is broken")]
//!     Broken,
//! }
//! adfolio_kit::core_error!(LampError);
//! ```

use std::error::Error;

use tonic::Status;

use crate::audit::AuditError;
use crate::idempotency::ClaimError;
use crate::outbox::EventError;
use crate::password::HashError;
use crate::refusal::{self, Reason, Refusal};

/// Refusals by a peer that concern the call and not its business: the caller cannot act on them.
const PEER_FAULTS: [Reason; 6] = [
    Reason::Internal,
    Reason::Unavailable,
    Reason::ChangesPaused,
    Reason::TooManyAttempts,
    Reason::NotAuthenticated,
    Reason::Forbidden,
];

/// The errors that any service can have.
#[derive(Debug, thiserror::Error)]
pub enum CoreError {
    /// A refusal.
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// The database failed.
    #[error("database failed")]
    Database(#[from] sqlx::Error),
    /// Another service did not answer, or not in time.
    #[error("{peer} did not answer")]
    Peer {
        /// The service's name.
        peer: &'static str,
        /// Its status.
        #[source]
        source: Box<Status>,
    },
    /// The work continues in the background; it did not finish within the call's deadline.
    #[error("not finished in time")]
    Unfinished,
    /// Another drive has taken a saga's lease over; it goes on.
    #[error("another drive has taken over")]
    LeaseLost,
    /// The audit entry could not be written.
    #[error("audit entry cannot be written")]
    Audit(#[source] AuditError),
    /// An event could not be written.
    #[error("event cannot be written")]
    Event(#[from] EventError),
    /// A password could not be hashed.
    #[error("password cannot be hashed")]
    Hash(#[from] HashError),
    /// A stored value that this release does not know: the column, or what it belongs to.
    #[error("unknown value in {0}")]
    Corrupt(&'static str),
}

impl CoreError {
    /// The error of a call to `peer`. A refusal by its business passes through; anything else means
    /// that the peer is unavailable.
    pub fn from_peer(peer: &'static str, status: Status) -> Self {
        match Refusal::from_status(&status) {
            Some(refusal) if !PEER_FAULTS.contains(&refusal.reason) => Self::Refused(refusal),
            _ => Self::Peer {
                peer,
                source: Box::new(status),
            },
        }
    }

    /// The refusal, if this is one.
    pub fn refusal(&self) -> Option<&Refusal> {
        match self {
            Self::Refused(refusal) => Some(refusal),
            _ => None,
        }
    }
}

impl From<ClaimError> for CoreError {
    fn from(error: ClaimError) -> Self {
        match error {
            ClaimError::Refused(refusal) => Self::Refused(refusal),
            ClaimError::Database(error) => Self::Database(error),
        }
    }
}

impl From<AuditError> for CoreError {
    fn from(error: AuditError) -> Self {
        match error {
            AuditError::Database(error) => Self::Database(error),
            AuditError::Serialise(_) => Self::Audit(error),
        }
    }
}

/// The status for the caller. An internal cause is logged here, once, inside the span of its call,
/// and never sent.
impl From<CoreError> for Status {
    fn from(error: CoreError) -> Self {
        match error {
            CoreError::Refused(refusal) => refusal.into(),
            CoreError::Database(error) => refusal::database_status(&error),
            CoreError::Peer { ref source, .. } if is_paused(source) => {
                Refusal::new(Reason::ChangesPaused).into()
            }
            CoreError::Peer { .. } => refusal::unavailable_status(&error),
            CoreError::Unfinished | CoreError::LeaseLost => {
                Refusal::new(Reason::Unavailable).into()
            }
            CoreError::Audit(_)
            | CoreError::Event(_)
            | CoreError::Hash(_)
            | CoreError::Corrupt(_) => refusal::internal_status(&error),
        }
    }
}

/// Whether a peer's database has no primary.
fn is_paused(status: &Status) -> bool {
    Refusal::from_status(status).is_some_and(|refusal| refusal.reason == Reason::ChangesPaused)
}

/// The error of a service; [`core_error!`](crate::core_error) implements it.
pub trait ServiceError:
    Error + From<CoreError> + From<sqlx::Error> + Send + Sync + 'static
{
    /// The core of the error, unless it is a refusal of the service's own.
    fn core(&self) -> Option<&CoreError>;
}

/// Makes `?` convert what kit returns into a service's error, whose variant `Core` wraps a
/// [`CoreError`].
#[macro_export]
macro_rules! core_error {
    ($error:ty) => {
        $crate::core_error!($error:
            $crate::refusal::Refusal,
            ::sqlx::Error,
            $crate::audit::AuditError,
            $crate::idempotency::ClaimError,
            $crate::outbox::EventError,
            $crate::password::HashError,
        );

        impl $crate::error::ServiceError for $error {
            #[allow(
                irrefutable_let_patterns,
                reason = "a service may have no refusal of its own"
            )]
            fn core(&self) -> ::std::option::Option<&$crate::error::CoreError> {
                if let Self::Core(core) = self {
                    ::std::option::Option::Some(core)
                } else {
                    ::std::option::Option::None
                }
            }
        }
    };
    ($error:ty: $($source:ty,)*) => {
        $(impl ::std::convert::From<$source> for $error {
            fn from(source: $source) -> Self {
                Self::Core(source.into())
            }
        })*
    };
}
