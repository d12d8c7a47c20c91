//! Changes of an account's state.

use adfolio_kit::audit;
use adfolio_kit::db::Tx;
use adfolio_kit::identity::{Caller, Staff, UserId};
use adfolio_kit::refusal::Refusal;
use serde_json::json;
use tracing::info;

use super::entity::{User, UserState};
use super::repo;
use crate::app::App;
use crate::audit::{Look, record_look_in_tx};
use crate::error::AuthError;
use crate::ids::StaffId;
use crate::session::Owner;
use crate::{device, events};

/// Longest reason of a change.
const LONGEST_REASON: usize = 500;

/// Moves an account to another state. Its sessions stay known, so that their holders learn why they are refused; an
/// event updates caches. The devices of a closed account are forgotten.
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
    let reason = if reason.trim().is_empty() {
        caller.reason.clone()
    } else {
        reason.trim().to_owned()
    };
    let owned = app.clone();
    let user = app
        .write(move |tx| {
            Box::pin(async move {
                let mut user = repo::lock_in_tx(tx, id)
                    .await?
                    .ok_or(AuthError::UserUnknown("id"))?;
                let from = user.state;
                let now = owned.clock.now();
                if user.move_to(state)? {
                    repo::save_state_in_tx(tx, &user).await?;
                    if matches!(state, UserState::Disabled | UserState::Cancelled) {
                        device::forget_all_in_tx(tx, Owner::User(id)).await?;
                    }
                    audit::Entry::new("auth.set_user_state", id)
                        .user(id)
                        .reason(reason.as_str())
                        .before(&json!({"state": from.as_str()}))?
                        .after(&json!({"state": state.as_str()}))?
                        .record_in_tx(tx, &caller, now)
                        .await?;
                    let change = StateChanged {
                        from,
                        reason,
                        staff: Some(StaffId(staff.id)),
                    };
                    record_in_tx(tx, &owned, &user, change).await?;
                } else {
                    // It shows the user all the same.
                    let actor = audit::Actor::calling(staff, &caller);
                    record_look_in_tx(tx, actor, Look::at_user(id), now).await?;
                }
                Ok::<_, AuthError>(user)
            })
        })
        .await?;
    info!(staff = %staff.id, action = "set user state", target = %id, state = state.as_str(), "staff action");
    Ok(user)
}

/// How a user got into the present state.
pub struct StateChanged {
    pub from: UserState,
    pub reason: String,
    pub staff: Option<StaffId>,
}

/// Records a change of state and announces it.
pub async fn record_in_tx(
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
