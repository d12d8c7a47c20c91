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
use adfolio_kit::db;
use adfolio_kit::identity::{Caller, Staff};
use adfolio_kit::pagination::{Cursor, Page};
use adfolio_kit::refusal::Refusal;
use adfolio_kit::wire;
use chrono::{DateTime, Utc};
use serde_json::json;
use tracing::info;
use uuid::Uuid;

pub use entity::{Entry, User, UserState, is_language};
pub use host::create_host_token;
pub use login::{Login, login};
pub use password_change::{PasswordForm, change_password};
pub use profile::{
    ProfileChange, StandingChange, edit, grant_membership, grant_membership_in_tx, set_standing,
};
pub use registration::RegistrationForm;
pub use sessions::{Which, end_sessions, sessions};
pub use store::{open_store, register};

use crate::context::Context;
use crate::error::AuthError;
use crate::session::{self, Listed, Session, TokenDigest};
use crate::{events, username};

/// Most users that one look-up names.
const MOST_LOOKED_UP: usize = 500;

/// Longest reason of a change of state.
const LONGEST_REASON: usize = 500;

/// Longest query of a list.
const LONGEST_QUERY: usize = 254;

/// A user with the session that was just opened for them.
#[derive(Debug)]
pub struct LoggedIn {
    /// The user.
    pub user: User,
    /// The session.
    pub session: session::Opened,
}

/// A user's profile.
pub async fn get(context: &Context, id: Uuid) -> Result<User, AuthError> {
    Ok(repo::find(&context.pool, id)
        .await?
        .ok_or_else(|| Refusal::not_found("id"))?)
}

/// Whose token this is, with the state of the account: what a session may do then is the caller's to say.
pub async fn verify_session(
    context: &Context,
    token: TokenDigest,
) -> Result<(Session, User), AuthError> {
    let session = session::verify(context, session::Kind::User, token).await?;
    let user = get(context, session.owner.id()).await?;
    Ok((session, user))
}

/// Those of the named users that exist. What is no id names nobody.
pub async fn look_up(context: &Context, ids: &[String]) -> Result<Vec<User>, AuthError> {
    if ids.len() > MOST_LOOKED_UP {
        return Err(Refusal::invalid("user_ids").into());
    }
    let ids: HashSet<Uuid> = ids.iter().filter_map(|id| id.parse().ok()).collect();
    repo::find_all(&context.pool, &ids.into_iter().collect::<Vec<_>>()).await
}

/// A page of users, newest first: all, or those whose user name or e-mail address contains the query or whose id it is.
pub async fn list(
    context: &Context,
    query: &str,
    state: Option<UserState>,
    cursor: Option<&str>,
    page: Page,
) -> Result<(Vec<User>, Option<String>), AuthError> {
    let query = query.trim();
    if query.len() > LONGEST_QUERY || query.contains('\0') {
        return Err(Refusal::invalid("query").into());
    }
    let scope = format!("auth.users:{}:{query}", state.map_or("", UserState::as_str));
    let cursors = Cursor::new(&scope, "");
    let filter = repo::Filter {
        pattern: (!query.is_empty()).then(|| contains_pattern(&username::key_of(query))),
        id: query.parse().ok(),
        state,
        before: wire::cursor_id(&cursors, cursor)?.unwrap_or(Uuid::max()),
    };
    let rows = repo::list(&context.pool, &filter, page.fetch()).await?;
    Ok(page.cut(rows, |last| cursors.encode(&[&last.id.to_string()])))
}

/// A user with their live sessions.
pub async fn detail(context: &Context, id: Uuid) -> Result<(User, Vec<Listed>), AuthError> {
    let user = get(context, id).await?;
    let sessions = session::live_of_user(&context.pool, id, context.clock.now()).await?;
    Ok((user, sessions))
}

/// Moves an account to another state. Its sessions stay known, so that their holders are told why they are refused;
/// whoever caches them learns of the change by event.
pub async fn set_state(
    context: &Context,
    id: Uuid,
    state: UserState,
    reason: &str,
    by: (Caller, Staff),
) -> Result<User, AuthError> {
    if reason.chars().count() > LONGEST_REASON || reason.contains('\0') {
        return Err(Refusal::invalid("reason").into());
    }
    let (caller, staff) = (by.0, by.1.id);
    let reason = if reason.trim().is_empty() {
        caller.reason.clone()
    } else {
        reason.trim().to_owned()
    };
    let context_here = context.clone();
    let user = db::write(&context.pool, move |tx| {
        Box::pin(async move {
            let mut user = repo::lock_in_tx(tx, id)
                .await?
                .ok_or_else(|| Refusal::not_found("id"))?;
            let from = user.state;
            if user.move_to(state)? {
                repo::save_state_in_tx(tx, &user).await?;
                audit::Entry::new("auth.set_user_state", id)
                    .user(id)
                    .reason(reason.as_str())
                    .before(&json!({"state": from.as_str()}))?
                    .after(&json!({"state": state.as_str()}))?
                    .record_in_tx(tx, &caller, context_here.clock.now())
                    .await?;
                let change = StateChanged {
                    from,
                    reason,
                    staff: Some(staff),
                };
                record_state_in_tx(tx, &context_here, &user, change).await?;
            }
            Ok::<_, AuthError>(user)
        })
    })
    .await?;
    context.notifier.notify();
    info!(%staff, action = "set user state", target = %id, state = state.as_str(), "staff action");
    Ok(user)
}

/// How a user came into their present state.
struct StateChanged {
    from: UserState,
    reason: String,
    staff: Option<Uuid>,
}

/// Keeps a change of state and announces it.
async fn record_state_in_tx(
    tx: &mut db::Tx,
    context: &Context,
    user: &User,
    change: StateChanged,
) -> Result<(), AuthError> {
    let change = repo::StateChange {
        id: context.ids.next(),
        user_id: user.id,
        from: change.from,
        to: user.state,
        reason: change.reason,
        staff_id: change.staff,
        changed_at: context.clock.now(),
    };
    repo::insert_state_change_in_tx(tx, &change).await?;
    events::account_state_changed_in_tx(tx, user.id, user.state).await
}

/// The LIKE pattern of texts that contain `part`.
fn contains_pattern(part: &str) -> String {
    let mut pattern = String::from("%");
    for letter in part.chars() {
        if matches!(letter, '%' | '_' | '\\') {
            pattern.push('\\');
        }
        pattern.push(letter);
    }
    pattern.push('%');
    pattern
}

/// A user who comes in now, before anything else is known of them.
fn newcomer(
    id: Uuid,
    username: String,
    nickname: String,
    entry: Entry,
    now: DateTime<Utc>,
) -> User {
    User {
        id,
        username,
        nickname,
        email: String::new(),
        phone: String::new(),
        entry,
        state: UserState::NotActivated,
        lang: String::new(),
        credit_score: entity::FIRST_CREDIT_SCORE,
        shop_level: entity::FIRST_SHOP_LEVEL,
        deposit_minor: 0,
        vip: false,
        license_code: None,
        avatar_file_id: String::new(),
        created_at: now,
    }
}
