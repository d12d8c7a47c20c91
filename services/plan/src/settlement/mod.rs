//! How plans end, and how the ledger learns what delivery brought.
//!
//! | what | how |
//! |---|---|
//! | totals to post, endings to carry out | rows of `order_work`, written with their cause, driven by [`worker`] |
//! | `put_finished` | becomes `waiting_settlement` once the ledger has every posting |
//! | the end of the put window | delivered plans finish, undelivered ones fail |
//! | the end of the time for restatements | plans settle |
//! | the expiry of pushed plans that wait | [`order::expire`] |
//!
//! No call to wallet or coupon is made inside a transaction; what they were told is asked again after a crash.

pub mod entity;
mod repo;
pub mod worker;

use std::time::Duration;

use adfolio_kit::audit;
use adfolio_kit::db::{self, Tx};
use adfolio_kit::identity::Caller;
use adfolio_kit::metrics::{FAILING, record_saga};
use adfolio_kit::refusal::{Refusal, chain};
use serde_json::json;
use tracing::warn;
use uuid::Uuid;

use crate::app::App;
use crate::error::PlanError;
use crate::order;
use crate::order::entity::{Order, Pending, Transition};

/// Plans that one sweep ends at most.
const SWEEP_BATCH: i64 = 200;

/// How often a caller who waits for another drive's end looks for it.
const POLL_INTERVAL: Duration = Duration::from_millis(25);

/// How often a caller whose drive failed tries again.
const RETRY_INTERVAL: Duration = Duration::from_millis(200);

/// Kept of the caller's deadline for the answer itself.
const ANSWER_RESERVE: Duration = Duration::from_millis(300);

/// How staff end delivery.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Delivered; goes on to settlement.
    Finished,
    /// Undelivered; the money goes back.
    Failed,
}

/// Puts orders into the worker's queue, in the transaction that makes the work; see [`wake`].
pub async fn enqueue_in_tx(tx: &mut Tx, order_ids: &[Uuid]) -> Result<(), PlanError> {
    repo::enqueue_in_tx(tx, order_ids).await
}

/// Tells the worker of this process that a transaction with work has committed.
pub fn wake(app: &App) {
    app.work.notify_one();
}

/// Ends delivery of a plan and drives what follows as far as the caller's time allows: to `waiting_settlement` or
/// `put_failed`. A plan that has ended the same way answers as it is.
pub async fn finish(
    app: &App,
    caller: &Caller,
    id: Uuid,
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
    // A finished plan whose postings are late is finished all the same; a failure is none before the money is back.
    if outcome == Outcome::Failed && order.pending.is_some() {
        Err(PlanError::Unfinished)
    } else {
        Ok(order)
    }
}

/// Settles a plan that waits for it; one that has just finished is first brought that far. A settled plan answers as it is.
pub async fn settle(app: &App, caller: &Caller, id: Uuid) -> Result<Order, PlanError> {
    let mut known = order::find_listed(app, id, None).await?;
    if known.is_settled() {
        return Ok(known);
    }
    if known.awaits_ledger() {
        known = drive_until(app, caller, id, |order| !order.awaits_ledger()).await?;
        if known.awaits_ledger() {
            return Err(PlanError::Unfinished);
        }
    }
    begin_settle(app, Some(caller), known.id).await?;
    let settled = drive_until(app, caller, id, Order::is_settled).await?;
    if settled.is_settled() {
        Ok(settled)
    } else {
        Err(PlanError::Unfinished)
    }
}

/// Tells metrics what orders wait for.
pub async fn record_waiting(app: &App) -> Result<(), PlanError> {
    let found = repo::waiting(&app.pool, app.clock.now()).await?;
    record_saga("settlement", &["due", "overdue", FAILING], &found);
    Ok(())
}

/// Ends what time has ended.
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
    id: Uuid,
    outcome: Outcome,
    reason: String,
) -> Result<(), PlanError> {
    let (now, delay) = (app.clock.now(), app.rules.settlement_delay);
    let action = match outcome {
        Outcome::Finished => "plan.finish",
        Outcome::Failed => "plan.fail",
    };
    let act = staff.map(|staff| Announced {
        action,
        reason: reason.clone(),
        staff: staff.clone(),
    });
    change(app, id, act, move |order| match outcome {
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

/// Decides that the plan settles; the paying is the worker's.
async fn begin_settle(app: &App, staff: Option<&Caller>, id: Uuid) -> Result<(), PlanError> {
    let act = staff.map(|staff| Announced {
        action: "plan.settle",
        reason: String::new(),
        staff: staff.clone(),
    });
    change(app, id, act, |order| {
        if order.is_settling() {
            return Ok(Decision::Before);
        }
        order.begin_settle()?;
        Ok(Decision::Now(None))
    })
    .await
}

/// What of a change is announced as an act of staff.
struct Announced {
    action: &'static str,
    reason: String,
    staff: Caller,
}

/// What a rule finds under an order's lock.
enum Decision {
    /// The same was decided before, perhaps by the first try of a call that is repeated.
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
    id: Uuid,
    act: Option<Announced>,
    rule: F,
) -> impl Future<Output = Result<(), PlanError>>
where
    F: FnOnce(&mut Order) -> Result<Decision, PlanError> + Send + 'static,
{
    let now = app.clock.now();
    let changed = db::write(&app.pool, move |tx| {
        Box::pin(async move {
            let order = order::repo::lock_in_tx(tx, id).await?;
            let mut order = order.ok_or_else(|| PlanError::from(Refusal::not_found("id")))?;
            let before = standing(&order);
            let Decision::Now(transition) = rule(&mut order)? else {
                return Ok(());
            };
            if transition.is_some() || act.is_some() {
                order::repo::lock_users_in_tx(tx, &[order.user_id]).await?;
            }
            order::repo::save_in_tx(tx, &order).await?;
            let steps: Vec<_> = transition.into_iter().map(|step| (&order, step)).collect();
            order::record_in_tx(tx, &steps).await?;
            if let Some(act) = act {
                audit::Entry::new(act.action, id)
                    .user(order.user_id)
                    .reason(act.reason)
                    .before(&before)?
                    .after(&standing(&order))?
                    .record_in_tx(tx, &act.staff, now)
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

/// Drives an order, or waits for whoever does, until `reached` or the caller's time is up; answers it as it is then.
async fn drive_until(
    app: &App,
    caller: &Caller,
    id: Uuid,
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
            // Somebody else drives.
            Ok(Ok(false)) => tokio::time::sleep(POLL_INTERVAL).await,
            // Wallet cannot be reached just now; the worker goes on in any case.
            Ok(Err(_)) => tokio::time::sleep(RETRY_INTERVAL).await,
            Ok(Ok(true)) | Err(_) => {}
        }
    }
}
