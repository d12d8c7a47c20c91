//! Step-up: the login password once more, for what a session of long ago may not do by itself.

use adfolio_kit::db;
use adfolio_kit::identity::UserId;
use adfolio_kit::refusal::{Reason, Refusal};
use chrono::{DateTime, Utc};
use secrecy::{ExposeSecret, SecretString};
use tracing::info;

use super::repo;
use crate::app::App;
use crate::error::AuthError;
use crate::session::{self, Kind, TokenDigest};
use crate::{attempt, username};

/// The field that has the password.
const PASSWORD: &str = "password";

/// Makes the session of the token fresh, for the right login password. Answers until when. Guesses are limited in this
/// session. A user without a login password comes in by the host again: STEP_UP_REQUIRED.
pub async fn step_up(
    app: &App,
    id: UserId,
    token: TokenDigest,
    password: SecretString,
) -> Result<DateTime<Utc>, AuthError> {
    if password.expose_secret().is_empty() {
        return Err(Refusal::invalid(PASSWORD).into());
    }
    let account = repo::find_account(&app.pool, id)
        .await?
        .ok_or(AuthError::NotAuthenticated)?;
    let Some(known) = account.password_hash else {
        return Err(Refusal::new(Reason::StepUpRequired).into());
    };
    let key = username::key_of(&account.user.username);
    let ticket = app.passwords.enter()?;
    let attempt = attempt::begin_in_session(app, Kind::User, &key, token).await?;
    let right = app
        .passwords
        .verify(ticket, password, Some(known.clone()))
        .await?;
    if !right {
        attempt::fail(app, &attempt).await?;
        return Err(AuthError::WrongPassword(PASSWORD));
    }
    let now = app.clock.now();
    let owned = app.clone();
    let session = db::write(&app.pool, move |tx| {
        Box::pin(async move {
            attempt::succeed_in_tx(tx, &attempt).await?;
            let account = repo::lock_account_in_tx(tx, id)
                .await?
                .ok_or(AuthError::NotAuthenticated)?;
            account.user.require_active()?;
            // Changed after the evaluation: the one that was right is the old one.
            if account.password_hash.as_ref() != Some(&known) {
                return Err(AuthError::WrongPassword(PASSWORD));
            }
            let mut session = session::require_live_in_tx(tx, &owned, id, token).await?;
            session::confirm_in_tx(tx, &mut session, now).await?;
            Ok(session)
        })
    })
    .await?;
    info!(user = %id, "step-up");
    Ok(session.fresh_until())
}
