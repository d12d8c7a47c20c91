//! What this service announces. An event is written in the transaction of its change; its subject is the user or member
//! of staff.

use adfolio_kit::db::Tx;
use adfolio_kit::identity::UserId;
use adfolio_kit::outbox::{Event, enqueue_in_tx};
use adfolio_proto::events::v1 as wire;

use crate::error::AuthError;
use crate::ids::{FormerEmailId, SessionId};
use crate::session::entity::Owner;
use crate::user::EmailCode;
use crate::user::entity::{User, UserState};

const USER_REGISTERED: &str = "adfolio.auth.v1.UserRegistered";
const SESSIONS_REVOKED: &str = "adfolio.auth.v1.SessionsRevoked";
const PASSWORD_CHANGED: &str = "adfolio.auth.v1.PasswordChanged";
const CONTACT_CHANGED: &str = "adfolio.auth.v1.ContactChanged";
const EMAIL_CODE_REQUESTED: &str = "adfolio.auth.v1.EmailCodeRequested";
const NEW_CLIENT_LOGGED_IN: &str = "adfolio.auth.v1.NewClientLoggedIn";
const ACCOUNT_STATE_CHANGED: &str = "adfolio.auth.v1.AccountStateChanged";

/// An account was created.
pub async fn user_registered_in_tx(tx: &mut Tx, user: &User) -> Result<(), AuthError> {
    let data = wire::UserRegistered {
        user_id: user.id.to_string(),
        username: user.username.clone(),
        entry: user.entry.as_str().to_owned(),
        lang: user.lang.clone(),
    };
    Ok(enqueue_in_tx(tx, &[Event::new(USER_REGISTERED, user.id, &data)?]).await?)
}

/// Which sessions an event says are over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Revoked {
    /// The named ones.
    Named,
    /// All of the owner's; no new one was opened in the same transaction.
    All,
}

/// Sessions are over.
pub async fn sessions_revoked_in_tx(
    tx: &mut Tx,
    owner: Owner,
    sessions: &[SessionId],
    revoked: Revoked,
) -> Result<(), AuthError> {
    let owner = owner.id();
    let data = wire::SessionsRevoked {
        user_id: owner.to_string(),
        session_ids: sessions.iter().map(SessionId::to_string).collect(),
        all: revoked == Revoked::All,
    };
    Ok(enqueue_in_tx(tx, &[Event::new(SESSIONS_REVOKED, owner, &data)?]).await?)
}

/// A user changed the login password.
pub async fn password_changed_in_tx(tx: &mut Tx, user: UserId) -> Result<(), AuthError> {
    let data = wire::PasswordChanged {
        user_id: user.to_string(),
    };
    Ok(enqueue_in_tx(tx, &[Event::new(PASSWORD_CHANGED, user, &data)?]).await?)
}

/// What of a user's contact changed. It names no address and no number.
#[derive(Clone, Copy, Debug)]
pub struct ContactChange {
    pub user: UserId,
    pub email: bool,
    pub phone: bool,
    /// The address of before, as long as it is kept.
    pub former: Option<FormerEmailId>,
}

/// A user changed the e-mail address or the phone number.
pub async fn contact_changed_in_tx(tx: &mut Tx, change: ContactChange) -> Result<(), AuthError> {
    let former = change.former.map(|id| id.to_string());
    let data = wire::ContactChanged {
        user_id: change.user.to_string(),
        email: change.email,
        phone: change.phone,
        former_email_id: former.unwrap_or_default(),
    };
    Ok(enqueue_in_tx(tx, &[Event::new(CONTACT_CHANGED, change.user, &data)?]).await?)
}

/// A user asked for a code that confirms the e-mail address. It has neither.
pub async fn email_code_requested_in_tx(tx: &mut Tx, code: &EmailCode) -> Result<(), AuthError> {
    let data = wire::EmailCodeRequested {
        user_id: code.user.to_string(),
        email_code_id: code.id.to_string(),
        valid_until: Some(code.valid_until().into()),
    };
    Ok(enqueue_in_tx(tx, &[Event::new(EMAIL_CODE_REQUESTED, code.user, &data)?]).await?)
}

/// A user logged in with a client that is new to the account.
pub async fn new_client_logged_in_in_tx(tx: &mut Tx, user: UserId) -> Result<(), AuthError> {
    let data = wire::NewClientLoggedIn {
        user_id: user.to_string(),
    };
    Ok(enqueue_in_tx(tx, &[Event::new(NEW_CLIENT_LOGGED_IN, user, &data)?]).await?)
}

/// An account moved to another state.
pub async fn account_state_changed_in_tx(
    tx: &mut Tx,
    user: UserId,
    state: UserState,
) -> Result<(), AuthError> {
    let data = wire::AccountStateChanged {
        user_id: user.to_string(),
        state: state.as_str().to_owned(),
    };
    Ok(enqueue_in_tx(tx, &[Event::new(ACCOUNT_STATE_CHANGED, user, &data)?]).await?)
}
