//! Orders: what users and staff see of plans, and pushing them.
//!
//! | use case | statement |
//! |---|---|
//! | list | one index range for each filter value, merged newest first |
//! | counts | the rows of `order_counts`, kept by a trigger on orders |
//! | push | [`push()`]: users are asked of auth or are an operator's followers, then one insert for all of them |
//! | expiry | [`expire`]: under the order's lock, unless a put of it is under way |
//! | a step in the life | [`record_in_tx`]: timeline and event, in the transaction of the step |

mod amounts;
pub mod entity;
mod expiry;
pub mod list;
mod number;
mod push;
pub mod repo;
mod row;
mod status;
#[cfg(test)]
mod tests;

pub use expiry::expire;
pub use push::{Push, push};

use adfolio_kit::db::Tx;
use adfolio_kit::outbox;
use adfolio_kit::pagination::{Cursor, Page};
use adfolio_kit::refusal::Refusal;
use uuid::Uuid;

use crate::app::App;
use crate::error::PlanError;
use crate::events;
use entity::{Order, Status, Transition};
use list::{Filter, Holding};

/// Attempts to find plan numbers that nobody has.
pub const NUMBER_ATTEMPTS: u32 = 5;

/// The cursors of a list of orders of `owner` (a user's id, or a name for all).
pub fn cursor(owner: &str) -> Cursor {
    Cursor::new("plans", owner)
}

/// A page of a user's orders, newest first, and the next cursor.
pub async fn list_of_user(
    app: &App,
    user_id: Uuid,
    filter: &Filter,
    page: Page,
    before: Option<Uuid>,
) -> Result<(Vec<Order>, Option<String>), PlanError> {
    let rows = list::of_user(
        &app.pool,
        user_id,
        filter,
        before.unwrap_or(Uuid::max()),
        page.fetch(),
    )
    .await?;
    Ok(page.cut(rows, |last| {
        cursor(&user_id.to_string()).encode(&[&last.id.to_string()])
    }))
}

/// A page of the orders of all users, newest first, and the next cursor.
pub async fn list_of_all(
    app: &App,
    filter: &Filter,
    page: Page,
    before: Option<Uuid>,
) -> Result<(Vec<Order>, Option<String>), PlanError> {
    let rows = list::of_all(
        &app.pool,
        filter,
        before.unwrap_or(Uuid::max()),
        page.fetch(),
    )
    .await?;
    Ok(page.cut(rows, |last| cursor("all").encode(&[&last.id.to_string()])))
}

/// The order with a plan number; empty when there is none or the filter keeps it back.
pub async fn list_by_number(
    app: &App,
    number: &str,
    user_id: Option<Uuid>,
    filter: &Filter,
) -> Result<Vec<Order>, PlanError> {
    list::by_number(&app.pool, number, user_id, filter).await
}

/// How many orders a user has, for each status that is shown.
pub async fn counts(
    app: &App,
    user_id: Uuid,
    official: &[bool],
) -> Result<Vec<(Status, i64)>, PlanError> {
    let known = list::counts(&app.pool, user_id, official).await?;
    let count_of = |status| {
        known
            .iter()
            .find(|(found, _)| *found == status)
            .map_or(0, |(_, count)| *count)
    };
    Ok(Status::LISTED
        .into_iter()
        .map(|status| (status, count_of(status)))
        .collect())
}

/// How many pushed plans wait for a user's put.
pub async fn count_waiting(app: &App, user_id: Uuid) -> Result<i64, PlanError> {
    list::count_waiting(&app.pool, user_id).await
}

/// One order that is shown, of `user_id` if one is given. Somebody else's answers like an unknown one.
pub async fn find_listed(app: &App, id: Uuid, user_id: Option<Uuid>) -> Result<Order, PlanError> {
    let order = repo::find(&app.pool, id).await?;
    order
        .filter(|order| order.is_listed() && user_id.is_none_or(|user_id| user_id == order.user_id))
        .ok_or_else(|| Refusal::not_found("id").into())
}

/// Orders that hold money by plan's books, in order of id after `after`.
pub async fn list_holds(app: &App, after: Uuid, limit: i64) -> Result<Vec<Holding>, PlanError> {
    list::holding(&app.pool, after, limit).await
}

/// Writes steps of orders into the timelines and the outbox. The caller holds the users' locks.
pub async fn record_in_tx(tx: &mut Tx, steps: &[(&Order, Transition)]) -> Result<(), PlanError> {
    if steps.is_empty() {
        return Ok(());
    }
    let rows: Vec<(Uuid, Transition)> = steps
        .iter()
        .map(|(order, step)| (order.id, step.clone()))
        .collect();
    repo::insert_history_in_tx(tx, &rows).await?;
    let events = steps
        .iter()
        .map(|(order, step)| events::plan_status_changed(order, step))
        .collect::<Result<Vec<_>, _>>()?;
    outbox::enqueue_in_tx(tx, &events).await?;
    Ok(())
}
