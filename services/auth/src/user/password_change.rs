//! Changing the login password.

use adfolio_kit::db::Tx;
use adfolio_kit::identity::UserId;
use adfolio_kit::refusal::{Reason, Refusal};
use secrecy::{ExposeSecret, SecretString};
use tracing::info;

use super::entity::User;
use super::repo;
use crate::app::App;
use crate::audit::{self, UserAction};
use crate::error::AuthError;
use crate::password::{self, NewPassword};
use crate::session::{self, Kind, Owner, TokenDigest};
use crate::{attempt, events, username};

/// A change as a client sends it.
#[derive(Debug)]
pub struct PasswordForm {
    pub old: SecretString,
    pub new: SecretString,
    pub confirmed: SecretString,
    /// The session of the call.
    pub token: TokenDigest,
}

impl PasswordForm {
    /// Refusals that a caller may get without knowing the present password.
    fn check(&self) -> Result<(), Refusal> {
        for (text, field) in [
            (&self.old, "old_password"),
            (&self.new, "new_password"),
            (&self.confirmed, "confirm_password"),
        ] {
            if text.expose_secret().is_empty() {
                return Err(Refusal::invalid(field));
            }
        }
        if self.confirmed.expose_secret() != self.new.expose_secret() {
            return Err(Refusal::new(Reason::PasswordMismatch).field("confirm_password"));
        }
        Ok(())
    }

    /// The new password, or a refusal that only a caller who knows the present one may get.
    fn check_new(&self, user: &User) -> Result<NewPassword, Refusal> {
        let names = password::names_of(&user.username, &user.nickname, &user.email);
        password::replacement(&self.old, &self.new, &names)
    }
}

/// Changes the login password, ends every session of the user and forgets the devices.
///
/// Guesses are limited in the session of the call. Of concurrent changes the first to commit wins; for the others the
/// old password is wrong.
pub async fn change_password(app: &App, id: UserId, form: PasswordForm) -> Result<(), AuthError> {
    form.check()?;
    let account = repo::find_account(&app.pool, id)
        .await?
        .ok_or(AuthError::NotAuthenticated)?;
    let key = username::key_of(&account.user.username);
    let ticket = app.passwords.enter()?;
    let attempt = attempt::begin_in_session(app, Kind::User, &key, form.token).await?;
    let known = account.password_hash;
    let right = app
        .passwords
        .verify(ticket, form.old.clone(), known.clone())
        .await?;
    if !right {
        attempt::fail(app, &attempt).await?;
        return Err(AuthError::WrongPassword("old_password"));
    }
    attempt::succeed(app, &attempt).await?;
    let new = form.check_new(&account.user)?;
    let new = password::hash(app.passwords.enter()?, new).await?;
    let owned = app.clone();
    app.write(move |tx| Box::pin(async move { change_in_tx(tx, &owned, id, known, &new).await }))
        .await?;
    info!(user = %id, "password changed");
    Ok(())
}

async fn change_in_tx(
    tx: &mut Tx,
    app: &App,
    id: UserId,
    known: Option<String>,
    new: &str,
) -> Result<(), AuthError> {
    let account = repo::lock_account_in_tx(tx, id)
        .await?
        .ok_or(AuthError::NotAuthenticated)?;
    account.user.require_active()?;
    // Another change came between the evaluation and this lock.
    if account.password_hash != known {
        return Err(AuthError::WrongPassword("old_password"));
    }
    let now = app.clock.now();
    repo::save_password_in_tx(tx, id, new).await?;
    session::revoke_all_in_tx(tx, Owner::User(id), now).await?;
    let action = UserAction::new(app.ids.next(), id, UserAction::PASSWORD_CHANGED, now);
    audit::record_user_action_in_tx(tx, &action).await?;
    events::password_changed_in_tx(tx, id).await
}

#[cfg(test)]
mod tests {
    use adfolio_kit::refusal::Rule;

    use super::*;
    use crate::user::Entry;

    fn form(old: &str, new: &str, confirmed: &str) -> PasswordForm {
        PasswordForm {
            old: old.into(),
            new: new.into(),
            confirmed: confirmed.into(),
            token: TokenDigest::of(""),
        }
    }

    #[test]
    fn fields_come_before_comparisons() {
        for (form, reason, field) in [
            (form("", "a", "b"), Reason::Validation, "old_password"),
            (form("a", "", "b"), Reason::Validation, "new_password"),
            (form("a", "b", ""), Reason::Validation, "confirm_password"),
            (
                form("a", "b", "c"),
                Reason::PasswordMismatch,
                "confirm_password",
            ),
        ] {
            let refusal = form.check().expect_err("refused");
            assert_eq!(refusal.reason, reason);
            assert_eq!(refusal.field.as_deref(), Some(field));
        }
    }

    fn user() -> User {
        let id = UserId(uuid::Uuid::nil());
        let (username, nickname) = ("annabelle".to_owned(), "Shop of Anna".to_owned());
        let mut user = User::newcomer(
            id,
            username,
            nickname,
            Entry::Register,
            chrono::DateTime::UNIX_EPOCH,
        );
        user.email = "wholesale@shop.example".to_owned();
        user
    }

    #[test]
    fn the_new_one_differs_and_is_not_easy_to_guess() {
        let refused = |form: &PasswordForm| form.check_new(&user()).expect_err("refused");
        let same = form("password", "password", "password");
        assert!(same.check().is_ok());
        assert_eq!(refused(&same).reason, Reason::PasswordUnchanged);
        // The same password, typed on another keyboard.
        let same = form("Zoe\u{308} am See", "Zo\u{eb} am See", "");
        assert_eq!(refused(&same).reason, Reason::PasswordUnchanged);
        for (new, rule) in [
            ("password", Rule::Common),
            ("short", Rule::TooShort),
            ("          ", Rule::Blank),
            ("Annabelle7", Rule::LikeName),
            ("shop of anna", Rule::LikeName),
            ("elaselohw", Rule::LikeName),
        ] {
            let refusal = refused(&form("correct horse", new, new));
            assert_eq!(refusal, Refusal::broken(rule, "new_password"), "{new}");
        }
        let fine = form("correct horse", "battery staple", "");
        assert!(fine.check_new(&user()).is_ok());
    }
}
