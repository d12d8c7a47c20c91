//! Sending the messages that are due.

use std::time::Duration;

use adfolio_kit::db;
use adfolio_kit::shutdown::Shutdown;
use adfolio_kit::telemetry;
use chrono::TimeDelta;
use metrics::{counter, gauge};
use tracing::warn;

use super::entity::{Outcome, Push, State};
use super::{Pusher, repo};
use crate::app::App;
use crate::error::NotificationError;
use crate::outgoing;

/// How often is looked for messages that are due.
const INTERVAL: Duration = Duration::from_secs(1);

/// Messages that a replica sends at the same time, and takes at once: what it takes it begins with, so that a shutdown
/// leaves nothing under a lease.
const AT_ONCE: u32 = 8;

/// Another replica takes a message over after this: much later than the one that took it gives up.
const LEASE: TimeDelta = TimeDelta::minutes(2);

/// The outcomes that are counted.
pub const OUTCOMES: [&str; 4] = ["sent", "retried", "dead", "gone"];

/// Counts an outcome; also called with nothing to count, so that the first one shows as an increase.
pub fn count(outcome: &'static str, by: u64) {
    counter!("notification_pushes_total", "outcome" => outcome).increment(by);
}

/// Sends until the shutdown. What is being sent then is sent to its end, unless the limit of draining comes first.
pub async fn run(app: App, pusher: Pusher, shutdown: Shutdown) {
    while shutdown.sleep(INTERVAL).await {
        let send = |push| send(&app, &pusher, push);
        let round = outgoing::send_in_rounds(&shutdown, AT_ONCE, || claim(&app), send);
        if let Err(error) = telemetry::run("push", round).await {
            warn!(%error, "push messages cannot be read or written");
        }
    }
}

async fn claim(app: &App) -> Result<Vec<Push>, NotificationError> {
    let now = app.clock.now();
    let lease_until = now.checked_add_signed(LEASE).unwrap_or(now);
    db::write(&app.pool, move |tx| {
        Box::pin(async move { repo::claim_in_tx(tx, now, lease_until, AT_ONCE.into()).await })
    })
    .await
}

/// Sends one message and writes what became of it.
async fn send(app: &App, pusher: &Pusher, push: Push) -> Result<(), NotificationError> {
    let now = app.clock.now();
    let outcome = pusher.sender.send(&push, &app.catalogues, now).await;
    let now = app.clock.now();
    let counted = if outcome == Outcome::Gone {
        let browser = push.subscription;
        db::write(&app.pool, move |tx| {
            Box::pin(async move { repo::forget_in_tx(tx, browser).await })
        })
        .await?;
        "gone"
    } else {
        let push = push.after(outcome, now);
        let counted = match push.state {
            State::Pending => "retried",
            State::Sent => "sent",
            State::Dead => "dead",
        };
        if push.state == State::Dead {
            warn!(id = %push.id, attempts = push.attempts, "push message is given up");
        }
        db::write(&app.pool, move |tx| {
            Box::pin(async move { repo::save_in_tx(tx, &push).await })
        })
        .await?;
        counted
    };
    count(counted, 1);
    Ok(())
}

/// Sets the gauges of the backlog. Every replica measures the same table.
#[allow(clippy::cast_precision_loss, reason = "gauges are floats")]
pub async fn measure(app: App) -> Result<(), NotificationError> {
    let backlog = repo::backlog(&app.pool).await?;
    let age = outgoing::age_seconds(app.clock.now(), backlog.oldest);
    gauge!("notification_pushes", "state" => "pending").set(backlog.pending as f64);
    gauge!("notification_push_overdue_seconds").set(age);
    Ok(())
}

/// Deletes batch by batch until nothing is left or enough was done for one run.
pub async fn prune(app: App) -> Result<(), NotificationError> {
    outgoing::prune_in_rounds(|| super::prune(&app)).await
}
