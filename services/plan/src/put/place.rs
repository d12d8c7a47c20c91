//! Step 4 of many puts: their plans run. Orders, timelines, roll-ups, events and answers commit
//! together.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use adfolio_kit::clock::Clock;
use adfolio_kit::db::{self, Pool, Tx};
use adfolio_kit::error::CoreError;
use adfolio_kit::group_commit::{Queued, Work};
use adfolio_kit::outbox::Event;
use adfolio_kit::refusal::is_without_primary;
use chrono::{DateTime, TimeDelta, Utc};

use super::entity::Put;
use super::{NO_ORDER, is_unconfirmed, repo};
use crate::app::EncodePut;
use crate::error::PlanError;
use crate::events;
use crate::ids::OrderId;
use crate::order;
use crate::order::entity::{Order, PutTerms};
use crate::order::status::Transition;

/// A put whose money wallet holds.
#[derive(Debug)]
pub struct Held {
    pub put: Put,
    pub terms: PutTerms,
}

/// Places puts: each is placed, or refused by itself because its lease is lost or its order has
/// changed.
#[derive(Clone, Debug)]
pub struct Place {
    pub pool: Pool,
    pub clock: Clock,
    pub window: TimeDelta,
    pub lease: Duration,
    pub encode: EncodePut,
}

type Outcome = Result<Put, PlanError>;

impl Work for Place {
    type Command = Held;
    type Outcome = Outcome;
    type Failure = PlanError;

    const NAME: &'static str = "place put";

    async fn commit(&mut self, batch: &[Arc<Queued<Held>>]) -> Result<Vec<Outcome>, PlanError> {
        let (place, now, batch) = (self.clone(), self.clock.now(), batch.to_vec());
        db::write_retrying(&self.pool, PlanError::database, move |tx| {
            let (place, batch) = (place.clone(), batch.clone());
            Box::pin(async move { place.batch_in_tx(tx, now, &batch).await })
        })
        .await
    }

    fn is_unconfirmed(failure: &PlanError) -> bool {
        is_unconfirmed(failure)
    }

    fn is_paused(failure: &PlanError) -> bool {
        failure.database().is_some_and(is_without_primary)
    }
}

/// A put that is placed, with its order, the order's step and the event of that.
#[derive(Debug)]
pub(super) struct Placed {
    pub(super) put: Put,
    pub(super) order: Order,
    pub(super) step: Transition,
    pub(super) event: Event,
}

impl Place {
    /// Leases are checked first: locks are taken in the order puts, orders, users, and of each in
    /// order of id.
    async fn batch_in_tx(
        &self,
        tx: &mut Tx,
        now: DateTime<Utc>,
        batch: &[Arc<Queued<Held>>],
    ) -> Result<Vec<Outcome>, PlanError> {
        let puts: Vec<&Put> = batch.iter().map(|queued| &queued.command.put).collect();
        let leased = repo::lock_leased_in_tx(tx, &puts).await?;
        let held = puts.iter().filter(|put| leased.contains(&put.id));
        let orders = held.map(|put| put.order_id).collect();
        let orders = order::repo::lock_many_in_tx(tx, orders).await?;
        let mut orders: HashMap<OrderId, Order> =
            orders.into_iter().map(|order| (order.id, order)).collect();
        let outcomes: Vec<Result<Placed, PlanError>> = batch
            .iter()
            .map(|queued| {
                if !leased.contains(&queued.command.put.id) {
                    return Err(CoreError::LeaseLost.into());
                }
                let order = orders.remove(&queued.command.put.order_id);
                self.place(queued, order.ok_or(NO_ORDER)?, now)
            })
            .collect();
        let placed: Vec<&Placed> = outcomes.iter().flatten().collect();
        if !placed.is_empty() {
            repo::write_placed_in_tx(tx, &placed, self.lease).await?;
        }
        let put = |placed: Placed| placed.put;
        Ok(outcomes
            .into_iter()
            .map(|outcome| outcome.map(put))
            .collect())
    }

    fn place(
        &self,
        queued: &Queued<Held>,
        mut order: Order,
        now: DateTime<Utc>,
    ) -> Result<Placed, PlanError> {
        let Held { put, terms } = &queued.command;
        let step = order.place(terms.clone(), now, self.window)?;
        let mut put = put.clone();
        put.place((self.encode)(&order));
        let event = events::status_changed(&order, &step)?;
        Ok(Placed {
            put,
            order,
            step,
            event: event.traced_by(queued.traceparent.as_deref()),
        })
    }
}
