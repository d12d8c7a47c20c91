//! Limits of login: a bounded number of failures, then a lock. The counters are in the database, so they hold over
//! every replica, every form of login and every restart.
//!
//! | who tries | what counts, and what is locked then |
//! |---|---|
//! | a device that the account knows | the device |
//! | anybody else | the account for unknown devices, and these at one address; see [`guess`] for many names |
//! | the holder of a session | the session |

pub mod entity;
pub mod guess;
mod repo;

use std::time::Duration;

use adfolio_kit::db::{self, Tx};
use adfolio_kit::refusal::{Reason, Refusal};
use chrono::{DateTime, Utc};
use secrecy::{ExposeSecret as _, SecretString};
use tracing::warn;

pub use entity::Scopes;
use entity::{Limits, NotBegun, Wait};
use guess::Guess;

use crate::app::App;
use crate::device::DeviceDigest;
use crate::error::AuthError;
use crate::session::{Kind, TokenDigest};

/// How often a login that finds all attempts under evaluation waits for their outcome.
const BUSY_ROUNDS: u32 = 15;

/// How long it waits each time.
const BUSY_WAIT: Duration = Duration::from_millis(150);

/// When a login that has waited without success may retry.
const BUSY_RETRY: Duration = Duration::from_secs(5);

/// An attempt that is counted and not decided yet.
#[derive(Clone, Debug)]
pub struct Attempt {
    scopes: Scopes,
    guess: Guess,
}

/// Refuses a login whose name or password is missing, which says nothing about any account.
pub fn require_credentials(username: &str, password: &SecretString) -> Result<(), Refusal> {
    if username.trim().is_empty() {
        return Err(Refusal::invalid("username"));
    }
    if password.expose_secret().is_empty() {
        return Err(Refusal::invalid("password"));
    }
    Ok(())
}

/// Counts a login before it is evaluated, or refuses it with TOO_MANY_ATTEMPTS. From a device that the account knows it
/// is counted for this device alone.
pub async fn begin_login(
    app: &App,
    kind: Kind,
    username_key: &str,
    device: Option<DeviceDigest>,
    address: &str,
) -> Result<Attempt, AuthError> {
    let scopes = Scopes::of_login(kind, username_key, device, address);
    let guesses = match device {
        Some(_) => guess::Scopes::none(),
        None => guess::Scopes::of_login(&app.guesses, address),
    };
    patiently(|| begin(app, scopes.clone(), guesses.clone())).await
}

/// Counts a password or code typed in a session before it is evaluated, or refuses it with TOO_MANY_ATTEMPTS.
///
/// A session is no proof of the password: the holder of a stolen one could guess here instead of at login. The guesses
/// are counted for this session, so that they do not lock the owner's login.
pub async fn begin_in_session(
    app: &App,
    kind: Kind,
    username_key: &str,
    token: TokenDigest,
) -> Result<Attempt, AuthError> {
    let scopes = Scopes::of_session(kind, username_key, token);
    patiently(|| begin(app, scopes.clone(), guess::Scopes::none())).await
}

/// Begins an attempt. While as many as are left are being evaluated, the next one waits a little for their outcome, so
/// that a person's own parallel logins with the right password do not refuse each other.
async fn patiently<T, F>(begin: impl Fn() -> F) -> Result<T, AuthError>
where
    F: Future<Output = Result<T, NotBegun>>,
{
    for round in 0..=BUSY_ROUNDS {
        match begin().await {
            Ok(attempt) => return Ok(attempt),
            Err(NotBegun::Failed(error)) => return Err(error),
            Err(NotBegun::Wait(Wait::Locked(left))) => {
                return Err(too_many(left.to_std().unwrap_or(Duration::ZERO)).into());
            }
            Err(NotBegun::Wait(Wait::Busy)) if round < BUSY_ROUNDS => {
                tokio::time::sleep(BUSY_WAIT).await;
            }
            Err(NotBegun::Wait(Wait::Busy)) => {}
        }
    }
    Err(too_many(BUSY_RETRY).into())
}

async fn begin(app: &App, scopes: Scopes, guesses: guess::Scopes) -> Result<Attempt, NotBegun> {
    guess::refuse_early(app, &guesses).await?;
    let _turn = guess::turn(app, &guesses).await;
    let (now, limits) = (app.clock.now(), app.limits);
    db::write(&app.pool, move |tx| {
        Box::pin(async move {
            begin_in_tx(tx, &scopes, limits, now).await?;
            let guess = guess::begin_in_tx(tx, guesses, now).await?;
            Ok(Attempt { scopes, guess })
        })
    })
    .await
}

/// A refusal is an error, so that no counter is written: an attempt that is not evaluated counts nowhere.
async fn begin_in_tx(
    tx: &mut Tx,
    scopes: &Scopes,
    limits: Limits,
    now: DateTime<Utc>,
) -> Result<(), NotBegun> {
    let mut rows = repo::lock_in_tx(tx, scopes, now).await?;
    // A counter that another login cleared between insert and lock must not go uncounted: try again.
    if rows.len() < scopes.counters().len() {
        return Err(Wait::Busy.into());
    }
    for (row, (_, counted)) in rows.iter_mut().zip(scopes.counters()) {
        row.attempts.begin(now, limits.of(*counted))?;
    }
    for row in &rows {
        repo::save_in_tx(tx, row).await?;
    }
    Ok(())
}

/// Records that an attempt failed, in a transaction of its own.
pub async fn fail(app: &App, attempt: &Attempt) -> Result<(), AuthError> {
    let _turn = attempt.guess.turn(app).await;
    let (owned, attempt) = (app.clone(), attempt.clone());
    db::write(&app.pool, move |tx| {
        Box::pin(async move {
            fail_in_tx(tx, &owned, &attempt).await?;
            guess::end_in_tx(tx, &attempt.guess, true).await
        })
    })
    .await
}

/// Records that an attempt failed, but for its guess: [`settle`] follows after the commit.
pub async fn fail_in_tx(tx: &mut Tx, app: &App, attempt: &Attempt) -> Result<(), AuthError> {
    let (now, limits, scopes) = (app.clock.now(), app.limits, &attempt.scopes);
    for mut row in repo::lock_in_tx(tx, scopes, now).await? {
        let mut counters = scopes.counters().iter();
        let Some((_, counted)) = counters.find(|(scope, _)| scope[..] == row.scope) else {
            continue;
        };
        let was_locked = row.attempts.locked_until.is_some();
        row.attempts.fail(now, limits.of(*counted));
        if row.attempts.locked_until.is_some() && !was_locked {
            metrics::counter!("auth_login_locks_total").increment(1);
            warn!(
                what = counted.as_str(),
                scope = hex::encode(&row.scope[..8]),
                "login locked after too many failures"
            );
            repo::save_in_tx(tx, &row).await?;
        }
    }
    Ok(())
}

/// Clears every counter of an account, whatever the address, the device or the session, and with them its locks;
/// answers how many there were.
pub async fn unlock_in_tx(tx: &mut Tx, account: [u8; 32]) -> Result<u64, AuthError> {
    Ok(repo::clear_account_in_tx(tx, &account).await?)
}

/// Forgets the failures after a right password, but for its guess, in a transaction of its own.
pub async fn succeed(app: &App, attempt: &Attempt) -> Result<(), AuthError> {
    let attempt = attempt.clone();
    db::write(&app.pool, move |tx| {
        Box::pin(async move { succeed_in_tx(tx, &attempt).await })
    })
    .await
}

/// Forgets the failures after a right password, but for its guess: [`settle`] follows after the commit.
pub async fn succeed_in_tx(tx: &mut Tx, attempt: &Attempt) -> Result<(), AuthError> {
    Ok(repo::clear_in_tx(tx, &attempt.scopes).await?)
}

/// Records whether an attempt was a wrong guess. After the transaction that decided it: the counters of an address and
/// a network are shared, so nothing holds them for long.
pub async fn settle(app: &App, attempt: &Attempt, is_wrong: bool) {
    guess::end(app, &attempt.guess, is_wrong).await;
}

/// Counts a login of `kind` ("user" or "staff") by its outcome.
pub fn count<T>(kind: &'static str, login: &Result<T, AuthError>) {
    let outcome = match login {
        Ok(_) => "ok",
        Err(error) => match error.refusal().map(|refusal| refusal.reason) {
            Some(Reason::BadCredentials) => "wrong",
            Some(Reason::TooManyAttempts) => "locked",
            Some(_) => "refused",
            None => "failed",
        },
    };
    metrics::counter!("auth_logins_total", "kind" => kind, "outcome" => outcome).increment(1);
}

/// Deletes a batch of counters that no longer count.
pub async fn prune(app: &App) -> Result<u64, AuthError> {
    let now = app.clock.now();
    let before = now
        .checked_sub_signed(app.limits.longest_memory())
        .unwrap_or(now);
    db::write(&app.pool, move |tx| {
        Box::pin(async move { Ok(repo::prune_in_tx(tx, before, now).await?) })
    })
    .await
}

fn too_many(wait: Duration) -> Refusal {
    Refusal::new(Reason::TooManyAttempts).retry_after(wait)
}
