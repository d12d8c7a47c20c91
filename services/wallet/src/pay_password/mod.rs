//! The transaction password: six digits that guard everything that takes money out of a wallet.
//!
//! Six digits are a million guesses, so the count protects them: every attempt is recorded, in a transaction of its
//! own, before it is evaluated, and counts as wrong until its outcome is recorded, too. Only then the caller learns the
//! outcome. So a crash of the process or of the database reveals no more than the limit allows, and costs the user a
//! minute at most. One user's attempts are evaluated one after the other, so that concurrent right ones do not lock
//! each other out.

pub mod entity;
pub mod hash;
mod repo;
pub mod turns;
mod weak;

use std::time::Duration;

use adfolio_kit::audit;
use adfolio_kit::db;
use adfolio_kit::deadline::Deadline;
use adfolio_kit::error::CoreError;
use adfolio_kit::identity::{Caller, UserId};
use adfolio_kit::once::{Answer, Once};
use adfolio_kit::refusal::{Reason, Refusal};
use chrono::{DateTime, Utc};
use serde_json::json;
use tracing::warn;
use uuid::Uuid;

use crate::app::App;
use crate::error::WalletError;
use crate::ids::AttemptId;
use crate::{events, protection};
use entity::{Lock, PinDigest, Wait};
use hash::Verified;
use repo::Insertion;

/// Staff removed a transaction password.
#[derive(Clone, Copy, Debug)]
pub struct WasReset;

/// An attempt that is written down.
struct Attempt {
    id: AttemptId,
    user_id: UserId,
    hash: String,
}

/// Refuses unless this is the user's transaction password: PAY_PASSWORD_NOT_SET, PAY_PASSWORD_LOCKED,
/// WRONG_PAY_PASSWORD, TOO_MANY_ATTEMPTS. To its end even if the caller goes away, so that the outcome is written down.
pub async fn verify(
    app: &App,
    user_id: UserId,
    password: PinDigest,
    deadline: Deadline,
) -> Result<(), WalletError> {
    let app = app.clone();
    let work = async move {
        let place = app.turns.enter(user_id)?;
        let _turn = place.turn(deadline).await?;
        verify_in_turn(&app, user_id, &password).await.map(|_| ())
    };
    db::detached(work).await.map_err(|_| interrupted())?
}

/// Sets the transaction password, or changes it with the old one. Without an old one nothing but the session says who
/// asks, so it must be fresh: STEP_UP_REQUIRED.
pub async fn set(
    app: &App,
    caller: &Caller,
    user_id: UserId,
    new: PinDigest,
    old: Option<PinDigest>,
) -> Result<(), WalletError> {
    if weak::is_weak(&new) {
        return Err(Refusal::new(Reason::WeakPayPassword)
            .field("password")
            .into());
    }
    let (app, caller) = (app.clone(), caller.clone());
    let work = async move {
        let place = app.turns.enter(user_id)?;
        let _turn = place.turn(caller.deadline).await?;
        set_in_turn(&app, &caller, user_id, new, old).await
    };
    db::detached(work).await.map_err(|_| interrupted())?
}

/// Removes a user's transaction password and its lock.
pub async fn reset(
    app: &App,
    caller: &Caller,
    once: Once<WasReset>,
    user_id: UserId,
    reason: String,
) -> Result<Answer<WasReset>, WalletError> {
    let (acting, now) = (caller.clone(), app.clock.now());
    let outcome = app
        .write_once(once, move |tx| {
            Box::pin(async move {
                if !repo::delete_in_tx(tx, user_id).await? {
                    return Err(WalletError::from(Refusal::new(Reason::NothingChanged)));
                }
                protection::changed_in_tx(tx, user_id, now).await?;
                events::security_changed_in_tx(tx, user_id, "pay_password_reset").await?;
                audit::Entry::new("wallet.pay_password_reset", user_id)
                    .user(user_id)
                    .reason(reason)
                    .before(&json!({"has_pay_password": true}))?
                    .after(&json!({"has_pay_password": false}))?
                    .record_in_tx(tx, &acting, now)
                    .await?;
                Ok(WasReset)
            })
        })
        .await;
    if let Err(error) = &outcome
        && error.reason() == Some(Reason::NothingChanged)
    {
        // A user who does not exist has no password either.
        app.users.require(caller, &[user_id], "user_id").await?;
    }
    outcome
}

/// Records in the metrics how many passwords are not hashed with the current pepper, during a rotation. Each is
/// rehashed when its owner uses it.
pub async fn record_rotation(app: &App) -> Result<(), WalletError> {
    let left = match app.hasher.mark()? {
        Some(mark) => repo::count_without(&app.pool, &mark).await?,
        None => 0,
    };
    #[allow(clippy::cast_precision_loss, reason = "gauges are floats")]
    metrics::gauge!("wallet_pay_passwords_with_other_pepper").set(left as f64);
    Ok(())
}

/// Answers the hash that was verified, or what is stored instead of it.
async fn verify_in_turn(
    app: &App,
    user_id: UserId,
    password: &PinDigest,
) -> Result<String, WalletError> {
    let verified = verify_uncounted(app, user_id, password).await;
    count(&verified);
    verified
}

async fn verify_uncounted(
    app: &App,
    user_id: UserId,
    password: &PinDigest,
) -> Result<String, WalletError> {
    // Before anything is written, so that a full queue costs no attempt.
    let ticket = app.hasher.enter()?;
    let attempt = begin(app, user_id).await?;
    let verified = ticket.verify(password, attempt.hash.clone()).await?;
    conclude(app, attempt, verified).await?.ok_or_else(|| {
        Refusal::new(Reason::WrongPayPassword)
            .field("password")
            .into()
    })
}

/// Writes an attempt down, unless there may be none.
async fn begin(app: &App, user_id: UserId) -> Result<Attempt, WalletError> {
    let (id, now) = (AttemptId(Uuid::now_v7()), app.clock.now());
    let hasher = app.hasher.clone();
    db::write(&app.pool, move |tx| {
        Box::pin(async move {
            let Some((hash, attempts)) = repo::lock_in_tx(tx, user_id).await? else {
                return Err(Refusal::new(Reason::PayPasswordNotSet).into());
            };
            if !hasher.knows(&hash)? {
                // Nobody can say whether it is right: no attempt, and only staff can help.
                warn!(%user_id, "a transaction password is hashed with a pepper that is not configured");
                return Err(Refusal::new(Reason::PayPasswordLocked).into());
            }
            let forgotten = entity::forgotten_at(now);
            let open = repo::open_attempts_in_tx(tx, user_id, forgotten).await?;
            attempts
                .admit(open, now)
                .map_err(|wait| refused(wait, now))?;
            repo::open_attempt_in_tx(tx, id, user_id, now).await?;
            Ok(Attempt { id, user_id, hash })
        })
    })
    .await
}

/// Records the outcome of an attempt, and answers the hash that is stored then if it was right. A forgotten attempt has
/// no outcome, and the caller may not learn whether it was right.
async fn conclude(
    app: &App,
    attempt: Attempt,
    verified: Verified,
) -> Result<Option<String>, WalletError> {
    let Attempt { id, user_id, hash } = attempt;
    let now = app.clock.now();
    let (locks, stored) = db::write(&app.pool, move |tx| {
        Box::pin(async move {
            let Some((_, mut attempts)) = repo::lock_in_tx(tx, user_id).await? else {
                return Err(WalletError::AttemptForgotten);
            };
            if !repo::close_attempt_in_tx(tx, id).await? {
                return Err(WalletError::AttemptForgotten);
            }
            let (locks, stored) = match verified {
                Verified::Wrong => (attempts.fail(now), None),
                Verified::Right { renewed } => {
                    attempts.succeed();
                    let stored = renew_in_tx(tx, user_id, hash, renewed).await?;
                    (false, Some(stored))
                }
            };
            repo::store_attempts_in_tx(tx, user_id, attempts).await?;
            if locks {
                events::security_changed_in_tx(tx, user_id, "pay_password_locked").await?;
            }
            Ok((locks, stored))
        })
    })
    .await?;
    if locks {
        metrics::counter!("wallet_pay_password_locks_total").increment(1);
        app.notifier.notify();
    }
    Ok(stored)
}

async fn set_in_turn(
    app: &App,
    caller: &Caller,
    user_id: UserId,
    new: PinDigest,
    old: Option<PinDigest>,
) -> Result<(), WalletError> {
    let is_set = repo::is_set(&app.pool, user_id).await?;
    let verified = match (is_set, old) {
        (false, None) => {
            caller.require_fresh(app.clock.now())?;
            None
        }
        (false, Some(_)) => {
            return Err(Refusal::new(Reason::PayPasswordNotSet)
                .field("old_password")
                .into());
        }
        (true, None) => return Err(Refusal::invalid("old_password").into()),
        (true, Some(old)) => {
            let hash = verify_in_turn(app, user_id, &old)
                .await
                .map_err(|error| named(error, "old_password"))?;
            if old == new {
                return Err(Refusal::new(Reason::PasswordUnchanged)
                    .field("password")
                    .into());
            }
            Some(hash)
        }
    };
    let hash = app.hasher.enter()?.hash(&new).await?;
    let now = app.clock.now();
    let is_young = caller.is_in_young_session(now);
    app.write(move |tx| {
        Box::pin(async move {
            let (change, is_set_up) = if let Some(before) = verified {
                // Changed by another replica meanwhile: the old one is no longer right.
                if !repo::change_in_tx(tx, user_id, &before, &hash).await? {
                    return Err(wrong_old());
                }
                ("pay_password_changed", false)
            } else {
                let insertion = repo::insert_in_tx(tx, user_id, &hash).await?;
                let insertion = insertion.ok_or_else(|| Refusal::invalid("old_password"))?;
                (
                    "pay_password_set",
                    insertion == Insertion::First && !is_young,
                )
            };
            if !is_set_up {
                protection::changed_in_tx(tx, user_id, now).await?;
            }
            events::security_changed_in_tx(tx, user_id, change).await
        })
    })
    .await
}

/// Replaces the verified hash by one with the current pepper, unless the password has changed meanwhile. Answers the
/// hash that holds.
async fn renew_in_tx(
    tx: &mut db::Tx,
    user_id: UserId,
    verified: String,
    renewed: Option<String>,
) -> Result<String, WalletError> {
    match renewed {
        Some(renewed) if repo::change_in_tx(tx, user_id, &verified, &renewed).await? => Ok(renewed),
        _ => Ok(verified),
    }
}

/// Counts the outcome of an attempt.
fn count<T>(verified: &Result<T, WalletError>) {
    let outcome = match verified {
        Ok(_) => "ok",
        Err(error) => match error.reason() {
            Some(Reason::WrongPayPassword) => "wrong",
            Some(Reason::PayPasswordLocked | Reason::TooManyAttempts) => "locked",
            Some(Reason::PayPasswordNotSet) => "unset",
            Some(_) => "refused",
            None => "failed",
        },
    };
    metrics::counter!("wallet_pay_password_checks_total", "outcome" => outcome).increment(1);
}

fn refused(wait: Wait, now: DateTime<Utc>) -> Refusal {
    let (reason, wait) = match wait {
        Wait::Locked(Lock::ForGood) => return Refusal::new(Reason::PayPasswordLocked),
        Wait::Locked(Lock::Until(end)) => {
            (Reason::PayPasswordLocked, end.signed_duration_since(now))
        }
        Wait::Busy(wait) => (Reason::TooManyAttempts, wait),
    };
    Refusal::new(reason).retry_after(wait.to_std().unwrap_or(Duration::ZERO))
}

fn wrong_old() -> WalletError {
    Refusal::new(Reason::WrongPayPassword)
        .field("old_password")
        .into()
}

/// A wrong password under the name that this call has for it.
fn named(error: WalletError, field: &'static str) -> WalletError {
    match error {
        WalletError::Core(CoreError::Refused(refusal))
            if refusal.reason == Reason::WrongPayPassword =>
        {
            refusal.field(field).into()
        }
        other => other,
    }
}

fn interrupted() -> WalletError {
    sqlx::Error::WorkerCrashed.into()
}
