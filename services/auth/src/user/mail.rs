//! Where mail to a user goes.

use adfolio_kit::db;
use adfolio_kit::identity::UserId;
use chrono::{DateTime, TimeDelta, Utc};

use secrecy::SecretString;

use super::{email, repo};
use crate::app::App;
use crate::error::AuthError;
use crate::ids::{EmailCodeId, FormerEmailId};

/// How long an address is kept after its user changed it: longer than mail is tried.
const FORMER_KEPT: TimeDelta = TimeDelta::hours(72);

/// What mail needs to know besides the user.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum About {
    /// Nothing: it goes to the present address.
    User,
    /// It goes to an address of before.
    FormerEmail(FormerEmailId),
    /// It brings a code to the present address.
    EmailCode(EmailCodeId),
}

/// Where mail goes, and in which language. No Debug: an address is not for logs.
pub struct Recipient {
    /// Empty for a user without one.
    pub email: String,
    /// May be empty.
    pub lang: String,
    /// The digits of the code that it brings.
    pub email_code: Option<SecretString>,
}

/// Where mail to a user goes. NOT_FOUND for an unknown user, for an address that is not kept any more, and for a code
/// that confirms nothing any more.
pub async fn recipient(app: &App, id: UserId, about: About) -> Result<Recipient, AuthError> {
    let user = repo::find(&app.pool, id)
        .await?
        .ok_or(AuthError::UserUnknown("user_id"))?;
    let (email, email_code) = match about {
        About::User => (user.email, None),
        About::FormerEmail(former) => {
            let former = repo::find_former_email(&app.pool, former, id, kept_since(app)).await?;
            (
                former.ok_or(AuthError::UserUnknown("former_email_id"))?,
                None,
            )
        }
        About::EmailCode(code) => {
            let digits = email::digits(app, code, id, &user.email).await?;
            let digits = digits.ok_or(AuthError::UserUnknown("email_code_id"))?;
            (user.email, Some(digits))
        }
    };
    Ok(Recipient {
        email,
        lang: user.lang,
        email_code,
    })
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
