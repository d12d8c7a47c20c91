//! Confirming the e-mail address: a code is mailed to it, and its user types the code.
//!
//! Auth announces that a code was asked for, and notification asks for its digits at the moment at which it writes the
//! mail. So they are in the mail and in an answer between the two, and in no table, event or log. A code belongs to its
//! user and the address; both are locked by the user's row while it is made, tried or made worthless.

pub mod entity;
mod repo;

use adfolio_kit::db::{self, Tx};
use adfolio_kit::identity::UserId;
use adfolio_kit::once::{Answer, Once};
use adfolio_kit::refusal::{Reason, Refusal};
use chrono::{DateTime, Utc};
use secrecy::SecretString;
use tracing::info;

pub use entity::{CodeMaker, EmailCode, TypedCode};

use self::entity::{COUNTED_FOR, Mailbox};
use super::entity::User;
use crate::app::App;
use crate::audit::{self, UserAction};
use crate::error::AuthError;
use crate::events;
use crate::ids::EmailCodeId;

/// Has a new code sent to the user's present address; an older one is worthless from then on. VALIDATION of `email` for
/// a user without an address, NOTHING_CHANGED where it is confirmed, TOO_MANY_ATTEMPTS when enough were sent.
pub async fn send_code(
    app: &App,
    once: Once<EmailCode>,
    id: UserId,
) -> Result<Answer<EmailCode>, AuthError> {
    let now = app.clock.now();
    let code = EmailCodeId(app.ids.next());
    app.write_once(once, move |tx| {
        Box::pin(async move { send_code_in_tx(tx, id, code, now).await })
    })
    .await
}

async fn send_code_in_tx(
    tx: &mut Tx,
    id: UserId,
    code: EmailCodeId,
    now: DateTime<Utc>,
) -> Result<EmailCode, AuthError> {
    let user = super::repo::lock_in_tx(tx, id)
        .await?
        .ok_or(AuthError::NotAuthenticated)?;
    user.require_active()?;
    if user.email.is_empty() {
        let refusal = Refusal::invalid("email");
        return Err(refusal.detail("the account has no e-mail address").into());
    }
    if user.email_confirmed {
        return Err(Refusal::new(Reason::NothingChanged).into());
    }
    let mailbox = Mailbox::of(&user.email);
    repo::lock_mailbox_in_tx(tx, mailbox).await?;
    let sent = repo::sent_in_tx(tx, id, mailbox, counted_since(now)).await?;
    if let Some(wait) = sent.wait(now) {
        let refusal = Refusal::new(Reason::TooManyAttempts);
        return Err(refusal
            .retry_after(wait.to_std().unwrap_or_default())
            .into());
    }
    repo::end_in_tx(tx, id).await?;
    let code = EmailCode::new(code, id, mailbox, now);
    repo::insert_in_tx(tx, &code).await?;
    events::email_code_requested_in_tx(tx, &code).await?;
    Ok(code)
}

/// Confirms the user's present address with the code that was sent to it: EMAIL_CODE_INVALID for one that is wrong, too
/// old, replaced, for another address, or was tried too often. A confirmed address stays so, whatever the code.
pub async fn confirm(app: &App, id: UserId, typed: TypedCode) -> Result<User, AuthError> {
    let owned = app.clone();
    // A wrong code is an outcome, not an error: the try is committed.
    app.write(move |tx| Box::pin(async move { confirm_in_tx(tx, &owned, id, &typed).await }))
        .await?
        .ok_or(AuthError::EmailCodeInvalid)
}

async fn confirm_in_tx(
    tx: &mut Tx,
    app: &App,
    id: UserId,
    typed: &TypedCode,
) -> Result<Option<User>, AuthError> {
    let mut user = super::repo::lock_in_tx(tx, id)
        .await?
        .ok_or(AuthError::NotAuthenticated)?;
    user.require_active()?;
    if user.email_confirmed {
        return Ok(Some(user));
    }
    let now = app.clock.now();
    let code = repo::find_live_in_tx(tx, id).await?;
    let Some(mut code) = code.filter(|code| code.confirms(&user.email, now)) else {
        return Ok(None);
    };
    if !app.code_maker.is_right(&code, typed) {
        code.miss();
        repo::save_in_tx(tx, &code).await?;
        return Ok(None);
    }
    user.email_confirmed = true;
    super::repo::save_profile_in_tx(tx, &user).await?;
    repo::end_in_tx(tx, id).await?;
    let action = UserAction::new(app.ids.next(), id, UserAction::EMAIL_CONFIRMED, now);
    audit::record_user_action_in_tx(tx, &action).await?;
    info!(user = %id, "e-mail address confirmed");
    Ok(Some(user))
}

/// Makes the user's code worthless, because the address has changed. The user is locked.
pub async fn end_code_in_tx(tx: &mut Tx, id: UserId) -> Result<(), AuthError> {
    Ok(repo::end_in_tx(tx, id).await?)
}

/// The digits of a code, for the mail to this address of its user; none if it confirms nothing any more.
pub async fn digits(
    app: &App,
    id: EmailCodeId,
    user: UserId,
    email: &str,
) -> Result<Option<SecretString>, AuthError> {
    let now = app.clock.now();
    let code = repo::find(&app.pool, id, user).await?;
    let code = code.filter(|code| code.confirms(email, now));
    Ok(code.map(|code| app.code_maker.digits(&code)))
}

/// Deletes a batch of codes that count no more.
pub async fn prune_codes(app: &App) -> Result<u64, AuthError> {
    let before = counted_since(app.clock.now());
    db::write(&app.pool, move |tx| {
        Box::pin(async move { Ok(repo::prune_in_tx(tx, before).await?) })
    })
    .await
}

/// Codes that were made then or before count no more.
fn counted_since(now: DateTime<Utc>) -> DateTime<Utc> {
    now.checked_sub_signed(COUNTED_FOR).unwrap_or(now)
}
