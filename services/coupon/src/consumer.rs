//! What this service takes from others: the plan's way says what becomes of its coupon.
//!
//! The plan service also calls redeem and release itself; whichever comes first has the effect, the other changes nothing.
//! Events may come in any order: once an order is released, a late `matching` finds it closed. And a plan whose first put was
//! refused reserves under another id for its next one, and redeems under that id itself: its event finds the plan's own id
//! closed or unknown. Neither is an error; that coupon costs equal the redeemed coupons is what reconciliation proves.

use adfolio_kit::clock::Clock;
use adfolio_kit::consumer::{Consumer, Handler, HandlerError};
use adfolio_kit::db::Tx;
use adfolio_kit::identity::UserId;
use adfolio_kit::outbox::{CloudEvent, Notifier};
use adfolio_proto::events::v1::PlanStatusChanged;
use tracing::info;
use uuid::Uuid;

use crate::error::CouponError;
use crate::ids::OrderId;
use crate::reservation;

const PLAN_STATUS_CHANGED: &str = "adfolio.plan.v1.PlanStatusChanged";

/// The consumer of plans' changes.
pub fn plans() -> Consumer {
    Consumer::new("coupon", "plans").bind(PLAN_STATUS_CHANGED)
}

/// Redeems the coupon of a plan that was put, and gives back that of one that failed.
#[derive(Debug)]
pub struct OnPlanStatus {
    clock: Clock,
    notifier: Notifier,
}

impl OnPlanStatus {
    /// Goes by this clock; `notifier` wakes the relay of the outbox.
    pub fn new(clock: Clock, notifier: Notifier) -> Self {
        Self { clock, notifier }
    }
}

impl Handler for OnPlanStatus {
    fn concerns(&self, event: &CloudEvent) -> bool {
        event.data().map_or(true, |change: PlanStatusChanged| {
            !change.user_coupon_id.is_empty()
        })
    }

    async fn handle(&self, tx: &mut Tx, event: &CloudEvent) -> Result<(), HandlerError> {
        let change: PlanStatusChanged = event.data()?;
        let order = OrderId(parse(&change.plan_id)?);
        let user = UserId(parse(&change.user_id)?);
        let now = self.clock.now();
        match change.to.as_str() {
            "matching" => match reservation::redeem_in_tx(tx, order, user, now).await {
                Err(refusal @ (CouponError::OrderClosed | CouponError::OrderUnknown)) => {
                    info!(%order, %refusal, "plan was put without a coupon held under its own id");
                }
                outcome => outcome.map_err(handler_error)?,
            },
            "put_failed" => reservation::release_in_tx(tx, order, user, now)
                .await
                .map_err(handler_error)?,
            _ => return Ok(()),
        }
        self.notifier.notify();
        Ok(())
    }
}

fn parse(text: &str) -> Result<Uuid, HandlerError> {
    text.parse()
        .map_err(|error: uuid::Error| HandlerError::permanent(error))
}

fn handler_error(error: CouponError) -> HandlerError {
    match error {
        CouponError::Database(error) => error.into(),
        // Plan and coupon disagree about whose coupon it is or where it stands: people must look at that.
        refused if refused.refusal().is_some() => HandlerError::permanent(refused),
        other => HandlerError::failed(other),
    }
}
