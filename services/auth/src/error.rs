//! What can go wrong in auth, and its only mapping to a gRPC status.

use adfolio_kit::audit::AuditError;
use adfolio_kit::idempotency::ClaimError;
use adfolio_kit::outbox::EventError;
use adfolio_kit::refusal::{Refusal, database_status, internal_status};
use tonic::Status;

use crate::password::PasswordError;

/// What can go wrong.
#[derive(Debug, thiserror::Error)]
pub enum AuthError {
    /// The business says no.
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// The database failed.
    #[error("database failed")]
    Database(#[from] sqlx::Error),
    /// A password could not be hashed.
    #[error("password hashing failed")]
    Password(#[from] PasswordError),
    /// An event could not be written.
    #[error("event could not be written")]
    Event(#[from] EventError),
    /// What staff did could not be announced.
    #[error("staff act could not be announced")]
    Audit(#[from] AuditError),
    /// The database holds a value that this version does not know.
    #[error("unknown value in column {0}")]
    Unknown(&'static str),
}

impl From<ClaimError> for AuthError {
    fn from(error: ClaimError) -> Self {
        match error {
            ClaimError::Refused(refusal) => Self::Refused(refusal),
            ClaimError::Database(error) => Self::Database(error),
        }
    }
}

/// The answer to the caller; what is internal is logged here, once.
impl From<AuthError> for Status {
    fn from(error: AuthError) -> Self {
        match error {
            AuthError::Refused(refusal) => refusal.into(),
            AuthError::Database(error) | AuthError::Audit(AuditError::Database(error)) => {
                database_status(&error)
            }
            other => internal_status(&other),
        }
    }
}
