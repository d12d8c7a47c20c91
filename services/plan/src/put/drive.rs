//! The steps of the put saga. Each may be repeated: coupon and wallet know the order, and what is written here is guarded by
//! the lease.

use std::time::Duration;

use adfolio_kit::backoff::Backoff;
use adfolio_kit::chaos::Defect;
use adfolio_kit::db;
use adfolio_kit::refusal::{Reason, Refusal, chain};
use adfolio_money::Money;
use adfolio_proto::coupon::v1::ReserveRequest;
use adfolio_proto::plan::v1::PutPlanResponse;
use adfolio_proto::wallet::v1::HoldRequest;
use prost::Message;
use tokio::time::Instant;
use tracing::warn;
use uuid::Uuid;

use super::entity::{Put, Step};
use super::repo;
use crate::app::App;
use crate::error::PlanError;
use crate::order;
use crate::order::entity::PutTerms;
use crate::statistics;

/// Attempts to reach wallet within one drive.
const HOLD_ATTEMPTS: u32 = 3;

/// The longest wait between two drives of the same put.
const LONGEST_WAIT: Duration = Duration::from_secs(15);

/// Drives a put whose lease is held; gives the lease back when the end is not reached.
pub(super) async fn drive_leased(app: &App, put: Put) -> Result<Put, PlanError> {
    let (id, token, attempts) = (put.id, put.lease_token, put.attempts);
    let outcome = drive(app, put).await;
    app.notifier.notify();
    let Err(error) = outcome else { return outcome };
    if !matches!(error, PlanError::LeaseLost) {
        let wait = wait_before(attempts, app.rules.recovery_after);
        let postponed = db::write(&app.pool, move |tx| {
            Box::pin(repo::postpone_in_tx(tx, id, token, wait))
        })
        .await;
        if let Err(postponing) = postponed {
            // The lease runs out by itself.
            warn!(put = %id, error = chain(&postponing), "lease cannot be given back");
        }
        metrics::counter!("plan_put_drives_postponed_total").increment(1);
        warn!(put = %id, attempts, error = chain(&error), "put goes on later");
    }
    // A step that decided may have come before the one that failed, and then the caller has an answer.
    match repo::find(&app.pool, id).await {
        Ok(Some(put)) if put.outcome().is_some() => Ok(put),
        _ => Err(error),
    }
}

/// Takes step after step until nothing is left to do.
async fn drive(app: &App, mut put: Put) -> Result<Put, PlanError> {
    loop {
        put = match put.next_step() {
            Step::Reserve(coupon_id) => reserve(app, put, coupon_id).await?,
            Step::Hold(terms) => hold(app, put, terms).await?,
            Step::Undo => undo(app, put).await?,
            Step::Redeem => redeem(app, put).await?,
            Step::Done => return Ok(put),
        };
    }
}

/// Step 2: what the coupon is worth for this order.
async fn reserve(app: &App, mut put: Put, coupon_id: Uuid) -> Result<Put, PlanError> {
    let request = ReserveRequest {
        order_id: put.reservation_id.to_string(),
        user_id: put.user_id.to_string(),
        user_coupon_id: coupon_id.to_string(),
        amount_minor: put.amount.minor(),
    };
    match app.peers.reserve(request).await {
        Ok(answer) => {
            let worth = Money::from_minor(answer.discount_minor);
            put.reserved(answer.mode(), worth, answer.coupon_name)?;
            save(app, put).await
        }
        Err(PlanError::Refused(refusal)) => {
            refuse(app, put, with_field(refusal, "user_coupon_id"), false).await
        }
        Err(error) => Err(error),
    }
}

/// Step 3: the hold. An attempt whose answer did not come may arrive at wallet later than one that was refused: then the
/// order must be closed there before the refusal stands.
async fn hold(app: &App, put: Put, terms: PutTerms) -> Result<Put, PlanError> {
    let request = HoldRequest {
        order_id: put.order_id.to_string(),
        user_id: put.user_id.to_string(),
        paid_minor: terms.paid.minor(),
        discount_minor: terms.discount.minor(),
    };
    let give_up = Instant::now() + app.rules.step_limit();
    let mut backoff = Backoff::new(Duration::from_millis(150), Duration::from_millis(500));
    let mut in_doubt = put.may_have_held();
    let mut attempts_left = HOLD_ATTEMPTS;
    loop {
        attempts_left = attempts_left.saturating_sub(1);
        match app.peers.hold(request.clone()).await {
            Ok(()) => break,
            Err(PlanError::Refused(refusal)) => {
                return refuse(app, put, with_field(refusal, "amount"), in_doubt).await;
            }
            Err(_) if Defect::SilenceIsRefusal.is_enabled() => {
                let refusal = Refusal::new(Reason::InsufficientBalance);
                return refuse(app, put, refusal, false).await;
            }
            Err(error) => {
                in_doubt = true;
                let wait = backoff.next_wait();
                if attempts_left == 0 || Instant::now() + wait >= give_up {
                    return Err(error);
                }
                tokio::time::sleep(wait).await;
            }
        }
    }
    place(app, put, terms).await
}

/// Step 4: the plan runs. Order, timeline, roll-up, event and answer commit together.
async fn place(app: &App, put: Put, terms: PutTerms) -> Result<Put, PlanError> {
    let (window, now, lease) = (
        app.rules.put_window,
        app.clock.now(),
        app.rules.recovery_after,
    );
    let mut placed = put.clone();
    let outcome = db::write(&app.pool, move |tx| {
        Box::pin(async move {
            // The lease is checked first: locks are taken in the order puts, orders, users.
            repo::check_lease_in_tx(tx, &placed).await?;
            let mut order = order::repo::lock_in_tx(tx, placed.order_id)
                .await?
                .ok_or(PlanError::Corrupt("order of a put"))?;
            let Ok(step) = order.place(terms, now, window) else {
                return Err(PlaceError::NotAllowed);
            };
            statistics::add_put_in_tx(tx, &order).await?;
            order::repo::save_in_tx(tx, &order).await?;
            order::record_in_tx(tx, &[(&order, step)]).await?;
            let answer = PutPlanResponse {
                plan: Some((&order).into()),
            };
            placed.place(answer.encode_to_vec());
            repo::save_in_tx(tx, &placed, lease).await?;
            Ok(placed)
        })
    })
    .await;
    match outcome {
        Ok(placed) => {
            metrics::counter!("plan_puts_total", "outcome" => "placed").increment(1);
            Ok(placed)
        }
        // The order has moved elsewhere meanwhile: the hold has to be given back.
        Err(PlaceError::NotAllowed) => {
            refuse(app, put, Refusal::new(Reason::PlanNotPuttable), true).await
        }
        Err(PlaceError::Plan(error)) => Err(error),
    }
}

/// Ends a put as refused: at once when there is nothing to give back, else after [`undo`]. The refusal is final either way.
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

/// Gives back what was taken: wallet first, so that no late hold can meet a freed coupon.
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
            let mut order = order::repo::lock_in_tx(tx, put.order_id)
                .await?
                .ok_or(PlanError::Corrupt("order of a put"))?;
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

/// Tells coupon directly when the event of the order does not name the reservation. After a plan that failed in the meantime
/// the coupon has been given back, and coupon refuses for good: then there is nothing left to tell.
async fn redeem(app: &App, mut put: Put) -> Result<Put, PlanError> {
    match app.peers.redeem(put.reservation_id, put.user_id).await {
        Ok(()) => {}
        Err(refused @ PlanError::Refused(_)) => {
            let order = order::repo::find(&app.pool, put.order_id).await?;
            if !order.is_some_and(|order| order.is_failed()) {
                return Err(refused);
            }
        }
        Err(error) => return Err(error),
    }
    put.redeemed();
    save(app, put).await
}

/// `track_caller` here and above: each step is a point of its own at which a test can end the process.
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

/// Doubles with every drive, from the recovery time up to [`LONGEST_WAIT`].
fn wait_before(attempts: i32, first: Duration) -> Duration {
    let doublings = u32::try_from(attempts.saturating_sub(1))
        .unwrap_or(0)
        .min(10);
    first
        .saturating_mul(2_u32.saturating_pow(doublings))
        .min(LONGEST_WAIT)
}

/// Why the transaction of [`place`] was rolled back.
#[derive(Debug)]
enum PlaceError {
    NotAllowed,
    Plan(PlanError),
}

impl From<PlanError> for PlaceError {
    fn from(error: PlanError) -> Self {
        Self::Plan(error)
    }
}

impl From<sqlx::Error> for PlaceError {
    fn from(error: sqlx::Error) -> Self {
        Self::Plan(error.into())
    }
}
