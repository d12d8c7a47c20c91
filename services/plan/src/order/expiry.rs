//! The end of pushed plans into which nobody put money in time.

use adfolio_kit::db;
use adfolio_kit::refusal::chain;
use tracing::warn;

use super::{record_in_tx, repo};
use crate::app::App;
use crate::error::PlanError;
use crate::ids::OrderId;

/// Plans that one run ends at most.
const BATCH: i64 = 200;

/// Ends pushed plans whose time is over. Replicas may meet at one: its lock decides, and the second
/// finds it ended.
pub async fn expire(app: &App) -> Result<(), PlanError> {
    let expired = repo::expired(&app.pool, app.clock.now(), BATCH).await?;
    if expired.is_empty() {
        return Ok(());
    }
    for id in expired {
        if let Err(error) = expire_one(app, id).await {
            warn!(order = %id, error = chain(&error), "plan cannot be expired");
        }
    }
    app.notifier.notify();
    Ok(())
}

async fn expire_one(app: &App, id: OrderId) -> Result<(), PlanError> {
    let now = app.clock.now();
    db::write(&app.pool, move |tx| {
        Box::pin(async move {
            let Some(mut order) = repo::lock_in_tx(tx, id).await? else {
                return Ok(());
            };
            // A put that came in time goes on: it wrote its row before it asked for this lock.
            if !order.is_waiting()
                || order.is_puttable(now)
                || repo::has_live_put_in_tx(tx, id).await?
            {
                return Ok(());
            }
            let step = order.expire(now)?;
            repo::lock_users_in_tx(tx, &[order.user_id]).await?;
            repo::save_in_tx(tx, &order).await?;
            record_in_tx(tx, &[(&order, step)]).await
        })
    })
    .await
}
