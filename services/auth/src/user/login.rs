//! Login with user name and password.

use adfolio_kit::db::Tx;
use secrecy::SecretString;

use super::entity::{LoggedIn, User};
use super::repo;
use crate::app::App;
use crate::device::{self, DeviceToken};
use crate::error::AuthError;
use crate::session::{self, Client, Kind, Opening, Origin, Owner};
use crate::{attempt, username};

/// A login as a client sends it.
#[derive(Debug)]
pub struct Login {
    /// As typed.
    pub username: String,
    /// As typed.
    pub password: SecretString,
    pub client_address: String,
    pub user_agent: String,
    /// Of an earlier login from the same device.
    pub device: Option<DeviceToken>,
}

/// Opens a session for the right password of an active account.
///
/// Nothing about an account can be learned without its password: an unknown name costs the same work and gets the same
/// answer as a wrong password, and a closed account says so only after the right one. The attempt is counted before it
/// is evaluated.
///
/// A name or password that is missing is VALIDATION, and no attempt.
pub async fn login(app: &App, login: Login) -> Result<LoggedIn, AuthError> {
    attempt::require_credentials(&login.username, &login.password)?;
    let outcome = try_login(app, login).await;
    attempt::count("user", &outcome);
    outcome
}

async fn try_login(app: &App, login: Login) -> Result<LoggedIn, AuthError> {
    let key = username::key_of(&login.username);
    let address = &login.client_address;
    let client = Client::of(&login.user_agent, address);
    let ticket = app.passwords.enter()?;
    let device = device::known(app, Kind::User, &key, login.device.as_ref()).await?;
    let attempt = attempt::begin_login(app, Kind::User, &key, device, address).await?;
    let account = repo::find_by_name(&app.pool, &key).await?;
    let (id, stored) = account
        .map(|account| (account.user.id, account.password_hash))
        .unzip();
    let stored = stored.flatten();
    let right = app
        .passwords
        .verify(ticket, login.password, stored.clone())
        .await?;
    let Some(id) = id.filter(|_| right) else {
        attempt::fail(app, &attempt).await?;
        return Err(AuthError::BadCredentials);
    };
    let (owned, shown, counted) = (app.clone(), login.device, attempt.clone());
    let outcome = app
        .write(move |tx| {
            Box::pin(async move {
                attempt::succeed_in_tx(tx, &counted).await?;
                let account = repo::lock_account_in_tx(tx, id)
                    .await?
                    .ok_or(AuthError::BadCredentials)?;
                // The password was changed after the evaluation: a session opened now would survive the change, which
                // ended all others.
                if account.password_hash != stored {
                    return Ok::<_, AuthError>(Err(AuthError::BadCredentials));
                }
                open_in_tx(tx, &owned, account.user, client, shown).await
            })
        })
        .await;
    attempt::settle(app, &attempt, false).await;
    outcome?
}

/// A closed account is an outcome, not an error: the cleared counters must be committed with it.
async fn open_in_tx(
    tx: &mut Tx,
    app: &App,
    user: User,
    client: Client,
    shown: Option<DeviceToken>,
) -> Result<Result<LoggedIn, AuthError>, AuthError> {
    if let Err(refusal) = user.require_active() {
        return Ok(Err(refusal.into()));
    }
    let owner = Owner::User(user.id);
    let opening = Opening::new(owner, client, Origin::Login);
    let session = session::open_in_tx(tx, app, &opening).await?;
    let device = device::remember_in_tx(tx, owner, shown, app.clock.now()).await?;
    Ok(Ok(LoggedIn {
        user,
        session,
        device: Some(device),
    }))
}
