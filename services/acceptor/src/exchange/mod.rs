//! Exchange orders: opened and cancelled by users, decided by staff or by time. [`drive`] has the steps with wallet.
//!
//! | what | where |
//! |---|---|
//! | checks, transaction password, then the order as `placing` | [`Exchanges::create`] |
//! | the decision, recorded before wallet hears of it | [`Exchanges::cancel`], [`Exchanges::decide`], [`Exchanges::expire`] |
//! | wallet posts, the order is open or has ended | [`drive`] |
//! | what a caller or a crash left unfinished | [`Exchanges::recover`] |
//!
//! One row lock decides between decisions that race: the first finds the order open, the others do not.

mod counter;
mod decision;
mod drive;
pub mod entity;
#[cfg(test)]
mod model;
mod opening;
mod repo;

use std::time::Duration;

use adfolio_kit::clock::{Clock, Ids};
use adfolio_kit::db::{self, PgPool};
use adfolio_kit::idempotency::KEY_LIFETIME;
use adfolio_kit::identity::{Caller, UserId};
use adfolio_kit::metrics::{FAILING, record_saga};
use adfolio_kit::outbox::Notifier;
use adfolio_proto::acceptor::v1 as pb;
use chrono::TimeDelta;
use uuid::Uuid;

pub use decision::Decision;
pub use entity::{Ending, Exchange, Posting, Status};
pub use opening::Command;

use crate::acceptance::Acceptances;
use crate::config::Rules;
use crate::error::AcceptorError;
use crate::peers::Peers;

/// Orders that recovery or expiry takes up at once.
const BATCH: i64 = 32;

/// How often a caller who repeats a call under way looks for its end.
const POLL_INTERVAL: Duration = Duration::from_millis(50);

/// Kept of the caller's deadline for the answer itself.
const ANSWER_RESERVE: Duration = Duration::from_millis(200);

/// Keys that are forgotten by one statement.
const FORGET_BATCH: i64 = 1_000;

/// The encoded answers that are kept for repeats of a call.
#[derive(Clone, Copy, Debug)]
pub struct Answers {
    /// Of the call that opened an order.
    pub created: fn(&Exchange) -> pb::CreateExchangeResponse,
    /// Of the call that decided how it ends.
    pub ended: fn(&Exchange) -> Vec<u8>,
}

/// The use cases of exchange orders. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Exchanges {
    /// The database.
    pub pool: PgPool,
    /// Time.
    pub clock: Clock,
    /// New identifiers.
    pub ids: Ids,
    /// What is configured.
    pub rules: Rules,
    /// The other services.
    pub peers: Peers,
    /// Wakes the relay of the outbox.
    pub notifier: Notifier,
    /// Acceptance codes.
    pub acceptances: Acceptances,
    /// How answers are encoded.
    pub answers: Answers,
}

impl Exchanges {
    /// The user's open order, as far as users see it.
    pub async fn current(&self, user: UserId) -> Result<Option<Exchange>, AcceptorError> {
        let open = repo::find_open(&self.pool, user).await?;
        Ok(open.filter(|exchange| exchange.status().is_some()))
    }

    /// Orders older than `before`, newest first: of one user or of all, of one status or of any.
    pub async fn list(
        &self,
        user: Option<UserId>,
        status: Option<Status>,
        before: Option<Uuid>,
        fetch: i64,
    ) -> Result<Vec<Exchange>, AcceptorError> {
        // One bound in every case keeps the plan of the first page and of the last the same.
        let before = before.unwrap_or(Uuid::max());
        match (user, status.map(Status::as_str)) {
            (Some(user), None) => repo::list_of_user(&self.pool, user, before, fetch).await,
            (Some(user), Some(status)) => {
                repo::list_of_user_by_status(&self.pool, user, status, before, fetch).await
            }
            (None, None) => repo::list_all(&self.pool, before, fetch).await,
            (None, Some(status)) => repo::list_by_status(&self.pool, status, before, fetch).await,
        }
    }

    /// Ends open orders past their time, as long as there are any.
    pub async fn expire(&self) -> Result<(), AcceptorError> {
        loop {
            let (now, token) = (self.clock.now(), self.ids.next());
            let lease = self.rules.recovery_after;
            let expiring = db::write(&self.pool, move |tx| {
                Box::pin(repo::expire_in_tx(tx, now, token, lease, BATCH))
            })
            .await?;
            if !self.drive_all(expiring).await {
                return Ok(());
            }
        }
    }

    /// Drives orders whose callers or processes are gone, as long as there are any.
    pub async fn recover(&self) -> Result<(), AcceptorError> {
        loop {
            let unfinished = self.claim(None, BATCH).await?;
            if !self.drive_all(unfinished).await {
                return Ok(());
            }
        }
    }

    /// Tells metrics what is unfinished.
    pub async fn record_unfinished(&self) -> Result<(), AcceptorError> {
        let found = repo::unfinished(&self.pool).await?;
        let states = [
            "placing",
            "undoing",
            "completing",
            "cancelling",
            "expiring",
            FAILING,
        ];
        record_saga("exchange", &states, &found);
        Ok(())
    }

    /// Forgets idempotency keys past their lifetime.
    pub async fn forget_old_keys(&self) -> Result<(), AcceptorError> {
        let lifetime = TimeDelta::from_std(KEY_LIFETIME).unwrap_or(TimeDelta::days(1));
        let Some(before) = self.clock.now().checked_sub_signed(lifetime) else {
            return Ok(());
        };
        db::write(&self.pool, move |tx| {
            Box::pin(repo::forget_keys_in_tx(tx, before, FORGET_BATCH))
        })
        .await
        .map(|_| ())
    }

    /// Drives an order, or waits for whoever does, until it `has_arrived` or the caller's time is up.
    async fn reach(
        &self,
        caller: &Caller,
        id: Uuid,
        mut leased: Option<Exchange>,
        has_arrived: fn(&Exchange) -> bool,
    ) -> Result<Exchange, AcceptorError> {
        loop {
            if leased.is_none() {
                let known = repo::find(&self.pool, id).await?;
                let known = known.ok_or(AcceptorError::Unfinished)?;
                if has_arrived(&known) {
                    return Ok(known);
                }
                leased = self.claim(Some(id), 1).await?.pop();
            }
            if let Some(exchange) = leased.take() {
                match self.drive_within(caller, exchange).await {
                    Ok(exchange) if has_arrived(&exchange) => return Ok(exchange),
                    // This process was too slow and another one drives on: its end is the answer.
                    Ok(_) | Err(AcceptorError::LeaseLost) => {}
                    Err(error) => return Err(error),
                }
            }
            if caller.deadline.remaining() <= POLL_INTERVAL.saturating_add(ANSWER_RESERVE) {
                return Err(AcceptorError::Unfinished);
            }
            tokio::time::sleep(POLL_INTERVAL).await;
        }
    }

    /// Drives an order in a task that nobody drops, and waits for it as long as the caller does.
    async fn drive_within(
        &self,
        caller: &Caller,
        exchange: Exchange,
    ) -> Result<Exchange, AcceptorError> {
        let app = self.clone();
        let drive = db::detached(async move { drive::drive_leased(&app, exchange).await });
        let limit = caller.deadline.remaining().saturating_sub(ANSWER_RESERVE);
        match tokio::time::timeout(limit, drive).await {
            Ok(Ok(outcome)) => outcome,
            Ok(Err(_)) | Err(_) => Err(AcceptorError::Unfinished),
        }
    }

    /// Drives a batch side by side; true when there may be more. What goes wrong is logged there, and taken up again later.
    async fn drive_all(&self, batch: Vec<Exchange>) -> bool {
        let is_full = i64::try_from(batch.len()).is_ok_and(|count| count >= BATCH);
        let drives = batch.into_iter().map(|exchange| {
            let app = self.clone();
            db::detached(async move { drive::drive_leased(&app, exchange).await })
        });
        futures::future::join_all(drives).await;
        is_full
    }

    #[track_caller]
    fn claim(
        &self,
        only: Option<Uuid>,
        limit: i64,
    ) -> impl Future<Output = Result<Vec<Exchange>, AcceptorError>> + use<> {
        let (token, lease) = (self.ids.next(), self.rules.recovery_after);
        db::write(&self.pool, move |tx| {
            Box::pin(repo::claim_in_tx(tx, only, token, lease, limit))
        })
    }
}
