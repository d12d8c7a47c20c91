//! Limits of login: a bounded number of failures per account, and per account and address, then a lock. The counters
//! are in the database, so they hold over every replica, every form of login and every restart.

pub mod entity;
mod repo;

use std::time::Duration;

use adfolio_kit::db::{self, Tx};
use adfolio_kit::refusal::{Reason, Refusal};
use tracing::warn;

pub use entity::Scopes;
use entity::Wait;

use crate::app::App;
use crate::error::AuthError;

/// How often a login that finds all attempts under evaluation waits for their outcome.
const BUSY_ROUNDS: u32 = 15;

/// How long it waits each time.
const BUSY_WAIT: Duration = Duration::from_millis(150);

/// When a login that has waited without success may retry.
const BUSY_RETRY: Duration = Duration::from_secs(5);

/// Counts an attempt before it is evaluated, or refuses it with TOO_MANY_ATTEMPTS.
///
/// While attempts are being evaluated, the next one waits a little for their outcome, so that a person's own parallel
/// logins with the right password do not refuse each other.
pub async fn begin(app: &App, scopes: Scopes) -> Result<(), AuthError> {
    for round in 0..=BUSY_ROUNDS {
        match try_begin(app, scopes).await? {
            Ok(()) => return Ok(()),
            Err(Wait::Locked(left)) => {
                return Err(too_many(left.to_std().unwrap_or(Duration::ZERO)).into());
            }
            Err(Wait::Busy) if round < BUSY_ROUNDS => tokio::time::sleep(BUSY_WAIT).await,
            Err(Wait::Busy) => {}
        }
    }
    Err(too_many(BUSY_RETRY).into())
}

async fn try_begin(app: &App, scopes: Scopes) -> Result<Result<(), Wait>, AuthError> {
    let now = app.clock.now();
    let limits = app.limits;
    db::write(&app.pool, move |tx| {
        Box::pin(async move {
            let mut rows = repo::lock_in_tx(tx, &scopes, now).await?;
            // A counter that another login cleared between insert and lock must not go uncounted: try again.
            if rows.len() < scopes.sorted().len() {
                return Ok(Err(Wait::Busy));
            }
            for row in &mut rows {
                let limit = limits.of(&scopes, &row.scope);
                if let Err(wait) = row.attempts.begin(now, limit) {
                    // Neither counter is written: an attempt that is not evaluated counts nowhere.
                    return Ok(Err(wait));
                }
            }
            for row in &rows {
                repo::save_in_tx(tx, row).await?;
            }
            Ok(Ok(()))
        })
    })
    .await
}

/// Records that an attempt failed, in a transaction of its own.
pub async fn fail(app: &App, scopes: Scopes) -> Result<(), AuthError> {
    let owned = app.clone();
    db::write(&app.pool, move |tx| {
        Box::pin(async move { fail_in_tx(tx, &owned, scopes).await })
    })
    .await
}

/// Records that an attempt failed.
pub async fn fail_in_tx(tx: &mut Tx, app: &App, scopes: Scopes) -> Result<(), AuthError> {
    let (now, limits) = (app.clock.now(), app.limits);
    for mut row in repo::lock_in_tx(tx, &scopes, now).await? {
        let was_locked = row.attempts.locked_until.is_some();
        row.attempts.fail(now, limits.of(&scopes, &row.scope));
        if row.attempts.locked_until.is_some() && !was_locked {
            metrics::counter!("auth_login_locks_total").increment(1);
            warn!(
                scope = hex::encode(&row.scope[..8]),
                "login locked after too many failures"
            );
            repo::save_in_tx(tx, &row).await?;
        }
    }
    Ok(())
}

/// Clears every counter of an account, whatever the address, and with them its lock; answers how many there were.
pub async fn unlock_in_tx(tx: &mut Tx, account: [u8; 32]) -> Result<u64, AuthError> {
    Ok(repo::clear_account_in_tx(tx, &account).await?)
}

/// Forgets the failures after a right password, in a transaction of its own.
pub async fn succeed(app: &App, scopes: Scopes) -> Result<(), AuthError> {
    db::write(&app.pool, move |tx| Box::pin(succeed_in_tx(tx, scopes))).await
}

/// Forgets the failures after a right password.
pub async fn succeed_in_tx(tx: &mut Tx, scopes: Scopes) -> Result<(), AuthError> {
    Ok(repo::clear_in_tx(tx, &scopes.sorted()).await?)
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
