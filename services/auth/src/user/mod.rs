//! Users: profiles, account states, and what other services and staff ask about them.

mod contact;
mod email;
pub mod entity;
mod host;
mod login;
mod mail;
mod office;
mod password_change;
mod profile;
mod registration;
mod repo;
mod sessions;
mod state;
mod step_up;
mod store;
mod unlock;

use std::collections::HashSet;

use adfolio_kit::audit::Actor;
use adfolio_kit::identity::{Caller, Staff, UserId};
use adfolio_kit::payment_reference;
use adfolio_kit::refusal::Refusal;

pub use contact::View;
pub use email::{
    CodeMaker, EmailCode, TypedCode, confirm as confirm_email, prune_codes, send_code,
};
pub use entity::{Entry, LoggedIn, Query, User, UserState};
pub use host::{Subject, create_host_token, enter_by_assertion};
pub use login::{Login, login};
pub use mail::{About, prune_former_emails, recipient};
pub use office::{count_active, end_all_sessions, security_log};
pub use password_change::{PasswordForm, change_password};
pub use profile::{
    ProfileChange, StandingChange, edit, grant_membership, grant_membership_in_tx, set_standing,
};
pub use registration::RegistrationForm;
pub use sessions::{Which, end_sessions, sessions};
pub use state::set_state;
pub use step_up::step_up;
pub use store::{open_store, register};
pub use unlock::unlock;

use crate::app::App;
use crate::audit::{self, Look};
use crate::error::AuthError;
use crate::session::{self, Listed, Session, TokenDigest};

/// Most users that one look-up names.
const MOST_LOOKED_UP: usize = 500;

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

/// The users of payment references. A text that is none names nobody.
pub async fn look_up_payers(app: &App, references: &[String]) -> Result<Vec<User>, AuthError> {
    if references.len() > MOST_LOOKED_UP {
        return Err(Refusal::invalid("payment_references").into());
    }
    let digits: HashSet<String> = references
        .iter()
        .filter_map(|reference| payment_reference::digits(reference))
        .collect();
    repo::find_payers(&app.pool, digits.into_iter().collect()).await
}

/// Users created before `before`, newest first.
pub async fn list(
    app: &App,
    query: &Query,
    before: Option<UserId>,
    fetch: i64,
) -> Result<Vec<User>, AuthError> {
    repo::list(&app.reads, query, before, fetch).await
}

/// A page of the list as the member of staff may see it. One in full is audited; an empty one shows nobody.
pub async fn show_page(
    app: &App,
    caller: &Caller,
    staff: Staff,
    query: &Query,
    users: Vec<User>,
) -> Result<Vec<User>, AuthError> {
    let view = View::of(staff.role);
    if let (View::Full, Some(first), Some(last)) = (view, users.first(), users.last()) {
        let look = Look::at_users(&query.described(users.len(), first.id, last.id));
        audit::record_look(app, Actor::calling(staff, caller), look).await?;
    }
    Ok(users.into_iter().map(|user| view.user(user)).collect())
}

/// A user with their live sessions, as the member of staff may see them. In full they are audited.
pub async fn detail(
    app: &App,
    caller: &Caller,
    staff: Staff,
    id: UserId,
) -> Result<(User, Vec<Listed>), AuthError> {
    let view = View::of(staff.role);
    let user = get(app, id).await?;
    let sessions = session::live_of_user(app, id).await?;
    if view == View::Full {
        let actor = Actor::calling(staff, caller);
        audit::record_look(app, actor, Look::at_user(id)).await?;
    }
    let sessions = sessions.into_iter().map(|listed| view.session(listed));
    Ok((view.user(user), sessions.collect()))
}
