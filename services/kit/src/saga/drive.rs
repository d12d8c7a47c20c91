//! Driving rows: for a caller who waits, and in the background.

use std::future::Future;
use std::time::Duration;

use tracing::warn;
use uuid::Uuid;

use super::{Claim, Lease, Saga};
use crate::deadline::Deadline;
use crate::error::{CoreError, ServiceError};
use crate::refusal::chain;
use crate::{backoff, db};

/// Rows that are driven side by side.
const BATCH: i64 = 32;

/// The longest wait between two drives of one row.
const LONGEST_WAIT: Duration = Duration::from_secs(15);

/// Time between two looks at a row that somebody else drives.
const POLL_INTERVAL: Duration = Duration::from_millis(50);

/// Kept of the caller's deadline for the answer itself.
const ANSWER_RESERVE: Duration = Duration::from_millis(200);

/// Waits until a row has an `outcome`, and drives the row if nobody else does. `leased` is the row
/// if the caller holds its lease. Fails with [`CoreError::Unfinished`] when the deadline is near;
/// the drive goes on then.
pub async fn follow<S: Saga, T>(
    app: &S::App,
    deadline: Deadline,
    id: Uuid,
    mut leased: Option<S>,
    outcome: fn(&S) -> Option<T>,
) -> Result<T, S::Error> {
    loop {
        if leased.is_none() {
            if let Some(reached) = look(app, id, outcome).await? {
                return Ok(reached);
            }
            leased = claim(app, Claim::new::<S>(app, Some(id), 1)).await?.pop();
        }
        if let Some(row) = leased.take() {
            let limit = deadline.remaining().saturating_sub(ANSWER_RESERVE);
            let driving = db::detached(drive(app.clone(), row));
            let Ok(Ok(driven)) = tokio::time::timeout(limit, driving).await else {
                return Err(CoreError::Unfinished.into());
            };
            match driven.map(|row| outcome(&row)) {
                Ok(Some(reached)) => return Ok(reached),
                Ok(None) => {}
                // A step that decided may have come before the one that failed.
                Err(error) => match look(app, id, outcome).await {
                    Ok(Some(reached)) => return Ok(reached),
                    // This drive was too slow and another one goes on. Its outcome is the answer.
                    Ok(None) if is_lease_lost(&error) => {}
                    Ok(None) | Err(_) => return Err(error),
                },
            }
        }
        if deadline.remaining() <= POLL_INTERVAL.saturating_add(ANSWER_RESERVE) {
            return Err(CoreError::Unfinished.into());
        }
        tokio::time::sleep(POLL_INTERVAL).await;
    }
}

/// Drives what callers and processes left behind, until nothing is due.
pub async fn recover<S: Saga>(app: &S::App) -> Result<(), S::Error> {
    drive_all(app, |due| claim::<S>(app, due)).await
}

/// Drives all rows that `take` leases, a batch at a time.
pub async fn drive_all<S, F, Fut>(app: &S::App, take: F) -> Result<(), S::Error>
where
    S: Saga,
    F: Fn(Claim) -> Fut,
    Fut: Future<Output = Result<Vec<S>, S::Error>>,
{
    loop {
        let rows = take(Claim::new::<S>(app, None, BATCH)).await?;
        let is_full = i64::try_from(rows.len()).is_ok_and(|count| count >= BATCH);
        // A drive that fails is logged and postponed there.
        let drives = rows
            .into_iter()
            .map(|row| db::detached(drive(app.clone(), row)));
        futures::future::join_all(drives).await;
        if !is_full {
            return Ok(());
        }
    }
}

impl Claim {
    fn new<S: Saga>(app: &S::App, only: Option<Uuid>, limit: i64) -> Self {
        let context = S::context(app);
        Self {
            only,
            token: context.ids.next(),
            lease: context.lease,
            limit,
        }
    }
}

/// `track_caller`: each claim is a point of its own at which a test can end the process.
#[track_caller]
fn claim<S: Saga>(
    app: &S::App,
    claim: Claim,
) -> impl Future<Output = Result<Vec<S>, S::Error>> + use<S> {
    db::write(S::context(app).pool, move |tx| {
        Box::pin(S::claim_in_tx(tx, claim))
    })
}

async fn look<S: Saga, T>(
    app: &S::App,
    id: Uuid,
    outcome: fn(&S) -> Option<T>,
) -> Result<Option<T>, S::Error> {
    let row = S::find(S::context(app).pool, id).await?;
    Ok(outcome(&row.ok_or(CoreError::Unfinished)?))
}

/// Drives a row whose lease is held. Gives the lease back if the drive fails.
async fn drive<S: Saga>(app: S::App, row: S) -> Result<S, S::Error> {
    let (id, lease) = (row.id(), row.lease());
    let outcome = row.drive(&app).await;
    S::context(&app).notifier.notify();
    if let Err(error) = &outcome
        && !is_lease_lost(error)
    {
        postpone::<S>(&app, id, lease).await;
        S::report_postponed(id, lease.attempts, error);
    }
    outcome
}

async fn postpone<S: Saga>(app: &S::App, id: Uuid, lease: Lease) {
    let context = S::context(app);
    let wait = backoff::after(lease.attempts, context.lease, LONGEST_WAIT);
    let postponed = db::write(context.pool, move |tx| {
        Box::pin(S::postpone_in_tx(tx, id, lease.token, wait))
    })
    .await;
    if let Err(error) = postponed {
        // The lease runs out by itself.
        warn!(saga = S::NAME, %id, error = chain(&error), "lease cannot be given back");
    }
}

fn is_lease_lost(error: &impl ServiceError) -> bool {
    matches!(error.core(), Some(CoreError::LeaseLost))
}
