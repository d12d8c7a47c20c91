//! What staff publish: a message to all users, which is one announcement, or to some, which is a notice for each; at once or
//! at its time.
//!
//! A publication is a row from the moment it is made. What is scheduled becomes an announcement or notices in the one
//! transaction that marks it as published, so it is published once, on whichever replica, and a crash leaves it scheduled.

mod due;
pub mod entity;
mod repo;
mod scheduled;

use adfolio_kit::audit;
use adfolio_kit::clock::Ids;
use adfolio_kit::db::Tx;
use adfolio_kit::identity::{Caller, Staff};
use adfolio_kit::once::{Answer, Once};
use chrono::{DateTime, Utc};
use serde_json::json;

pub use due::{count_reached, run as publish_due};
pub use entity::{Announcement, Edit, Publication, Recipients, State};
pub use scheduled::{edit, get, list, withdraw};

use crate::app::App;
use crate::error::NotificationError;
use crate::events;
use crate::ids::{NoticeId, StaffId};
use crate::lang::Lang;
use crate::localized;
use crate::notice;
use crate::peers::ActiveUsers;

/// What became of a publication.
#[derive(Clone, Copy, Debug)]
pub struct Published {
    pub id: NoticeId,
    /// How many users it goes to; 0 for all.
    pub recipients: i64,
    pub state: State,
}

/// Publishes a message, at once or at `publish_at`.
pub async fn publish(
    app: &App,
    once: Once<Published>,
    caller: &Caller,
    staff: Staff,
    publication: Publication,
    publish_at: Option<DateTime<Utc>>,
) -> Result<Answer<Published>, NotificationError> {
    if let Recipients::Users(users) = &publication.to {
        // Asked before the transaction, which must not wait for another service.
        app.users.require(caller, users, "to").await?;
    }
    let (ids, now, caller) = (app.ids.clone(), app.clock.now(), caller.clone());
    app.write_once(once, move |tx| {
        Box::pin(async move {
            let id = NoticeId(ids.next());
            let state = if let Some(at) = publish_at {
                // Here, so that a late repeat finds its answer and no time that has passed.
                entity::check_time(at, now)?;
                State::Scheduled
            } else {
                State::Published
            };
            let made = repo::Made {
                by: StaffId(staff.id),
                at: now,
            };
            repo::insert_in_tx(tx, id, &publication, publish_at, made).await?;
            if state == State::Published {
                publish_in_tx(tx, &ids, id, &publication, now).await?;
            }
            audit_entry(id, &publication, publish_at)?
                .record_in_tx(tx, &caller, now)
                .await?;
            Ok(Published {
                id,
                recipients: publication.to.count().unwrap_or(0),
                state,
            })
        })
    })
    .await
}

/// How many users an announcement to all would reach now.
pub async fn audience(app: &App, caller: &Caller) -> Result<ActiveUsers, NotificationError> {
    Ok(app.directory.active_users(caller).await?)
}

/// Keeps the message and delivers it to its recipients.
async fn publish_in_tx(
    tx: &mut Tx,
    ids: &Ids,
    id: NoticeId,
    publication: &Publication,
    now: DateTime<Utc>,
) -> Result<(), NotificationError> {
    repo::insert_message_in_tx(tx, id, publication).await?;
    match &publication.to {
        Recipients::All => {
            repo::announce_in_tx(tx, id, publication.category, now).await?;
            events::announcement_published_in_tx(tx, id).await
        }
        Recipients::Users(users) => {
            let notices: Vec<_> = users
                .iter()
                .map(|user| (NoticeId(ids.next()), *user))
                .collect();
            notice::add_written_in_tx(tx, id, publication.category, &notices, now).await?;
            events::inboxes_changed_in_tx(tx, users).await
        }
    }
}

/// The whole text is in the message; its title says which one it was.
fn audit_entry(
    id: NoticeId,
    publication: &Publication,
    publish_at: Option<DateTime<Utc>>,
) -> Result<audit::Entry, NotificationError> {
    let to = match &publication.to {
        Recipients::All => json!("all"),
        Recipients::Users(users) => json!(users.len()),
    };
    let mut after = json!({
        "category": publication.category.as_str(),
        "to": to,
        "title": localized::in_lang(&publication.message.title, Lang::FALLBACK),
        "languages": publication.message.title.keys().map(|lang| lang.code()).collect::<Vec<_>>(),
    });
    if let (Some(at), Some(after)) = (publish_at, after.as_object_mut()) {
        after.insert("publish_at".to_owned(), json!(at));
    }
    let entry = audit::Entry::new("notification.create", id).after(&after)?;
    Ok(match &publication.to {
        Recipients::Users(users) if users.len() == 1 => entry.user(users[0]),
        _ => entry,
    })
}
