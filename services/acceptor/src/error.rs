//! What can go wrong here, and the only mapping of it to a status.

use std::time::Duration;

use adfolio_kit::error::CoreError;
use adfolio_kit::refusal::{Reason, Refusal};
use tonic::Status;

/// What can go wrong in acceptor.
#[derive(Debug, thiserror::Error)]
pub enum AcceptorError {
    /// What can go wrong in every service.
    #[error(transparent)]
    Core(#[from] CoreError),
    /// No such acceptor.
    #[error("no such acceptor")]
    AcceptorUnknown,
    /// The exact code that staff asked for exists already.
    #[error("the code exists already")]
    CodeTaken,
    /// The code is unknown, expired, of the other kind or another user's; the caller does not learn which.
    #[error("the acceptance code is not valid")]
    CodeWrong,
    /// Too many wrong codes.
    #[error("too many wrong codes")]
    TooManyAttempts(Duration),
    /// Wallet refuses what follows from a decision that stands.
    #[error("wallet refuses to post what was decided")]
    PostingRefused(#[source] Refusal),
}

adfolio_kit::core_error!(AcceptorError);

impl From<AcceptorError> for Status {
    fn from(error: AcceptorError) -> Self {
        let refusal = match error {
            AcceptorError::Core(core) => return core.into(),
            AcceptorError::AcceptorUnknown => Refusal::not_found("acceptor_id"),
            AcceptorError::CodeTaken => Refusal::invalid("code").detail(error.to_string()),
            AcceptorError::CodeWrong => Refusal::new(Reason::AcceptanceCodeError).field("code"),
            AcceptorError::TooManyAttempts(wait) => Refusal::new(Reason::TooManyAttempts)
                .field("code")
                .retry_after(wait),
            AcceptorError::PostingRefused(_) => Refusal::new(Reason::Unavailable),
        };
        refusal.into()
    }
}

#[cfg(test)]
mod tests {
    use adfolio_kit::audit::AuditError;

    use super::*;

    #[test]
    fn a_database_that_fails_under_the_audit_entry_is_unavailable() {
        let broken = AuditError::Database(sqlx::Error::PoolTimedOut);
        let status = Status::from(AcceptorError::from(broken));
        assert_eq!(status.code(), tonic::Code::Unavailable);
    }
}
