//! What mail and push messages share: rows that a worker of any replica takes under a lease and sends in rounds.

use std::future::Future;

use adfolio_kit::shutdown::Shutdown;
use chrono::{DateTime, Utc};
use futures::future::join_all;

use crate::error::NotificationError;

/// Rounds of one look for what is due.
const ROUNDS: u32 = 50;

/// Batches that one run of pruning deletes at most.
const PRUNE_ROUNDS: u32 = 50;

/// Sends what is due, in rounds of `at_once`, until there is no more, enough was done or the shutdown begins.
pub async fn send_in_rounds<T, Claiming, Sending>(
    shutdown: &Shutdown,
    at_once: u32,
    claim: impl Fn() -> Claiming,
    send: impl Fn(T) -> Sending,
) -> Result<(), NotificationError>
where
    Claiming: Future<Output = Result<Vec<T>, NotificationError>>,
    Sending: Future<Output = Result<(), NotificationError>>,
{
    for _ in 0..ROUNDS {
        if shutdown.is_triggered() {
            break;
        }
        let claimed = claim().await?;
        let is_last = claimed.len() < usize::try_from(at_once).unwrap_or(usize::MAX);
        join_all(claimed.into_iter().map(&send))
            .await
            .into_iter()
            .collect::<Result<(), _>>()?;
        if is_last {
            break;
        }
    }
    Ok(())
}

/// Deletes batch by batch until nothing is left or enough was done for one run. `prune` says whether more may be left.
pub async fn prune_in_rounds<Pruning>(prune: impl Fn() -> Pruning) -> Result<(), NotificationError>
where
    Pruning: Future<Output = Result<bool, NotificationError>>,
{
    for _ in 0..PRUNE_ROUNDS {
        if !prune().await? {
            break;
        }
    }
    Ok(())
}

/// The age of the oldest item in seconds; 0 without any.
pub fn age_seconds(now: DateTime<Utc>, oldest: Option<DateTime<Utc>>) -> f64 {
    oldest.map_or(0.0, |oldest| {
        now.signed_duration_since(oldest).as_seconds_f64().max(0.0)
    })
}
