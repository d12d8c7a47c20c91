//! What staff publish: a message to all users, which is one announcement, or to some, which is a notice for each.

pub mod entity;
mod repo;

use adfolio_kit::audit;
use adfolio_kit::clock::{Clock, Ids};
use adfolio_kit::db::{self, PgPool, Tx};
use adfolio_kit::identity::Caller;
use adfolio_kit::once::Once;
use adfolio_kit::outbox::Notifier;
use adfolio_proto::notification::v1::CreateNotificationResponse;
use chrono::{DateTime, Utc};
use serde_json::json;
use uuid::Uuid;

pub use entity::{Publication, Recipients};

use crate::error::NotificationError;
use crate::events;
use crate::lang::Lang;
use crate::localized;
use crate::notice;
use crate::users::Users;

/// The use cases of publishing.
#[derive(Clone, Debug)]
pub struct Publishing {
    pool: PgPool,
    clock: Clock,
    ids: Ids,
    users: Users,
    notifier: Notifier,
}

impl Publishing {
    /// On this database.
    pub fn new(pool: PgPool, clock: Clock, ids: Ids, users: Users, notifier: Notifier) -> Self {
        Self {
            pool,
            clock,
            ids,
            users,
            notifier,
        }
    }

    /// Publishes. `once` is the call, which is carried out once.
    pub async fn publish(
        &self,
        caller: Caller,
        once: Once,
        publication: Publication,
    ) -> Result<CreateNotificationResponse, NotificationError> {
        if let Recipients::Users(users) = &publication.to {
            // Asked before the transaction, which must not wait for another service.
            let known = self.users.look_up(&caller, users).await?;
            if !users.iter().all(|user| known.contains_key(user)) {
                return Err(NotificationError::RecipientUnknown);
            }
        }
        let (ids, now) = (self.ids.clone(), self.clock.now());
        let answer = db::write(&self.pool, move |tx| {
            Box::pin(async move {
                if let Some(earlier) = once.earlier_in_tx(tx).await? {
                    return Ok(earlier);
                }
                let id = ids.next();
                let recipients = publish_in_tx(tx, &ids, id, &publication, now).await?;
                record_in_tx(tx, &caller, id, &publication, now).await?;
                let answer = CreateNotificationResponse {
                    id: id.to_string(),
                    recipients,
                };
                once.keep_in_tx(tx, &answer).await?;
                Ok::<_, NotificationError>(answer)
            })
        })
        .await?;
        self.notifier.notify();
        Ok(answer)
    }
}

/// Writes the message down and gives it to whom it is for; answers how many they are, 0 for all.
async fn publish_in_tx(
    tx: &mut Tx,
    ids: &Ids,
    id: Uuid,
    publication: &Publication,
    now: DateTime<Utc>,
) -> Result<i64, NotificationError> {
    repo::insert_message_in_tx(tx, id, publication).await?;
    match &publication.to {
        Recipients::All => {
            repo::announce_in_tx(tx, id, publication.category, now).await?;
            events::announcement_published_in_tx(tx, id).await?;
            Ok(0)
        }
        Recipients::Users(users) => {
            let notices: Vec<Uuid> = users.iter().map(|_| ids.next()).collect();
            notice::add_written_in_tx(tx, id, publication.category, users, &notices, now).await?;
            events::inboxes_changed_in_tx(tx, users).await?;
            Ok(i64::try_from(users.len()).unwrap_or(i64::MAX))
        }
    }
}

/// Announces what the member of staff did. The whole text is in the message; its title says which it was.
async fn record_in_tx(
    tx: &mut Tx,
    caller: &Caller,
    id: Uuid,
    publication: &Publication,
    now: DateTime<Utc>,
) -> Result<(), NotificationError> {
    let to = match &publication.to {
        Recipients::All => json!("all"),
        Recipients::Users(users) => json!(users.len()),
    };
    let after = json!({
        "category": publication.category.as_str(),
        "to": to,
        "title": localized::in_lang(&publication.message.title, Lang::FALLBACK),
        "languages": publication.message.title.keys().map(|lang| lang.code()).collect::<Vec<_>>(),
    });
    let mut act = audit::Entry::new("notification.create", id).after(&after)?;
    if let Recipients::Users(users) = &publication.to
        && let [only] = users.as_slice()
    {
        act = act.user(*only);
    }
    Ok(act
        .record_in_tx(tx, events::STAFF_ACTED, caller, now)
        .await?)
}
