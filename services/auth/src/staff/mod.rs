//! Staff accounts: who may act for the platform, and their sessions.
//!
//! | use case | who | sessions of the member |
//! |---|---|---|
//! | [`create`] | an admin, or anybody while there is no staff | |
//! | [`confirm`] | an admin who is no kin of the account and its maker | stay |
//! | [`change`] of state or role | another admin | end |
//! | [`change_password`] | the member | end |
//! | [`reset_password`] | another admin | end |
//! | [`factor::enroll`], [`factor::confirm`] | the member | stay |
//! | [`factor::reset`] | another admin | end |
//! | [`end_sessions`] | an admin, or the member | end |
//! | [`unlock`] | an admin | stay |
//!
//! What ends the sessions forgets the member's devices, too.
//!
//! The account row is locked before its sessions, and the rows of active admins before that of the member.

mod change;
mod confirm;
mod create;
mod entity;
pub mod factor;
mod login;
mod pair;
pub mod passkey;
mod password;
mod repo;

use adfolio_kit::error::CoreError;
use adfolio_kit::refusal::{Reason, Refusal};

pub use change::{change, end_sessions, unlock};
pub use confirm::confirm;
pub use create::create;
pub use entity::{
    Act, Change, Creator, Founder, Listed, NewStaff, STAFF_ID, StaffMember, StaffState,
    required_reason,
};
pub use factor::{CodeForm, Enrolment, Standing};
pub use login::{LoggedIn, Login, login, logout};
pub use pair::SecondPair;
pub use password::{PasswordForm, change_password, reset_password};

use crate::app::App;
use crate::error::AuthError;
use crate::ids::StaffId;
use crate::session::{self, Session, TokenDigest};

/// A kept answer that is no id of a member of staff.
const KEPT: CoreError = CoreError::Corrupt("idempotency_keys.response");

/// Whether one member may decide what another one asked for.
pub async fn second_pair(
    app: &App,
    asked_by: StaffId,
    decided_by: StaffId,
) -> Result<SecondPair, AuthError> {
    let now = app.clock.now();
    let kin = repo::find_kin(&app.pool, &[asked_by, decided_by], now).await?;
    Ok(kin.second_pair(asked_by, decided_by, now))
}

/// The session of a staff token, its owner, and the standing of the second factor in it.
///
/// A disabled member has none: a replica of the release before, which knows no states, may have opened one.
pub async fn verify_session(
    app: &App,
    token: TokenDigest,
) -> Result<(Session, StaffMember, Standing), AuthError> {
    let session = session::verify(app, session::Kind::Staff, token).await?;
    let staff = repo::find(&app.pool, StaffId(session.owner.id())).await?;
    let staff = staff.ok_or(AuthError::NotAuthenticated)?;
    match staff.state {
        StaffState::Active => {
            let standing = Standing::of(app.second_factor, &staff, &session);
            Ok((session, staff, standing))
        }
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
