//! The steps of the put saga. Each may be repeated: coupon and wallet know the order, and the lease
//! guards what is written here.

use adfolio_kit::chaos::Defect;
use adfolio_kit::db;
use adfolio_kit::deadline::Deadline;
use adfolio_kit::error::CoreError;
use adfolio_kit::metrics::FAILING;
use adfolio_kit::refusal::{Reason, Refusal, chain};
use adfolio_kit::saga::{self, Attempt, Context, Saga};
use tracing::warn;
use uuid::Uuid;

use super::entity::{Effect, Put, Step};
use super::place::Held;
use super::{NO_ORDER, repo};
use crate::app::App;
use crate::error::PlanError;
use crate::ids::CouponId;
use crate::order;
use crate::order::entity::PutTerms;
use crate::product;

impl Saga for Put {
    type App = App;

    const NAME: &'static str = "put";

    const UNFINISHED: &'static [&'static str] = &["driving", "undoing", "redeeming", FAILING];

    fn context(app: &App) -> Context<'_> {
        app.saga_context(app.rules.recovery_after)
    }

    /// Takes step after step until nothing is left to do.
    async fn drive(self, app: &App) -> Result<Self, PlanError> {
        let mut put = self;
        loop {
            put = match put.next_step() {
                Step::Reserve(coupon) => reserve(app, put, coupon).await?,
                Step::Hold(terms) => hold(app, put, terms).await?,
                Step::Undo => undo(app, put).await?,
                Step::Redeem => redeem(app, put).await?,
                Step::Done => return Ok(put),
            };
        }
    }

    fn report_postponed(id: Uuid, attempts: i32, error: &PlanError) {
        metrics::counter!("plan_put_drives_postponed_total").increment(1);
        warn!(put = %id, attempts, error = chain(error), "put goes on later");
    }
}

/// Step 2: what the coupon is worth for this order.
async fn reserve(app: &App, mut put: Put, coupon: CouponId) -> Result<Put, PlanError> {
    let (reservation, user) = (put.reservation_id, put.user_id);
    match app
        .peers
        .reserve(reservation, user, coupon, put.amount)
        .await
    {
        Ok(worth) => {
            let lifts = worth.effect == Effect::AddsOn;
            put.reserved(worth)?;
            if lifts && is_above_range(app, &put).await? {
                let refusal = Refusal::new(Reason::AmountOutOfRange)
                    .field("user_coupon_id")
                    .detail("with the coupon, the amount is above the product's range");
                return refuse(app, put, refusal, false).await;
            }
            save(app, put).await
        }
        Err(CoreError::Refused(refusal)) => {
            refuse(app, put, with_field(refusal, "user_coupon_id"), false).await
        }
        Err(error) => Err(error.into()),
    }
}

/// Whether the coupon lifts the budget above the product's range, which the amount itself is within.
async fn is_above_range(app: &App, put: &Put) -> Result<bool, PlanError> {
    let order = order::repo::find(&app.pool, put.order_id).await?;
    let product = product::find(app, order.ok_or(NO_ORDER)?.product_id).await?;
    let budget = put.amounts.map(|amounts| amounts.put_amount);
    Ok(budget.is_some_and(|budget| budget > product.details.put_max))
}

/// Step 3: the hold. An attempt without an answer may reach wallet later than one that was refused:
/// then the order must be closed there before the refusal stands.
async fn hold(app: &App, put: Put, terms: PutTerms) -> Result<Put, PlanError> {
    let (order, user) = (put.order_id, put.user_id);
    let call = async || {
        let held = app.peers.hold(order, user, terms.paid, terms.discount);
        match held.await {
            Err(CoreError::Refused(refusal)) => Err(with_field(refusal, "amount").into()),
            Err(_) if Defect::SilenceIsRefusal.is_enabled() => {
                Err(Refusal::new(Reason::InsufficientBalance).into())
            }
            outcome => outcome,
        }
    };
    let in_doubt = put.lease.is_repeated() && !Defect::SilenceIsRefusal.is_enabled();
    match saga::attempt(app.rules.step_limit(), in_doubt, call).await? {
        Attempt::Done => place(app, put, terms).await,
        Attempt::Refused { refusal, in_doubt } => refuse(app, put, refusal, in_doubt).await,
    }
}

/// Step 4: the plan runs.
async fn place(app: &App, put: Put, terms: PutTerms) -> Result<Put, PlanError> {
    let held = Held {
        put: put.clone(),
        terms,
    };
    let deadline = Deadline::after(app.rules.step_limit());
    match app.puts.place(held, deadline).await {
        Ok(placed) => {
            metrics::counter!("plan_puts_total", "outcome" => "placed").increment(1);
            Ok(placed)
        }
        // The order has changed meanwhile, so the hold has to be returned.
        Err(PlanError::NotAllowed(_)) => {
            refuse(app, put, Refusal::new(Reason::PlanNotPuttable), true).await
        }
        Err(error) => Err(error),
    }
}

/// Ends a put as refused: at once if there is nothing to return, else after [`undo`]. The refusal
/// is final either way.
async fn refuse(
    app: &App,
    mut put: Put,
    refusal: Refusal,
    release_hold: bool,
) -> Result<Put, PlanError> {
    put.refuse(refusal, release_hold);
    if put.next_step() == Step::Undo {
        return save(app, put).await;
    }
    finish_refused(app, put).await
}

/// Returns what was taken: wallet first, so that no late hold can meet a freed coupon.
async fn undo(app: &App, mut put: Put) -> Result<Put, PlanError> {
    if put.release_hold {
        app.peers.release_hold(put.order_id, put.user_id).await?;
    }
    if put.user_coupon_id.is_some() {
        app.peers
            .release_coupon(put.reservation_id, put.user_id)
            .await?;
    }
    put.undone();
    finish_refused(app, put).await
}

/// Writes the end of a refused put, with its order.
#[track_caller]
fn finish_refused(app: &App, put: Put) -> impl Future<Output = Result<Put, PlanError>> + use<> {
    let (now, lease) = (app.clock.now(), app.rules.recovery_after);
    metrics::counter!("plan_puts_total", "outcome" => "refused").increment(1);
    db::write(&app.pool, move |tx| {
        Box::pin(async move {
            repo::save_in_tx(tx, &put, lease).await?;
            let order = order::repo::lock_in_tx(tx, put.order_id).await?;
            let mut order = order.ok_or(NO_ORDER)?;
            let reason = put
                .refusal
                .as_ref()
                .map_or("", |refusal| refusal.reason.as_str());
            let step = order.refuse_put(put.release_hold, reason, now);
            if step.is_some() {
                order::repo::lock_users_in_tx(tx, &[order.user_id]).await?;
            }
            order::repo::save_in_tx(tx, &order).await?;
            let steps: Vec<_> = step.into_iter().map(|step| (&order, step)).collect();
            order::record_in_tx(tx, &steps).await?;
            Ok(put)
        })
    })
}

/// Calls coupon directly, because the order's event does not name the reservation. If the plan has
/// failed meanwhile, its coupon was returned and coupon refuses for good: then nothing is left to
/// report.
async fn redeem(app: &App, mut put: Put) -> Result<Put, PlanError> {
    match app.peers.redeem(put.reservation_id, put.user_id).await {
        Ok(()) => {}
        Err(refused @ CoreError::Refused(_)) => {
            let order = order::repo::find(&app.pool, put.order_id).await?;
            if !order.is_some_and(|order| order.is_failed()) {
                return Err(refused.into());
            }
        }
        Err(error) => return Err(error.into()),
    }
    put.redeemed();
    save(app, put).await
}

/// `track_caller` here and above: each step is a point of its own at which a test can end the
/// process.
#[track_caller]
fn save(app: &App, put: Put) -> impl Future<Output = Result<Put, PlanError>> + use<> {
    let lease = app.rules.recovery_after;
    db::write(&app.pool, move |tx| {
        Box::pin(async move {
            repo::save_in_tx(tx, &put, lease).await?;
            Ok(put)
        })
    })
}

fn with_field(refusal: Refusal, field: &str) -> Refusal {
    Refusal {
        field: Some(refusal.field.unwrap_or_else(|| field.to_owned())),
        ..refusal
    }
}
