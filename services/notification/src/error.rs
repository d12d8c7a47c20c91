//! What can go wrong here, and the only mapping of it to a status.

use adfolio_kit::refusal::{self, Refusal};
use tonic::Status;

/// What can go wrong in the notification service.
#[derive(Debug, thiserror::Error)]
pub enum NotificationError {
    /// An input out of form, or a role that is missing.
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// No such notification, or another user's.
    #[error("no such notification")]
    NotificationUnknown,
    /// The database failed.
    #[error("cannot use the database")]
    Database(#[from] sqlx::Error),
    /// Parameters or labels could not be written as JSON.
    #[error("cannot write JSON")]
    Json(#[from] serde_json::Error),
    /// A row holds what this version does not know.
    #[error("column {0} holds an unknown value")]
    UnknownColumnValue(&'static str),
}

impl NotificationError {
    /// The status of a failed `operation`.
    pub fn into_status(self, operation: &'static str) -> Status {
        match self {
            Self::Refused(refusal) => refusal.into(),
            Self::NotificationUnknown => Refusal::not_found("id").into(),
            Self::Database(error) => refusal::database_status(&error, operation),
            Self::Json(_) | Self::UnknownColumnValue(_) => {
                refusal::internal_status(&self, operation)
            }
        }
    }
}
