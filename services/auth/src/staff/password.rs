//! Changing one's own password, and replacing that of another member.

use adfolio_kit::audit;
use adfolio_kit::db::Tx;
use adfolio_kit::identity::{Caller, StaffRole};
use adfolio_kit::refusal::Refusal;
use secrecy::{ExposeSecret, SecretString};
use tracing::info;

use super::change::{admit_in_tx, lock_in_tx};
use super::entity::{Act, StaffMember, StaffState};
use super::repo;
use crate::app::App;
use crate::error::AuthError;
use crate::ids::StaffId;
use crate::password::{self, NewPassword};
use crate::session::{self, Kind, Owner, TokenDigest};
use crate::{attempt, username};

/// A change of one's own password, as a client sends it.
#[derive(Debug)]
pub struct PasswordForm {
    pub old: SecretString,
    pub new: SecretString,
    /// The session of the call.
    pub token: TokenDigest,
}

impl PasswordForm {
    /// Refusals that a caller may get without knowing the present password.
    fn check(&self) -> Result<(), Refusal> {
        for (text, field) in [(&self.old, "old_password"), (&self.new, "new_password")] {
            if text.expose_secret().is_empty() {
                return Err(Refusal::invalid(field));
            }
        }
        Ok(())
    }
}

/// Changes the caller's own password and ends every session of the caller, under the same rules and limits as a user's
/// change.
pub async fn change_password(
    app: &App,
    caller: Caller,
    form: PasswordForm,
) -> Result<StaffMember, AuthError> {
    let id = StaffId(caller.require_staff(StaffRole::ALL)?.id);
    form.check()?;
    let member = repo::find(&app.pool, id)
        .await?
        .ok_or(AuthError::NotAuthenticated)?;
    let known = repo::find_password(&app.pool, id).await?;
    let key = username::key_of(&member.username);
    let ticket = app.passwords.enter()?;
    let attempt = attempt::begin_in_session(app, Kind::Staff, &key, form.token).await?;
    let right = app
        .passwords
        .verify(ticket, form.old.clone(), known.clone())
        .await?;
    if !right {
        attempt::fail(app, &attempt).await?;
        return Err(AuthError::WrongPassword("old_password"));
    }
    attempt::succeed(app, &attempt).await?;
    let new = password::replacement(&form.old, &form.new, &[&member.username])?;
    let new = password::hash(app.passwords.enter()?, new).await?;
    let owned = app.clone();
    let member = app
        .write(move |tx| {
            Box::pin(async move { change_in_tx(tx, &owned, &caller, id, known, &new).await })
        })
        .await?;
    info!(staff = %id, action = "change password", "staff action");
    Ok(member)
}

async fn change_in_tx(
    tx: &mut Tx,
    app: &App,
    caller: &Caller,
    id: StaffId,
    known: Option<String>,
    new: &str,
) -> Result<StaffMember, AuthError> {
    let mut member = repo::lock_in_tx(tx, id)
        .await?
        .filter(|member| member.state == StaffState::Active)
        .ok_or(AuthError::NotAuthenticated)?;
    // Another change came between the evaluation and this lock.
    if repo::password_in_tx(tx, id).await? != known {
        return Err(AuthError::WrongPassword("old_password"));
    }
    member.must_change_password = false;
    let now = app.clock.now();
    repo::save_password_in_tx(tx, &member, new).await?;
    session::revoke_all_in_tx(tx, Owner::Staff(id), now).await?;
    audit::Entry::new("auth.change_staff_password", id)
        .record_in_tx(tx, caller, now)
        .await?;
    Ok(member)
}

/// Replaces the password of another member with a random one, which only this answer has, and ends the member's
/// sessions. The next session of the member may only change it or log out.
///
/// It is not kept for a repeated call: that makes another one.
pub async fn reset_password(app: &App, act: Act) -> Result<(StaffMember, SecretString), AuthError> {
    let one_time = password::random();
    let new =
        NewPassword::parse(&one_time, &[]).map_err(|rule| Refusal::broken(rule, "new_password"))?;
    let new = password::hash(app.passwords.enter()?, new).await?;
    let (by, on) = (act.by.id, act.on);
    let owned = app.clone();
    let member = app
        .write(move |tx| Box::pin(async move { reset_in_tx(tx, &owned, &act, &new).await }))
        .await?;
    info!(staff = %by, action = "reset password", target = %on, "staff action");
    Ok((member, one_time))
}

async fn reset_in_tx(
    tx: &mut Tx,
    app: &App,
    act: &Act,
    new: &str,
) -> Result<StaffMember, AuthError> {
    admit_in_tx(tx, act).await?;
    let mut member = lock_in_tx(tx, act.on).await?;
    member.must_change_password = true;
    let now = app.clock.now();
    repo::save_password_in_tx(tx, &member, new).await?;
    repo::save_password_reset_in_tx(tx, act.on, StaffId(act.by.id), now).await?;
    session::revoke_all_in_tx(tx, Owner::Staff(act.on), now).await?;
    audit::Entry::new("auth.reset_staff_password", act.on)
        .reason(act.reason.as_str())
        .record_in_tx(tx, &act.caller, now)
        .await?;
    Ok(member)
}
