//! Claims: who works on what in the console, so that two people on one item see each other.
//!
//! A claim is a lease of two minutes that its holder renews. It warns and never blocks: no act asks for one, and whoever
//! comes second is told who was first. Nothing of the business depends on it, so taking and releasing claims is not
//! audited, and announces nothing. Here is the one place for all services' items, because here are the names of staff.

pub mod entity;
mod repo;

use adfolio_kit::db;
use chrono::{DateTime, Utc};

pub use entity::{Claim, Item, Kind};

use crate::app::App;
use crate::error::AuthError;
use crate::ids::{ClaimId, StaffId};
use entity::LEASE;

/// Items that one member claims at most; one more, and the claim that is oldest goes.
const MOST_CLAIMS: i64 = 50;

/// Claims an item, renews the claim, or answers who has it.
pub async fn take(app: &App, staff: StaffId, item: Item) -> Result<Claim, AuthError> {
    let (id, now) = (ClaimId(app.ids.next()), app.clock.now());
    let expires_at = now.checked_add_signed(LEASE).unwrap_or(now);
    db::write(&app.pool, move |tx| {
        Box::pin(async move {
            let claim = repo::take_in_tx(tx, id, &item, staff, (now, expires_at)).await?;
            if claim.id == id {
                repo::keep_newest_in_tx(tx, staff, MOST_CLAIMS).await?;
            }
            Ok(claim)
        })
    })
    .await
}

/// Releases an item, unless the member has no claim on it.
pub async fn release(app: &App, staff: StaffId, item: Item) -> Result<(), AuthError> {
    db::write(&app.pool, move |tx| {
        Box::pin(async move { Ok(repo::release_in_tx(tx, &item, staff).await?) })
    })
    .await
}

/// Claims of this kind that have not run out, newest first.
pub async fn list(
    app: &App,
    kind: Kind,
    before: Option<ClaimId>,
    fetch: i64,
) -> Result<Vec<Claim>, AuthError> {
    Ok(repo::list(&app.pool, kind, app.clock.now(), before, fetch).await?)
}

/// Deletes a batch of claims that have run out.
pub async fn prune(app: &App) -> Result<u64, AuthError> {
    let now: DateTime<Utc> = app.clock.now();
    db::write(&app.pool, move |tx| {
        Box::pin(async move { Ok(repo::prune_in_tx(tx, now).await?) })
    })
    .await
}
