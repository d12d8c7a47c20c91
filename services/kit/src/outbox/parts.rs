//! The parts of a log: a table per hour, made ahead and dropped whole.
//!
//! Deleting rows one by one would cost as much as writing them. A part goes once its last event is
//! older than the time that events are kept, and all of them were sent in the database's present
//! history. The tables belong to a role that no service is, so functions of that role make and drop
//! parts.
//!
//! If parts could not be made in time, as after hours without a running replica, events go to
//! `outbox_other`, whose rows are deleted instead.

use std::collections::BTreeSet;
use std::time::Duration;

use chrono::{DateTime, DurationRound as _, NaiveDateTime, TimeDelta, Utc};
use tracing::debug;

use super::repo;
use crate::db::{self, Pool, Tx};

/// Hours for which parts exist, with the current one.
const AHEAD: i32 = 4;

const HOUR: TimeDelta = TimeDelta::hours(1);

/// The name of a part: its hour in UTC.
const NAME: &str = "outbox_%Y%m%d%H";

/// The relay's shortest wait between two runs.
pub(super) const INTERVAL: Duration = Duration::from_mins(1);

/// Makes the parts of the next hours and drops those whose events are all older than `kept`. Does
/// nothing while a relay works on the log. Writers wait for it, for a quarter of a second at most;
/// then it fails, and another run does it.
pub async fn keep_parts(pool: &Pool, kept: Duration) -> Result<(), sqlx::Error> {
    db::write(pool, move |tx| {
        Box::pin(async move { keep_parts_in_tx(tx, kept).await })
    })
    .await
}

async fn keep_parts_in_tx(tx: &mut Tx, kept: Duration) -> Result<(), sqlx::Error> {
    if !repo::try_lock_in_tx(tx).await? {
        return Ok(());
    }
    let now = repo::limit_lock_waits_in_tx(tx).await?;
    let parts: BTreeSet<_> = repo::parts_in_tx(tx)
        .await?
        .iter()
        .filter_map(|name| hour_of(name))
        .collect();
    let old = droppable_in_tx(tx, &parts, now, kept).await?;
    let this_hour = now.duration_trunc(HOUR).unwrap_or(now);
    let new: Vec<_> = (0..AHEAD)
        .map(|hours| this_hour + HOUR * hours)
        .filter(|hour| !parts.contains(hour))
        .collect();
    if !old.is_empty() || !new.is_empty() {
        // Before the look at `outbox_other`, so that no row comes in between.
        repo::lock_log_in_tx(tx).await?;
    }
    for hour in old {
        repo::drop_part_in_tx(tx, hour).await?;
        debug!(%hour, "part of the outbox dropped");
    }
    for hour in new {
        // A part cannot take over rows that are already elsewhere.
        if !repo::has_other_in_tx(tx, hour, hour + HOUR).await? {
            repo::make_part_in_tx(tx, hour).await?;
            debug!(%hour, "part of the outbox made");
        }
    }
    repo::prune_other_in_tx(tx, kept).await
}

/// The parts whose events are old and sent; none while they may have to be sent again.
async fn droppable_in_tx(
    tx: &mut Tx,
    parts: &BTreeSet<DateTime<Utc>>,
    now: DateTime<Utc>,
    kept: Duration,
) -> Result<Vec<DateTime<Utc>>, sqlx::Error> {
    let mut droppable = Vec::new();
    if !repo::state_in_tx(tx).await?.is_history_known {
        return Ok(droppable);
    }
    for &hour in parts {
        let end = hour + HOUR;
        if end + kept <= now && !repo::has_unsent_in_tx(tx, hour, end).await? {
            droppable.push(hour);
        }
    }
    Ok(droppable)
}

/// The hour of a part; none for `outbox_other`.
fn hour_of(name: &str) -> Option<DateTime<Utc>> {
    // A time is not parsed without minutes.
    let hour = NaiveDateTime::parse_from_str(&format!("{name}00"), &format!("{NAME}%M")).ok()?;
    Some(hour.and_utc())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_of_a_part_tells_its_hour() {
        let hour = DateTime::from_timestamp(1_764_000_000, 0)
            .unwrap()
            .duration_trunc(HOUR)
            .unwrap();
        assert_eq!(hour_of(&hour.format(NAME).to_string()), Some(hour));
        assert_eq!(hour_of("outbox_other"), None);
    }
}
