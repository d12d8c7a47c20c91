//! What can go wrong in plan, and the one mapping to `Status`.

use adfolio_kit::audit::AuditError;
use adfolio_kit::idempotency::ClaimError;
use adfolio_kit::outbox::EventError;
use adfolio_kit::refusal::{Reason, Refusal, database_status, internal_status, unavailable_status};
use adfolio_money::MoneyError;
use tonic::Status;

/// What can go wrong in plan.
#[derive(Debug, thiserror::Error)]
pub enum PlanError {
    /// The business says no.
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// The database failed.
    #[error("database failed")]
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
    /// An event could not be written.
    #[error("event cannot be made")]
    Event(#[from] EventError),
    /// A figure left its range where no input can be blamed.
    #[error("figure out of range")]
    Figure(#[from] MoneyError),
    /// A row holds what this version does not know.
    #[error("unknown {0} in the database")]
    Corrupt(&'static str),
}

impl PlanError {
    /// The database's error behind it, if it is one.
    pub fn database(&self) -> Option<&sqlx::Error> {
        match self {
            Self::Database(error) => Some(error),
            _ => None,
        }
    }
}

impl From<ClaimError> for PlanError {
    fn from(error: ClaimError) -> Self {
        match error {
            ClaimError::Refused(refusal) => Self::Refused(refusal),
            ClaimError::Database(error) => Self::Database(error),
        }
    }
}

impl From<AuditError> for PlanError {
    fn from(error: AuditError) -> Self {
        match error {
            AuditError::Serialise(error) => Self::Event(error),
            AuditError::Database(error) => Self::Database(error),
        }
    }
}

impl From<PlanError> for Status {
    fn from(error: PlanError) -> Self {
        match error {
            PlanError::Refused(refusal) => refusal.into(),
            PlanError::Database(error) => database_status(&error),
            PlanError::Peer { .. } => unavailable_status(&error),
            PlanError::Unfinished | PlanError::LeaseLost => {
                Refusal::new(Reason::Unavailable).into()
            }
            PlanError::Event(_) | PlanError::Figure(_) | PlanError::Corrupt(_) => {
                internal_status(&error)
            }
        }
    }
}
