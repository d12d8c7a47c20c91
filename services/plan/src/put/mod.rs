//! The put saga: putting money into a product or a pushed plan, as the caller sees it. [`drive`]
//! has the steps.
//!
//! | what | where |
//! |---|---|
//! | checks, then put and order in one transaction | [`put`] |
//! | coupon, wallet, the plan runs | [`drive`] |
//! | puts that a caller or a crash left unfinished | [`saga::recover`] |
//!
//! An acknowledged put exists exactly once: its row is unique by user and key, and the ledger holds
//! its order once. An unfinished put always ends: repeats of the call and recovery drive it until
//! wallet holds the money or refuses. Only a refusal undoes it. A put into a pushed plan is unique
//! by the plan, so it needs no key.

mod drive;
pub mod entity;
#[cfg(test)]
mod model;
mod repo;

use adfolio_kit::chaos::Defect;
use adfolio_kit::error::CoreError;
use adfolio_kit::identity::{Caller, IdempotencyKey, UserId};
use adfolio_kit::once::Answer;
use adfolio_kit::refusal::{Reason, Refusal};
use adfolio_kit::saga::Rows as _;
use adfolio_kit::{db, saga};

use crate::app::App;
use crate::error::PlanError;
use crate::ids::{OrderId, PutId, ReservationId};
use crate::order::entity::Order;
use crate::order::{self, NUMBER_ATTEMPTS};
use crate::product;
use entity::{Command, Put, Target};

/// Puts money into a product or a pushed plan, and answers with the order. Repeats get the first
/// answer.
pub async fn put(
    app: &App,
    caller: &Caller,
    user: UserId,
    command: Command,
) -> Result<Answer<Order>, PlanError> {
    let key = caller.idempotency_key.as_ref();
    let key = key.filter(|_| !Defect::PutWithoutKey.is_enabled());
    if let Some(known) = find_known(app, user, key, &command).await? {
        return follow(app, caller, known.id, None).await;
    }
    for _ in 0..NUMBER_ATTEMPTS {
        let begun = match target_order(app, user, &command).await {
            Ok(order) => begin(app, order, &command, key).await,
            Err(error) => Err(error),
        };
        match begun {
            Ok(put) => return follow(app, caller, put.id, Some(put)).await,
            Err(error) if order::is_number_taken(&error) => {}
            Err(error) => {
                let Some(refusal) = error.refusal() else {
                    return Err(error);
                };
                // The obstacle may be what another call with this key has just done.
                let known = find_known(app, user, key, &command).await?;
                return follow(app, caller, known.ok_or(refusal)?.id, None).await;
            }
        }
    }
    Err(CoreError::Unfinished.into())
}

/// Waits for the end of a put, and drives it if nobody else does.
async fn follow(
    app: &App,
    caller: &Caller,
    id: PutId,
    leased: Option<Put>,
) -> Result<Answer<Order>, PlanError> {
    let outcome = saga::follow(app, caller.deadline, id.0, leased, Put::outcome).await?;
    Ok(Answer::Kept(outcome?))
}

async fn find_known(
    app: &App,
    user: UserId,
    key: Option<&IdempotencyKey>,
    command: &Command,
) -> Result<Option<Put>, PlanError> {
    let Some(key) = key else { return Ok(None) };
    match Put::find_by_key(&app.pool, user, key).await? {
        Some(known) if known.request_digest != command.digest => {
            Err(Refusal::new(Reason::IdempotencyKeyReused).into())
        }
        known => Ok(known),
    }
}

/// The order that the money goes into, after every check that needs no other service. Nothing is
/// written yet.
async fn target_order(app: &App, user: UserId, command: &Command) -> Result<Order, PlanError> {
    match command.target {
        Target::Product(id) => {
            let product = product::find(app, id).await?;
            product.check_amount(command.amount)?;
            let id = OrderId(app.ids.next());
            let now = app.clock.now();
            Ok(Order::for_put(id, user, &product, command.amount, now))
        }
        Target::Plan(id) => {
            let order = order::find_listed(app, id, Some(user)).await;
            let order = order.map_err(|error| match error {
                PlanError::Core(CoreError::Refused(refusal)) => refusal.field("plan_id").into(),
                other => other,
            })?;
            if !order.is_puttable(app.clock.now()) {
                return Err(Refusal::new(Reason::PlanNotPuttable).into());
            }
            product::find(app, order.product_id)
                .await?
                .check_amount(command.amount)?;
            Ok(order)
        }
    }
}

/// Writes the put, and the order of a put into a product, with the lease of the drive that follows
/// at once. Refused if the key or the plan is taken.
async fn begin(
    app: &App,
    order: Order,
    command: &Command,
    key: Option<&IdempotencyKey>,
) -> Result<Put, PlanError> {
    let id = app.ids.next();
    let mut put = Put {
        request_digest: command.digest.to_vec(),
        user_coupon_id: command.user_coupon_id,
        ..Put::begin(id, order.user_id, order.id, command.amount)
    };
    let (lease, now, key) = (app.rules.recovery_after, app.clock.now(), key.cloned());
    db::write(&app.pool, move |tx| {
        Box::pin(async move {
            if order.is_waiting() {
                // Coupon never reserves again under an id whose coupon was returned, so a later put
                // uses its own id.
                if repo::has_refused_in_tx(tx, order.id).await? {
                    put.reservation_id = ReservationId(put.id.0);
                }
            }
            // The put comes first: a repeat waits here for the first one's commit and then goes no
            // further.
            if !repo::insert_in_tx(tx, &put, key.as_ref(), lease).await? {
                return Err(Refusal::new(Reason::PlanNotPuttable).into());
            }
            if order.is_waiting() {
                // The expiry of the plan looks for this put under the same lock.
                let locked = order::repo::lock_in_tx(tx, order.id).await?;
                if !locked.is_some_and(|order| order.is_puttable(now)) {
                    return Err(Refusal::new(Reason::PlanNotPuttable).into());
                }
            } else {
                order::repo::insert_in_tx(tx, &[order]).await?;
            }
            Ok(put)
        })
    })
    .await
}
