//! Networks: who shows advertisements, and with which keys they call.
//!
//! A key is shown once, when it is issued; the database has its digest. A further key ends the earlier ones after an
//! overlap, in which the network changes over.

pub mod entity;
mod repo;

use adfolio_kit::audit;
use adfolio_kit::db::{self, Tx};
use adfolio_kit::identity::{self, cut_reason};
use adfolio_kit::refusal::{Reason, Refusal};
use chrono::TimeDelta;
use serde_json::json;
use tracing::info;
use uuid::Uuid;

pub use entity::{Key, Network, SupplyState};

use crate::app::App;
use crate::error::PlanError;
use crate::ids::NetworkId;
use crate::source;

/// How long earlier keys stay valid unless staff say otherwise.
const DEFAULT_OVERLAP_SECONDS: u32 = 86_400;

/// The longest overlap of keys.
const LONGEST_OVERLAP_SECONDS: u32 = 30 * 86_400;

/// A network that calls with its key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Caller {
    pub id: NetworkId,
    /// What its reports name.
    pub source: String,
}

/// What staff enter for a network.
#[derive(Clone, Debug)]
pub struct NewNetwork {
    pub name: String,
    pub source: String,
    pub is_simulated: bool,
    pub report_delay_seconds: Option<u32>,
}

/// What staff change of a network; what they leave out stays.
#[derive(Clone, Debug)]
pub struct Change {
    pub name: Option<String>,
    pub state: Option<SupplyState>,
    pub report_delay_seconds: Option<u32>,
}

/// Registers a network with its first key. VALIDATION of `source` if another network has it.
pub async fn create(
    app: &App,
    caller: &identity::Caller,
    by: Uuid,
    new: NewNetwork,
) -> Result<(Network, Key), PlanError> {
    if !source::is_name(&new.source) {
        return Err(Refusal::invalid("source").detail(source::NAME_FORM).into());
    }
    let delay = new.report_delay_seconds;
    let delay = entity::report_delay(delay.unwrap_or(entity::DEFAULT_REPORT_DELAY_SECONDS))?;
    let (now, caller) = (app.clock.now(), caller.clone());
    let network = Network {
        id: NetworkId(app.ids.next()),
        name: new.name,
        source: new.source,
        state: SupplyState::Active,
        is_simulated: new.is_simulated,
        report_delay_seconds: delay,
        created_at: now,
        keys: Vec::new(),
    };
    let key = Key::random();
    let (id, issued) = (network.id, key.clone());
    db::write(&app.pool, move |tx| {
        Box::pin(async move {
            repo::insert_in_tx(tx, &network).await?;
            repo::insert_key_in_tx(tx, network.id, &issued, by, now).await?;
            audit::Entry::new("plan.create_network", network.id)
                .after(&network.summary())?
                .record_in_tx(tx, &caller, now)
                .await
                .map_err(PlanError::from)
        })
    })
    .await?;
    info!(action = "create network", target = %id, "staff action");
    Ok((find(app, id).await?, key))
}

/// Changes a network.
pub async fn edit(
    app: &App,
    caller: &identity::Caller,
    id: NetworkId,
    change: Change,
    reason: &str,
) -> Result<Network, PlanError> {
    let delay = change.report_delay_seconds.map(entity::report_delay);
    let delay = delay.transpose()?;
    let (now, caller, reason) = (app.clock.now(), caller.clone(), cut_reason(reason));
    db::write(&app.pool, move |tx| {
        Box::pin(async move {
            let before = repo::lock_in_tx(tx, id, now).await?;
            let before = before.ok_or_else(|| Refusal::not_found("network_id"))?;
            let after = Network {
                name: change.name.unwrap_or_else(|| before.name.clone()),
                state: change.state.unwrap_or(before.state),
                report_delay_seconds: delay.unwrap_or(before.report_delay_seconds),
                ..before.clone()
            };
            if after == before {
                return Ok(());
            }
            repo::update_in_tx(tx, &after).await?;
            audit::Entry::new("plan.edit_network", id)
                .reason(reason)
                .before(&before.summary())?
                .after(&after.summary())?
                .record_in_tx(tx, &caller, now)
                .await
                .map_err(PlanError::from)
        })
    })
    .await?;
    info!(action = "edit network", target = %id, "staff action");
    find(app, id).await
}

/// Issues a further key. The earlier ones end after the overlap.
pub async fn issue_key(
    app: &App,
    caller: &identity::Caller,
    by: Uuid,
    id: NetworkId,
    overlap_seconds: Option<u32>,
    reason: &str,
) -> Result<(Network, Key), PlanError> {
    let overlap = overlap_seconds.unwrap_or(DEFAULT_OVERLAP_SECONDS);
    if overlap > LONGEST_OVERLAP_SECONDS {
        return Err(Refusal::invalid("overlap_seconds").into());
    }
    let (now, caller, reason) = (app.clock.now(), caller.clone(), cut_reason(reason));
    let end = now
        .checked_add_signed(TimeDelta::seconds(overlap.into()))
        .unwrap_or(now);
    let key = Key::random();
    let issued = key.clone();
    db::write(&app.pool, move |tx| {
        Box::pin(async move {
            let known = repo::lock_in_tx(tx, id, now).await?;
            known.ok_or_else(|| Refusal::not_found("network_id"))?;
            repo::end_keys_in_tx(tx, id, end).await?;
            repo::insert_key_in_tx(tx, id, &issued, by, now).await?;
            audit::Entry::new("plan.issue_network_key", id)
                .reason(reason)
                .after(&json!({"hint": issued.hint(), "earlier_keys_end_at": end}))?
                .record_in_tx(tx, &caller, now)
                .await
                .map_err(PlanError::from)
        })
    })
    .await?;
    info!(action = "issue network key", target = %id, "staff action");
    Ok((find(app, id).await?, key))
}

/// One network, or NOT_FOUND.
pub async fn find(app: &App, id: NetworkId) -> Result<Network, PlanError> {
    let found = repo::find(&app.pool, id, app.clock.now()).await?;
    found.ok_or_else(|| Refusal::not_found("network_id").into())
}

/// Networks older than `before`, newest first.
pub async fn list(
    app: &App,
    before: Option<NetworkId>,
    fetch: i64,
) -> Result<Vec<Network>, PlanError> {
    repo::list(&app.pool, before, fetch, app.clock.now()).await
}

/// The network whose valid key this is, or NOT_AUTHENTICATED.
pub async fn of_key(app: &App, key: &str) -> Result<Caller, PlanError> {
    let refused = || Refusal::new(Reason::NotAuthenticated);
    let key = Key::from_text(key).ok_or_else(refused)?;
    let found = repo::of_key(&app.pool, &key, app.clock.now()).await?;
    found.ok_or_else(|| refused().into())
}

/// The network that reports under a source's name, and whether it is simulated.
pub async fn of_source_in_tx(
    tx: &mut Tx,
    source: &str,
) -> Result<Option<(NetworkId, bool)>, PlanError> {
    repo::of_source_in_tx(tx, source).await
}

/// Whether there is a network at all.
pub async fn is_any_registered(app: &App) -> Result<bool, PlanError> {
    repo::is_any_registered(&app.pool).await
}
