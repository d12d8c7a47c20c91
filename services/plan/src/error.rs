//! What can go wrong here, and the only mapping of it to a status.

use adfolio_kit::consumer::HandlerError;
use adfolio_kit::error::CoreError;
use adfolio_kit::refusal::{Reason, Refusal, internal_status};
use adfolio_money::MoneyError;
use tonic::Status;

use crate::order::status;

/// What can go wrong in plan.
#[derive(Debug, thiserror::Error)]
pub enum PlanError {
    /// What can go wrong in every service.
    #[error(transparent)]
    Core(#[from] CoreError),
    /// The order's status does not allow this.
    #[error("a plan that is {} does not allow this", .0.as_str())]
    NotAllowed(status::Status),
    /// A put was not committed with others, or not as far as is known; repeating it is safe.
    #[error("not committed: {0}")]
    NotCommitted(&'static str),
    /// An amount or a count left its range, and no input is to blame.
    #[error("amount out of range")]
    Amount(#[from] MoneyError),
}

adfolio_kit::core_error!(PlanError);

impl PlanError {
    /// The answer to the caller, if this is a refusal.
    pub fn refusal(&self) -> Option<Refusal> {
        match self {
            Self::Core(core) => core.refusal().cloned(),
            Self::NotAllowed(_) => Some(Refusal::invalid("id").detail(self.to_string())),
            Self::NotCommitted(_) | Self::Amount(_) => None,
        }
    }

    /// The database's error, if this is one.
    pub fn database(&self) -> Option<&sqlx::Error> {
        match self {
            Self::Core(CoreError::Database(error)) => Some(error),
            _ => None,
        }
    }
}

impl From<PlanError> for Status {
    fn from(error: PlanError) -> Self {
        match error {
            PlanError::Core(core) => core.into(),
            PlanError::NotCommitted(_) => {
                let refusal = Refusal::new(Reason::Unavailable);
                refusal.detail(error.to_string()).into()
            }
            other => other
                .refusal()
                .map_or_else(|| internal_status(&other), Self::from),
        }
    }
}

impl From<PlanError> for HandlerError {
    fn from(error: PlanError) -> Self {
        match error {
            PlanError::Core(core) => core.into(),
            other => Self::failed(other),
        }
    }
}
