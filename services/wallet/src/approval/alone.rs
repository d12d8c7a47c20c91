//! What a member of staff posts without another: the sums of 24 hours stay within the threshold.

use std::sync::Arc;

use adfolio_kit::clock::Ids;
use adfolio_kit::db::{self, Tx};
use adfolio_kit::deadline::Deadline;
use adfolio_kit::error::CoreError;
use adfolio_kit::four_eyes::{self, Threshold};
use adfolio_kit::identity::{Caller, Staff, UserId};
use adfolio_kit::refusal::Reason;
use adfolio_money::Money;
use chrono::{DateTime, Utc};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::repo;
use crate::app::App;
use crate::error::WalletError;
use crate::ids::{StaffId, TransactionId};
use crate::posting;
use crate::posting::command::Command;
use crate::posting::outcome::Done;

/// Lone postings of a replica at once: each waits for locks with a session of the pool, which users need, too.
const AT_ONCE: usize = 2;

/// The turns of a replica's lone postings.
#[derive(Clone, Debug)]
pub struct Turns(Arc<Semaphore>);

impl Default for Turns {
    fn default() -> Self {
        Self(Arc::new(Semaphore::new(AT_ONCE)))
    }
}

impl Turns {
    async fn take(&self, deadline: Deadline) -> Result<OwnedSemaphorePermit, WalletError> {
        let turn = Arc::clone(&self.0).acquire_owned();
        let turn = tokio::time::timeout_at(deadline.instant(), turn).await;
        turn.ok().and_then(Result::ok).ok_or(WalletError::Overdue)
    }
}

/// A posting that counts.
#[derive(Clone, Debug)]
struct Lone {
    command: Command,
    key: String,
    staff_id: StaffId,
    amount: Money,
    threshold: Threshold,
    now: DateTime<Utc>,
}

/// A posting that has been made, as the sums know it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Counted {
    pub transaction_id: TransactionId,
    pub user_id: UserId,
    pub staff_id: StaffId,
    pub amount: Money,
    pub posted_at: DateTime<Utc>,
}

/// Posts what a member of staff may post alone; none if it takes another. A repeated call gets the first one's answer,
/// whoever posted it.
pub async fn post(
    app: &App,
    caller: &Caller,
    staff: Staff,
    (command, amount): (Command, Money),
) -> Result<Option<Done>, WalletError> {
    let threshold = app.rules.threshold;
    if !threshold.is_set() {
        let done = posting::post_to_named(app, caller, command).await?;
        return Ok(Some(done));
    }
    let movement = command
        .as_movement()
        .ok_or(CoreError::Corrupt("posting of staff"))?;
    // Also for small amounts: a key that a large one waits under is taken.
    let known = repo::find_by_key(&app.pool, &movement.key).await?;
    if let Some(known) = &known {
        known.answer_to_repeat(&movement.digest)?;
    }
    if known.is_some() || repo::is_posted(&app.pool, &movement.key).await? {
        let replayed = app.queue.post(command, caller.deadline).await?;
        return Ok(Some(replayed));
    }
    if threshold.is_exceeded_by(amount) {
        return Ok(None);
    }
    let _turn = app.alone.take(caller.deadline).await?;
    let lone = Lone {
        key: movement.key.clone(),
        command,
        staff_id: StaffId(staff.id),
        amount,
        threshold,
        now: app.clock.now(),
    };
    match write(app, lone.clone()).await {
        Err(WalletError::Core(CoreError::Refused(refusal)))
            if refusal.reason == Reason::NotFound
                && refusal.field.as_deref() == Some("user_id") =>
        {
            let user_id = lone.command.user_id;
            app.users.require(caller, &[user_id], "user_id").await?;
            let command = lone.command.clone().opening_wallet();
            write(app, Lone { command, ..lone }).await
        }
        outcome => outcome,
    }
}

async fn write(app: &App, lone: Lone) -> Result<Option<Done>, WalletError> {
    let ids = app.ids.clone();
    let written = db::write_retrying(&app.pool, WalletError::database, move |tx| {
        let (lone, ids) = (lone.clone(), ids.clone());
        Box::pin(async move { post_in_tx(tx, &lone, &ids).await })
    })
    .await;
    app.notifier.notify();
    written
}

/// Posts and counts it, unless it exceeds the threshold. Locks are taken in the order member and user, wallet. Many at
/// once, on any replicas, so each see the sums that the one before has left.
async fn post_in_tx(tx: &mut Tx, lone: &Lone, ids: &Ids) -> Result<Option<Done>, WalletError> {
    let (staff_id, user_id) = (lone.staff_id, lone.command.user_id);
    four_eyes::lock_in_tx(tx, staff_id.0, user_id.0).await?;
    // A call with the same key may have come first: then this one is its repeat, and is not counted again.
    if !repo::is_posted_in_tx(tx, &lone.key).await? {
        let since = four_eyes::counted_since(lone.now);
        let alone = repo::sum_in_tx(tx, staff_id, user_id, since).await?;
        if lone.threshold.is_exceeded_after(alone, lone.amount) {
            return Ok(None);
        }
    }
    let done = posting::post_in_tx(tx, lone.now, ids, &lone.command).await??;
    if !done.is_repeat {
        let booked = done.transaction.as_ref();
        let booked = booked.ok_or(CoreError::Corrupt("transaction of a posting"))?;
        let counted = Counted {
            transaction_id: booked.id,
            user_id,
            staff_id,
            amount: lone.amount,
            posted_at: booked.posted_at,
        };
        repo::count_in_tx(tx, &counted).await?;
    }
    Ok(Some(done))
}
