//! What can go wrong here, and the only mapping of it to a status.

use adfolio_kit::error::CoreError;
use adfolio_kit::refusal::{Reason, Refusal};
use tonic::Status;

/// What can go wrong in wallet.
#[derive(Debug, thiserror::Error)]
pub enum WalletError {
    /// What can go wrong in every service.
    #[error(transparent)]
    Core(#[from] CoreError),
    /// Too many postings wait; nothing was posted.
    #[error("posting queue is full")]
    QueueFull,
    /// The caller's deadline passed before its turn; nothing was posted.
    #[error("deadline passed before the posting")]
    Overdue,
    /// The database did not confirm the posting; repeating it is safe. Logged by the writer.
    #[error("outcome of the posting is unknown")]
    OutcomeUnknown,
    /// The database refused the posting, but not for a rule of the business. Logged by the writer.
    #[error("posting failed")]
    PostingFailed,
    /// The attempt at a transaction password took too long to count, or the password was reset meanwhile.
    #[error("attempt at the transaction password was forgotten")]
    AttemptForgotten,
}

adfolio_kit::core_error!(WalletError);

impl WalletError {
    /// The database's own error, if this is one.
    pub fn database(&self) -> Option<&sqlx::Error> {
        match self {
            Self::Core(CoreError::Database(error)) => Some(error),
            _ => None,
        }
    }

    /// Why the business refused, if this is a refusal.
    pub fn reason(&self) -> Option<Reason> {
        match self {
            Self::Core(core) => core.refusal().map(|refusal| refusal.reason),
            _ => None,
        }
    }
}

/// The writer has logged a failed posting, once for its whole batch.
impl From<WalletError> for Status {
    fn from(error: WalletError) -> Self {
        let reason = match error {
            WalletError::Core(core) => return core.into(),
            WalletError::PostingFailed => return Refusal::new(Reason::Internal).into(),
            WalletError::QueueFull
            | WalletError::Overdue
            | WalletError::OutcomeUnknown
            | WalletError::AttemptForgotten => Reason::Unavailable,
        };
        Refusal::new(reason).detail(error.to_string()).into()
    }
}
