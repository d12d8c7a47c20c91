//! What admins do to accounts of other members, and ending sessions.

use adfolio_kit::audit;
use adfolio_kit::db::Tx;
use adfolio_kit::identity::{Caller, StaffRole};
use adfolio_kit::once::{Answer, Once};
use adfolio_kit::refusal::{Reason, Refusal};
use serde_json::json;
use tracing::info;
use uuid::Uuid;

use super::entity::{Act, Change, STAFF_ID, StaffMember, required_reason};
use super::{KEPT, repo};
use crate::app::App;
use crate::attempt::{self, Scopes};
use crate::error::AuthError;
use crate::ids::StaffId;
use crate::session::{self, Kind, Owner};
use crate::username;

/// Changes state or role of another member, whose sessions end. The last active admin keeps both.
pub async fn change(app: &App, act: Act, change: Change) -> Result<StaffMember, AuthError> {
    let encode = |staff: &StaffMember| staff.id.0.as_bytes().to_vec();
    let once = Once::keeping(&act.caller, act.by.id, act.digest(change), encode);
    let (by, on) = (act.by.id, act.on);
    let owned = app.clone();
    let answer = app
        .write_once(once, move |tx| {
            Box::pin(async move { change_in_tx(tx, &owned, &act, change).await })
        })
        .await?;
    let member = match answer {
        Answer::Made(member) => member,
        Answer::Kept(id) => {
            let id = Uuid::from_slice(&id).map_err(|_| KEPT)?;
            repo::find(&app.pool, StaffId(id)).await?.ok_or(KEPT)?
        }
    };
    info!(staff = %by, action = change.action(), target = %on, "staff action");
    Ok(member)
}

async fn change_in_tx(
    tx: &mut Tx,
    app: &App,
    act: &Act,
    change: Change,
) -> Result<StaffMember, AuthError> {
    let admins = admit_in_tx(tx, act).await?;
    let mut member = lock_in_tx(tx, act.on).await?;
    let (was_admin, before) = (member.is_active_admin(), change.describe(&member));
    member.apply(change)?;
    if was_admin && !member.is_active_admin() && admins.iter().all(|id| *id == act.on) {
        let refusal = Refusal::invalid(change.field());
        return Err(refusal.detail("the last active admin").into());
    }
    let (by, now) = (StaffId(act.by.id), app.clock.now());
    match change {
        Change::State(_) => repo::save_state_in_tx(tx, &member, by, now).await?,
        Change::Role(_) => repo::save_role_in_tx(tx, &member, by, now).await?,
    }
    // Also where an account becomes active again: it begins without sessions.
    session::revoke_all_in_tx(tx, Owner::Staff(act.on), now).await?;
    audit::Entry::new(change.action(), act.on)
        .reason(act.reason.as_str())
        .before(&before)?
        .after(&change.describe(&member))?
        .record_in_tx(tx, &act.caller, now)
        .await?;
    Ok(member)
}

/// Locks the active admins, and refuses a caller who has an account but is none of them any more: the gateway may have
/// verified the session a moment before its end. A one-time password is for changing it alone.
pub async fn admit_in_tx(tx: &mut Tx, act: &Act) -> Result<Vec<StaffId>, AuthError> {
    let admins = repo::lock_active_admins_in_tx(tx).await?;
    // adfolioctl has no account.
    if let Some(by) = repo::find(&mut *tx, StaffId(act.by.id)).await? {
        if !admins.contains(&by.id) {
            return Err(Refusal::new(Reason::Forbidden).into());
        }
        if by.must_change_password {
            return Err(Refusal::new(Reason::PasswordChangeRequired).into());
        }
    }
    Ok(admins)
}

/// The member, locked, or NOT_FOUND of `staff_id`.
pub async fn lock_in_tx(tx: &mut Tx, id: StaffId) -> Result<StaffMember, AuthError> {
    let member = repo::lock_in_tx(tx, id).await?;
    Ok(member.ok_or_else(|| Refusal::not_found(STAFF_ID))?)
}

/// Ends every session of a member: an admin for anybody, the others for themselves. Without any it is no error.
pub async fn end_sessions(
    app: &App,
    caller: Caller,
    id: StaffId,
) -> Result<StaffMember, AuthError> {
    let by = caller.require_staff(StaffRole::ALL)?;
    if by.role != StaffRole::Admin && by.id != id.0 {
        return Err(Refusal::new(Reason::Forbidden).into());
    }
    let now = app.clock.now();
    let member = app
        .write(move |tx| {
            Box::pin(async move {
                let member = lock_in_tx(tx, id).await?;
                session::revoke_all_in_tx(tx, Owner::Staff(id), now).await?;
                audit::Entry::new("auth.end_staff_sessions", id)
                    .record_in_tx(tx, &caller, now)
                    .await?;
                Ok::<_, AuthError>(member)
            })
        })
        .await?;
    info!(staff = %by.id, action = "end sessions", target = %id, "staff action");
    Ok(member)
}

/// Clears the failed logins of a staff account, and answers how many counters there were.
pub async fn unlock(app: &App, caller: Caller, name: &str, reason: &str) -> Result<u64, AuthError> {
    let by = caller.require_staff(&[])?;
    let reason = required_reason(reason)?;
    let key = username::key_of(name);
    let found = repo::find_credentials(&app.pool, &key).await?;
    let (id, _) = found.ok_or_else(|| Refusal::not_found("username"))?;
    let account = Scopes::account(Kind::Staff, &key);
    let now = app.clock.now();
    let cleared = app
        .write(move |tx| {
            Box::pin(async move {
                let cleared = attempt::unlock_in_tx(tx, account).await?;
                audit::Entry::new("auth.unlock_staff_login", id)
                    .reason(reason)
                    .after(&json!({"cleared": cleared}))?
                    .record_in_tx(tx, &caller, now)
                    .await?;
                Ok::<_, AuthError>(cleared)
            })
        })
        .await?;
    info!(staff = %by.id, action = "unlock login", target = %id, "staff action");
    Ok(cleared)
}
