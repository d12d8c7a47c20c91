//! Events of this service, written in the transaction of the change.

use adfolio_kit::db::Tx;
use adfolio_kit::identity::UserId;
use adfolio_kit::outbox::{Event, EventError, enqueue_in_tx};
use adfolio_proto::events::v1::{AnnouncementPublished, InboxChanged};

use crate::error::NotificationError;
use crate::ids::NoticeId;

const INBOX_CHANGED: &str = "adfolio.notification.v1.InboxChanged";
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
