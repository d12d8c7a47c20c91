//! What can go wrong here, and the only mapping of it to a status.

use std::time::Duration;

use adfolio_kit::audit::AuditError;
use adfolio_kit::idempotency::ClaimError;
use adfolio_kit::outbox::EventError;
use adfolio_kit::refusal::{self, Reason, Refusal};
use tonic::Status;

/// What can go wrong in the acceptor service.
#[derive(Debug, thiserror::Error)]
pub enum AcceptorError {
    /// An input out of form, a role that is missing, an idempotency key used for something else.
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// No such acceptor.
    #[error("no such acceptor")]
    AcceptorUnknown,
    /// The exact code that was asked for exists already.
    #[error("the code exists already")]
    CodeTaken,
    /// The code is unknown, expired, of the other kind or another user's: which of them is not told.
    #[error("the acceptance code is not valid")]
    CodeWrong,
    /// Too many wrong codes.
    #[error("too many wrong codes")]
    TooManyAttempts(Duration),
    /// The database failed.
    #[error("cannot use the database")]
    Database(#[from] sqlx::Error),
    /// Another service could not be asked, or did not answer in time.
    #[error("{peer} did not answer")]
    Peer {
        /// Its name.
        peer: &'static str,
        /// What came instead.
        #[source]
        source: Box<Status>,
    },
    /// The work goes on, but its end was not reached in time.
    #[error("not finished in time")]
    Unfinished,
    /// The drive lost its lease to another one, which goes on.
    #[error("another drive has taken over")]
    LeaseLost,
    /// Wallet refuses what follows from a decision that stands.
    #[error("wallet refuses to post what was decided")]
    PostingRefused(#[source] Refusal),
    /// An event could not be written.
    #[error("cannot write the event")]
    Event(#[from] EventError),
    /// What staff did could not be announced.
    #[error("cannot announce what staff did")]
    Audit(#[source] AuditError),
    /// A row holds what this version does not know.
    #[error("column {0} holds an unknown value")]
    UnknownColumnValue(&'static str),
}

impl From<AuditError> for AcceptorError {
    fn from(error: AuditError) -> Self {
        match error {
            AuditError::Database(error) => Self::Database(error),
            AuditError::Serialise(_) => Self::Audit(error),
        }
    }
}

impl From<ClaimError> for AcceptorError {
    fn from(error: ClaimError) -> Self {
        match error {
            ClaimError::Refused(refusal) => Self::Refused(refusal),
            ClaimError::Database(error) => Self::Database(error),
        }
    }
}

impl AcceptorError {
    /// The status of a failed `operation`.
    pub fn into_status(self, _: &'static str) -> Status {
        let refusal = match &self {
            Self::Refused(refusal) => refusal.clone(),
            Self::AcceptorUnknown => Refusal::not_found("acceptor_id"),
            Self::CodeTaken => Refusal::invalid("code").detail(self.to_string()),
            Self::CodeWrong => Refusal::new(Reason::AcceptanceCodeError).field("code"),
            Self::TooManyAttempts(wait) => Refusal::new(Reason::TooManyAttempts)
                .field("code")
                .retry_after(*wait),
            Self::Database(error) => return refusal::database_status(error),
            Self::Peer { .. } => return refusal::unavailable_status(&self),
            Self::Unfinished | Self::LeaseLost | Self::PostingRefused(_) => {
                Refusal::new(Reason::Unavailable)
            }
            Self::Event(_) | Self::Audit(_) | Self::UnknownColumnValue(_) => {
                return refusal::internal_status(&self);
            }
        };
        refusal.into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_database_that_fails_under_the_audit_entry_is_unavailable() {
        let broken = AuditError::Database(sqlx::Error::PoolTimedOut);
        assert_eq!(
            AcceptorError::from(broken).into_status("decide").code(),
            tonic::Code::Unavailable
        );
    }
}
