//! Decisions and allotments are kept as long as reports of them may still change.

use adfolio_kit::db;
use chrono::TimeDelta;

use super::repo;
use crate::app::App;
use crate::error::PlanError;

/// Longer than a plan's usual time with its settlement.
const KEPT: TimeDelta = TimeDelta::days(45);

/// Rounds that one transaction forgets.
const BATCH: i64 = 20;

/// Deletes rounds that ended long ago, with their decisions, and their closed allotments.
pub async fn forget(app: &App) -> Result<(), PlanError> {
    let now = app.clock.now();
    let before = now.checked_sub_signed(KEPT).unwrap_or(now);
    loop {
        let forgotten = db::write(&app.pool, move |tx| {
            Box::pin(repo::forget_in_tx(tx, before, BATCH))
        })
        .await?;
        if forgotten < BATCH.unsigned_abs() {
            return Ok(());
        }
    }
}
