//! Placements: where networks show advertisements, and what that costs and earns.
//!
//! A price never changes. A new one begins later than all that were set before, and none holds before it is confirmed, so
//! what a report of any time must cost is settled for ever. Two members of staff set it where four eyes are asked for: one
//! person who sets prices and knows a network's key could otherwise report revenue that nobody earned.

pub mod entity;
mod repo;

use std::collections::{HashMap, HashSet};

use adfolio_kit::audit;
use adfolio_kit::clock::Clock;
use adfolio_kit::db::{self, Tx};
use adfolio_kit::identity::{Caller, cut_reason};
use adfolio_kit::once::{Answer, Once};
use adfolio_kit::refusal::Refusal;
use chrono::{DateTime, Utc};
use tracing::info;

pub use entity::{Details, Placement, Price, PriceModel, PriceState};

use crate::app::App;
use crate::error::PlanError;
use crate::ids::{NetworkId, PlacementId};
use crate::network::{self, SupplyState};

/// What staff change of a placement; what they leave out stays.
#[derive(Clone, Debug)]
pub struct Change {
    pub name: Option<String>,
    pub format: Option<String>,
    pub countries: Option<Vec<String>>,
    pub systems: Option<Vec<String>>,
    pub state: Option<SupplyState>,
}

impl Change {
    fn over(self, known: Details) -> Details {
        Details {
            name: self.name.unwrap_or(known.name),
            format: self.format.unwrap_or(known.format),
            countries: self.countries.unwrap_or(known.countries),
            systems: self.systems.unwrap_or(known.systems),
            state: self.state.unwrap_or(known.state),
        }
    }
}

/// Creates a placement of a network, once per idempotency key.
pub async fn create(
    app: &App,
    once: Once<Placement>,
    caller: &Caller,
    network_id: NetworkId,
    details: Details,
) -> Result<Answer<Placement>, PlanError> {
    let network = network::find(app, network_id).await?;
    let placement = Placement {
        id: PlacementId(app.ids.next()),
        network_id,
        network_name: network.name,
        details: details.checked()?,
        created_at: app.clock.now(),
        prices: Vec::new(),
    };
    let caller = caller.clone();
    app.write_once(once, move |tx| {
        Box::pin(async move {
            repo::insert_in_tx(tx, &placement).await?;
            audit::Entry::new("plan.create_placement", placement.id)
                .after(&placement.details.summary())?
                .record_in_tx(tx, &caller, placement.created_at)
                .await?;
            Ok(placement)
        })
    })
    .await
}

/// Changes a placement.
pub async fn edit(
    app: &App,
    caller: &Caller,
    id: PlacementId,
    change: Change,
    reason: &str,
) -> Result<Placement, PlanError> {
    let (clock, caller, reason) = (app.clock.clone(), caller.clone(), cut_reason(reason));
    db::write(&app.pool, move |tx| {
        Box::pin(async move {
            let (known, now) = lock_in_tx(tx, id, &clock).await?;
            let before = known.details;
            let after = change.over(before.clone()).checked()?;
            if after == before {
                return Ok::<_, PlanError>(());
            }
            repo::update_in_tx(tx, id, &after).await?;
            audit::Entry::new("plan.edit_placement", id)
                .reason(reason)
                .before(&before.summary())?
                .after(&after.summary())?
                .record_in_tx(tx, &caller, now)
                .await?;
            Ok(())
        })
    })
    .await?;
    info!(action = "edit placement", target = %id, "staff action");
    find(app, id).await
}

/// Sets a price, or confirms the same one that another member of staff has set. A member who sets it again changes nothing.
/// VALIDATION of `valid_from` if a price that was set for later holds already.
pub async fn set_price(
    app: &App,
    caller: &Caller,
    id: PlacementId,
    price: Price,
) -> Result<Placement, PlanError> {
    let known = find(app, id).await?;
    let proposed = known.prices.iter().find(|it| it.says_the_same_as(&price));
    let confirms =
        proposed.is_some_and(|it| it.state() == PriceState::Proposed && it.set_by != price.set_by);
    if confirms && let Some(proposed) = proposed {
        app.second_pair
            .require(caller, proposed.set_by, price.set_by)
            .await?;
    }
    let (clock, takes_two) = (app.clock.clone(), app.rules.pricing_takes_two);
    let caller = caller.clone();
    db::write(&app.pool, move |tx| {
        Box::pin(async move {
            // The placement's lock puts its prices into one order.
            let (known, now) = lock_in_tx(tx, id, &clock).await?;
            let same = known.prices.iter().find(|it| it.says_the_same_as(&price));
            match same {
                Some(same) if confirms && same.state() == PriceState::Proposed => {
                    known.require_latest(same, now)?;
                    confirm_in_tx(tx, &caller, id, &same.confirmed(price.set_by, now), now).await
                }
                Some(_) => Ok(()),
                // The placement's prices leave out a proposal that comes too late to be confirmed.
                None => {
                    known.require_latest(&price, now)?;
                    insert_price_in_tx(tx, &caller, id, (price, takes_two), now).await
                }
            }
        })
    })
    .await?;
    info!(action = "set placement price", target = %id, "staff action");
    find(app, id).await
}

async fn confirm_in_tx(
    tx: &mut Tx,
    caller: &Caller,
    id: PlacementId,
    price: &Price,
    now: DateTime<Utc>,
) -> Result<(), PlanError> {
    repo::confirm_price_in_tx(tx, id, price).await?;
    audit::Entry::new("plan.confirm_placement_price", id)
        .after(&price.summary())?
        .record_in_tx(tx, caller, now)
        .await?;
    Ok(())
}

async fn insert_price_in_tx(
    tx: &mut Tx,
    caller: &Caller,
    id: PlacementId,
    (price, takes_two): (Price, bool),
    now: DateTime<Utc>,
) -> Result<(), PlanError> {
    let newest = repo::newest_price_in_tx(tx, id).await?;
    let mut price = price.after(newest, now)?;
    price.confirmed_at = (!takes_two).then_some(now);
    repo::insert_price_in_tx(tx, id, &price, now).await?;
    audit::Entry::new("plan.set_placement_price", id)
        .after(&price.summary())?
        .record_in_tx(tx, caller, now)
        .await?;
    Ok(())
}

async fn lock_in_tx(
    tx: &mut Tx,
    id: PlacementId,
    clock: &Clock,
) -> Result<(Placement, DateTime<Utc>), PlanError> {
    let known = repo::lock_in_tx(tx, id, clock).await?;
    known.ok_or_else(|| Refusal::not_found("placement_id").into())
}

/// One placement, or NOT_FOUND.
pub async fn find(app: &App, id: PlacementId) -> Result<Placement, PlanError> {
    let found = repo::find(&app.pool, id, app.clock.now()).await?;
    found.ok_or_else(|| Refusal::not_found("placement_id").into())
}

/// Refuses `placements` unless all of them exist.
pub async fn require_in_tx(tx: &mut Tx, ids: &[PlacementId]) -> Result<(), PlanError> {
    if repo::count_in_tx(tx, ids).await? == ids.len() {
        Ok(())
    } else {
        Err(Refusal::not_found("placements").into())
    }
}

/// Placements older than `before`, newest first; only those of a network, if one is named.
pub async fn list(
    app: &App,
    network: Option<NetworkId>,
    before: Option<PlacementId>,
    fetch: i64,
) -> Result<Vec<Placement>, PlanError> {
    repo::list(&app.reads, network, before, fetch, app.clock.now()).await
}

/// The placements of a source's network that reports name, by the name or the id that they use.
pub async fn named_in_tx(
    tx: &mut Tx,
    source: &str,
    names: &[String],
) -> Result<HashMap<String, PlacementId>, PlanError> {
    if names.is_empty() {
        return Ok(HashMap::new());
    }
    repo::named_in_tx(tx, source, names).await
}

/// Those of these names and ids by which only other networks than the source's have a placement.
pub async fn foreign_in_tx(
    tx: &mut Tx,
    source: &str,
    names: &[String],
) -> Result<HashSet<String>, PlanError> {
    if names.is_empty() {
        return Ok(HashSet::new());
    }
    repo::foreign_in_tx(tx, source, names).await
}
