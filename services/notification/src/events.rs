//! Events of this service, written in the transaction of the change.

use adfolio_kit::db::Tx;
use adfolio_kit::identity::UserId;
use adfolio_kit::outbox::{Event, EventError, enqueue_in_tx};
use adfolio_kit::wire::timestamp;
use adfolio_proto::events::v1::{AccountDisowned, AnnouncementPublished, InboxChanged};
use chrono::{DateTime, Utc};

use crate::error::NotificationError;
use crate::ids::NoticeId;
use crate::mail::Mail;

const INBOX_CHANGED: &str = "adfolio.notification.v1.InboxChanged";
const ACCOUNT_DISOWNED: &str = "adfolio.notification.v1.AccountDisowned";
const ANNOUNCEMENT_PUBLISHED: &str = "adfolio.notification.v1.AnnouncementPublished";

/// The notices of these users, or how many are unread, have changed. Their inboxes are locked.
pub async fn inboxes_changed_in_tx(tx: &mut Tx, users: &[UserId]) -> Result<(), NotificationError> {
    let event = |user: &UserId| {
        let user_id = user.to_string();
        Event::new(INBOX_CHANGED, user, &InboxChanged { user_id })
    };
    let events: Vec<Event> = users.iter().map(event).collect::<Result<_, EventError>>()?;
    Ok(enqueue_in_tx(tx, &events).await?)
}

/// Every user has a new notice.
pub async fn announcement_published_in_tx(
    tx: &mut Tx,
    id: NoticeId,
) -> Result<(), NotificationError> {
    let notification_id = id.to_string();
    let event = Event::new(
        ANNOUNCEMENT_PUBLISHED,
        id,
        &AnnouncementPublished { notification_id },
    )?;
    Ok(enqueue_in_tx(tx, &[event]).await?)
}

/// The reader of this mail has said that its news was not their doing.
pub async fn account_disowned_in_tx(
    tx: &mut Tx,
    mail: &Mail,
    now: DateTime<Utc>,
) -> Result<(), NotificationError> {
    let data = AccountDisowned {
        user_id: mail.user.to_string(),
        mail_id: mail.id.to_string(),
        template: mail.template.clone(),
        time: Some(timestamp(now)),
    };
    let event = Event::new(ACCOUNT_DISOWNED, mail.user, &data)?;
    Ok(enqueue_in_tx(tx, &[event]).await?)
}
