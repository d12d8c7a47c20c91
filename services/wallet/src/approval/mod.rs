//! Four eyes: a posting of staff that exceeds the threshold waits as a request until another person approves it.
//!
//! Wallet checks the amount, not the gateway, so the rule binds the command line too. Sums are compared, not single
//! amounts ([`alone`]). A request keeps the whole posting. Approval posts it in the transaction of the decision, so no
//! request is decided but not posted, and there is nothing to recover. What two people posted counts against nobody.

mod alone;
pub mod entity;
mod repo;

use adfolio_kit::audit;
use adfolio_kit::clock::Ids;
use adfolio_kit::db::{self, Tx};
use adfolio_kit::error::CoreError;
use adfolio_kit::idempotency;
use adfolio_kit::identity::{Caller, Staff, UserId};
use adfolio_kit::metrics::{InState, record_saga};
use adfolio_kit::refusal::{Reason, Refusal};
use adfolio_money::Money;
use chrono::{DateTime, Utc};
use serde_json::json;

use crate::app::App;
use crate::error::WalletError;
use crate::ids::{ApprovalId, StaffId, TransactionId, WithdrawalId};
use crate::posting;
use crate::posting::command::Command;
use crate::posting::movement::{Movement, MovementKind};
use crate::posting::outcome::Done;
pub use alone::{Turns, post as post_alone};
use entity::{Approval, Choice, LIFETIME, State, Verdict};

/// Attempts to keep a request or to find the one that keeps it out, should that be decided between the two looks.
const KEEP_ATTEMPTS: u32 = 3;

/// Requests that one statement ends at most.
const EXPIRY_BATCH: i64 = 500;

/// Statements of one run that ends requests at most.
const EXPIRY_ROUNDS: u32 = 100;

/// A decision about a request.
#[derive(Clone, Debug)]
pub struct Deciding {
    pub id: ApprovalId,
    pub by: StaffId,
    pub choice: Choice,
    pub reason: String,
    /// The digest of the call, for its idempotency key.
    pub digest: [u8; 32],
}

/// Posts what a member of staff may post alone, and keeps anything else for another one: then the answer is the refusal
/// that says so.
pub async fn post_or_ask(
    app: &App,
    caller: &Caller,
    staff: Staff,
    (user_id, movement, amount): (UserId, Movement, Money),
) -> Result<Done, WalletError> {
    let command = Command::movement(user_id, movement.clone());
    if let Some(done) = post_alone(app, caller, staff, (command, amount)).await? {
        return Ok(done);
    }
    Err(ask(app, caller, staff, (user_id, movement, amount))
        .await?
        .into())
}

/// Keeps a posting to a user's wallet for another member of staff, and answers the refusal that says so. A request of
/// the same key, or the same member's identical one that waits, is kept already.
pub async fn ask(
    app: &App,
    caller: &Caller,
    staff: Staff,
    (user_id, movement, amount): (UserId, Movement, Money),
) -> Result<Refusal, WalletError> {
    if !repo::has_wallet(&app.pool, user_id).await? {
        app.users.require(caller, &[user_id], "user_id").await?;
    }
    let digest = movement.digest;
    let actor = movement
        .actor
        .unwrap_or_else(|| audit::Actor::calling(staff, caller));
    let asked = Approval {
        id: ApprovalId(app.ids.next()),
        kind: movement.kind,
        user_id,
        reference: movement.reference.map(|id| WithdrawalId(id.0)),
        amount: amount.minor(),
        remark: movement.remark,
        posting_key: movement.key,
        request_digest: digest.to_vec(),
        request_reason: actor.reason,
        request_id: actor.request_id,
        requested_by: StaffId(staff.id),
        requested_at: app.clock.now(),
        state: State::Pending,
        decided: None,
        decision_reason: String::new(),
        transaction_id: None,
        failure: None,
    };
    let acting = caller.clone();
    let kept = app
        .write(move |tx| Box::pin(async move { keep_in_tx(tx, &acting, asked).await }))
        .await?;
    // One that was posted meanwhile answers the next repeat.
    Ok(kept
        .answer_to_repeat(&digest)
        .err()
        .unwrap_or_else(|| kept.required()))
}

/// Requests in this state, or all, newest first.
pub async fn list(
    app: &App,
    state: Option<State>,
    before: Option<ApprovalId>,
    limit: i64,
) -> Result<Vec<Approval>, WalletError> {
    Ok(repo::list(&app.reads, state, before, limit).await?)
}

/// Approves a request, which posts it, or rejects it. A request that can no longer be posted fails, and the
/// decider gets the refusal that the original call would get now. Auth must say that the decider is another person:
/// without its answer nothing is decided.
pub async fn decide(
    app: &App,
    caller: &Caller,
    deciding: Deciding,
) -> Result<Approval, WalletError> {
    let (acting, ids, now) = (caller.clone(), app.ids.clone(), app.clock.now());
    let found = repo::find(&app.pool, deciding.id).await?;
    let asked = found.ok_or_else(|| Refusal::not_found("id"))?;
    // Everything else is answered under the lock.
    if asked.verdict(deciding.by, deciding.choice, now) == Ok(Verdict::Now) {
        app.second_pair
            .require(caller, asked.requested_by.0, deciding.by.0)
            .await?;
    }
    let decided = app
        .write(move |tx| {
            Box::pin(async move { decide_in_tx(tx, &acting, deciding, &ids, now).await })
        })
        .await?;
    if let Some(refusal) = decided.failed() {
        return Err(refusal.into());
    }
    if decided.kind == MovementKind::Membership && decided.state == State::Approved {
        app.peers.grant_membership(caller, decided.user_id).await;
    }
    Ok(decided)
}

/// How many wait for staff, and for how long.
pub async fn waiting(app: &App) -> Result<Vec<InState>, sqlx::Error> {
    repo::waiting(&app.pool).await
}

/// Records in the metrics how many wait for staff.
pub async fn record_waiting(app: &App) -> Result<(), sqlx::Error> {
    record_saga("approval", &["pending"], &waiting(app).await?);
    Ok(())
}

/// Ends requests that were not decided in time.
pub async fn expire(app: &App) -> Result<(), sqlx::Error> {
    let Some(asked_before) = app.clock.now().checked_sub_signed(LIFETIME) else {
        return Ok(());
    };
    for _ in 0..EXPIRY_ROUNDS {
        let ended = db::write(&app.pool, move |tx| {
            Box::pin(repo::expire_in_tx(tx, asked_before, EXPIRY_BATCH))
        })
        .await?;
        if ended < EXPIRY_BATCH.unsigned_abs() {
            break;
        }
    }
    Ok(())
}

/// Adds a request, or answers the one that keeps it out.
async fn keep_in_tx(
    tx: &mut Tx,
    caller: &Caller,
    asked: Approval,
) -> Result<Approval, WalletError> {
    for _ in 0..KEEP_ATTEMPTS {
        if repo::insert_in_tx(tx, &asked).await? {
            audit_in_tx(tx, caller, &asked, asked.requested_at).await?;
            return Ok(asked);
        }
        if let Some(known) = repo::find_alike_in_tx(tx, &asked).await? {
            return Ok(known);
        }
    }
    Err(Refusal::new(Reason::Unavailable).into())
}

/// Decides under a lock on the request. Locks are taken in the order key, request, wallet; a transaction that holds a
/// wallet's lock takes neither of the others.
async fn decide_in_tx(
    tx: &mut Tx,
    caller: &Caller,
    deciding: Deciding,
    ids: &Ids,
    now: DateTime<Utc>,
) -> Result<Approval, WalletError> {
    if let Some(key) = &caller.idempotency_key {
        // Only so that the key is not used for another decision: a repeated one is answered by what stands.
        idempotency::claim_in_tx(tx, deciding.by.0, key, &caller.method, &deciding.digest).await?;
    }
    let found = repo::lock_in_tx(tx, deciding.id).await?;
    let mut approval = found.ok_or_else(|| Refusal::not_found("id"))?;
    if approval.verdict(deciding.by, deciding.choice, now)? == Verdict::Before {
        return Ok(approval);
    }
    let by = (deciding.by, now);
    match deciding.choice {
        Choice::Rejected => approval.reject(by, deciding.reason),
        Choice::Approved => {
            let posted = post_in_tx(tx, &approval, ids, now).await?;
            approval.approve(by, deciding.reason, posted);
        }
    }
    repo::save_decision_in_tx(tx, &approval).await?;
    audit_in_tx(tx, caller, &approval, now).await?;
    Ok(approval)
}

/// The transaction that a request becomes, or why it becomes none.
async fn post_in_tx(
    tx: &mut Tx,
    approval: &Approval,
    ids: &Ids,
    now: DateTime<Utc>,
) -> Result<Result<TransactionId, Refusal>, WalletError> {
    let command = approval
        .command()
        .map_err(|_| CoreError::Corrupt("digest of an approval"))?;
    match posting::post_in_tx(tx, now, ids, &command).await? {
        Ok(done) => {
            let booked = done.transaction;
            let booked = booked.ok_or(CoreError::Corrupt("transaction of a posting"))?;
            Ok(Ok(booked.id))
        }
        Err(refused) => Ok(Err(refused.into())),
    }
}

/// Announces what has just happened to a request.
async fn audit_in_tx(
    tx: &mut Tx,
    caller: &Caller,
    approval: &Approval,
    now: DateTime<Utc>,
) -> Result<(), WalletError> {
    let act = audit::Entry::new(approval.audited_as(), approval.id)
        .user(approval.user_id)
        .reason(approval.decision_reason.clone());
    let act = match approval.state {
        State::Pending => act,
        _ => act.before(&json!({"state": State::Pending.as_str()}))?,
    };
    act.after(&approval.audited())?
        .record_in_tx(tx, caller, now)
        .await?;
    Ok(())
}
