//! What can go wrong here, and the only mapping of it to a status.

use adfolio_kit::error::CoreError;
use adfolio_kit::refusal::{self, Reason, Refusal, is_unique_violation};
use tonic::Status;

/// What can go wrong in auth.
#[derive(Debug, thiserror::Error)]
pub enum AuthError {
    /// What can go wrong in every service.
    #[error(transparent)]
    Core(#[from] CoreError),
    /// The caller has no session, or the account or session is gone.
    #[error("not authenticated")]
    NotAuthenticated,
    /// The user name or the password of a login is wrong.
    #[error("wrong user name or password")]
    BadCredentials,
    /// The present password is wrong; the field that has it.
    #[error("wrong password")]
    WrongPassword(&'static str),
    /// The user name belongs to another account, or looks like that of one.
    #[error("the user name is taken")]
    UsernameTaken,
    /// Another host has the name.
    #[error("the host's name is taken")]
    HostNameTaken,
    /// No such user; the field that names one.
    #[error("no such user")]
    UserUnknown(&'static str),
    /// The user never had this session.
    #[error("no such session")]
    SessionUnknown,
    /// No such licence key; the field that has its code.
    #[error("no such licence key")]
    LicenseUnknown(&'static str),
    /// The licence key has opened an account; the field that has its code.
    #[error("the licence key was used")]
    LicenseUsed(&'static str),
    /// The code of a mail is wrong, or confirms nothing any more.
    #[error("the code of the mail is not valid")]
    EmailCodeInvalid,
}

adfolio_kit::core_error!(AuthError);

impl AuthError {
    /// A violation of one of these constraints is a taken user name.
    pub fn or_username_taken(self, constraints: &[&str]) -> Self {
        let Self::Core(CoreError::Database(error)) = &self else {
            return self;
        };
        let taken = |name: &&str| is_unique_violation(error, name);
        if constraints.iter().any(taken) {
            Self::UsernameTaken
        } else {
            self
        }
    }

    /// The answer to the caller, if this is a refusal.
    pub fn refusal(&self) -> Option<Refusal> {
        Some(match self {
            Self::Core(core) => return core.refusal().cloned(),
            Self::NotAuthenticated => Refusal::new(Reason::NotAuthenticated),
            Self::BadCredentials => Refusal::new(Reason::BadCredentials),
            Self::WrongPassword(field) => Refusal::new(Reason::WrongPassword).field(*field),
            Self::HostNameTaken => Refusal::invalid("name").detail("another host has this name"),
            Self::UsernameTaken => Refusal::new(Reason::UsernameTaken).field("username"),
            Self::UserUnknown(field) => Refusal::not_found(*field),
            Self::SessionUnknown => Refusal::not_found("id"),
            Self::LicenseUnknown(field) => Refusal::new(Reason::LicenseNotFound).field(*field),
            Self::LicenseUsed(field) => Refusal::new(Reason::LicenseUsed).field(*field),
            Self::EmailCodeInvalid => Refusal::new(Reason::EmailCodeInvalid).field("code"),
        })
    }
}

impl From<AuthError> for Status {
    fn from(error: AuthError) -> Self {
        match error {
            AuthError::Core(core) => core.into(),
            refused => refused
                .refusal()
                .map_or_else(|| refusal::internal_status(&refused), Self::from),
        }
    }
}
