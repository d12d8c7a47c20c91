//! What can go wrong here, and the only mapping of it to a status.

use adfolio_kit::consumer::HandlerError;
use adfolio_kit::error::CoreError;
use adfolio_kit::refusal::{self, Reason, Refusal};
use tonic::Status;

/// What can go wrong in notification.
#[derive(Debug, thiserror::Error)]
pub enum NotificationError {
    /// What can go wrong in every service.
    #[error(transparent)]
    Core(#[from] CoreError),
    /// No such notification, or another user's.
    #[error("no such notification")]
    NotificationUnknown,
    /// No such feedback.
    #[error("no such feedback")]
    FeedbackUnknown,
    /// The feedback was closed before.
    #[error("the feedback is closed already")]
    FeedbackClosed,
    /// No such mail.
    #[error("no such mail")]
    MailUnknown,
    /// The mail was not given up.
    #[error("the mail is not dead")]
    MailNotDead,
    /// No mail has this link any more, or ever had.
    #[error("no mail has this link")]
    LinkInvalid,
    /// Parameters or texts could not be written as JSON.
    #[error("cannot write JSON")]
    Json(#[from] serde_json::Error),
}

adfolio_kit::core_error!(NotificationError);

impl From<NotificationError> for HandlerError {
    fn from(error: NotificationError) -> Self {
        match error {
            NotificationError::Core(core) => core.into(),
            other => Self::failed(other),
        }
    }
}

impl From<NotificationError> for Status {
    fn from(error: NotificationError) -> Self {
        let detail = error.to_string();
        let refusal = match error {
            NotificationError::Core(core) => return core.into(),
            NotificationError::Json(_) => return refusal::internal_status(&error),
            NotificationError::NotificationUnknown
            | NotificationError::FeedbackUnknown
            | NotificationError::MailUnknown => Refusal::not_found("id"),
            NotificationError::FeedbackClosed | NotificationError::MailNotDead => {
                Refusal::new(Reason::NothingChanged)
            }
            NotificationError::LinkInvalid => Refusal::new(Reason::DisownLinkInvalid),
        };
        refusal.detail(detail).into()
    }
}
