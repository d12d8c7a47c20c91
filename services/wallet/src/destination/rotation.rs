//! A change of the key: what the other one sealed is sealed anew with the one in use, some rows at a time, while everything goes
//! on. Any number of replicas do it beside each other, each row is done once, and a death costs the rows of one transaction.

use adfolio_kit::db;
use tracing::{error, info};

use super::repo::{self, Batch, Kept};
use super::seal::{Sealed, Sealer};
use crate::app::App;
use crate::error::WalletError;

/// Rows of a transaction.
const BATCH: i64 = 200;

/// How many rows the other key has sealed. Every replica counts the same tables.
const LEFT: &str = "wallet_sealed_with_previous_key";

/// Seals anew what is sealed with the other key, and tells metrics how much is left: what others are busy with, or what
/// cannot be opened. Nothing, where there is no other key.
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

/// Without what cannot be opened, which stays as it is.
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
