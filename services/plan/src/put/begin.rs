//! Step 1 of many puts: the checks that need no other service, then puts and orders in one
//! transaction, with the leases of the drives that follow at once.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;
use std::time::Duration;

use adfolio_kit::clock::{Clock, Ids};
use adfolio_kit::db::{self, Pool, Tx};
use adfolio_kit::error::CoreError;
use adfolio_kit::group_commit::{Queued, Work};
use adfolio_kit::identity::{IdempotencyKey, UserId};
use adfolio_kit::refusal::is_without_primary;
use adfolio_kit::refusal::{Reason, Refusal};
use chrono::{DateTime, Utc};

use super::entity::{Command, Put, Target};
use super::{is_unconfirmed, repo};
use crate::error::PlanError;
use crate::ids::{OrderId, ProductId, ReservationId};
use crate::order::entity::Order;
use crate::order::{self, NUMBER_ATTEMPTS};
use crate::product;
use crate::product::entity::Product;

/// A put as a user asks for it.
#[derive(Debug)]
pub struct Asked {
    pub user: UserId,
    pub command: Command,
    pub key: Option<IdempotencyKey>,
}

/// Begins puts: each is written, or refused by itself.
#[derive(Debug)]
pub struct Begin {
    pub pool: Pool,
    pub clock: Clock,
    pub ids: Ids,
    /// Of the drive that follows.
    pub lease: Duration,
}

type Outcome = Result<Put, PlanError>;

impl Work for Begin {
    type Command = Asked;
    type Outcome = Outcome;
    type Failure = PlanError;

    const NAME: &'static str = "begin put";

    /// A put that fails alone because its plan's number is taken is begun anew with another.
    async fn commit(&mut self, batch: &[Arc<Queued<Asked>>]) -> Result<Vec<Outcome>, PlanError> {
        for _ in 0..NUMBER_ATTEMPTS {
            match self.attempt(batch).await {
                Err(error) if batch.len() == 1 && order::is_number_taken(&error) => {}
                Err(error) if batch.len() == 1 && error.refusal().is_some() => {
                    return Ok(vec![Err(error)]);
                }
                outcome => return outcome,
            }
        }
        Ok(vec![Err(CoreError::Unfinished.into())])
    }

    fn is_unconfirmed(failure: &PlanError) -> bool {
        is_unconfirmed(failure)
    }

    fn is_paused(failure: &PlanError) -> bool {
        failure.database().is_some_and(is_without_primary)
    }
}

impl Begin {
    async fn attempt(&self, batch: &[Arc<Queued<Asked>>]) -> Result<Vec<Outcome>, PlanError> {
        let (batch, ids) = (batch.to_vec(), self.ids.clone());
        let (now, lease) = (self.clock.now(), self.lease);
        db::write_retrying(&self.pool, PlanError::database, move |tx| {
            let (batch, ids) = (batch.clone(), ids.clone());
            Box::pin(async move {
                let asked: Vec<&Asked> = batch.iter().map(|queued| &queued.command).collect();
                let targets = Targets::read_in_tx(tx, &asked).await?;
                let begun = asked
                    .iter()
                    .map(|asked| targets.begin(asked, &ids, now))
                    .collect();
                write_in_tx(tx, &asked, begun, now, lease).await
            })
        })
        .await
    }
}

/// What the puts of a batch go into.
struct Targets {
    /// Pushed plans.
    orders: HashMap<OrderId, Order>,
    products: HashMap<ProductId, Product>,
    /// Those of the orders that had a put which was refused.
    refused: HashSet<OrderId>,
}

impl Targets {
    async fn read_in_tx(tx: &mut Tx, asked: &[&Asked]) -> Result<Self, PlanError> {
        let (mut plans, mut products) = (Vec::new(), HashSet::new());
        for asked in asked {
            match asked.command.target {
                Target::Product(id) => {
                    products.insert(id);
                }
                Target::Plan(id) => plans.push(id),
            }
        }
        let (mut orders, mut refused) = (Vec::new(), HashSet::new());
        if !plans.is_empty() {
            orders = order::repo::find_many_in_tx(tx, &plans).await?;
            refused = repo::refused_in_tx(tx, &plans).await?;
            products.extend(orders.iter().map(|order| order.product_id));
        }
        let products: Vec<ProductId> = products.into_iter().collect();
        let products = product::find_many_in_tx(tx, &products).await?;
        Ok(Self {
            orders: orders.into_iter().map(|order| (order.id, order)).collect(),
            products: products
                .into_iter()
                .map(|product| (product.id, product))
                .collect(),
            refused,
        })
    }

    /// The put and the order that the money goes into, after every check that needs no other
    /// service. Nothing is written yet.
    fn begin(
        &self,
        asked: &Asked,
        ids: &Ids,
        now: DateTime<Utc>,
    ) -> Result<(Put, Order), PlanError> {
        let command = &asked.command;
        let order = match command.target {
            Target::Product(id) => {
                let product = self.product(id)?;
                product.check_amount(command.amount)?;
                let id = OrderId(ids.next());
                Order::for_put(id, asked.user, product, command.amount, now)
            }
            Target::Plan(id) => {
                let order = self.orders.get(&id);
                let order = order
                    .filter(|order| order.is_listed() && order.user_id == asked.user)
                    .ok_or_else(|| Refusal::not_found("plan_id"))?;
                if !order.is_puttable(now) {
                    return Err(Refusal::new(Reason::PlanNotPuttable).into());
                }
                self.product(order.product_id)?
                    .check_amount(command.amount)?;
                order.clone()
            }
        };
        let mut put = Put {
            request_digest: command.digest.to_vec(),
            user_coupon_id: command.user_coupon_id,
            ..Put::begin(ids.next(), order.user_id, order.id, command.amount)
        };
        if self.refused.contains(&order.id) {
            // Coupon never reserves again under an id whose coupon was returned, so a later put
            // uses its own id.
            put.reservation_id = ReservationId(put.id.0);
        }
        Ok((put, order))
    }

    fn product(&self, id: ProductId) -> Result<&Product, PlanError> {
        self.products
            .get(&id)
            .ok_or_else(|| Refusal::not_found("product_id").into())
    }
}

/// Writes the puts, and the orders of puts into products. A put is refused if its key or its plan is
/// taken.
async fn write_in_tx(
    tx: &mut Tx,
    asked: &[&Asked],
    begun: Vec<Result<(Put, Order), PlanError>>,
    now: DateTime<Utc>,
    lease: Duration,
) -> Result<Vec<Outcome>, PlanError> {
    let puts: Vec<_> = asked
        .iter()
        .zip(&begun)
        .filter_map(|(asked, begun)| Some((&begun.as_ref().ok()?.0, asked.key.as_ref())))
        .collect();
    if puts.is_empty() {
        return Ok(begun.into_iter().map(|refused| Ok(refused?.0)).collect());
    }
    // The puts come first: a repeat waits here for the first one's commit and then goes no further.
    let written = repo::insert_in_tx(tx, &puts, lease).await?;
    let (mut outcomes, mut waiting) = (Vec::with_capacity(begun.len()), Vec::new());
    let mut new: BTreeMap<ProductId, Vec<Order>> = BTreeMap::new();
    for begun in begun {
        outcomes.push(match begun {
            Ok((put, order)) if written.contains(&put.id) => {
                if order.is_waiting() {
                    waiting.push(order.id);
                } else {
                    new.entry(order.product_id).or_default().push(order);
                }
                Ok(put)
            }
            Ok(_) => Err(Refusal::new(Reason::PlanNotPuttable).into()),
            Err(refused) => Err(refused),
        });
    }
    if !waiting.is_empty() {
        // The expiry of a plan looks for its put under the same lock. One that has ended since it
        // was read fails the batch, and so ends alone.
        let count = waiting.len();
        let locked = order::repo::lock_many_in_tx(tx, waiting).await?;
        if locked.iter().filter(|order| order.is_puttable(now)).count() < count {
            return Err(Refusal::new(Reason::PlanNotPuttable).into());
        }
    }
    for orders in new.values() {
        order::repo::insert_in_tx(tx, orders).await?;
    }
    Ok(outcomes)
}
