//! What this service announces. An event is written in the transaction of its change, under the
//! lock of its user, so the events of one user leave in the order of the changes.

use adfolio_kit::db::Tx;
use adfolio_kit::outbox::{self, Event};
use adfolio_proto::events::v1::PlanStatusChanged;

use crate::error::PlanError;
use crate::order::entity::Order;
use crate::order::status::{Status, Transition};

const PLAN_STATUS_CHANGED: &str = "adfolio.plan.v1.PlanStatusChanged";

/// Orders changed their status; each order is as it is after its step.
pub async fn status_changed_in_tx(
    tx: &mut Tx,
    steps: &[(&Order, Transition)],
) -> Result<(), PlanError> {
    let events = steps
        .iter()
        .map(|(order, step)| status_changed(order, step))
        .collect::<Result<Vec<_>, _>>()?;
    Ok(outbox::enqueue_in_tx(tx, &events).await?)
}

/// An order has changed its status; it is as it is after the step.
pub fn status_changed(order: &Order, step: &Transition) -> Result<Event, PlanError> {
    let coupon = order.coupon.as_ref();
    let data = PlanStatusChanged {
        plan_id: order.id.to_string(),
        plan_number: order.plan_number.clone(),
        user_id: order.user_id.to_string(),
        from: step.from.map_or("", Status::as_str).to_owned(),
        to: step.to.as_str().to_owned(),
        product_name: order.product_name.clone(),
        put_amount_minor: order.put_amount.minor(),
        consumed_minor: order.consumed().minor(),
        revenue_minor: order.revenue().minor(),
        paid_out_minor: order.paid_out.minor(),
        user_coupon_id: coupon
            .map(|coupon| coupon.id.to_string())
            .unwrap_or_default(),
        reason: step.reason.clone(),
    };
    Ok(Event::new(PLAN_STATUS_CHANGED, order.user_id, &data)?)
}
