//! Login with user name and password.

use adfolio_kit::db;
use adfolio_kit::refusal::{Reason, Refusal};
use secrecy::SecretString;

use super::{LoggedIn, repo};
use crate::attempt::{self, Scopes};
use crate::context::Context;
use crate::error::AuthError;
use crate::session::{self, Client, Owner};
use crate::username;

/// A user name, a password and where they come from.
#[derive(Debug)]
pub struct Login {
    /// As typed.
    pub username: String,
    /// As typed.
    pub password: SecretString,
    /// The client's address.
    pub client_address: String,
    /// What the client says it is.
    pub user_agent: String,
}

/// Opens a session for the right password of an active account.
///
/// Nothing about an account can be learned without its password: an unknown name costs the same work and gets the same
/// answer as a wrong password, and a closed account says so only after the right one. The attempt is counted before it is
/// evaluated.
pub async fn login(context: &Context, login: Login) -> Result<LoggedIn, AuthError> {
    let key = username::key_of(&login.username);
    let scopes = Scopes::new("user", &key, &login.client_address);
    let client = Client::of(&login.user_agent, &login.client_address);
    let ticket = context.passwords.enter()?;
    attempt::begin(context, scopes).await?;
    let account = repo::find_by_name(&context.pool, &key).await?;
    let (id, stored) = account
        .map(|account| (account.user.id, account.password_hash))
        .unzip();
    let stored = stored.flatten();
    let right = ticket.verify(login.password, stored.clone()).await?;
    let Some(id) = id.filter(|_| right) else {
        attempt::fail(context, scopes).await?;
        return Err(Refusal::new(Reason::BadCredentials).into());
    };
    let context_here = context.clone();
    let outcome = db::write(&context.pool, move |tx| {
        Box::pin(async move {
            attempt::succeed_in_tx(tx, scopes).await?;
            let account = repo::lock_account_in_tx(tx, id)
                .await?
                .ok_or_else(|| Refusal::new(Reason::BadCredentials))?;
            // The password was changed since it was evaluated: a session opened now would outlive the change, which ended all.
            if account.password_hash != stored {
                return Ok::<_, AuthError>(Err(Refusal::new(Reason::BadCredentials)));
            }
            let user = account.user;
            // A closed account is an outcome, not an error: the cleared counters must be committed with it.
            if let Err(refusal) = user.require_active() {
                return Ok(Err(refusal));
            }
            let session = session::open_in_tx(tx, &context_here, Owner::User(id), &client).await?;
            Ok(Ok(LoggedIn { user, session }))
        })
    })
    .await?;
    context.notifier.notify();
    Ok(outcome?)
}
