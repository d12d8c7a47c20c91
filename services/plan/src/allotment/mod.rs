//! Allotments: what a network may show of a plan on one of its placements, decided round by round.
//!
//! | step | where |
//! |---|---|
//! | a round: one replica claims it, decides for every running plan, and grants under each order's lock | [`round`] |
//! | which placements plans may choose, and what is believed of them | [`supply`] |
//! | what of a report counts towards which allotment | [`entity`] |
//! | what was not reported in time goes back to its plan | [`closing`] |
//! | beliefs, capacities and the traffic's shape learn from what was reported | [`learning`] |
//! | what networks fetch | [`offer`] |
//! | what was decided, to be decided again and compared | [`replay`] |
//! | whether plans keep pace | [`pace`] |
//! | what advertisers see: pace, where, and why | [`shown`] |
//! | decisions that are too old to be asked about | [`upkeep`] |
//!
//! The rules are those of the library `adfolio-placement`. For each order `charged + allotted ≤ budget`, by a CHECK and
//! under the order's lock, so no number of replicas grants anything twice, or more than a plan has.

pub mod closing;
pub mod entity;
pub mod learning;
pub mod offer;
pub mod pace;
pub mod replay;
mod repo;
pub mod round;
pub mod shown;
pub mod supply;
pub mod upkeep;

pub use entity::{Allotment, Allotments};

use adfolio_kit::db::Tx;
use chrono::{DateTime, Utc};

use crate::error::PlanError;
use crate::ids::{OrderId, PlacementId};

/// Where and when something of a plan was delivered.
pub type Place = (OrderId, PlacementId, DateTime<Utc>);

/// The allotments that cover these places. The caller holds the orders' locks.
pub async fn at_places_in_tx(tx: &mut Tx, places: &[Place]) -> Result<Allotments, PlanError> {
    if places.is_empty() {
        return Ok(Allotments::default());
    }
    repo::at_places_in_tx(tx, places).await
}

/// Writes what reports say of allotments. The caller holds the orders' locks.
pub async fn save_reported_in_tx(tx: &mut Tx, allotments: &[Allotment]) -> Result<(), PlanError> {
    if allotments.is_empty() {
        return Ok(());
    }
    repo::save_reported_in_tx(tx, allotments).await
}
