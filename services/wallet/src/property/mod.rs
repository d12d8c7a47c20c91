//! The figures of a wallet: one indexed row.

pub mod entity;
mod repo;

use adfolio_kit::identity::{Caller, UserId};
use adfolio_kit::refusal::{Reason, Refusal};

use crate::app::App;
use crate::error::WalletError;
use crate::posting::command::Command;
use crate::posting::movement::Movement;
use entity::{Property, Settings};

/// Users whose settings are asked for at once, at most.
const SETTINGS_MAX: usize = 100;

/// The figures of a user; zeros before the first posting.
pub async fn of_user(app: &App, user_id: UserId) -> Result<Property, WalletError> {
    Ok(repo::find(&app.pool, user_id).await?.unwrap_or_default())
}

/// Returns a user's own start-up funds; answers the figures afterwards. FORBIDDEN where only staff do that.
pub async fn return_start_up_funds(
    app: &App,
    caller: &Caller,
    user_id: UserId,
    amount: i64,
) -> Result<Property, WalletError> {
    if !app.rules.start_up_funds_returnable {
        return Err(Refusal::new(Reason::Forbidden).into());
    }
    let key = caller.idempotency_key.as_ref();
    let movement = Movement::start_up_return(user_id, amount, key, app.ids.next())?;
    let command = Command::movement(user_id, movement);
    let done = app.queue.post(command, caller.deadline).await?;
    Ok(done.property)
}

/// What is set up in the wallets of some users; users without a wallet are left out.
pub async fn settings(app: &App, user_ids: &[UserId]) -> Result<Vec<Settings>, WalletError> {
    if user_ids.len() > SETTINGS_MAX {
        return Err(Refusal::invalid("user_ids").into());
    }
    Ok(repo::settings(&app.pool, user_ids).await?)
}
