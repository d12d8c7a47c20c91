//! Staff accounts: who may act for the platform, and their sessions.
//!
//! | use case | who | sessions of the member |
//! |---|---|---|
//! | [`create`] | an admin, or anybody while there is no staff | |
//! | [`change`] of state or role | another admin | end |
//! | [`change_password`] | the member | end |
//! | [`reset_password`] | another admin | end |
//! | [`end_sessions`] | an admin, or the member | end |
//! | [`unlock`] | an admin | stay |
//!
//! The account row is locked before its sessions, and the rows of active admins before that of the member.

mod change;
mod entity;
mod login;
mod password;
mod repo;

use adfolio_kit::audit;
use adfolio_kit::db::Tx;
use adfolio_kit::error::CoreError;
use adfolio_kit::identity::Caller;
use adfolio_kit::once::{Answer, Once};
use adfolio_kit::refusal::{Reason, Refusal};
use serde_json::json;
use tracing::info;
use uuid::Uuid;

pub use change::{change, end_sessions, unlock};
pub use entity::{
    Act, Change, Creator, Listed, NewStaff, STAFF_ID, StaffMember, StaffState, required_reason,
};
pub use login::{Login, login, logout};
pub use password::{PasswordForm, change_password, reset_password};

use crate::app::App;
use crate::error::AuthError;
use crate::ids::StaffId;
use crate::lookalike::{self, Owners};
use crate::session::{self, Session, TokenDigest};

/// A kept answer that is no id of a member of staff.
const KEPT: CoreError = CoreError::Corrupt("idempotency_keys.response");

/// Adds a staff account.
pub async fn create(
    app: &App,
    caller: Caller,
    creator: Creator,
    new: NewStaff,
) -> Result<StaffMember, AuthError> {
    // The transaction decides about the name, by the skeletons that are there.
    lookalike::fill(app, Owners::Staff).await?;
    let hash = crate::password::hash(app.passwords.enter()?, new.password.clone()).await?;
    let owned = app.clone();
    let outcome = app
        .write(move |tx| {
            Box::pin(async move { create_in_tx(tx, &owned, &caller, creator, &new, &hash).await })
        })
        .await;
    outcome.map_err(|error| error.or_username_taken(&repo::USERNAME_CONSTRAINTS))
}

async fn create_in_tx(
    tx: &mut Tx,
    app: &App,
    caller: &Caller,
    creator: Creator,
    new: &NewStaff,
    hash: &str,
) -> Result<StaffMember, AuthError> {
    let by = match creator {
        Creator::Admin(staff) => staff.id,
        Creator::Bootstrap if repo::lock_and_look_for_any_in_tx(tx).await? => {
            return Err(AuthError::NotAuthenticated);
        }
        Creator::Bootstrap => Uuid::nil(),
    };
    let once = once(caller, creator, new);
    if let Some(Answer::Kept(id)) = once.earlier_in_tx(tx).await? {
        let id = Uuid::from_slice(&id).map_err(|_| KEPT)?;
        return Ok(repo::lock_in_tx(tx, StaffId(id)).await?.ok_or(KEPT)?);
    }
    let now = app.clock.now();
    let staff = StaffMember {
        id: StaffId(app.ids.next()),
        username: new.username.as_str().to_owned(),
        role: new.role,
        state: StaffState::Active,
        must_change_password: false,
        created_at: now,
    };
    repo::insert_in_tx(tx, &staff, new.username.key(), hash).await?;
    once.keep_in_tx(tx, staff.clone()).await?;
    // Records nothing where no member of staff calls.
    audit::Entry::new("auth.create_staff", staff.id)
        .after(&json!({"username": staff.username, "role": staff.role.as_str()}))?
        .record_in_tx(tx, caller, now)
        .await?;
    info!(staff = %by, action = "create staff", target = %staff.id, role = %staff.role, "staff action");
    Ok(staff)
}

/// A keyed call keeps the id of the account. Nobody owns the keys of a caller without identity, so such a call has
/// none.
fn once(caller: &Caller, creator: Creator, new: &NewStaff) -> Once<StaffMember> {
    let encode = |staff: &StaffMember| staff.id.0.as_bytes().to_vec();
    match creator {
        Creator::Admin(staff) => Once::keeping(caller, staff.id, new.digest(), encode),
        Creator::Bootstrap => Once::keeping(&Caller::system(), Uuid::nil(), new.digest(), encode),
    }
}

/// The session of a staff token, and its owner.
///
/// A disabled member has none: a replica of the release before, which knows no states, may have opened one.
pub async fn verify_session(
    app: &App,
    token: TokenDigest,
) -> Result<(Session, StaffMember), AuthError> {
    let session = session::verify(app, session::Kind::Staff, token).await?;
    let staff = repo::find(&app.pool, StaffId(session.owner.id())).await?;
    let staff = staff.ok_or(AuthError::NotAuthenticated)?;
    match staff.state {
        StaffState::Active => Ok((session, staff)),
        StaffState::Disabled => Err(Refusal::new(Reason::SessionExpired).into()),
    }
}

/// Staff added before `before`, newest first.
pub async fn list(
    app: &App,
    before: Option<StaffId>,
    fetch: i64,
) -> Result<Vec<Listed>, AuthError> {
    let now = app.clock.now();
    let opened_after = app.sessions.staff_opened_after(now);
    Ok(repo::list(&app.pool, before, fetch, now, opened_after).await?)
}
