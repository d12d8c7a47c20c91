//! Freezes: an owner who fears that somebody else uses the account stops at once whatever leaves the wallet.
//!
//! Any session may freeze, because the owner may have no other; and so may the link of a mail about money or security,
//! because the owner may have no session. A reader of the owner's mail can freeze, and no more. To lift a freeze takes
//! two: the owner in a fresh session, and a member of staff who has spoken with the owner, in any order. Freezing again
//! takes back what either has said. After the end money still waits for the cooling-off. The posting of what leaves
//! reads `frozen_at` with the wallet's row, so a freeze that commits first is seen.

pub mod entity;
mod repo;

use adfolio_kit::audit;
use adfolio_kit::db::Tx;
use adfolio_kit::identity::{Caller, Staff, UserId};
use adfolio_kit::refusal::{Reason, Refusal};
use chrono::{DateTime, Utc};
use serde_json::json;

use crate::app::App;
use crate::error::WalletError;
use crate::ids::{FreezeId, StaffId};
use crate::{events, property, protection};
use entity::Freeze;

/// Freezes the caller's wallet. Repeating it changes nothing, unless somebody has agreed to lift the freeze: that is taken
/// back.
pub async fn freeze(app: &App, user_id: UserId, reason: String) -> Result<(), WalletError> {
    let (id, now) = (FreezeId(app.ids.next()), app.clock.now());
    app.write(move |tx| {
        Box::pin(async move {
            if repo::freeze_in_tx(tx, user_id, (id, &reason), now).await? {
                events::security_changed_in_tx(tx, user_id, "wallet_frozen").await?;
            }
            Ok(())
        })
    })
    .await
}

/// Freezes the wallet of a user whose mail was disowned by its link, like [`freeze`]; unless a freeze was lifted after
/// that was said: owner and staff have spoken since, and the event is late.
pub async fn disown_in_tx(
    app: &App,
    tx: &mut Tx,
    user_id: UserId,
    (template, mail_id): (&str, &str),
    said_at: DateTime<Utc>,
) -> Result<(), WalletError> {
    let (id, now) = (FreezeId(app.ids.next()), app.clock.now());
    if repo::was_lifted_after_in_tx(tx, user_id, said_at).await? {
        return Ok(());
    }
    let reason = format!("By the link of a mail: {template} was not me ({mail_id})");
    if repo::freeze_in_tx(tx, user_id, (id, &reason), now).await? {
        events::security_changed_in_tx(tx, user_id, "wallet_frozen").await?;
    }
    Ok(())
}

/// The owner agrees to lift the freeze: STEP_UP_REQUIRED unless the session is fresh, NOTHING_CHANGED where nothing is
/// frozen.
pub async fn agree(app: &App, caller: &Caller, user_id: UserId) -> Result<(), WalletError> {
    let (caller, now) = (caller.clone(), app.clock.now());
    app.write(move |tx| {
        Box::pin(async move {
            let agreed = repo::owner_agrees_in_tx(tx, user_id, now).await?;
            let freeze = agreed.ok_or_else(|| Refusal::new(Reason::NothingChanged))?;
            caller.require_fresh(now)?;
            lift_in_tx(tx, &freeze, now).await?;
            Ok(())
        })
    })
    .await
}

/// A member of staff agrees to lift the freeze: NOTHING_CHANGED where nothing is frozen. Answers the freeze.
pub async fn agree_as_staff(
    app: &App,
    (caller, staff): (&Caller, Staff),
    user_id: UserId,
    reason: String,
) -> Result<Freeze, WalletError> {
    let (acting, now) = (caller.clone(), app.clock.now());
    let outcome = app
        .write(move |tx| {
            Box::pin(async move {
                let word = (StaffId(staff.id), reason.as_str());
                let agreed = repo::staff_agrees_in_tx(tx, user_id, word, now).await?;
                let (mut freeze, is_new) =
                    agreed.ok_or_else(|| Refusal::new(Reason::NothingChanged))?;
                let is_lifted = lift_in_tx(tx, &freeze, now).await?;
                freeze.lifted_at = is_lifted.then_some(now);
                if is_new {
                    audit::Entry::new("wallet.unfreeze", user_id)
                        .user(user_id)
                        .reason(reason)
                        .before(&json!({"frozen_at": freeze.frozen_at}))?
                        .after(&json!({"is_lifted": is_lifted}))?
                        .record_in_tx(tx, &acting, now)
                        .await?;
                }
                Ok::<_, WalletError>(freeze)
            })
        })
        .await;
    if let Err(error) = &outcome
        && error.reason() == Some(Reason::NothingChanged)
    {
        // A user who does not exist has no freeze either.
        app.users.require(caller, &[user_id], "user_id").await?;
    }
    outcome
}

/// Freezes that are not lifted, newest first.
pub async fn list_open(
    app: &App,
    before: Option<FreezeId>,
    limit: i64,
) -> Result<Vec<Freeze>, WalletError> {
    Ok(repo::list_open(&app.reads, before, limit).await?)
}

/// How many freezes are not lifted, and since when the oldest is there.
pub async fn waiting(app: &App) -> Result<(i64, Option<DateTime<Utc>>), sqlx::Error> {
    repo::count_open(&app.pool).await
}

/// Refuses WALLET_FROZEN where nothing may leave the user's wallet.
pub async fn require_none(app: &App, user_id: UserId) -> Result<(), WalletError> {
    let property = property::of_user(app, user_id).await?;
    property.require_not_frozen()?;
    Ok(())
}

/// Ends the freeze if both have agreed: from now on the cooling-off runs.
async fn lift_in_tx(tx: &mut Tx, freeze: &Freeze, now: DateTime<Utc>) -> Result<bool, WalletError> {
    if !freeze.may_be_lifted() {
        return Ok(false);
    }
    repo::lift_in_tx(tx, freeze, now).await?;
    protection::changed_in_tx(tx, freeze.user_id, now).await?;
    events::security_changed_in_tx(tx, freeze.user_id, "wallet_unfrozen").await?;
    Ok(true)
}
