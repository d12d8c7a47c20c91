//! The transaction password: six digits that guard everything that takes money out of a wallet.
//!
//! Six digits are a million guesses, so what protects them is the count: every attempt is written down, in a transaction of
//! its own, before it is evaluated, and counts as a wrong one until its outcome is written down, too. Only then the caller
//! learns it. So a process that dies, or a database that goes away, tells nobody more than the limit allows, and costs the
//! user nothing for longer than a minute. One user's attempts are evaluated one after the other, so calls that come together
//! and are all right do not lock each other out.

pub mod entity;
mod hash;
mod repo;
mod turns;
mod weak;

use std::time::Duration;

use adfolio_kit::audit;
use adfolio_kit::clock::Clock;
use adfolio_kit::db;
use adfolio_kit::deadline::Deadline;
use adfolio_kit::identity::{Caller, Staff};
use adfolio_kit::once::MessageOnce;
use adfolio_kit::outbox::{Event, Notifier, enqueue_in_tx};
use adfolio_kit::refusal::{Reason, Refusal};
use adfolio_proto::events::v1::WalletSecurityChanged;
use adfolio_proto::wallet::v1 as proto;
use chrono::{DateTime, Utc};
use secrecy::SecretString;
use serde_json::json;
use sqlx::PgPool;
use tracing::warn;
use uuid::Uuid;

use crate::error::WalletError;
use crate::peers::Peers;
use crate::protection;
use entity::{Lock, PinDigest, Wait};
pub use hash::HashError;
use hash::{Hasher, Verified};
use repo::Insertion;
use turns::Turns;

/// Evaluations that may run or wait at once.
const EVALUATIONS_MAX: usize = 64;

/// The type of the event that tells what protects a wallet.
const SECURITY_CHANGED: &str = "adfolio.wallet.v1.WalletSecurityChanged";

/// Sets, checks and resets transaction passwords. Cheap to clone.
#[derive(Clone, Debug)]
pub struct PayPasswords {
    pool: PgPool,
    clock: Clock,
    notifier: Notifier,
    hasher: Hasher,
    turns: Turns,
}

/// An attempt that is written down.
struct Attempt {
    id: Uuid,
    user_id: Uuid,
    hash: String,
}

impl PayPasswords {
    /// With the pepper that goes into every hash, and another that is in hashes while it is changed.
    pub fn new(
        pool: PgPool,
        clock: Clock,
        notifier: Notifier,
        (pepper, previous): (SecretString, Option<SecretString>),
    ) -> Result<Self, HashError> {
        Ok(Self {
            pool,
            clock,
            notifier,
            hasher: Hasher::new(pepper, previous, EVALUATIONS_MAX)?,
            turns: Turns::default(),
        })
    }

    /// Refuses unless this is the user's transaction password: PAY_PASSWORD_NOT_SET, PAY_PASSWORD_LOCKED, WRONG_PAY_PASSWORD,
    /// TOO_MANY_ATTEMPTS. To its end even if the caller goes away, so that the outcome is written down.
    pub async fn verify(
        &self,
        user_id: Uuid,
        password: PinDigest,
        deadline: Deadline,
    ) -> Result<(), WalletError> {
        let this = self.clone();
        let work = async move {
            let place = this.turns.enter(user_id)?;
            let _turn = place.turn(deadline).await?;
            this.verify_in_turn(user_id, &password).await.map(|_| ())
        };
        db::detached(work).await.map_err(|_| interrupted())?
    }

    /// Sets the transaction password, or changes it with the old one.
    pub async fn set(
        &self,
        user_id: Uuid,
        new: PinDigest,
        old: Option<PinDigest>,
        deadline: Deadline,
    ) -> Result<(), WalletError> {
        if weak::is_weak(&new) {
            return Err(Refusal::new(Reason::WeakPayPassword)
                .field("password")
                .into());
        }
        let this = self.clone();
        let work = async move {
            let place = this.turns.enter(user_id)?;
            let _turn = place.turn(deadline).await?;
            this.set_in_turn(user_id, new, old).await
        };
        db::detached(work).await.map_err(|_| interrupted())?
    }

    /// Removes a user's transaction password and its lock.
    pub async fn reset(
        &self,
        peers: &Peers,
        caller: &Caller,
        staff: Staff,
        user_id: Uuid,
        request: &proto::ResetPayPasswordRequest,
    ) -> Result<proto::ResetPayPasswordResponse, WalletError> {
        let once = MessageOnce::new(caller, staff.id, "wallet.ResetPayPassword", request);
        let (acting, now) = (caller.clone(), self.clock.now());
        let reason = adfolio_kit::identity::cut_reason(&request.reason);
        let outcome = db::write(&self.pool, move |tx| {
            Box::pin(async move {
                if let Some(earlier) = once.earlier_in_tx(tx).await? {
                    return Ok(earlier);
                }
                if !repo::delete_in_tx(tx, user_id).await? {
                    return Err(WalletError::from(Refusal::new(Reason::NothingChanged)));
                }
                protection::changed_in_tx(tx, user_id, now).await?;
                announce_in_tx(tx, user_id, "pay_password_reset").await?;
                audit::Entry::new("wallet.pay_password_reset", user_id)
                    .user(user_id)
                    .reason(reason)
                    .before(&json!({"has_pay_password": true}))?
                    .after(&json!({"has_pay_password": false}))?
                    .record_in_tx(tx, &acting, now)
                    .await?;
                let answer = proto::ResetPayPasswordResponse {};
                once.keep_in_tx(tx, &answer).await?;
                Ok(answer)
            })
        })
        .await;
        if let Err(WalletError::Refused(refusal)) = &outcome
            && refusal.reason == Reason::NothingChanged
        {
            // Somebody who does not exist has no password either.
            peers.require_user(caller, user_id).await?;
        }
        self.notifier.notify();
        outcome
    }

    /// Tells metrics how many passwords are not hashed with the pepper in use, where there is another one. They are hashed anew
    /// when their owners use them.
    pub async fn record_rotation(&self) -> Result<(), WalletError> {
        let left = match self.hasher.mark()? {
            Some(mark) => repo::count_without(&self.pool, &mark).await?,
            None => 0,
        };
        #[allow(clippy::cast_precision_loss, reason = "gauges are floats")]
        metrics::gauge!("wallet_pay_passwords_with_other_pepper").set(left as f64);
        Ok(())
    }

    /// Answers the hash that was verified, or what is stored instead of it.
    async fn verify_in_turn(
        &self,
        user_id: Uuid,
        password: &PinDigest,
    ) -> Result<String, WalletError> {
        let verified = self.verify_uncounted(user_id, password).await;
        count(&verified);
        verified
    }

    async fn verify_uncounted(
        &self,
        user_id: Uuid,
        password: &PinDigest,
    ) -> Result<String, WalletError> {
        // Before anything is written, so that whoever finds the queue full has lost no attempt.
        let ticket = self.hasher.enter()?;
        let attempt = self.begin(user_id).await?;
        let verified = ticket.verify(password, attempt.hash.clone()).await?;
        self.conclude(attempt, verified).await?.ok_or_else(|| {
            Refusal::new(Reason::WrongPayPassword)
                .field("password")
                .into()
        })
    }

    /// Writes an attempt down, unless there may be none.
    async fn begin(&self, user_id: Uuid) -> Result<Attempt, WalletError> {
        let (id, now) = (Uuid::now_v7(), self.clock.now());
        let hasher = self.hasher.clone();
        db::write(&self.pool, move |tx| {
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

    /// Writes down what an attempt came to, and answers the hash that is stored then, if it was right. Once it is forgotten it
    /// was nothing, and nobody may learn whether it was right.
    async fn conclude(
        &self,
        attempt: Attempt,
        verified: Verified,
    ) -> Result<Option<String>, WalletError> {
        let Attempt { id, user_id, hash } = attempt;
        let now = self.clock.now();
        let (locks, stored) = db::write(&self.pool, move |tx| {
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
                    announce_in_tx(tx, user_id, "pay_password_locked").await?;
                }
                Ok((locks, stored))
            })
        })
        .await?;
        if locks {
            metrics::counter!("wallet_pay_password_locks_total").increment(1);
            self.notifier.notify();
        }
        Ok(stored)
    }

    async fn set_in_turn(
        &self,
        user_id: Uuid,
        new: PinDigest,
        old: Option<PinDigest>,
    ) -> Result<(), WalletError> {
        let is_set = repo::is_set(&self.pool, user_id).await?;
        let verified = match (is_set, old) {
            (false, None) => None,
            (false, Some(_)) => {
                return Err(Refusal::new(Reason::PayPasswordNotSet)
                    .field("old_password")
                    .into());
            }
            (true, None) => return Err(Refusal::invalid("old_password").into()),
            (true, Some(old)) => {
                let hash = self
                    .verify_in_turn(user_id, &old)
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
        let hash = self.hasher.enter()?.hash(&new).await?;
        let now = self.clock.now();
        db::write(&self.pool, move |tx| {
            Box::pin(async move {
                let (change, is_first) = if let Some(before) = verified {
                    // Changed by another replica meanwhile: the old one is no longer right.
                    if !repo::change_in_tx(tx, user_id, &before, &hash).await? {
                        return Err(wrong_old());
                    }
                    ("pay_password_changed", false)
                } else {
                    let insertion = repo::insert_in_tx(tx, user_id, &hash).await?;
                    let insertion = insertion.ok_or_else(|| Refusal::invalid("old_password"))?;
                    ("pay_password_set", insertion == Insertion::First)
                };
                if !is_first {
                    protection::changed_in_tx(tx, user_id, now).await?;
                }
                announce_in_tx(tx, user_id, change).await
            })
        })
        .await?;
        self.notifier.notify();
        Ok(())
    }
}

/// Puts the hash with the pepper in use in the place of the one that was verified, and answers which of them holds: somebody
/// may have changed the password meanwhile.
async fn renew_in_tx(
    tx: &mut db::Tx,
    user_id: Uuid,
    verified: String,
    renewed: Option<String>,
) -> Result<String, WalletError> {
    match renewed {
        Some(renewed) if repo::change_in_tx(tx, user_id, &verified, &renewed).await? => Ok(renewed),
        _ => Ok(verified),
    }
}

/// Tells metrics what an attempt came to.
fn count<T>(verified: &Result<T, WalletError>) {
    let outcome = match verified {
        Ok(_) => "ok",
        Err(WalletError::Refused(refusal)) => match refusal.reason {
            Reason::WrongPayPassword => "wrong",
            Reason::PayPasswordLocked | Reason::TooManyAttempts => "locked",
            Reason::PayPasswordNotSet => "unset",
            _ => "refused",
        },
        Err(_) => "failed",
    };
    metrics::counter!("wallet_pay_password_checks_total", "outcome" => outcome).increment(1);
}

/// Announces a change of what protects a wallet.
pub async fn announce_in_tx(
    tx: &mut db::Tx,
    user_id: Uuid,
    change: &'static str,
) -> Result<(), WalletError> {
    let data = WalletSecurityChanged {
        user_id: user_id.to_string(),
        change: change.to_owned(),
    };
    let event = Event::new(SECURITY_CHANGED, user_id, &data)
        .map_err(|_| WalletError::Unreadable("event"))?;
    Ok(enqueue_in_tx(tx, &[event]).await?)
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
        WalletError::Refused(refusal) if refusal.reason == Reason::WrongPayPassword => {
            refusal.field(field).into()
        }
        other => other,
    }
}

fn interrupted() -> WalletError {
    WalletError::Database(sqlx::Error::WorkerCrashed)
}
