//! What networks fetch: allotments of rounds that are decided, while they can be shown.

use adfolio_kit::db;
use adfolio_kit::refusal::Refusal;
use adfolio_money::Micros;
use chrono::{DateTime, Utc};

use super::repo;
use crate::app::App;
use crate::error::PlanError;
use crate::ids::{AllotmentId, NetworkId, PlacementId};
use crate::placement::PriceModel;
use crate::product::entity::Creative;

/// Allotments of a page at most, and unless a network asks for fewer.
pub const MOST: u32 = 1_000;

/// An allotment as its network sees it.
#[derive(Clone, Debug)]
pub struct Offer {
    pub id: AllotmentId,
    pub plan_number: String,
    pub placement_id: PlacementId,
    pub placement_name: String,
    pub budget: Micros,
    /// Impressions or clicks that the budget pays for.
    pub units: i64,
    pub model: PriceModel,
    /// Of a thousand impressions or a click.
    pub cost: Micros,
    /// Of a thousand impressions or a click.
    pub revenue: Micros,
    pub begins_at: DateTime<Utc>,
    pub ends_at: DateTime<Utc>,
    /// Until when it is to be reported.
    pub closes_at: DateTime<Utc>,
    /// With the product's name and picture where staff entered none.
    pub creative: Creative,
}

/// Where a list of allotments goes on: behind this one.
#[derive(Clone, Copy, Debug)]
pub struct Position {
    pub(super) begins_at: DateTime<Utc>,
    pub(super) id: AllotmentId,
}

impl Position {
    /// Behind an allotment.
    pub fn behind(offer: &Offer) -> Self {
        Self {
            begins_at: offer.begins_at,
            id: offer.id,
        }
    }
}

/// Where the list of a network goes on behind an allotment of its. VALIDATION of `after` if it has none of this id.
pub async fn position(
    app: &App,
    network: NetworkId,
    after: AllotmentId,
) -> Result<Position, PlanError> {
    let begins_at = repo::begin_of(&app.pool, network, after).await?;
    let begins_at = begins_at.ok_or_else(|| Refusal::invalid("after"))?;
    Ok(Position {
        begins_at,
        id: after,
    })
}

/// A network's allotments that have not ended, oldest first.
pub async fn list(
    app: &App,
    network: NetworkId,
    after: Option<Position>,
    limit: u32,
) -> Result<Vec<Offer>, PlanError> {
    let now = app.clock.now();
    let limit = usize::try_from(limit).unwrap_or(usize::MAX);
    // Nothing is written, but settings hold for a transaction alone.
    db::write(&app.pool, move |tx| {
        Box::pin(repo::offers_in_tx(tx, network, after, now, limit))
    })
    .await
}
