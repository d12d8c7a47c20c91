//! Accounts that a licence key opens: by registration, or later for a user who came in without one.

use adfolio_kit::db::{self, Tx};
use adfolio_kit::refusal::{Reason, Refusal, is_unique_violation};
use secrecy::{ExposeSecret, SecretString};
use tracing::info;
use uuid::Uuid;

use super::registration::{Registration, RegistrationForm};
use super::{Entry, LoggedIn, StateChanged, User, UserState, newcomer, record_state_in_tx, repo};
use crate::context::Context;
use crate::error::AuthError;
use crate::events;
use crate::license::{self, Code};
use crate::session::{self, Client, Owner};

/// Creates an account with an unused key and opens its first session. The key is spent, the account created and the event
/// written in one transaction: of many registrations with one key, or of one name, exactly one succeeds.
///
/// With a key that does not activate, the account waits for staff or another code; its session can do nothing else.
pub async fn register(context: &Context, form: RegistrationForm) -> Result<LoggedIn, AuthError> {
    let registration = form.check()?;
    // Refused before the costly hash where possible; the transaction decides.
    if repo::find_by_name(&context.pool, registration.username.key())
        .await?
        .is_some()
    {
        return Err(username_taken());
    }
    let code = match license::check(context, &registration.license_key).await {
        Err(AuthError::Refused(refusal)) => return Err(refusal.field("licenseKey").into()),
        other => other?,
    };
    let hash = context
        .passwords
        .enter()?
        .hash(registration.password.clone())
        .await?;
    let context_here = context.clone();
    let outcome = db::write(&context.pool, move |tx| {
        Box::pin(async move { register_in_tx(tx, &context_here, registration, code, hash).await })
    })
    .await;
    context.notifier.notify();
    match outcome {
        Err(AuthError::Database(error))
            if is_unique_violation(&error, repo::USERNAME_CONSTRAINT) =>
        {
            Err(username_taken())
        }
        other => other,
    }
}

async fn register_in_tx(
    tx: &mut Tx,
    context: &Context,
    registration: Registration,
    code: Code,
    password_hash: String,
) -> Result<LoggedIn, AuthError> {
    let now = context.clock.now();
    let key = match license::take_in_tx(tx, &code).await {
        Err(AuthError::Refused(refusal)) => return Err(refusal.field("licenseKey").into()),
        other => other?,
    };
    let username = registration.username;
    let mut user = newcomer(
        context.ids.next(),
        username.as_str().to_owned(),
        registration.nickname,
        Entry::Register,
        now,
    );
    user.email = registration.email;
    user.phone = registration.phone;
    user.open_store(key.code.clone(), key.activate)?;
    let credentials = repo::Credentials {
        username_key: username.key().to_owned(),
        password_hash: Some(password_hash),
        external_id: None,
    };
    repo::insert_in_tx(tx, &user, &credentials).await?;
    license::spend_in_tx(tx, &key, user.id, now).await?;
    events::user_registered_in_tx(tx, &user).await?;
    let owner = Owner::User(user.id);
    let session = session::open_in_tx(tx, context, owner, &registration.client).await?;
    info!(user = %user.id, state = user.state.as_str(), "user registered");
    Ok(LoggedIn { user, session })
}

/// Opens the ad account of a host user, or of a user not yet activated, with an unused code. The tokens used before die;
/// a new session takes their place.
pub async fn open_store(
    context: &Context,
    user: Uuid,
    code: &SecretString,
    client: Client,
) -> Result<LoggedIn, AuthError> {
    if code.expose_secret().trim().is_empty() {
        return Err(Refusal::invalid("code").into());
    }
    let code = Code::parse(code.expose_secret());
    let context_here = context.clone();
    let opened = db::write(&context.pool, move |tx| {
        Box::pin(async move { open_store_in_tx(tx, &context_here, user, code, &client).await })
    })
    .await
    .map_err(|error| match error {
        AuthError::Refused(refusal)
            if matches!(
                refusal.reason,
                Reason::LicenseNotFound | Reason::LicenseUsed
            ) =>
        {
            refusal.field("code").into()
        }
        other => other,
    })?;
    context.notifier.notify();
    Ok(opened)
}

async fn open_store_in_tx(
    tx: &mut Tx,
    context: &Context,
    id: Uuid,
    code: Option<Code>,
    client: &Client,
) -> Result<LoggedIn, AuthError> {
    let now = context.clock.now();
    let mut user = repo::lock_in_tx(tx, id)
        .await?
        .ok_or_else(|| Refusal::new(Reason::NotAuthenticated))?;
    // An account that is open, or closed for good, says so before anything is said about the code.
    user.require_store_unopened()?;
    let code = code.ok_or_else(|| Refusal::new(Reason::LicenseNotFound))?;
    let key = license::take_in_tx(tx, &code).await?;
    user.open_store(key.code.clone(), key.activate)?;
    repo::save_state_in_tx(tx, &user).await?;
    license::spend_in_tx(tx, &key, user.id, now).await?;
    if user.state == UserState::Active {
        let reason = "authorisation code".to_owned();
        record_state_in_tx(
            tx,
            context,
            &user,
            StateChanged {
                from: UserState::NotActivated,
                reason,
                staff: None,
            },
        )
        .await?;
    }
    session::end_all_in_tx(tx, Owner::User(id), now).await?;
    let session = session::open_in_tx(tx, context, Owner::User(id), client).await?;
    info!(user = %id, state = user.state.as_str(), "store opened");
    Ok(LoggedIn { user, session })
}

fn username_taken() -> AuthError {
    Refusal::new(Reason::UsernameTaken).field("username").into()
}

impl User {
    /// Whether the user has the key that opened the account.
    pub fn masked_license(&self) -> String {
        self.license_code
            .as_ref()
            .map(Code::masked)
            .unwrap_or_default()
    }
}
