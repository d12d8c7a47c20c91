//! Unlocking the login of an account.

use adfolio_kit::audit;
use adfolio_kit::identity::Caller;
use adfolio_kit::refusal::Refusal;
use serde_json::json;
use tracing::info;

use super::repo;
use crate::app::App;
use crate::attempt::{self, Scopes};
use crate::error::AuthError;
use crate::session::Kind;
use crate::{staff, username};

/// Clears the failed logins of a user's account, and answers how many counters there were.
pub async fn unlock(app: &App, caller: Caller, name: &str, reason: &str) -> Result<u64, AuthError> {
    let by = caller.require_staff(&[])?;
    let reason = staff::required_reason(reason)?;
    let key = username::key_of(name);
    let account = repo::find_by_name(&app.pool, &key).await?;
    let id = account
        .map(|account| account.user.id)
        .ok_or_else(|| Refusal::not_found("username"))?;
    let scope = Scopes::account(Kind::User, &key);
    let now = app.clock.now();
    let cleared = app
        .write(move |tx| {
            Box::pin(async move {
                let cleared = attempt::unlock_in_tx(tx, scope).await?;
                audit::Entry::new("auth.unlock_user_login", id)
                    .user(id)
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
