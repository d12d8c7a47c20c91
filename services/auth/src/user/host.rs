//! Users of a native host shell.

use adfolio_kit::audit;
use adfolio_kit::db::Tx;
use adfolio_kit::identity::{Caller, UserId};
use adfolio_kit::refusal::Refusal;
use secrecy::{ExposeSecret, SecretString};
use serde_json::json;
use tracing::info;
use uuid::Uuid;

use super::entity::{Entry, User, is_language};
use super::repo;
use crate::app::App;
use crate::error::AuthError;
use crate::events;
use crate::session::{self, Client, Opened, Owner};

/// Longest id that a host may give its user.
const LONGEST_EXTERNAL_ID: usize = 200;

/// A token for the user of a host's id. The same id is the same user; an unknown one becomes a user who waits for an
/// authorisation code.
pub async fn create_host_token(
    app: &App,
    caller: Caller,
    external_id: SecretString,
    lang: &str,
) -> Result<Opened, AuthError> {
    let id = external_id.expose_secret();
    let length = id.chars().count();
    if !(1..=LONGEST_EXTERNAL_ID).contains(&length) || id.chars().any(char::is_control) {
        return Err(Refusal::invalid("external_user_id").into());
    }
    if !(lang.is_empty() || is_language(lang)) {
        return Err(Refusal::invalid("lang").into());
    }
    let owned = app.clone();
    let lang = lang.to_owned();
    let (user, opened) = app
        .write(move |tx| {
            Box::pin(async move {
                let user = find_or_create_in_tx(tx, &owned, &external_id, &lang).await?;
                // The host decides who uses it: the call comes from a member of staff.
                let client = Client::default();
                let opened = session::open_in_tx(tx, &owned, Owner::User(user.id), &client).await?;
                // Neither the token nor the host's own id: each of them lets somebody in.
                audit::Entry::new("auth.create_host_token", user.id)
                    .user(user.id)
                    .after(&json!({"username": user.username, "lang": user.lang}))?
                    .record_in_tx(tx, &caller, owned.clock.now())
                    .await?;
                Ok::<_, AuthError>((user.id, opened))
            })
        })
        .await?;
    info!(action = "create host token", target = %user, "staff action");
    Ok(opened)
}

async fn find_or_create_in_tx(
    tx: &mut Tx,
    app: &App,
    external_id: &SecretString,
    lang: &str,
) -> Result<User, AuthError> {
    if let Some(user) = repo::lock_by_external_id_in_tx(tx, external_id).await? {
        return start_language_in_tx(tx, user, lang).await;
    }
    let id = UserId(app.ids.next());
    // Random, not from the host's id: the id is the host's secret, and a user name is shown.
    let username = format!("host_{}", Uuid::new_v4().simple());
    let mut user = User::newcomer(
        id,
        username.clone(),
        username.clone(),
        Entry::Host,
        app.clock.now(),
    );
    user.lang = lang.to_owned();
    let credentials = repo::Credentials {
        username_key: username,
        password_hash: None,
        external_id: Some(external_id.clone()),
    };
    if repo::insert_in_tx(tx, &user, &credentials).await? {
        events::user_registered_in_tx(tx, &user).await?;
        return Ok(user);
    }
    // Another call created the user at the same moment.
    let user = repo::lock_by_external_id_in_tx(tx, external_id).await?;
    start_language_in_tx(tx, user.ok_or(sqlx::Error::RowNotFound)?, lang).await
}

/// The host's language applies until the user has one.
async fn start_language_in_tx(tx: &mut Tx, mut user: User, lang: &str) -> Result<User, AuthError> {
    if user.lang.is_empty() && !lang.is_empty() {
        user.lang = lang.to_owned();
        repo::save_state_in_tx(tx, &user).await?;
    }
    Ok(user)
}
