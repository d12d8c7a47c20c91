//! What this service announces. An event is written in the transaction of its change; its subject is the user or member
//! of staff.

use adfolio_kit::db::Tx;
use adfolio_kit::identity::UserId;
use adfolio_kit::outbox::{Event, enqueue_in_tx};
use adfolio_proto::events::v1 as wire;

use crate::error::AuthError;
use crate::ids::SessionId;
use crate::session::entity::Owner;
use crate::user::entity::{User, UserState};

const USER_REGISTERED: &str = "adfolio.auth.v1.UserRegistered";
const SESSIONS_REVOKED: &str = "adfolio.auth.v1.SessionsRevoked";
const PASSWORD_CHANGED: &str = "adfolio.auth.v1.PasswordChanged";
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
