//! Key rotation: what the previous key sealed is resealed with the current one in batches, while the service runs.
//! Replicas may do it side by side; each row is resealed once, and a crash loses one batch at most.

use adfolio_kit::db;
use tracing::{error, info};

use super::repo::{self, Batch, Kept};
use super::seal::{Sealed, Sealer};
use crate::app::App;
use crate::error::WalletError;

/// Rows that one transaction reseals.
const BATCH: i64 = 200;

/// Rows that the previous key has sealed. Every replica counts the same tables.
const LEFT: &str = "wallet_sealed_with_previous_key";

/// Reseals what the previous key sealed, and records in the metrics how much is left: rows that another replica has
/// locked, or that cannot be opened. Does nothing without a previous key.
pub async fn rotate(app: &App) -> Result<(), WalletError> {
    let Some(previous) = app.sealer.previous_id() else {
        record(0);
        return Ok(());
    };
    let mut resealed = 0_u64;
    for kept in [Kept::Destinations, Kept::Withdrawals] {
        resealed = resealed.saturating_add(rotate_all(app, kept, previous).await?);
    }
    let left = repo::count_sealed_with(&app.pool, previous).await?;
    record(left);
    if resealed > 0 {
        info!(resealed, left, "sealed anew with the key in use");
    }
    if resealed > 0 && left == 0 {
        info!("nothing is sealed with the other key any more");
    }
    Ok(())
}

async fn rotate_all(app: &App, kept: Kept, previous: &str) -> Result<u64, WalletError> {
    let mut resealed = 0_u64;
    let mut after = Some(repo::FIRST);
    while let Some(start) = after {
        let (sealer, previous) = (app.sealer.clone(), previous.to_owned());
        let (done, last) = db::write(&app.pool, move |tx| {
            Box::pin(async move {
                let batch = repo::lock_sealed_with_in_tx(tx, kept, &previous, start, BATCH).await?;
                let last = batch.last().map(|row| (row.id, row.method));
                let batch = sealed_anew(&sealer, batch);
                repo::reseal_in_tx(tx, kept, &batch).await?;
                Ok::<_, WalletError>((batch.len(), last))
            })
        })
        .await?;
        resealed = resealed.saturating_add(u64::try_from(done).unwrap_or(u64::MAX));
        after = last;
    }
    Ok(resealed)
}

/// The rows sealed with the current key. Those that cannot be opened are left out and stay as they are.
fn sealed_anew(sealer: &Sealer, batch: Vec<Batch>) -> Vec<Batch> {
    let anew = batch.into_iter().filter_map(|row| {
        let (user_id, id) = (row.user_id, row.id);
        let before = Sealed {
            key_id: row.key_id,
            bytes: row.bytes,
        };
        match sealer.reseal(user_id, row.method, &before) {
            Ok(Sealed { key_id, bytes }) => Some(Batch {
                key_id,
                bytes,
                ..row
            }),
            Err(error) => {
                error!(%user_id, %id, %error, "cannot be sealed anew");
                None
            }
        }
    });
    anew.collect()
}

#[allow(clippy::cast_precision_loss, reason = "gauges are floats")]
fn record(left: i64) {
    metrics::gauge!(LEFT).set(left as f64);
}
