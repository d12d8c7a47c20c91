//! What can go wrong in wallet, and its only mapping to a gRPC status.

use adfolio_kit::audit::AuditError;
use adfolio_kit::idempotency::ClaimError;
use adfolio_kit::refusal::{Reason, Refusal, database_status, internal_status, unavailable_status};
use tonic::Status;

use crate::pay_password::HashError;

/// What can go wrong.
#[derive(Debug, thiserror::Error)]
pub enum WalletError {
    /// The business says no.
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// The database failed.
    #[error("database failed")]
    Database(#[from] sqlx::Error),
    /// Too many postings wait; nothing was posted.
    #[error("posting queue is full")]
    QueueFull,
    /// The caller's deadline was over when its turn came; nothing was posted.
    #[error("deadline was over before the posting")]
    Overdue,
    /// The database did not say what became of the posting; repeating it is safe. Logged by the writer.
    #[error("outcome of the posting is unknown")]
    OutcomeUnknown,
    /// The database refused the posting for a reason that is no business rule. Logged by the writer.
    #[error("posting failed")]
    PostingFailed,
    /// Another service could not be asked.
    #[error("{peer} could not be asked")]
    Peer {
        /// The service.
        peer: &'static str,
        /// What it answered.
        #[source]
        source: Box<Status>,
    },
    /// The attempt at a transaction password took so long that it no longer counts, or the password was reset meanwhile.
    #[error("attempt at the transaction password was forgotten")]
    AttemptForgotten,
    /// A transaction password could not be hashed.
    #[error("cannot hash")]
    Hash(#[from] HashError),
    /// What staff did could not be announced.
    #[error("cannot announce what staff did")]
    Audit(#[source] AuditError),
    /// The database holds something that the schema should have kept out.
    #[error("stored value cannot be read: {0}")]
    Unreadable(&'static str),
}

/// The answer to the caller; what is internal is logged here, once, unless the writer logged it for the whole batch.
impl From<WalletError> for Status {
    fn from(error: WalletError) -> Self {
        match error {
            WalletError::Refused(refusal) => refusal.into(),
            WalletError::Database(error) => database_status(&error),
            WalletError::QueueFull
            | WalletError::Overdue
            | WalletError::OutcomeUnknown
            | WalletError::AttemptForgotten => Refusal::new(Reason::Unavailable)
                .detail(error.to_string())
                .into(),
            WalletError::PostingFailed => Refusal::new(Reason::Internal).into(),
            WalletError::Peer { .. } => unavailable_status(&error),
            WalletError::Hash(_) | WalletError::Audit(_) | WalletError::Unreadable(_) => {
                internal_status(&error)
            }
        }
    }
}

impl From<AuditError> for WalletError {
    fn from(error: AuditError) -> Self {
        match error {
            AuditError::Database(error) => Self::Database(error),
            AuditError::Serialise(_) => Self::Audit(error),
        }
    }
}

impl From<ClaimError> for WalletError {
    fn from(error: ClaimError) -> Self {
        match error {
            ClaimError::Refused(refusal) => Self::Refused(refusal),
            ClaimError::Database(error) => Self::Database(error),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_database_that_fails_under_the_audit_entry_is_unavailable() {
        let broken = AuditError::Database(sqlx::Error::PoolTimedOut);
        assert_eq!(
            Status::from(WalletError::from(broken)).code(),
            tonic::Code::Unavailable
        );
    }
}
