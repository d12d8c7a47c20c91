//! Where mail to a user goes.

use adfolio_kit::db;
use adfolio_kit::identity::UserId;
use chrono::{DateTime, TimeDelta, Utc};

use super::repo;
use crate::app::App;
use crate::error::AuthError;
use crate::ids::FormerEmailId;

/// How long an address is kept after its user changed it: longer than mail is tried.
const FORMER_KEPT: TimeDelta = TimeDelta::hours(72);

/// Where mail goes, and in which language. No Debug: an address is not for logs.
pub struct Recipient {
    /// Empty for a user without one.
    pub email: String,
    /// May be empty.
    pub lang: String,
}

/// Where mail to a user goes: to the present address, or to one of before. NOT_FOUND for an unknown user, and for an
/// address that is not kept any more.
pub async fn recipient(
    app: &App,
    id: UserId,
    former: Option<FormerEmailId>,
) -> Result<Recipient, AuthError> {
    let user = repo::find(&app.pool, id)
        .await?
        .ok_or(AuthError::UserUnknown("user_id"))?;
    let email = match former {
        None => user.email,
        Some(former) => repo::find_former_email(&app.pool, former, id, kept_since(app))
            .await?
            .ok_or(AuthError::UserUnknown("former_email_id"))?,
    };
    let lang = user.lang;
    Ok(Recipient { email, lang })
}

/// Deletes a batch of addresses that are not kept any more.
pub async fn prune_former_emails(app: &App) -> Result<u64, AuthError> {
    let before = kept_since(app);
    db::write(&app.pool, move |tx| {
        Box::pin(async move { Ok(repo::prune_former_emails_in_tx(tx, before).await?) })
    })
    .await
}

/// Addresses that changed before this are not kept.
fn kept_since(app: &App) -> DateTime<Utc> {
    let now = app.clock.now();
    now.checked_sub_signed(FORMER_KEPT).unwrap_or(now)
}
