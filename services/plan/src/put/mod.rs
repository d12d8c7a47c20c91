//! The put saga: putting money into a product or a pushed plan, from the caller's side. [`drive`] has the steps.
//!
//! | what | where |
//! |---|---|
//! | checks, then put and order in one transaction | [`put`] |
//! | coupon, wallet, the plan runs | [`drive::drive`] |
//! | what a caller or a crash left unfinished | [`recover`] |
//!
//! An acknowledged put exists exactly once: its row is unique by user and key, and its order is held once in the ledger.
//! An unfinished one always ends: it is driven forward, by whoever asks again or by recovery, until wallet holds the money
//! or refuses; only a refusal undoes it. A put of a plan that was pushed is unique by the plan, so it needs no key.

mod drive;
pub mod entity;
#[cfg(test)]
mod model;
mod repo;

use std::time::Duration;

use adfolio_kit::chaos::Defect;
use adfolio_kit::db;
use adfolio_kit::idempotency::{self, KEY_LIFETIME};
use adfolio_kit::identity::Caller;
use adfolio_kit::metrics::{FAILING, record_saga};
use adfolio_kit::refusal::{Reason, Refusal, is_unique_violation};
use adfolio_money::Money;
use adfolio_proto::plan::v1::PutPlanRequest;
use uuid::Uuid;

use crate::app::App;
use crate::error::PlanError;
use crate::order::entity::Order;
use crate::order::{self, NUMBER_ATTEMPTS};
use crate::product;
use entity::{Put, PutState};

/// Puts that recovery takes up at once.
const RECOVERY_BATCH: i64 = 32;

/// How often a caller that repeats a put under way looks for its end.
const POLL_INTERVAL: Duration = Duration::from_millis(50);

/// Kept of the caller's deadline for the answer itself.
const ANSWER_RESERVE: Duration = Duration::from_millis(200);

/// Keys that are forgotten by one statement.
const FORGET_BATCH: i64 = 1_000;

/// What is put into.
#[derive(Clone, Copy, Debug)]
pub enum Target {
    /// A product: a new order.
    Product(Uuid),
    /// A pushed plan.
    Plan(Uuid),
}

/// A put as it is asked for.
#[derive(Clone, Debug)]
pub struct Command {
    /// What is put into.
    pub target: Target,
    /// How much.
    pub amount: Money,
    /// With which coupon.
    pub user_coupon_id: Option<Uuid>,
}

/// Puts money into a product or a pushed plan and answers the encoded `PutPlanResponse`: the first answer, also to repeats.
pub async fn put(
    app: &App,
    caller: &Caller,
    request: &PutPlanRequest,
    command: Command,
) -> Result<Vec<u8>, PlanError> {
    let user_id = caller.require_user()?.0;
    let digest = idempotency::digest(request);
    let mut key = caller.idempotency_key.as_ref().map(ToString::to_string);
    if Defect::PutWithoutKey.is_enabled() {
        key = None;
    }
    if let Some(known) = find_known(app, user_id, key.as_deref(), &digest).await? {
        return follow(app, caller, known.id).await;
    }
    for _ in 0..NUMBER_ATTEMPTS {
        let begun = match target_order(app, user_id, &command).await {
            Ok(order) => begin(app, order, &command, key.clone(), &digest).await,
            Err(error) => Err(error),
        };
        match begun {
            Ok(put) => {
                let id = put.id;
                return match drive_and_answer(app, caller, put).await {
                    // This process was too slow and another one drives on: its end is the answer.
                    Err(PlanError::LeaseLost) => follow(app, caller, id).await,
                    outcome => outcome,
                };
            }
            // What stands in the way may be what another call with this key has just done.
            Err(PlanError::Refused(refusal)) => {
                let known = find_known(app, user_id, key.as_deref(), &digest).await?;
                return follow(app, caller, known.ok_or(refusal)?.id).await;
            }
            Err(PlanError::Database(error))
                if is_unique_violation(&error, "orders_plan_number_key") => {}
            Err(error) => return Err(error),
        }
    }
    Err(PlanError::Unfinished)
}

/// Drives puts whose callers or processes are gone, as long as there are any.
pub async fn recover(app: &App) -> Result<(), PlanError> {
    loop {
        let puts = claim(app, None, RECOVERY_BATCH).await?;
        let is_full = i64::try_from(puts.len()).is_ok_and(|count| count >= RECOVERY_BATCH);
        let drives = puts.into_iter().map(|put| {
            let app = app.clone();
            // What goes wrong is logged there, and the put is taken up again later.
            db::detached(async move { drive::drive_leased(&app, put).await })
        });
        futures::future::join_all(drives).await;
        if !is_full {
            return Ok(());
        }
    }
}

/// Tells metrics what is unfinished.
pub async fn record_unfinished(app: &App) -> Result<(), PlanError> {
    let states = ["driving", "undoing", "redeeming", FAILING];
    record_saga("put", &states, &repo::unfinished(&app.pool).await?);
    Ok(())
}

/// Forgets idempotency keys past their lifetime.
pub async fn forget_old_keys(app: &App) -> Result<(), PlanError> {
    let lifetime = chrono::TimeDelta::from_std(KEY_LIFETIME).unwrap_or(chrono::TimeDelta::days(1));
    let Some(before) = app.clock.now().checked_sub_signed(lifetime) else {
        return Ok(());
    };
    db::write(&app.pool, move |tx| {
        Box::pin(repo::forget_keys_in_tx(tx, before, FORGET_BATCH))
    })
    .await
    .map(|_| ())
}

async fn find_known(
    app: &App,
    user_id: Uuid,
    key: Option<&str>,
    digest: &[u8],
) -> Result<Option<Put>, PlanError> {
    let Some(key) = key else { return Ok(None) };
    match repo::find_by_key(&app.pool, user_id, key).await? {
        Some(known) if known.request_digest != digest => {
            Err(Refusal::new(Reason::IdempotencyKeyReused).into())
        }
        known => Ok(known),
    }
}

/// The order that the money goes into, after every check that needs no other service. Nothing is written yet.
async fn target_order(app: &App, user_id: Uuid, command: &Command) -> Result<Order, PlanError> {
    match command.target {
        Target::Product(product_id) => {
            let product = product::find(app, product_id).await?;
            product.check_amount(command.amount)?;
            Ok(Order::for_put(
                app.ids.next(),
                user_id,
                &product,
                command.amount,
                app.clock.now(),
            ))
        }
        Target::Plan(id) => {
            let order = order::find_listed(app, id, Some(user_id)).await;
            let order = order.map_err(|error| match error {
                PlanError::Refused(refusal) => Refusal {
                    field: Some("plan_id".into()),
                    ..refusal
                }
                .into(),
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

/// Writes the put, and the order of a put into a product, with the lease of the drive that follows at once. Refused when the
/// key or the plan is taken.
async fn begin(
    app: &App,
    order: Order,
    command: &Command,
    key: Option<String>,
    digest: &[u8],
) -> Result<Put, PlanError> {
    let id = app.ids.next();
    let mut put = Put {
        id,
        user_id: order.user_id,
        request_digest: digest.to_vec(),
        order_id: order.id,
        reservation_id: order.id,
        amount: command.amount,
        user_coupon_id: command.user_coupon_id,
        state: PutState::Driving,
        amounts: None,
        coupon_name: String::new(),
        refusal: None,
        release_hold: false,
        redeem_due: false,
        answer: None,
        attempts: 1,
        lease_token: id,
    };
    let (lease, now) = (app.rules.recovery_after, app.clock.now());
    db::write(&app.pool, move |tx| {
        Box::pin(async move {
            if order.is_waiting() {
                // Coupon never reserves again for what it was once given back for, so a later put goes by its own id.
                if repo::has_refused_in_tx(tx, order.id).await? {
                    put.reservation_id = put.id;
                }
            }
            // The put comes first: a repeat waits here for the first one's commit and then goes no further.
            if !repo::insert_in_tx(tx, &put, key.as_deref(), lease).await? {
                return Err(Refusal::new(Reason::PlanNotPuttable).into());
            }
            if order.is_waiting() {
                // Whoever expires the plan looks for this put under the same lock.
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

/// Drives a put in a task that nobody drops, and waits for it as long as the caller does.
async fn drive_and_answer(app: &App, caller: &Caller, put: Put) -> Result<Vec<u8>, PlanError> {
    let driving = app.clone();
    let drive = db::detached(async move { drive::drive_leased(&driving, put).await });
    match tokio::time::timeout(
        caller.deadline.remaining().saturating_sub(ANSWER_RESERVE),
        drive,
    )
    .await
    {
        Ok(Ok(Ok(put))) => Ok(put.outcome().ok_or(PlanError::Unfinished)??),
        Ok(Ok(Err(error))) => Err(error),
        Ok(Err(_)) | Err(_) => Err(PlanError::Unfinished),
    }
}

/// Waits for the end of a put that another call began, and drives it when nobody does.
async fn follow(app: &App, caller: &Caller, id: Uuid) -> Result<Vec<u8>, PlanError> {
    loop {
        let put = repo::find(&app.pool, id)
            .await?
            .ok_or(PlanError::Unfinished)?;
        if let Some(outcome) = put.outcome() {
            return Ok(outcome?);
        }
        if let Some(claimed) = claim(app, Some(id), 1).await?.pop() {
            match drive_and_answer(app, caller, claimed).await {
                Err(PlanError::LeaseLost) => {}
                outcome => return outcome,
            }
        }
        if caller.deadline.remaining() <= POLL_INTERVAL.saturating_add(ANSWER_RESERVE) {
            return Err(PlanError::Unfinished);
        }
        tokio::time::sleep(POLL_INTERVAL).await;
    }
}

#[track_caller]
fn claim(
    app: &App,
    only: Option<Uuid>,
    limit: i64,
) -> impl Future<Output = Result<Vec<Put>, PlanError>> + use<> {
    let token = app.ids.next();
    let lease = app.rules.recovery_after;
    db::write(&app.pool, move |tx| {
        Box::pin(repo::claim_in_tx(tx, only, token, lease, limit))
    })
}
