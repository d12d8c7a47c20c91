//! The figures of a wallet: one indexed row.

pub mod entity;
mod repo;

use adfolio_kit::identity::UserId;
use adfolio_kit::refusal::Refusal;

use crate::app::App;
use crate::error::WalletError;
use entity::{Property, Settings};

/// Users whose settings are asked for at once, at most.
const SETTINGS_MAX: usize = 100;

/// The figures of a user; zeros before the first posting.
pub async fn of_user(app: &App, user_id: UserId) -> Result<Property, WalletError> {
    Ok(repo::find(&app.pool, user_id).await?.unwrap_or_default())
}

/// What is set up in the wallets of some users; users without a wallet are left out.
pub async fn settings(app: &App, user_ids: &[UserId]) -> Result<Vec<Settings>, WalletError> {
    if user_ids.len() > SETTINGS_MAX {
        return Err(Refusal::invalid("user_ids").into());
    }
    Ok(repo::settings(&app.pool, user_ids).await?)
}
