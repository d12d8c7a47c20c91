//! What was allotted and not reported in time goes back to its plan.

use adfolio_kit::db::{self, Tx};
use adfolio_money::Micros;
use chrono::{DateTime, Utc};

use super::repo;
use crate::app::App;
use crate::delivery::intake::{self, Times};
use crate::error::PlanError;
use crate::ids::OrderId;
use crate::order;
use crate::order::entity::Order;
use crate::settlement;

/// Plans whose allotments one transaction closes at most.
const BATCH: i64 = 100;

/// Closes allotments whose time for reports is over, and gives back what nobody reported of them.
pub async fn close_due(app: &App) -> Result<(), PlanError> {
    let (now, times) = (app.clock.now(), Times::from(&app.rules));
    loop {
        let due = repo::orders_due(&app.pool, now, BATCH).await?;
        let count = due.len();
        if count > 0 {
            db::write(&app.pool, move |tx| {
                Box::pin(close_in_tx(tx, due, Some(now), (now, times)))
            })
            .await?;
            settlement::wake(app);
            app.notifier.notify();
        }
        if count < usize::try_from(BATCH).unwrap_or(usize::MAX) {
            return Ok(());
        }
    }
}

/// Closes all allotments of a plan, also those that may still be reported.
pub async fn close_all_in_tx(
    tx: &mut Tx,
    id: OrderId,
    now: DateTime<Utc>,
    times: Times,
) -> Result<(), PlanError> {
    close_in_tx(tx, vec![id], None, (now, times)).await
}

async fn close_in_tx(
    tx: &mut Tx,
    ids: Vec<OrderId>,
    due: Option<DateTime<Utc>>,
    (now, times): (DateTime<Utc>, Times),
) -> Result<(), PlanError> {
    let orders = order::repo::lock_many_in_tx(tx, ids).await?;
    let freed = repo::close_in_tx(tx, &orders, due).await?;
    let mut changed = Vec::new();
    for mut order in orders {
        let freed = freed.get(&order.id).copied().unwrap_or(Micros::ZERO);
        if freed != Micros::ZERO {
            order.allotted = order.allotted.checked_sub(freed)?;
            changed.push(order);
        }
    }
    intake::refill_orders_in_tx(tx, changed, now, times).await
}

/// Closes all allotments of a plan that fails: it is not charged for any. The caller holds the order's lock, and saves it.
pub async fn cancel_in_tx(tx: &mut Tx, order: &mut Order) -> Result<(), PlanError> {
    if order.allotted != Micros::ZERO {
        repo::close_in_tx(tx, std::slice::from_ref(order), None).await?;
        order.allotted = Micros::ZERO;
    }
    Ok(())
}
