//! Publishes due announcements, and counts their readers.

use adfolio_kit::clock::Ids;
use adfolio_kit::db::Tx;
use adfolio_kit::identity::Caller;
use chrono::{DateTime, Utc};
use tracing::{info, warn};

use super::{publish_in_tx, repo};
use crate::app::App;
use crate::error::NotificationError;
use crate::ids::NoticeId;

/// Publications of one run at most; the next run has the others.
const BATCH: i64 = 100;

/// One run of the job. Any number of replicas may do it at once. One publication that fails keeps no other waiting.
pub async fn run(app: App) -> Result<(), NotificationError> {
    let now = app.clock.now();
    let mut first_failure = None;
    for id in repo::due(&app.pool, now, BATCH).await? {
        let ids = app.ids.clone();
        let published = app
            .write(move |tx| Box::pin(async move { publish_one_in_tx(tx, &ids, id, now).await }))
            .await;
        match published {
            Ok(true) => info!(%id, "published what was scheduled"),
            Ok(false) => {}
            Err(error) => {
                warn!(%id, %error, "cannot publish what is due");
                first_failure.get_or_insert(error);
            }
        }
    }
    first_failure.map_or(Ok(()), Err)
}

/// False if another replica has it, or it was changed or withdrawn since.
async fn publish_one_in_tx(
    tx: &mut Tx,
    ids: &Ids,
    id: NoticeId,
    now: DateTime<Utc>,
) -> Result<bool, NotificationError> {
    let Some(publication) = repo::lock_due_in_tx(tx, id, now).await? else {
        return Ok(false);
    };
    publish_in_tx(tx, ids, id, &publication, now).await?;
    repo::mark_published_in_tx(tx, id, publication.to.count(), now).await?;
    Ok(true)
}

/// Counts whom announcements to all have reached. Auth counts; while it does not answer, they are published all the same
/// and counted later.
pub async fn count_reached(app: App) -> Result<(), NotificationError> {
    let uncounted = repo::uncounted(&app.pool, BATCH).await?;
    if uncounted.is_empty() {
        return Ok(());
    }
    let active = app.directory.active_users(&Caller::system()).await?;
    app.write(move |tx| {
        Box::pin(async move { repo::set_reached_in_tx(tx, &uncounted, active.users).await })
    })
    .await
}
