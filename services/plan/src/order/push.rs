//! Pushing plans to users.

use std::collections::HashSet;

use adfolio_kit::audit;
use adfolio_kit::db::Tx;
use adfolio_kit::identity::{Caller, UserId};
use adfolio_kit::once::{Answer, Once};
use adfolio_kit::outbox::{self, Event};
use adfolio_kit::refusal::{Refusal, is_unique_violation};
use adfolio_money::Money;
use chrono::{DateTime, Utc};
use serde_json::json;

use super::entity::Order;
use super::{NUMBER_ATTEMPTS, record_in_tx, repo};
use crate::app::App;
use crate::error::PlanError;
use crate::ids::{OperatorId, OrderId, ProductId};
use crate::product::entity::{Audience, Product};
use crate::{follow, operator, product};

/// Users that a plan can be pushed to by name.
const MOST_USERS: usize = 500;

/// Followers that a plan can be pushed to at once: all of them or none, in one transaction.
const MOST_FOLLOWERS: usize = 10_000;

/// What is pushed, and to whom.
#[derive(Clone, Debug)]
pub struct Push {
    /// The product.
    pub product_id: ProductId,
    /// The proposed amount.
    pub amount: Money,
    /// The users; duplicates count once. Empty means all followers of the operator.
    pub user_ids: Vec<UserId>,
    /// The operator on whose behalf it is pushed.
    pub operator_id: Option<OperatorId>,
    /// What is advertised.
    pub put_content: String,
    /// How it is advertised.
    pub put_rule: String,
    /// Whom it is shown to; none: the product's audience.
    pub audience: Option<Audience>,
}

/// What a push made.
#[derive(Clone, Debug)]
pub struct Pushed {
    /// An order for each user.
    pub orders: Vec<Order>,
}

/// Pushes a plan to users, once per idempotency key.
pub async fn push(
    app: &App,
    once: Once<Pushed>,
    caller: &Caller,
    mut push: Push,
) -> Result<Answer<Pushed>, PlanError> {
    if push.user_ids.len() > MOST_USERS {
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
        operator::require(app, operator_id).await?;
    }
    push.user_ids = named(app, caller, &push).await?;
    let mut outcome = insert_pushed(app, caller, once.clone(), &push, &product, &audience).await;
    for _ in 1..NUMBER_ATTEMPTS {
        if !outcome.as_ref().is_err_and(is_number_taken) {
            break;
        }
        outcome = insert_pushed(app, caller, once.clone(), &push, &product, &audience).await;
    }
    outcome
}

/// Whether another order has the same plan number; one with another id gets another number.
pub fn is_number_taken(error: &PlanError) -> bool {
    let database = error.database();
    database.is_some_and(|error| is_unique_violation(error, "orders_plan_number_key"))
}

/// The users that the push names, each once, sorted: rows and counters of several users are locked
/// in this order. Empty if it is for the operator's followers.
async fn named(app: &App, caller: &Caller, push: &Push) -> Result<Vec<UserId>, PlanError> {
    if push.user_ids.is_empty() {
        return match push.operator_id {
            Some(_) => Ok(Vec::new()),
            None => Err(Refusal::invalid("to").into()),
        };
    }
    let mut user_ids = push.user_ids.clone();
    user_ids.sort_unstable();
    user_ids.dedup();
    app.users.require(caller, &user_ids, "user_ids").await?;
    Ok(user_ids)
}

/// The users that the push is for, sorted.
async fn recipients_in_tx(tx: &mut Tx, push: &Push) -> Result<Vec<UserId>, PlanError> {
    let (Some(operator_id), true) = (push.operator_id, push.user_ids.is_empty()) else {
        return Ok(push.user_ids.clone());
    };
    // One more than can be taken shows that there are too many.
    let limit = i64::try_from(MOST_FOLLOWERS).map_or(i64::MAX, |most| most.saturating_add(1));
    let followers = follow::followers_in_tx(tx, operator_id, limit).await?;
    if followers.is_empty() || followers.len() > MOST_FOLLOWERS {
        return Err(Refusal::invalid("to")
            .detail("the operator has no followers, or too many")
            .into());
    }
    Ok(followers)
}

async fn insert_pushed(
    app: &App,
    caller: &Caller,
    once: Once<Pushed>,
    push: &Push,
    product: &Product,
    audience: &Audience,
) -> Result<Answer<Pushed>, PlanError> {
    let (ids, now, expiry) = (app.ids.clone(), app.clock.now(), app.rules.push_expiry);
    let (caller, push, product, audience) = (
        caller.clone(),
        push.clone(),
        product.clone(),
        audience.clone(),
    );
    app.write_once(once, move |tx| {
        Box::pin(async move {
            let user_ids = recipients_in_tx(tx, &push).await?;
            let make = |user: UserId| {
                let id = OrderId(ids.next());
                Order::for_put(id, user, &product, push.amount, now).pushed(
                    now.checked_add_signed(expiry),
                    push.operator_id,
                    push.put_content.clone(),
                    push.put_rule.clone(),
                    audience.clone(),
                )
            };
            let mut orders: Vec<Order> = user_ids.iter().copied().map(make).collect();
            redraw_taken_in_tx(tx, &mut orders, make).await?;
            repo::lock_users_in_tx(tx, &user_ids).await?;
            repo::insert_in_tx(tx, &orders).await?;
            let steps: Vec<_> = orders
                .iter()
                .map(|order| (order, order.first_transition()))
                .collect();
            record_in_tx(tx, &steps).await?;
            let entries = orders
                .iter()
                .filter_map(|order| audit_entry(order, &caller, now).transpose())
                .collect::<Result<Vec<_>, _>>()?;
            outbox::enqueue_in_tx(tx, &entries).await?;
            Ok(Pushed { orders })
        })
    })
    .await
}

/// Replaces orders whose number is taken. Among ten thousand there often is one. A number that
/// another transaction takes at this very moment is left to the constraint.
async fn redraw_taken_in_tx(
    tx: &mut Tx,
    orders: &mut [Order],
    make: impl Fn(UserId) -> Order,
) -> Result<(), PlanError> {
    for _ in 0..NUMBER_ATTEMPTS {
        let numbers: Vec<String> = orders
            .iter()
            .map(|order| order.plan_number.clone())
            .collect();
        let mut taken: HashSet<String> = repo::taken_numbers_in_tx(tx, &numbers).await?;
        let mut redrawn = false;
        for order in orders.iter_mut() {
            // A number that came before in this batch is taken, too.
            if !taken.insert(order.plan_number.clone()) {
                *order = make(order.user_id);
                redrawn = true;
            }
        }
        if !redrawn {
            break;
        }
    }
    Ok(())
}

/// The audit entry of the push to one user.
fn audit_entry(
    order: &Order,
    caller: &Caller,
    now: DateTime<Utc>,
) -> Result<Option<Event>, PlanError> {
    let pushed = json!({
        "plan_number": order.plan_number,
        "product_id": order.product_id.0,
        "amount": order.put_amount.to_string(),
        "operator_id": order.operator_id.map(|id| id.0),
    });
    let entry = audit::Entry::new("plan.push", order.id)
        .user(order.user_id)
        .after(&pushed)?;
    Ok(entry.event(caller, now)?)
}
