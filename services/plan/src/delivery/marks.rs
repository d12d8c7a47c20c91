//! Marks of reports that the release before has taken: it rolled estimated and simulated delivery up without saying so.

use adfolio_kit::db::{self, Tx};
use tracing::info;

use super::repo;
use crate::app::App;
use crate::error::PlanError;
use crate::order;
use crate::statistics::{self, Changes};

/// Reports that one transaction marks.
const BATCH: i64 = 500;

/// Gives the roll-ups the marks of reports that they do not have yet. Replicas may do it side by side.
pub async fn mark_all(app: &App) -> Result<(), PlanError> {
    let mut marked = 0_usize;
    loop {
        let done = db::write_retrying(&app.pool, PlanError::database, |tx| {
            Box::pin(mark_some_in_tx(tx))
        })
        .await?;
        if done == 0 {
            break;
        }
        marked = marked.saturating_add(done);
    }
    if marked > 0 {
        info!(marked, "statistics have the marks of earlier reports");
    }
    Ok(())
}

/// Locks the plans before it reads their reports, as batches of reports do.
async fn mark_some_in_tx(tx: &mut Tx) -> Result<usize, PlanError> {
    let ids = repo::orders_without_marks_in_tx(tx, BATCH).await?;
    let orders = order::repo::lock_many_in_tx(tx, ids).await?;
    let mut changes = Changes::default();
    let mut reports = Vec::new();
    for order in orders {
        let left = BATCH.saturating_sub(i64::try_from(reports.len()).unwrap_or(BATCH));
        for report in repo::without_marks_in_tx(tx, order.id, left).await? {
            changes.add(order.id, order.user_id, report.time, report.missing_marks())?;
            reports.push(report);
        }
    }
    if !reports.is_empty() {
        statistics::roll_up_in_tx(tx, &changes).await?;
        repo::set_marked_in_tx(tx, &reports).await?;
    }
    Ok(reports.len())
}
