//! What plan publishes.

use adfolio_kit::outbox::{Event, EventError};
use adfolio_proto::events::v1::PlanStatusChanged;

use crate::order::entity::{Order, Status, Transition};

/// The type of [`PlanStatusChanged`].
pub const PLAN_STATUS_CHANGED: &str = "adfolio.plan.v1.PlanStatusChanged";

/// The type of reports that networks send over the broker.
pub const DELIVERY_REPORTED: &str = "adfolio.delivery.v1.DeliveryReported";

/// The event of a step in the life of `order`, which is as it is after it.
pub fn plan_status_changed(order: &Order, step: &Transition) -> Result<Event, EventError> {
    let message = PlanStatusChanged {
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
        user_coupon_id: order
            .coupon
            .as_ref()
            .map(|coupon| coupon.id.to_string())
            .unwrap_or_default(),
        reason: step.reason.clone(),
    };
    Event::new(PLAN_STATUS_CHANGED, order.user_id, &message)
}
