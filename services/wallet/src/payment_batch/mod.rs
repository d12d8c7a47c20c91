//! Payment batches: withdrawals that the bank pays with one file.
//!
//! One person proposes a batch and another releases it; before that nobody reads its file. From the proposal on, a
//! withdrawal in a batch is decided by the batch alone: it is neither cancelled, nor rejected, nor paid by itself, since
//! the bank may have the order. So two people have decided about each payment, and posting it takes no third.
//!
//! Locks are taken in the order batch, wallets, withdrawals; a posting takes no lock on a batch.

pub mod entity;
mod file;
mod repo;

use std::collections::BTreeSet;

use adfolio_kit::audit;
use adfolio_kit::db::Tx;
use adfolio_kit::error::CoreError;
use adfolio_kit::identity::{Caller, Staff};
use adfolio_kit::refusal::{Reason, Refusal};
use chrono::{DateTime, Utc};
use futures::stream::{self, StreamExt as _};
use serde_json::json;
use sha2::{Digest as _, Sha256};
use uuid::Uuid;
use zeroize::Zeroizing;

use crate::app::App;
use crate::destination::entity::Method;
use crate::error::WalletError;
use crate::ids::{PaymentBatchId, StaffId, WithdrawalId};
use crate::posting::command::Command;
use crate::posting::movement::{Movement, bounded_text};
use crate::withdrawal;
use crate::withdrawal::Shown;
use crate::withdrawal::entity::{Status, Withdrawal};
use entity::{Batch, Decision, FileFormat, MOST_WITHDRAWALS, ShownState, State};
use file::{Order, Payment};

/// Postings of a batch at once: fewer than the writer's queue takes from all callers.
const AT_ONCE: usize = 64;

/// How many wait for their release or to be paid, and since when the oldest.
pub async fn waiting(app: &App) -> Result<(i64, Option<DateTime<Utc>>), sqlx::Error> {
    repo::count_unpaid(&app.pool).await
}

/// Gathers pending withdrawals of one method.
pub async fn propose(
    app: &App,
    caller: &Caller,
    staff: Staff,
    ids: Vec<WithdrawalId>,
    reason: &str,
) -> Result<Batch, WalletError> {
    let reason = bounded_text(reason, "reason")?;
    let ids: BTreeSet<Uuid> = ids.into_iter().map(|id| id.0).collect();
    if ids.is_empty() || ids.len() > MOST_WITHDRAWALS {
        return Err(Refusal::invalid("withdrawal_ids").into());
    }
    let ids: Vec<Uuid> = ids.into_iter().collect();
    let method = method_of(app, &ids).await?;
    let batch = Batch {
        id: PaymentBatchId(app.ids.next()),
        method,
        state: State::Proposed,
        reason,
        proposed_by: StaffId(staff.id),
        proposed_at: app.clock.now(),
        decided: None,
        count: 0,
        paid_count: 0,
        payout: 0,
    };
    let caller = caller.clone();
    app.write(move |tx| {
        Box::pin(async move {
            repo::insert_in_tx(tx, &batch).await?;
            let (known, is_frozen) = repo::lock_wallets_in_tx(tx, &ids).await?;
            let wanted = u64::try_from(ids.len()).unwrap_or(u64::MAX);
            if known.unsigned_abs() != wanted {
                return Err(Refusal::not_found("withdrawal_ids").into());
            }
            if is_frozen {
                return Err(Refusal::new(Reason::WalletFrozen)
                    .field("withdrawal_ids")
                    .into());
            }
            if repo::put_in_tx(tx, batch.id, method, &ids).await? != wanted {
                return Err(Refusal::new(Reason::NothingChanged)
                    .field("withdrawal_ids")
                    .into());
            }
            let batch = stored(tx, batch.id).await?;
            audit_in_tx(
                tx,
                &caller,
                ("wallet.payment_batch_proposed", &batch),
                "",
                batch.proposed_at,
            )
            .await?;
            Ok(batch)
        })
    })
    .await
}

/// The one method of these withdrawals.
async fn method_of(app: &App, ids: &[Uuid]) -> Result<Method, WalletError> {
    let mut connection = app.pool.acquire_to_read().await?;
    let found = withdrawal::find_all(&mut connection, ids).await?;
    let first = found.first().map(|withdrawal| withdrawal.method);
    let method = first.ok_or_else(|| Refusal::not_found("withdrawal_ids"))?;
    if found.iter().any(|withdrawal| withdrawal.method != method) {
        return Err(Refusal::invalid("withdrawal_ids").into());
    }
    Ok(method)
}

/// Releases a proposed batch, by another person than the one who proposed it, or dissolves it.
pub async fn decide(
    app: &App,
    caller: &Caller,
    staff: Staff,
    (id, decision): (PaymentBatchId, Decision),
    reason: &str,
) -> Result<Batch, WalletError> {
    let reason = bounded_text(reason, "reason")?;
    let found = find(app, id).await?;
    if decision == Decision::Released && found.state == State::Proposed {
        require_second(app, caller, found.proposed_by, staff).await?;
    }
    let (caller, now, by) = (caller.clone(), app.clock.now(), StaffId(staff.id));
    app.write(move |tx| {
        Box::pin(async move {
            let locked = repo::lock_in_tx(tx, id).await?;
            let batch = locked.ok_or_else(|| Refusal::not_found("id"))?;
            if batch.state == decision.state() && batch.decided.is_some_and(|(who, _)| who == by) {
                return Ok(batch);
            }
            if batch.state != State::Proposed {
                return Err(Refusal::new(Reason::NothingChanged).field("id").into());
            }
            let action = match decision {
                Decision::Released => "wallet.payment_batch_released",
                Decision::Dissolved => "wallet.payment_batch_dissolved",
            };
            if decision == Decision::Dissolved {
                let ids = repo::withdrawals_in_tx(tx, id).await?;
                repo::lock_wallets_in_tx(tx, &ids).await?;
                repo::take_out_in_tx(tx, &ids).await?;
            }
            repo::decide_in_tx(tx, id, decision.state(), (by, now), &reason).await?;
            audit_in_tx(tx, &caller, (action, &batch), &reason, now).await?;
            stored(tx, id).await
        })
    })
    .await
}

/// The batch with this id, if there is one.
pub async fn find_batch(app: &App, id: PaymentBatchId) -> Result<Option<Batch>, WalletError> {
    let mut connection = app.pool.acquire_to_read().await?;
    Ok(repo::find(&mut connection, id).await?)
}

/// Batches, newest first.
pub async fn list(
    app: &App,
    state: Option<ShownState>,
    before: Option<PaymentBatchId>,
    limit: i64,
) -> Result<Vec<Batch>, WalletError> {
    Ok(repo::list(&app.reads, state, before, limit).await?)
}

/// The file of a released batch. The audit log knows it by its digest before it is shown.
pub async fn file(
    app: &App,
    caller: &Caller,
    (id, format): (PaymentBatchId, FileFormat),
) -> Result<Zeroizing<Vec<u8>>, WalletError> {
    let batch = find(app, id).await?;
    let released_at = batch.require_released()?;
    let payments = inside(app, id).await?.into_iter().map(|shown| Payment {
        withdrawal_id: shown.withdrawal.id,
        payout: shown.withdrawal.amount.saturating_sub(shown.withdrawal.fee),
        destination: shown.destination,
    });
    let payments: Vec<Payment> = payments.collect();
    let order = Order {
        batch: id,
        released_at,
        bank: &app.bank,
    };
    let bytes = file::write(format, order, &payments)?;
    let sha256 = hex::encode(Sha256::digest(&bytes));
    let (caller, now) = (caller.clone(), app.clock.now());
    app.write(move |tx| {
        Box::pin(async move {
            let entry = audit::Entry::new("wallet.payment_file_read", id);
            let entry = entry.after(&json!({
                "format": format.as_str(),
                "sha256": sha256,
                "withdrawals": batch.count,
                "payout": batch.payout,
            }))?;
            Ok::<_, WalletError>(entry.record_in_tx(tx, &caller, now).await?)
        })
    })
    .await?;
    Ok(bytes)
}

/// Posts what is still in a released batch as paid. What an earlier call has posted is posted no more.
pub async fn pay(
    app: &App,
    caller: &Caller,
    staff: Staff,
    id: PaymentBatchId,
    reason: &str,
) -> Result<Batch, WalletError> {
    let reason = bounded_text(reason, "reason")?;
    if reason.is_empty() {
        return Err(Refusal::invalid("reason").into());
    }
    find(app, id).await?.require_released()?;
    let waiting = withdrawal::in_batch(app, id).await?;
    let waiting = waiting
        .into_iter()
        .filter(|withdrawal| withdrawal.status == Status::Pending);
    let commands: Vec<Command> = waiting
        .map(|withdrawal| {
            let movement = Movement::batch_payment(id, withdrawal.id, (staff, caller), &reason);
            Command::movement(withdrawal.user_id, movement)
        })
        .collect();
    let postings = stream::iter(commands)
        .map(|command| app.queue.post(command, caller.deadline))
        .buffer_unordered(AT_ONCE);
    let outcomes: Vec<_> = postings.collect().await;
    let batch = find(app, id).await?;
    // All that can be posted is; a repeat goes on with the rest.
    match outcomes.into_iter().find_map(Result::err) {
        Some(error) => Err(error),
        None => Ok(batch),
    }
}

/// Takes a withdrawal that the bank did not pay out of its batch. Of a released one by two people: the first asks.
pub async fn take_out(
    app: &App,
    caller: &Caller,
    staff: Staff,
    id: WithdrawalId,
    reason: &str,
) -> Result<Shown, WalletError> {
    let reason = bounded_text(reason, "reason")?;
    if reason.is_empty() {
        return Err(Refusal::invalid("reason").into());
    }
    let (batch, found) = batched(app, id).await?;
    let needs_two = batch.state == State::Released && app.rules.threshold.is_set();
    let by = StaffId(staff.id);
    let is_first = needs_two && found.take_out_asked_by.is_none();
    if let (true, Some(asked_by)) = (needs_two, found.take_out_asked_by) {
        require_second(app, caller, asked_by, staff).await?;
    }
    let (acting, now) = (caller.clone(), app.clock.now());
    let expected = (found.payment_batch_id, found.take_out_asked_by);
    app.write(move |tx| {
        Box::pin(async move {
            repo::lock_in_tx(tx, batch.id).await?;
            repo::lock_wallets_in_tx(tx, &[id.0]).await?;
            let found = withdrawal::find_all(tx, &[id.0]).await?;
            let is_as_read = found.first().is_some_and(|it| {
                it.status == Status::Pending
                    && (it.payment_batch_id, it.take_out_asked_by) == expected
            });
            if !is_as_read {
                return Err(Refusal::new(Reason::NothingChanged).field("id").into());
            }
            let action = if is_first {
                repo::ask_in_tx(tx, id, by).await?;
                "wallet.withdrawal_take_out_asked"
            } else {
                repo::take_out_in_tx(tx, &[id.0]).await?;
                "wallet.withdrawal_taken_out"
            };
            let entry = audit::Entry::new(action, id).reason(reason.clone());
            let entry = entry.after(&json!({ "payment_batch": batch.id.to_string() }))?;
            Ok::<_, WalletError>(entry.record_in_tx(tx, &acting, now).await?)
        })
    })
    .await?;
    if is_first {
        return Err(Refusal::new(Reason::ApprovalRequired).into());
    }
    withdrawal::find_whole(app, id).await
}

/// The batch of a pending withdrawal. NOTHING_CHANGED if it is in none.
async fn batched(app: &App, id: WithdrawalId) -> Result<(Batch, Withdrawal), WalletError> {
    let mut connection = app.pool.acquire_to_read().await?;
    let found = withdrawal::find_all(&mut connection, &[id.0]).await?;
    let found = found
        .into_iter()
        .next()
        .ok_or_else(|| Refusal::not_found("id"))?;
    found.require_pending()?;
    let batch = found
        .payment_batch_id
        .ok_or_else(|| Refusal::new(Reason::NothingChanged).field("id"))?;
    let batch = repo::find(&mut connection, batch).await?;
    Ok((batch.ok_or(CoreError::Corrupt("payment batch"))?, found))
}

/// Another person than `first`, where two are needed.
async fn require_second(
    app: &App,
    caller: &Caller,
    first: StaffId,
    staff: Staff,
) -> Result<(), WalletError> {
    if app.rules.threshold.is_set() {
        app.second_pair.require(caller, first.0, staff.id).await?;
    }
    Ok(())
}

/// What is in a batch, with the destinations in full.
async fn inside(app: &App, id: PaymentBatchId) -> Result<Vec<Shown>, WalletError> {
    let found = withdrawal::in_batch(app, id).await?;
    found
        .into_iter()
        .map(|withdrawal| withdrawal::whole(app, withdrawal))
        .collect()
}

async fn find(app: &App, id: PaymentBatchId) -> Result<Batch, WalletError> {
    let found = find_batch(app, id).await?;
    Ok(found.ok_or_else(|| Refusal::not_found("id"))?)
}

async fn stored(tx: &mut Tx, id: PaymentBatchId) -> Result<Batch, WalletError> {
    let found = repo::find(tx, id).await?;
    Ok(found.ok_or(CoreError::Corrupt("payment batch"))?)
}

async fn audit_in_tx(
    tx: &mut Tx,
    caller: &Caller,
    (action, batch): (&'static str, &Batch),
    reason: &str,
    now: DateTime<Utc>,
) -> Result<(), WalletError> {
    audit::Entry::new(action, batch.id)
        .reason(reason)
        .after(&batch.audited())?
        .record_in_tx(tx, caller, now)
        .await?;
    Ok(())
}
