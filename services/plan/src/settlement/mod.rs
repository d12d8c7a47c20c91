//! How plans end, and how the ledger gets their delivery.
//!
//! | what | how |
//! |---|---|
//! | totals to post, endings to carry out | rows of `order_work`, which [`worker`] drives |
//! | `put_finished` | becomes `waiting_settlement` once the ledger has every posting |
//! | the end of the put window | delivered plans finish, the others fail |
//! | the end of the time for restatements | plans settle; two members of staff can settle them earlier |
//! | the expiry of waiting pushed plans | [`order::expire`] |
//!
//! No call to wallet or coupon is made inside a transaction. After a crash the calls are repeated.

pub mod entity;
mod repo;
pub mod worker;

use std::time::Duration;

use adfolio_kit::audit;
use adfolio_kit::db::{self, Tx};
use adfolio_kit::error::CoreError;
use adfolio_kit::identity::{Caller, UserId};
use adfolio_kit::metrics::{FAILING, InState, record_saga};
use adfolio_kit::names;
use adfolio_kit::refusal::{Reason, Refusal, chain};
use adfolio_money::Micros;
use chrono::{DateTime, TimeDelta, Utc};
use serde_json::json;
use tracing::warn;
use uuid::Uuid;

use crate::allotment;
use crate::app::App;
use crate::delivery::intake::Times;
use crate::delivery::proposal;
use crate::error::PlanError;
use crate::ids::OrderId;
use crate::order;
use crate::order::entity::Order;
use crate::order::status::{Pending, Transition};

/// Plans that one sweep ends at most.
const SWEEP_BATCH: i64 = 200;

/// A wish to settle that nobody shared for so long is none.
const REQUEST_LIFETIME: TimeDelta = TimeDelta::days(7);

/// Time between two looks of a caller who waits for another drive's end.
const POLL_INTERVAL: Duration = Duration::from_millis(25);

/// Time between two attempts of a caller whose drive failed.
const RETRY_INTERVAL: Duration = Duration::from_millis(200);

/// Kept of the caller's deadline for the answer itself.
pub const ANSWER_RESERVE: Duration = Duration::from_millis(300);

names! {
    /// How staff end delivery.
    Outcome {
        /// Delivered; goes on to settlement.
        Finished = "put_finished",
        /// Not delivered; the money is returned.
        Failed = "put_failed",
    }
}

/// Puts orders into the worker's queue, in the transaction that creates the work; see [`wake`].
pub async fn enqueue_in_tx(tx: &mut Tx, orders: &[OrderId]) -> Result<(), PlanError> {
    repo::enqueue_in_tx(tx, orders).await
}

/// The same for running plans whose totals only changed by reports of placements: they are posted together, `pace` after
/// the last posting at the earliest.
pub async fn enqueue_paced_in_tx(
    tx: &mut Tx,
    orders: &[OrderId],
    pace: Duration,
) -> Result<(), PlanError> {
    repo::enqueue_paced_in_tx(tx, orders, pace).await
}

/// Wakes the worker of this process after a transaction with work has committed.
pub fn wake(app: &App) {
    app.work.notify_one();
}

/// Ends delivery of a plan and drives what follows as far as the caller's time allows: to
/// `waiting_settlement` or `put_failed`. A plan that has ended the same way is answered as it is.
pub async fn finish(
    app: &App,
    caller: &Caller,
    id: OrderId,
    outcome: Outcome,
    reason: String,
) -> Result<Order, PlanError> {
    let known = order::find_listed(app, id, None).await?;
    let already = match outcome {
        Outcome::Finished => known.is_finished(),
        Outcome::Failed => known.is_failed(),
    };
    if !already {
        end_delivery(app, Some(caller), id, outcome, reason).await?;
    }
    let order = drive_until(app, caller, id, |order| match outcome {
        Outcome::Finished => !order.awaits_ledger(),
        Outcome::Failed => order.pending.is_none(),
    })
    .await?;
    // A finished plan whose postings are late is still finished. A plan has not failed before the
    // money is returned.
    if outcome == Outcome::Failed && order.pending.is_some() {
        Err(CoreError::Unfinished.into())
    } else {
        Ok(order)
    }
}

/// Cancels a user's plan that is still matching, and drives it to `put_failed` as far as the caller's time allows.
pub async fn cancel(
    app: &App,
    caller: &Caller,
    user: UserId,
    id: OrderId,
) -> Result<Order, PlanError> {
    let known = order::find_listed(app, id, Some(user)).await?;
    if !known.is_cancelled() {
        change(app, id, None, |order| {
            if order.is_cancelled() {
                return Ok(Decision::Before);
            }
            order.begin_cancel()?;
            Ok(Decision::Now(None))
        })
        .await?;
    }
    let order = drive_until(app, caller, id, |order| order.pending.is_none()).await?;
    if order.pending.is_some() {
        Err(CoreError::Unfinished.into())
    } else {
        Ok(order)
    }
}

/// Settles a plan that waits for settlement, or first brings a finished plan that far. A settled
/// plan is answered as it is.
pub async fn settle(app: &App, caller: &Caller, id: OrderId) -> Result<Order, PlanError> {
    let mut known = order::find_listed(app, id, None).await?;
    if known.is_settled() {
        return Ok(known);
    }
    if known.awaits_ledger() {
        known = drive_until(app, caller, id, |order| !order.awaits_ledger()).await?;
        if known.awaits_ledger() {
            return Err(CoreError::Unfinished.into());
        }
    }
    if app.rules.settling_takes_two && !known.is_settling() && !known.is_due(app.clock.now()) {
        ask_to_settle(app, caller, &known).await?;
    }
    begin_settle(app, Some(caller), known.id).await?;
    let settled = drive_until(app, caller, id, Order::is_settled).await?;
    if settled.is_settled() {
        Ok(settled)
    } else {
        Err(CoreError::Unfinished.into())
    }
}

/// What orders wait for: `overdue` are those whose time of settlement is over.
pub async fn waiting(app: &App) -> Result<Vec<InState>, PlanError> {
    repo::waiting(&app.pool, app.clock.now()).await
}

/// How many plans should have finished, and since when the oldest should have.
pub async fn waiting_to_finish(app: &App) -> Result<(i64, Option<DateTime<Utc>>), PlanError> {
    repo::count_window_over(&app.pool, app.clock.now()).await
}

/// Sets the gauges of orders that wait.
pub async fn record_waiting(app: &App) -> Result<(), PlanError> {
    let found = waiting(app).await?;
    record_saga("settlement", &["due", "overdue", FAILING], &found);
    Ok(())
}

/// Ends plans whose time is over.
pub async fn sweep(app: &App) -> Result<(), PlanError> {
    let now = app.clock.now();
    for id in repo::window_over(&app.pool, now, SWEEP_BATCH).await? {
        let order = order::find_listed(app, id, None).await?;
        let outcome = if order.has_delivered() {
            Outcome::Finished
        } else {
            Outcome::Failed
        };
        if let Err(error) = end_delivery(app, None, id, outcome, "put window over".to_owned()).await
        {
            warn!(order = %id, error = chain(&error), "plan cannot be ended");
        }
    }
    if let Err(error) = order::expire(app).await {
        warn!(error = chain(&error), "pushed plans cannot be expired");
    }
    if let Err(error) = proposal::sweep(app).await {
        warn!(error = chain(&error), "imports cannot be swept");
    }
    for id in repo::settlement_due(&app.pool, now, SWEEP_BATCH).await? {
        if let Err(error) = begin_settle(app, None, id).await {
            warn!(order = %id, error = chain(&error), "plan cannot be settled");
        }
    }
    Ok(())
}

/// Decides that delivery ends; what follows is the worker's.
async fn end_delivery(
    app: &App,
    staff: Option<&Caller>,
    id: OrderId,
    outcome: Outcome,
    reason: String,
) -> Result<(), PlanError> {
    let (now, delay) = (app.clock.now(), app.rules.settlement_delay);
    let action = match outcome {
        Outcome::Finished => "plan.finish",
        Outcome::Failed => "plan.fail",
    };
    let by_staff = staff.map(|staff| StaffAction {
        action,
        reason: reason.clone(),
        staff: staff.clone(),
    });
    change(app, id, by_staff, move |order| match outcome {
        Outcome::Finished if order.is_finished() => Ok(Decision::Before),
        Outcome::Finished => Ok(Decision::Now(Some(order.finish(&reason, now, delay)?))),
        Outcome::Failed if order.is_failed() => Ok(Decision::Before),
        Outcome::Failed => {
            order.begin_fail(&reason)?;
            Ok(Decision::Now(None))
        }
    })
    .await
}

/// Passes if another member of staff has asked for the same before; else keeps that this one asks and refuses as
/// APPROVAL_REQUIRED.
async fn ask_to_settle(app: &App, caller: &Caller, order: &Order) -> Result<(), PlanError> {
    order.clone().begin_settle()?;
    let by = caller.staff.map_or(Uuid::nil(), |staff| staff.id);
    let now = app.clock.now();
    let since = now.checked_sub_signed(REQUEST_LIFETIME).unwrap_or(now);
    let asked_by = repo::asked_by(&app.pool, order.id, since).await?;
    if let Some(asked_by) = asked_by.filter(|asked_by| *asked_by != by) {
        return Ok(app.second_pair.require(caller, asked_by, by).await?);
    }
    if asked_by.is_none() {
        let (order, caller) = (order.clone(), caller.clone());
        db::write(&app.pool, move |tx| {
            Box::pin(async move {
                if !repo::ask_in_tx(tx, order.id, by, (since, now)).await? {
                    return Ok(());
                }
                let entry = audit::Entry::new("plan.settlement_requested", order.id);
                let entry = entry.user(order.user_id).after(&standing(&order))?;
                entry.record_in_tx(tx, &caller, now).await?;
                Ok::<_, PlanError>(())
            })
        })
        .await?;
    }
    Err(Refusal::new(Reason::ApprovalRequired)
        .detail("another member of staff settles the plan, too, before its time")
        .into())
}

/// Decides that the plan settles; the paying is the worker's.
async fn begin_settle(app: &App, staff: Option<&Caller>, id: OrderId) -> Result<(), PlanError> {
    let by_staff = staff.map(|staff| StaffAction {
        action: "plan.settle",
        reason: String::new(),
        staff: staff.clone(),
    });
    change(app, id, by_staff, |order| {
        if order.is_settling() {
            return Ok(Decision::Before);
        }
        order.begin_settle()?;
        Ok(Decision::Now(None))
    })
    .await
}

/// A change by staff, for the audit entry.
struct StaffAction {
    action: &'static str,
    reason: String,
    staff: Caller,
}

/// What a rule decides under an order's lock.
enum Decision {
    /// The same was decided before, perhaps by the first attempt of a repeated call.
    Before,
    /// Decided now, perhaps with a change of status.
    Now(Option<Transition>),
}

/// Changes an order under its lock and puts it into the worker's queue.
///
/// `track_caller`: each of its callers is a point of its own at which a test can end the process.
#[track_caller]
fn change<F>(
    app: &App,
    id: OrderId,
    by_staff: Option<StaffAction>,
    rule: F,
) -> impl Future<Output = Result<(), PlanError>>
where
    F: FnOnce(&mut Order) -> Result<Decision, PlanError> + Send + 'static,
{
    let (now, times) = (app.clock.now(), Times::from(&app.rules));
    let changed = db::write(&app.pool, move |tx| {
        Box::pin(async move {
            let order = order::repo::lock_in_tx(tx, id).await?;
            let mut order = order.ok_or_else(|| Refusal::not_found("id"))?;
            if order.awaits_settlement() && order.allotted != Micros::ZERO {
                // Once it is settled, nothing can be given back or charged any more.
                allotment::closing::close_all_in_tx(tx, id, now, times).await?;
                let changed = order::repo::lock_in_tx(tx, id).await?;
                order = changed.ok_or(CoreError::Corrupt("orders.id"))?;
            }
            let before = standing(&order);
            let Decision::Now(transition) = rule(&mut order)? else {
                return Ok(());
            };
            if order.is_failed() {
                allotment::closing::cancel_in_tx(tx, &mut order).await?;
            }
            if transition.is_some() || by_staff.is_some() {
                order::repo::lock_users_in_tx(tx, &[order.user_id]).await?;
            }
            order::repo::save_in_tx(tx, &order).await?;
            let steps: Vec<_> = transition.into_iter().map(|step| (&order, step)).collect();
            order::record_in_tx(tx, &steps).await?;
            if let Some(by_staff) = by_staff {
                audit::Entry::new(by_staff.action, id)
                    .user(order.user_id)
                    .reason(by_staff.reason)
                    .before(&before)?
                    .after(&standing(&order))?
                    .record_in_tx(tx, &by_staff.staff, now)
                    .await?;
            }
            enqueue_in_tx(tx, &[id]).await
        })
    });
    async move {
        changed.await?;
        wake(app);
        app.notifier.notify();
        Ok(())
    }
}

/// What the audit log keeps of an order.
fn standing(order: &Order) -> serde_json::Value {
    json!({
        "plan_number": order.plan_number,
        "status": order.status.as_str(),
        "pending": order.pending.map(Pending::as_str),
    })
}

/// Drives an order, or waits for another drive, until `reached` or the caller's time is up; answers
/// the order as it is then.
async fn drive_until(
    app: &App,
    caller: &Caller,
    id: OrderId,
    reached: impl Fn(&Order) -> bool,
) -> Result<Order, PlanError> {
    loop {
        let order = order::find_listed(app, id, None).await?;
        if reached(&order)
            || caller.deadline.remaining() <= POLL_INTERVAL.saturating_add(ANSWER_RESERVE)
        {
            return Ok(order);
        }
        let left = caller.deadline.remaining().saturating_sub(ANSWER_RESERVE);
        match tokio::time::timeout(left, worker::drive_now(app, id)).await {
            // Another drive has the lease.
            Ok(Ok(false)) => tokio::time::sleep(POLL_INTERVAL).await,
            // Wallet cannot be reached now; the worker goes on in any case.
            Ok(Err(_)) => tokio::time::sleep(RETRY_INTERVAL).await,
            Ok(Ok(true)) | Err(_) => {}
        }
    }
}
