//! Users of a native host shell: they come in by an assertion of their host, or for the first time by a token that staff
//! make.

use adfolio_kit::audit;
use adfolio_kit::db::Tx;
use adfolio_kit::identity::{Caller, UserId};
use adfolio_kit::refusal::Refusal;
use secrecy::{ExposeSecret, SecretString};
use serde_json::json;
use sha2::{Digest, Sha256};
use tracing::info;
use uuid::Uuid;

use super::entity::{Entry, LoggedIn, User, UserState, is_language};
use super::repo;
use crate::app::App;
use crate::error::AuthError;
use crate::host::assertion::{Assertion, rejected};
use crate::ids::HostId;
use crate::session::{self, Client, Opened, Opening, Origin, Owner};
use crate::{device, events, host};

/// Longest id that a host may give its user.
const LONGEST_EXTERNAL_ID: usize = 200;

/// A host's name for its user.
#[derive(Clone, Debug)]
pub struct Subject {
    /// The registered host; none where staff vouch for a host that is not registered.
    pub host: Option<HostId>,
    /// The host's id of its user.
    pub id: SecretString,
}

impl Subject {
    /// What the column keeps: the id as it is, or for a registered host the digest of host and id, so that no host can
    /// name another's user.
    fn external_id(&self) -> SecretString {
        let Some(host) = self.host else {
            return self.id.clone();
        };
        let mut digest = Sha256::new();
        digest.update(host.0.as_bytes());
        digest.update(self.id.expose_secret());
        hex::encode(digest.finalize()).into()
    }
}

/// A token for a host's user whose account is not open: it can open the store, and nothing else. The same id is the same
/// user; an unknown one becomes a user who waits for an authorisation code. For an open account it is
/// STORE_ALREADY_OPEN: a member of staff would have a session of somebody else's.
pub async fn create_host_token(
    app: &App,
    caller: Caller,
    subject: Subject,
    lang: &str,
) -> Result<Opened, AuthError> {
    let id = subject.id.expose_secret();
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
                if let Some(host) = subject.host {
                    host::stored_in_tx(tx, host).await?;
                }
                let user = find_or_create_in_tx(tx, &owned, &subject, &lang).await?;
                user.require_store_unopened()?;
                // Somebody else will use it than the member of staff who calls.
                let client = Client::default();
                let opening = Opening::new(Owner::User(user.id), client, Origin::StaffToken);
                let opened = session::open_in_tx(tx, &owned, &opening).await?;
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

/// Opens a session for an assertion, once. A user whom the host names for the first time waits for an authorisation
/// code; the session can do nothing else until then. A closed account is refused like at login, and the assertion stays
/// unused.
pub async fn enter_by_assertion(
    app: &App,
    text: &str,
    client: Client,
) -> Result<LoggedIn, AuthError> {
    let assertion = host::verify(app, text).await?;
    let owned = app.clone();
    let entered = app
        .write(move |tx| Box::pin(async move { enter_in_tx(tx, &owned, &assertion, client).await }))
        .await?;
    info!(user = %entered.user.id, "entered by a host's assertion");
    Ok(entered)
}

async fn enter_in_tx(
    tx: &mut Tx,
    app: &App,
    assertion: &Assertion,
    client: Client,
) -> Result<LoggedIn, AuthError> {
    host::use_in_tx(tx, assertion).await?;
    let lang = assertion.claims.lang.as_deref().unwrap_or_default();
    if !(lang.is_empty() || is_language(lang)) {
        return Err(rejected("lang is none of the languages").into());
    }
    let subject = Subject {
        host: Some(assertion.host),
        id: assertion.claims.sub.clone(),
    };
    adopt_in_tx(tx, assertion.host, &subject).await?;
    let user = find_or_create_in_tx(tx, app, &subject, lang).await?;
    if user.state != UserState::NotActivated {
        user.require_active()?;
    }
    let opening = Opening {
        host_kid: Some(assertion.kid.clone()),
        ..Opening::new(Owner::User(user.id), client, Origin::Host)
    };
    let session = session::open_in_tx(tx, app, &opening).await?;
    let device = device::remember_in_tx(tx, opening.owner, None, app.clock.now()).await?;
    Ok(LoggedIn {
        user,
        session,
        device: Some(device),
    })
}

/// Gives a user of the time before hosts were registered to the host that names the user now, if it is the only one:
/// with several, nobody can say whose the user is.
async fn adopt_in_tx(tx: &mut Tx, host: HostId, subject: &Subject) -> Result<(), AuthError> {
    if host::is_only_one_in_tx(tx, host).await? {
        repo::adopt_in_tx(tx, host, &subject.id, &subject.external_id()).await?;
    }
    Ok(())
}

async fn find_or_create_in_tx(
    tx: &mut Tx,
    app: &App,
    subject: &Subject,
    lang: &str,
) -> Result<User, AuthError> {
    let external_id = &subject.external_id();
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
        host: subject.host,
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
