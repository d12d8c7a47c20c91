//! What this service announces. An event is written in the transaction of its change, under the
//! lock of its user, so the events of one user leave in the order of the changes.

use std::collections::BTreeSet;

use adfolio_kit::db::Tx;
use adfolio_kit::outbox::{self, Event};
use adfolio_proto::events::v1::{PlanStatusChanged, PlanSupplyChanged, ReportsQuarantined};
use chrono::{DateTime, Utc};

use crate::allotment::supply::SupplyChange;
use crate::error::PlanError;
use crate::ids::ImportId;
use crate::order::entity::Order;
use crate::order::status::{Status, Transition};

const PLAN_STATUS_CHANGED: &str = "adfolio.plan.v1.PlanStatusChanged";

const PLAN_SUPPLY_CHANGED: &str = "adfolio.plan.v1.PlanSupplyChanged";

const REPORTS_QUARANTINED: &str = "adfolio.plan.v1.ReportsQuarantined";

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

/// For these plans no placement can be chosen since now, or one can again.
pub async fn supply_changed_in_tx(
    tx: &mut Tx,
    changes: &[SupplyChange],
    now: DateTime<Utc>,
) -> Result<(), PlanError> {
    let events = changes.iter().map(|change| {
        let data = PlanSupplyChanged {
            plan_id: change.order.to_string(),
            plan_number: change.plan_number.clone(),
            user_id: change.user.to_string(),
            is_supplied: change.is_supplied,
            since: Some(now.into()),
        };
        Event::new(PLAN_SUPPLY_CHANGED, change.user, &data)
    });
    let events = events.collect::<Result<Vec<_>, _>>()?;
    Ok(outbox::enqueue_in_tx(tx, &events).await?)
}

/// Reports of a source wait for a decision because they break these rules.
pub async fn reports_quarantined_in_tx(
    tx: &mut Tx,
    (source, import): (&str, Option<ImportId>),
    count: i64,
    rules: BTreeSet<&str>,
) -> Result<(), PlanError> {
    let data = ReportsQuarantined {
        source: source.to_owned(),
        import_id: import.map(|id| id.to_string()).unwrap_or_default(),
        count,
        rules: rules.into_iter().map(str::to_owned).collect(),
    };
    let event = Event::new(REPORTS_QUARANTINED, source, &data)?;
    Ok(outbox::enqueue_in_tx(tx, &[event]).await?)
}
