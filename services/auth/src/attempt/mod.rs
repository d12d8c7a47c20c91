//! Limits of login: at most so many failures per account, and per account and address, then a lock. The counters are in
//! the database, so they hold over every replica, every form of login and every restart.

mod entity;
mod repo;

use std::time::Duration;

use adfolio_kit::db::{self, Tx};
use adfolio_kit::refusal::{Reason, Refusal};
use chrono::TimeDelta;
use tracing::warn;

pub use entity::{Limit, Scopes, Wait};

use crate::context::Context;
use crate::error::AuthError;

/// A login that finds all attempts under evaluation waits for their outcome this often …
const BUSY_ROUNDS: u32 = 15;

/// … and this long each time.
const BUSY_WAIT: Duration = Duration::from_millis(150);

/// When to come back after all of that.
const BUSY_RETRY: Duration = Duration::from_secs(5);

/// Counts an attempt before it is evaluated, or refuses it with TOO_MANY_ATTEMPTS.
///
/// A person's own parallel logins with the right password are not refused for each other's sake: while attempts are being
/// evaluated, the next one waits a little for their outcome.
pub async fn begin(context: &Context, scopes: Scopes) -> Result<(), AuthError> {
    for round in 0..=BUSY_ROUNDS {
        match try_begin(context, scopes).await? {
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

async fn try_begin(context: &Context, scopes: Scopes) -> Result<Result<(), Wait>, AuthError> {
    let now = context.clock.now();
    let limits = context.limits;
    db::write(&context.pool, move |tx| {
        Box::pin(async move {
            let mut rows = repo::lock_in_tx(tx, &scopes.sorted(), now).await?;
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

/// Takes note that an attempt failed.
pub async fn fail(context: &Context, scopes: Scopes) -> Result<(), AuthError> {
    let now = context.clock.now();
    let limits = context.limits;
    db::write(&context.pool, move |tx| {
        Box::pin(async move {
            for mut row in repo::lock_in_tx(tx, &scopes.sorted(), now).await? {
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
        })
    })
    .await
}

/// Forgets the failures after a right password, in a transaction of its own.
pub async fn succeed(context: &Context, scopes: Scopes) -> Result<(), AuthError> {
    db::write(&context.pool, move |tx| Box::pin(succeed_in_tx(tx, scopes))).await
}

/// Forgets the failures after a right password.
pub async fn succeed_in_tx(tx: &mut Tx, scopes: Scopes) -> Result<(), AuthError> {
    Ok(repo::clear_in_tx(tx, &scopes.sorted()).await?)
}

/// Tells metrics what a login of `kind` ("user" or "staff") came to.
pub fn count<T>(kind: &'static str, login: &Result<T, AuthError>) {
    let outcome = match login {
        Ok(_) => "ok",
        Err(AuthError::Refused(refusal)) => match refusal.reason {
            Reason::BadCredentials => "wrong",
            Reason::TooManyAttempts => "locked",
            _ => "refused",
        },
        Err(_) => "failed",
    };
    metrics::counter!("auth_logins_total", "kind" => kind, "outcome" => outcome).increment(1);
}

/// Deletes a batch of counters that count nothing any more.
pub async fn prune(context: &Context) -> Result<u64, AuthError> {
    let now = context.clock.now();
    let before = now
        .checked_sub_signed(context.limits.longest_memory())
        .unwrap_or(now);
    db::write(&context.pool, move |tx| {
        Box::pin(async move { Ok(repo::prune_in_tx(tx, before, now).await?) })
    })
    .await
}

/// The limits of both countings.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Per account.
    pub account: Limit,
    /// Per account and address.
    pub address: Limit,
}

impl Limits {
    fn of(&self, scopes: &Scopes, scope: &[u8]) -> Limit {
        if scope == scopes.account {
            self.account
        } else {
            self.address
        }
    }

    fn longest_memory(&self) -> TimeDelta {
        self.account.lock.max(self.address.lock)
    }
}

fn too_many(wait: Duration) -> Refusal {
    Refusal::new(Reason::TooManyAttempts).retry_after(wait)
}
