//! What stands behind the figures of a plan: its reports, row by row, and whether they add up.

use adfolio_kit::identity::UserId;

use super::repo;
pub use super::repo::{Book, Position, Shown};
use crate::app::App;
use crate::error::PlanError;
use crate::ids::OrderId;
use crate::order::{self, entity::Order};

/// The reports of a user's plan, newest first, and the plan whose figures they sum to.
pub async fn reports(
    app: &App,
    user: UserId,
    order: OrderId,
    before: Option<&Position>,
    limit: i64,
) -> Result<(Order, Vec<Shown>), PlanError> {
    // Read before the reports: one that arrives in between is in the list and not yet in the figures of this answer.
    let order = order::find_listed(app, order, Some(user)).await?;
    let shown = repo::list_of_order(&app.reads, order.id, before, limit).await?;
    Ok((order, shown))
}

/// The books of the plans after `after`, in order of id.
pub async fn books(app: &App, after: OrderId, limit: i64) -> Result<Vec<Book>, PlanError> {
    repo::books(&app.reads, after, limit).await
}
