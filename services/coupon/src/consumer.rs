//! What this service consumes: a plan's status decides what becomes of its coupon.
//!
//! Plan also calls redeem and release itself. The first of call and event has the effect; the second changes nothing. Events may
//! arrive in any order: once an order is released, a late `matching` finds it closed. A plan whose first put was refused reserves
//! its next coupon under another id and redeems under that id itself, so its event finds the plan's own id closed or unknown.
//! Neither is an error. Reconciliation proves that coupon costs equal the redeemed coupons.

use adfolio_kit::consumer::{Consumer, Handler, HandlerError};
use adfolio_kit::db::Tx;
use adfolio_kit::identity::UserId;
use adfolio_kit::outbox::CloudEvent;
use adfolio_proto::events::v1::PlanStatusChanged;
use tracing::info;
use uuid::Uuid;

use crate::app::App;
use crate::error::CouponError;
use crate::ids::OrderId;
use crate::reservation;

const PLAN_STATUS_CHANGED: &str = "adfolio.plan.v1.PlanStatusChanged";

/// The consumer of plans' changes.
pub fn plans() -> Consumer {
    Consumer::new("coupon", "plans").bind(PLAN_STATUS_CHANGED)
}

/// Redeems the coupon of a plan that was put, and releases that of one that failed.
#[derive(Debug)]
pub struct OnPlanStatus(pub App);

impl Handler for OnPlanStatus {
    fn concerns(&self, event: &CloudEvent) -> bool {
        event.data().map_or(true, |change: PlanStatusChanged| {
            !change.user_coupon_id.is_empty()
        })
    }

    async fn handle(&self, tx: &mut Tx, event: &CloudEvent) -> Result<(), HandlerError> {
        let change: PlanStatusChanged = event.data()?;
        let order: OrderId = parse(&change.plan_id)?;
        let user: UserId = parse(&change.user_id)?;
        let now = self.0.clock.now();
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
        self.0.notifier.notify();
        Ok(())
    }
}

fn parse<T: From<Uuid>>(text: &str) -> Result<T, HandlerError> {
    let id: Uuid = text
        .parse()
        .map_err(|error: uuid::Error| HandlerError::permanent(error))?;
    Ok(id.into())
}

fn handler_error(error: CouponError) -> HandlerError {
    match error {
        // Plan and coupon disagree about the coupon's owner or state: a person must look at it.
        refused if refused.refusal().is_some() => HandlerError::permanent(refused),
        CouponError::Core(core) => core.into(),
        other => HandlerError::failed(other),
    }
}
