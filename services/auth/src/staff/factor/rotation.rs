//! Key rotation: what the previous key sealed is sealed anew with the current one, while the service runs. Replicas may do
//! it side by side, and a crash loses one batch at most.

use adfolio_kit::db;
use tracing::{error, info};
use uuid::Uuid;

use super::repo;
use crate::app::App;
use crate::error::AuthError;
use crate::ids::StaffId;

/// Members that one transaction looks at; few in debug builds, so that tests cross from batch to batch.
const BATCH: i64 = if cfg!(debug_assertions) { 2 } else { 100 };

/// Second factors that the current key cannot open.
const LEFT: &str = "auth_second_factors_with_previous_key";

/// Seals anew what the previous key sealed, and records in the metrics how much is left: what neither key opens. Does
/// nothing without a previous key.
pub async fn rotate(app: &App) -> Result<(), AuthError> {
    let (mut resealed, mut left) = (0_u32, 0_u32);
    let mut after = app.sealer.is_rotating().then_some(StaffId(Uuid::nil()));
    while let Some(position) = after {
        let batch = rotate_batch(app, position).await?;
        resealed = resealed.saturating_add(batch.resealed);
        left = left.saturating_add(batch.left);
        after = batch.last;
    }
    metrics::gauge!(LEFT).set(f64::from(left));
    if resealed > 0 {
        info!(
            resealed,
            left, "second factors are sealed anew with the key in use"
        );
    }
    Ok(())
}

#[derive(Default)]
struct Rotated {
    resealed: u32,
    left: u32,
    /// The last member of the batch; none behind the end.
    last: Option<StaffId>,
}

async fn rotate_batch(app: &App, after: StaffId) -> Result<Rotated, AuthError> {
    let sealer = app.sealer.clone();
    db::write(&app.pool, move |tx| {
        Box::pin(async move {
            let mut rotated = Rotated::default();
            for (id, sealed) in repo::lock_sealed_in_tx(tx, after, BATCH).await? {
                rotated.last = Some(id);
                match sealer.reseal(id, &sealed) {
                    Ok(None) => {}
                    Ok(Some(anew)) => {
                        repo::reseal_in_tx(tx, id, &anew).await?;
                        rotated.resealed = rotated.resealed.saturating_add(1);
                    }
                    Err(problem) => {
                        error!(staff = %id, error = %problem, "cannot be sealed anew");
                        rotated.left = rotated.left.saturating_add(1);
                    }
                }
            }
            Ok(rotated)
        })
    })
    .await
}
