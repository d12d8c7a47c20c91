//! What can go wrong here, and the only mapping of it to a status.

use adfolio_kit::audit::AuditError;
use adfolio_kit::consumer::HandlerError;
use adfolio_kit::idempotency::ClaimError;
use adfolio_kit::outbox::EventError;
use adfolio_kit::refusal::{self, Reason, Refusal};
use tonic::Status;

/// What can go wrong in the notification service.
#[derive(Debug, thiserror::Error)]
pub enum NotificationError {
    /// An input out of form, a role that is missing, an idempotency key used for something else.
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// No such notification, or another user's.
    #[error("no such notification")]
    NotificationUnknown,
    /// A user to whom a notification shall go does not exist.
    #[error("no such user")]
    RecipientUnknown,
    /// No such feedback.
    #[error("no such feedback")]
    FeedbackUnknown,
    /// The feedback was closed before.
    #[error("the feedback is closed already")]
    FeedbackClosed,
    /// The database failed.
    #[error("cannot use the database")]
    Database(#[from] sqlx::Error),
    /// What staff did could not be announced.
    #[error("cannot announce what staff did")]
    Audit(#[source] AuditError),
    /// An event could not be written.
    #[error("cannot write the event")]
    Event(#[from] EventError),
    /// Parameters or texts could not be written as JSON.
    #[error("cannot write JSON")]
    Json(#[from] serde_json::Error),
    /// A row holds what this version does not know.
    #[error("column {0} holds an unknown value")]
    UnknownColumnValue(&'static str),
    /// auth, which knows the users, did not answer.
    #[error("cannot ask auth")]
    Users(#[source] Box<Status>),
}

impl From<ClaimError> for NotificationError {
    fn from(error: ClaimError) -> Self {
        match error {
            ClaimError::Refused(refusal) => Self::Refused(refusal),
            ClaimError::Database(error) => Self::Database(error),
        }
    }
}

impl From<AuditError> for NotificationError {
    fn from(error: AuditError) -> Self {
        match error {
            AuditError::Database(error) => Self::Database(error),
            AuditError::Serialise(_) => Self::Audit(error),
        }
    }
}

impl From<NotificationError> for HandlerError {
    fn from(error: NotificationError) -> Self {
        match error {
            NotificationError::Database(error) => error.into(),
            error => Self::failed(error),
        }
    }
}

impl NotificationError {
    /// The answer to the caller, if this is an answer of the business.
    fn refusal(&self) -> Option<Refusal> {
        let refusal = match self {
            Self::Refused(refusal) => return Some(refusal.clone()),
            Self::NotificationUnknown | Self::FeedbackUnknown => Refusal::not_found("id"),
            Self::RecipientUnknown => Refusal::not_found("to"),
            Self::FeedbackClosed => Refusal::new(Reason::NothingChanged),
            Self::Database(_)
            | Self::Audit(_)
            | Self::Event(_)
            | Self::Json(_)
            | Self::UnknownColumnValue(_)
            | Self::Users(_) => return None,
        };
        Some(refusal.detail(self.to_string()))
    }

    /// The status of a failed `operation`.
    pub fn into_status(self, operation: &'static str) -> Status {
        match (self.refusal(), &self) {
            (Some(refusal), _) => refusal.into(),
            (None, Self::Database(error)) => refusal::database_status(error, operation),
            (None, Self::Users(_)) => refusal::unavailable_status(&self, operation),
            (None, _) => refusal::internal_status(&self, operation),
        }
    }
}
