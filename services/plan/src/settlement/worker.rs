//! Carries out what orders wait for, step after step. Every step may be repeated: wallet and coupon
//! know the order, and the order's state under its lock guards what is written here.

use std::time::Duration;

use adfolio_kit::db;
use adfolio_kit::error::CoreError;
use adfolio_kit::refusal::chain;
use adfolio_kit::shutdown::Shutdown;
use adfolio_kit::telemetry;
use adfolio_money::Money;
use tracing::warn;
use uuid::Uuid;

use super::entity::{Step, next_step};
use super::repo;
use crate::app::App;
use crate::error::PlanError;
use crate::ids::OrderId;
use crate::order;
use crate::order::entity::Order;
use crate::statistics;

/// Orders that one round works on side by side.
const BATCH: i64 = 16;

/// Time between two looks at the queue without a wake-up.
const POLL_INTERVAL: Duration = Duration::from_millis(500);

/// The longest wait between two attempts at the same order.
const LONGEST_WAIT: Duration = Duration::from_secs(15);

/// Works until the shutdown. This process wakes it; the clock wakes it for work that other replicas
/// left.
pub async fn run(app: App, shutdown: Shutdown) {
    while !shutdown.is_triggered() {
        match round(&app).await {
            // A full round: there may be more.
            Ok(claimed) if claimed >= usize::try_from(BATCH).unwrap_or(usize::MAX) => continue,
            Ok(_) => {}
            Err(error) => warn!(error = chain(&error), "orders' work cannot be read"),
        }
        tokio::select! {
            () = shutdown.cancelled() => return,
            () = app.work.notified() => {}
            () = tokio::time::sleep(POLL_INTERVAL) => {}
        }
    }
}

async fn round(app: &App) -> Result<usize, PlanError> {
    let token = app.ids.next();
    let claimed = claim(app, None, token, BATCH).await?;
    let count = claimed.len();
    let works = claimed.into_iter().map(|leased| {
        let app = app.clone();
        let driven = async move { drive_leased(&app, leased, token).await };
        db::detached(telemetry::run("order", driven))
    });
    futures::future::join_all(works).await;
    Ok(count)
}

/// Works on one order now if nobody else does; answers whether it did.
pub(super) async fn drive_now(app: &App, order_id: OrderId) -> Result<bool, PlanError> {
    let token = app.ids.next();
    let Some(leased) = claim(app, Some(order_id), token, 1).await?.pop() else {
        return Ok(false);
    };
    let driving = app.clone();
    let driven = db::detached(async move { drive_leased(&driving, leased, token).await }).await;
    driven.map_err(|_| CoreError::Unfinished)?.map(|()| true)
}

/// `track_caller` here and below: each step is a point of its own at which a test can end the
/// process.
#[track_caller]
fn claim(
    app: &App,
    only: Option<OrderId>,
    token: Uuid,
    limit: i64,
) -> impl Future<Output = Result<Vec<repo::Leased>, PlanError>> + use<> {
    let lease = app.rules.recovery_after;
    db::write(&app.pool, move |tx| {
        Box::pin(repo::claim_in_tx(tx, only, token, lease, limit))
    })
}

/// Works on an order until nothing is left; returns the lease if a step fails.
async fn drive_leased(app: &App, leased: repo::Leased, token: Uuid) -> Result<(), PlanError> {
    let (order_id, attempts) = (leased.order, leased.attempts);
    let outcome = drive(app, order_id, token).await;
    app.notifier.notify();
    let Err(error) = outcome else { return Ok(()) };
    if matches!(error, PlanError::Core(CoreError::LeaseLost)) {
        return Err(error);
    }
    metrics::counter!("plan_order_drives_postponed_total").increment(1);
    warn!(order = %order_id, attempts, error = chain(&error), "order goes on later");
    let doublings = u32::try_from(attempts.saturating_sub(1))
        .unwrap_or(0)
        .min(6);
    let wait = Duration::from_millis(500)
        .saturating_mul(2_u32.saturating_pow(doublings))
        .min(LONGEST_WAIT);
    db::write(&app.pool, move |tx| {
        Box::pin(repo::postpone_in_tx(tx, order_id, token, wait))
    })
    .await?;
    Err(error)
}

async fn drive(app: &App, order_id: OrderId, token: Uuid) -> Result<(), PlanError> {
    let mut has_posted = false;
    loop {
        let order = order::repo::find(&app.pool, order_id)
            .await?
            .ok_or(CoreError::Corrupt("order_work.order_id"))?;
        match next_step(&order) {
            Step::Post if has_posted && rest(app, order_id, token).await? => return Ok(()),
            Step::Post => {
                post(app, &order, token).await?;
                has_posted = true;
            }
            Step::Fail => fail(app, &order, token).await?,
            Step::AwaitSettlement => {
                advance(app, order_id, token, Step::AwaitSettlement, Money::ZERO).await?;
            }
            Step::Settle => settle(app, &order, token).await?,
            Step::Done => {
                if leave(app, order_id, token).await? {
                    return Ok(());
                }
            }
        }
    }
}

/// Brings the ledger to the totals that were read, and stores their version.
async fn post(app: &App, order: &Order, token: Uuid) -> Result<(), PlanError> {
    let (read, order_id, lease) = (order.clone(), order.id, app.rules.recovery_after);
    let posted = app.peers.record_delivery(order).await?;
    db::write(&app.pool, move |tx| {
        Box::pin(async move {
            let mut order = order::repo::lock_in_tx(tx, order_id)
                .await?
                .ok_or(CoreError::Corrupt("order_work.order_id"))?;
            // The ledger may be ahead of what this drive read, never ahead of what was committed
            // here.
            order.posted_version = order.posted_version.max(posted.min(order.version));
            order::repo::save_in_tx(tx, &order).await?;
            let known = [&read, &order]
                .into_iter()
                .find(|known| known.version == order.posted_version);
            repo::note_posted_in_tx(
                tx,
                order_id,
                known.map(|known| (known.consumed(), known.revenue())),
            )
            .await?;
            if repo::renew_in_tx(tx, order_id, token, lease).await? {
                Ok(())
            } else {
                Err(CoreError::LeaseLost.into())
            }
        })
    })
    .await
}

/// Leaves what came while an order was posted to the next posting, if the order may wait.
async fn rest(app: &App, order_id: OrderId, token: Uuid) -> Result<bool, PlanError> {
    let pace = app.rules.posting_pace;
    db::write(&app.pool, move |tx| {
        Box::pin(repo::rest_in_tx(tx, order_id, token, pace))
    })
    .await
}

/// Returns everything. Wallet closes the order for good, so this can be repeated after a crash.
async fn fail(app: &App, order: &Order, token: Uuid) -> Result<(), PlanError> {
    app.peers.release_hold(order.id, order.user_id).await?;
    if let Some(coupon) = &order.coupon {
        app.peers
            .release_coupon(coupon.reservation_id, order.user_id)
            .await?;
    }
    advance(app, order.id, token, Step::Fail, Money::ZERO).await
}

/// Pays out. The totals are final: no report has been taken since settling was decided.
async fn settle(app: &App, order: &Order, token: Uuid) -> Result<(), PlanError> {
    let share = order
        .revenue()
        .basis_points_floor(app.rules.platform_share_basis_points)?;
    let paid_out = app.peers.settle(order, share).await?;
    advance(app, order.id, token, Step::Settle, paid_out).await
}

/// Writes the end of a step: the order moves on if it still waits for that step.
#[track_caller]
fn advance(
    app: &App,
    order_id: OrderId,
    token: Uuid,
    step: Step,
    paid_out: Money,
) -> impl Future<Output = Result<(), PlanError>> + use<> {
    let (now, lease) = (app.clock.now(), app.rules.recovery_after);
    db::write(&app.pool, move |tx| {
        Box::pin(async move {
            let mut order = order::repo::lock_in_tx(tx, order_id)
                .await?
                .ok_or(CoreError::Corrupt("order_work.order_id"))?;
            // Another drive may have done it, or a report may have come in between: then the next
            // look decides.
            if next_step(&order) == step {
                order::repo::lock_users_in_tx(tx, &[order.user_id]).await?;
                let transition = match step {
                    Step::Fail => {
                        statistics::remove_put_in_tx(tx, &order).await?;
                        order.fail(now)?
                    }
                    Step::Settle => order.settle(paid_out, now)?,
                    _ => order.await_settlement(now)?,
                };
                order::repo::save_in_tx(tx, &order).await?;
                order::record_in_tx(tx, &[(&order, transition)]).await?;
            }
            if repo::renew_in_tx(tx, order_id, token, lease).await? {
                Ok(())
            } else {
                Err(CoreError::LeaseLost.into())
            }
        })
    })
}

/// Takes the order out of the queue if nothing is left under its lock; false when there is more to
/// do.
async fn leave(app: &App, order_id: OrderId, token: Uuid) -> Result<bool, PlanError> {
    db::write(&app.pool, move |tx| {
        Box::pin(async move {
            let order = order::repo::lock_in_tx(tx, order_id)
                .await?
                .ok_or(CoreError::Corrupt("order_work.order_id"))?;
            if next_step(&order) != Step::Done {
                return Ok(false);
            }
            repo::remove_in_tx(tx, order_id, token).await?;
            Ok(true)
        })
    })
    .await
}
