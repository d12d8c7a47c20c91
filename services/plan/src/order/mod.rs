//! Orders: what users and staff see of plans, and pushing them.
//!
//! | use case | statement |
//! |---|---|
//! | list | one index range for each filter value, merged newest first |
//! | counts | the rows of `order_counts`, kept by a trigger on orders |
//! | push | users are asked of auth, then one insert for all of them |
//! | a step in the life | [`record_in_tx`]: timeline and event, in the transaction of the step |

mod amounts;
pub mod entity;
pub mod list;
mod number;
pub mod repo;
mod row;
mod status;
#[cfg(test)]
mod tests;

use adfolio_kit::db::{self, Tx};
use adfolio_kit::identity::Caller;
use adfolio_kit::once::Once;
use adfolio_kit::outbox;
use adfolio_kit::pagination::{Cursor, Page};
use adfolio_kit::refusal::{Refusal, is_unique_violation};
use adfolio_money::Money;
use adfolio_proto::plan::v1::{PushPlanResponse, PushedPlan};
use uuid::Uuid;

use crate::app::App;
use crate::error::PlanError;
use crate::product::entity::Audience;
use crate::{events, operator, product};
use entity::{Order, Status, Transition};
use list::{Filter, Holding};

/// Users that a plan can be pushed to at once.
const MOST_USERS: usize = 500;

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

/// What is pushed to users.
#[derive(Clone, Debug)]
pub struct Push {
    /// The product.
    pub product_id: Uuid,
    /// The proposed amount.
    pub amount: Money,
    /// To whom; repeated ones count once.
    pub user_ids: Vec<Uuid>,
    /// On whose behalf.
    pub operator_id: Option<Uuid>,
    /// What is advertised.
    pub put_content: String,
    /// How.
    pub put_rule: String,
    /// To whom it is shown, unless as the product's.
    pub audience: Option<Audience>,
}

/// Pushes a plan to users, once per idempotency key.
pub async fn push(
    app: &App,
    caller: &Caller,
    once: Once,
    mut push: Push,
) -> Result<PushPlanResponse, PlanError> {
    // Sorted, because rows and counters of several users are locked in this order.
    push.user_ids.sort_unstable();
    push.user_ids.dedup();
    if push.user_ids.is_empty() || push.user_ids.len() > MOST_USERS {
        return Err(Refusal::invalid("user_ids").into());
    }
    let product = product::find(app, push.product_id).await?;
    product.check_amount(push.amount)?;
    let audience = push
        .audience
        .clone()
        .unwrap_or_else(|| product.details.audience.clone());
    audience.check("user_targeting")?;
    if let Some(operator_id) = push.operator_id {
        operator::check_exists(app, operator_id).await?;
    }
    app.peers.check_users(caller, &push.user_ids).await?;
    for _ in 1..NUMBER_ATTEMPTS {
        match insert_pushed(app, once.clone(), &push, &product, &audience).await {
            Err(PlanError::Database(error))
                if is_unique_violation(&error, "orders_plan_number_key") => {}
            outcome => return outcome,
        }
    }
    insert_pushed(app, once, &push, &product, &audience).await
}

async fn insert_pushed(
    app: &App,
    once: Once,
    push: &Push,
    product: &product::entity::Product,
    audience: &Audience,
) -> Result<PushPlanResponse, PlanError> {
    let now = app.clock.now();
    let make = |user_id: &Uuid| {
        Order::for_put(app.ids.next(), *user_id, product, push.amount, now).pushed(
            push.operator_id,
            push.put_content.clone(),
            push.put_rule.clone(),
            audience.clone(),
        )
    };
    let orders: Vec<Order> = push.user_ids.iter().map(make).collect();
    db::write(&app.pool, move |tx| {
        Box::pin(async move {
            if let Some(earlier) = once.earlier_in_tx(tx).await? {
                return Ok(earlier);
            }
            let user_ids: Vec<Uuid> = orders.iter().map(|order| order.user_id).collect();
            repo::lock_users_in_tx(tx, &user_ids).await?;
            repo::insert_in_tx(tx, &orders).await?;
            let steps: Vec<_> = orders
                .iter()
                .map(|order| (order, order.first_transition()))
                .collect();
            record_in_tx(tx, &steps).await?;
            let pushed = |order: &Order| PushedPlan {
                user_id: order.user_id.to_string(),
                plan_id: order.id.to_string(),
            };
            let answer = PushPlanResponse {
                items: orders.iter().map(pushed).collect(),
            };
            once.keep_in_tx(tx, &answer).await?;
            Ok(answer)
        })
    })
    .await
}
