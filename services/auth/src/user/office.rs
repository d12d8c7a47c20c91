//! What staff do with a user's account besides its state: what was done to it, ending its sessions, counting accounts.

use adfolio_kit::audit;
use adfolio_kit::identity::{Caller, UserId};
use serde_json::json;
use tracing::info;

use super::repo;
use crate::app::App;
use crate::audit::{OwnEntry, Position};
use crate::error::AuthError;
use crate::session::{self, Owner};

/// Active users that are counted at most. Counting them reads an index, and is over within a fraction of a second.
const MOST_COUNTED: i64 = 1_000_000;

/// How many users are active, and whether there are more than that.
pub async fn count_active(app: &App) -> Result<(i64, bool), AuthError> {
    let counted = repo::count_active(&app.pool, MOST_COUNTED.saturating_add(1)).await?;
    Ok((counted.min(MOST_COUNTED), counted > MOST_COUNTED))
}

/// What was done to a user's account, as the user sees it.
pub async fn security_log(
    app: &App,
    user: UserId,
    before: Position,
    fetch: i64,
) -> Result<Vec<OwnEntry>, AuthError> {
    repo::find(&app.pool, user)
        .await?
        .ok_or(AuthError::UserUnknown("user_id"))?;
    crate::audit::list_of_user(app, user, before, fetch).await
}

/// Ends all sessions of a user and forgets the user's devices; answers how many had not ended before.
pub async fn end_all_sessions(
    app: &App,
    caller: Caller,
    user: UserId,
    reason: String,
) -> Result<usize, AuthError> {
    let now = app.clock.now();
    let by = caller.staff.map(|staff| staff.id);
    let ended = app
        .write(move |tx| {
            Box::pin(async move {
                repo::lock_in_tx(tx, user)
                    .await?
                    .ok_or(AuthError::UserUnknown("user_id"))?;
                let ended = session::revoke_all_in_tx(tx, Owner::User(user), now).await?;
                audit::Entry::new("auth.end_user_sessions", user)
                    .user(user)
                    .reason(reason)
                    .after(&json!({"ended": ended}))?
                    .record_in_tx(tx, &caller, now)
                    .await?;
                Ok::<_, AuthError>(ended)
            })
        })
        .await?;
    info!(staff = ?by, action = "end user sessions", target = %user, ended, "staff action");
    Ok(ended)
}
