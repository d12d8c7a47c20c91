//! Users: profiles, account states, and what other services and staff ask about them.

mod entity;
mod host;
mod login;
mod password_change;
mod profile;
mod registration;
mod repo;
mod sessions;
mod store;

use std::collections::HashSet;

use adfolio_kit::audit;
use adfolio_kit::db::{self, Tx};
use adfolio_kit::identity::{Caller, Staff, UserId};
use adfolio_kit::refusal::Refusal;
use serde_json::json;
use tracing::info;

pub use entity::{Entry, Query, User, UserState, is_language};
pub use host::create_host_token;
pub use login::{Login, login};
pub use password_change::{PasswordForm, change_password};
pub use profile::{
    ProfileChange, StandingChange, edit, grant_membership, grant_membership_in_tx, set_standing,
};
pub use registration::RegistrationForm;
pub use sessions::{Which, end_sessions, sessions};
pub use store::{open_store, register};

use crate::app::App;
use crate::error::AuthError;
use crate::events;
use crate::ids::StaffId;
use crate::session::{self, Listed, Session, TokenDigest};

/// Most users that one look-up names.
const MOST_LOOKED_UP: usize = 500;

/// Longest reason of a change of state.
const LONGEST_REASON: usize = 500;

/// A user with the session that was just opened for them.
#[derive(Debug)]
pub struct LoggedIn {
    /// The user.
    pub user: User,
    /// The session.
    pub session: session::Opened,
}

/// A user's profile.
pub async fn get(app: &App, id: UserId) -> Result<User, AuthError> {
    repo::find(&app.pool, id)
        .await?
        .ok_or(AuthError::UserUnknown("id"))
}

/// The session of a token, and its owner with the state of the account: the gateway decides what a session may do then.
pub async fn verify_session(app: &App, token: TokenDigest) -> Result<(Session, User), AuthError> {
    let session = session::verify(app, session::Kind::User, token).await?;
    let user = get(app, UserId(session.owner.id())).await?;
    Ok((session, user))
}

/// Those of the named users that exist. A text that is no id names nobody.
pub async fn look_up(app: &App, ids: &[String]) -> Result<Vec<User>, AuthError> {
    if ids.len() > MOST_LOOKED_UP {
        return Err(Refusal::invalid("user_ids").into());
    }
    let ids: HashSet<UserId> = ids.iter().filter_map(|id| id.parse().ok()).collect();
    repo::find_all(&app.pool, ids).await
}

/// Users created before `before`, newest first.
pub async fn list(
    app: &App,
    query: &Query,
    before: Option<UserId>,
    fetch: i64,
) -> Result<Vec<User>, AuthError> {
    repo::list(&app.pool, query, before, fetch).await
}

/// A user with their live sessions.
pub async fn detail(app: &App, id: UserId) -> Result<(User, Vec<Listed>), AuthError> {
    let user = get(app, id).await?;
    let sessions = session::live_of_user(app, id).await?;
    Ok((user, sessions))
}

/// Moves an account to another state. Its sessions stay known, so that their holders learn why they are refused; an
/// event updates caches.
pub async fn set_state(
    app: &App,
    caller: Caller,
    staff: Staff,
    id: UserId,
    state: UserState,
    reason: &str,
) -> Result<User, AuthError> {
    if reason.chars().count() > LONGEST_REASON || reason.contains('\0') {
        return Err(Refusal::invalid("reason").into());
    }
    let staff = StaffId(staff.id);
    let reason = if reason.trim().is_empty() {
        caller.reason.clone()
    } else {
        reason.trim().to_owned()
    };
    let owned = app.clone();
    let user = db::write(&app.pool, move |tx| {
        Box::pin(async move {
            let mut user = repo::lock_in_tx(tx, id)
                .await?
                .ok_or(AuthError::UserUnknown("id"))?;
            let from = user.state;
            if user.move_to(state)? {
                repo::save_state_in_tx(tx, &user).await?;
                audit::Entry::new("auth.set_user_state", id)
                    .user(id)
                    .reason(reason.as_str())
                    .before(&json!({"state": from.as_str()}))?
                    .after(&json!({"state": state.as_str()}))?
                    .record_in_tx(tx, &caller, owned.clock.now())
                    .await?;
                let change = StateChanged {
                    from,
                    reason,
                    staff: Some(staff),
                };
                record_state_in_tx(tx, &owned, &user, change).await?;
            }
            Ok::<_, AuthError>(user)
        })
    })
    .await?;
    app.notifier.notify();
    info!(%staff, action = "set user state", target = %id, state = state.as_str(), "staff action");
    Ok(user)
}

/// How a user got into the present state.
struct StateChanged {
    from: UserState,
    reason: String,
    staff: Option<StaffId>,
}

/// Records a change of state and announces it.
async fn record_state_in_tx(
    tx: &mut Tx,
    app: &App,
    user: &User,
    change: StateChanged,
) -> Result<(), AuthError> {
    let change = repo::StateChange {
        id: app.ids.next(),
        user: user.id,
        from: change.from,
        to: user.state,
        reason: change.reason,
        staff: change.staff,
        changed_at: app.clock.now(),
    };
    repo::insert_state_change_in_tx(tx, &change).await?;
    events::account_state_changed_in_tx(tx, user.id, user.state).await
}
