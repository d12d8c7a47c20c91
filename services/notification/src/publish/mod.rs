//! What staff publish: a message to all users, which is one announcement, or to some, which is a notice for each.

pub mod entity;
mod repo;

use adfolio_kit::audit;
use adfolio_kit::clock::Ids;
use adfolio_kit::db::Tx;
use adfolio_kit::identity::Caller;
use adfolio_kit::once::{Answer, Once};
use chrono::{DateTime, Utc};
use serde_json::json;

pub use entity::{Publication, Recipients};

use crate::app::App;
use crate::error::NotificationError;
use crate::events;
use crate::ids::NoticeId;
use crate::lang::Lang;
use crate::localized;
use crate::notice;

/// What became of a publication.
#[derive(Clone, Copy, Debug)]
pub struct Published {
    pub id: NoticeId,
    /// How many users it went to; 0 for all.
    pub recipients: i64,
}

/// Publishes a message.
pub async fn publish(
    app: &App,
    once: Once<Published>,
    caller: &Caller,
    publication: Publication,
) -> Result<Answer<Published>, NotificationError> {
    if let Recipients::Users(users) = &publication.to {
        // Asked before the transaction, which must not wait for another service.
        app.users.require(caller, users, "to").await?;
    }
    let (ids, now, caller) = (app.ids.clone(), app.clock.now(), caller.clone());
    app.write_once(once, move |tx| {
        Box::pin(async move {
            let id = NoticeId(ids.next());
            let recipients = publish_in_tx(tx, &ids, id, &publication, now).await?;
            audit_entry(id, &publication)?
                .record_in_tx(tx, &caller, now)
                .await?;
            let published = Published { id, recipients };
            Ok(published)
        })
    })
    .await
}

/// Writes the message down and gives it to whom it is for; answers how many they are, 0 for all.
async fn publish_in_tx(
    tx: &mut Tx,
    ids: &Ids,
    id: NoticeId,
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
            let notices: Vec<_> = users
                .iter()
                .map(|user| (NoticeId(ids.next()), *user))
                .collect();
            notice::add_written_in_tx(tx, id, publication.category, &notices, now).await?;
            events::inboxes_changed_in_tx(tx, users).await?;
            Ok(i64::try_from(users.len()).unwrap_or(i64::MAX))
        }
    }
}

/// The whole text is in the message; its title says which one it was.
fn audit_entry(id: NoticeId, publication: &Publication) -> Result<audit::Entry, NotificationError> {
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
    let entry = audit::Entry::new("notification.create", id).after(&after)?;
    Ok(match &publication.to {
        Recipients::Users(users) if users.len() == 1 => entry.user(users[0]),
        _ => entry,
    })
}
