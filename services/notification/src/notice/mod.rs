//! The users' inbox: their own notices, and the announcements to all since they came.
//!
//! Locks: the row of `unread_counters` is the one lock of a user's inbox. Marking takes it first and reads the notices
//! afterwards, in a statement of its own, so it sees every notice that was counted before. Adding a notice inserts it
//! and takes the counter in the same transaction: a concurrent mark-all either waits and marks it, or comes first and
//! leaves it unread and counted. So the counter equals the user's own unread notices after every commit.
//!
//! An announcement is one row whatever the number of users. Announcements are numbered without holes in the order of their
//! commits, so those that a user has not read are the last number less `announcements_done`, which changes under the same
//! lock as the marks that it counts.

mod announcements;
pub mod entity;
mod repo;

use adfolio_kit::audit;
use adfolio_kit::db::{self, Tx};
use adfolio_kit::error::CoreError;
use adfolio_kit::identity::{Caller, UserId};
use chrono::{DateTime, Utc};

pub use entity::{
    Body, Category, Filter, Inbox, Kind, Message, NewNotice, Notice, Position, Ranges, TargetKind,
    Unread, about,
};
pub use repo::add_written_in_tx;

use crate::app::App;
use crate::error::NotificationError;
use crate::events;
use crate::ids::NoticeId;

/// A part of the user's inbox, newest first, and how many notices are unread in all.
pub async fn list(
    app: &App,
    caller: &Caller,
    user: UserId,
    filter: Filter,
    before: Option<Position>,
    fetch: i64,
) -> Result<(Vec<Notice>, Unread), NotificationError> {
    let (inbox, latest) = find_inbox(app, caller, user).await?;
    let own = repo::list(&app.reads, user, filter, before, fetch).await?;
    let upper = match before {
        Some(position) => announcements::last_before(&app.pool, position).await?,
        None => latest,
    };
    let to_all = list_announcements(app, user, filter, &inbox, upper, fetch).await?;
    let unread = inbox.unread(latest);
    Ok((entity::merge(own, to_all, fetch), unread))
}

/// The same for a member of staff. That they look is recorded before anything is shown; every page is a look of its own.
pub async fn list_for_staff(
    app: &App,
    caller: &Caller,
    user: UserId,
    filter: Filter,
    before: Option<Position>,
    fetch: i64,
) -> Result<(Vec<Notice>, Unread), NotificationError> {
    app.users.require(caller, &[user], "user_id").await?;
    let found = list(app, caller, user, filter, before, fetch).await?;
    if !found.0.is_empty() {
        let (caller, now) = (caller.clone(), app.clock.now());
        app.write(move |tx| {
            Box::pin(async move {
                audit::Entry::new("notification.read_notices", user)
                    .user(user)
                    .record_in_tx(tx, &caller, now)
                    .await?;
                Ok::<_, NotificationError>(())
            })
        })
        .await?;
    }
    Ok(found)
}

/// How many notices the user has not read.
pub async fn unread(app: &App, caller: &Caller, user: UserId) -> Result<Unread, NotificationError> {
    let (inbox, latest) = find_inbox(app, caller, user).await?;
    Ok(inbox.unread(latest))
}

/// Marks one notice as read, if it is not; answers what is left unread.
pub async fn mark_one(
    app: &App,
    caller: &Caller,
    user: UserId,
    id: NoticeId,
) -> Result<Unread, NotificationError> {
    mark(app, caller, user, Marked::One(id)).await
}

/// Marks every notice of the category (or of all) as read; answers what is left unread.
pub async fn mark_all(
    app: &App,
    caller: &Caller,
    user: UserId,
    category: Option<Category>,
) -> Result<Unread, NotificationError> {
    mark(app, caller, user, Marked::All(category)).await
}

/// What is marked as read.
#[derive(Clone, Copy)]
enum Marked {
    One(NoticeId),
    All(Option<Category>),
}

async fn mark(
    app: &App,
    caller: &Caller,
    user: UserId,
    marked: Marked,
) -> Result<Unread, NotificationError> {
    find_inbox(app, caller, user).await?;
    let now = app.clock.now();
    app.write(move |tx| {
        Box::pin(async move {
            let inbox = repo::lock_in_tx(tx, user).await?;
            let (own, to_all) = match marked {
                Marked::One(id) => {
                    let own = repo::mark_one_in_tx(tx, user, id, now).await?;
                    if own == 0 && !repo::exists_in_tx(tx, user, id).await? {
                        (
                            own,
                            announcements::mark_one_in_tx(tx, user, &inbox, id).await?,
                        )
                    } else {
                        (own, 0)
                    }
                }
                Marked::All(category) => (
                    repo::mark_all_in_tx(tx, user, category, now).await?,
                    announcements::mark_all_in_tx(tx, user, &inbox, category).await?,
                ),
            };
            finish_in_tx(tx, user, own, to_all).await
        })
    })
    .await
}

/// Announcements up to the number `upper`, newest first.
async fn list_announcements(
    app: &App,
    user: UserId,
    filter: Filter,
    inbox: &Inbox,
    upper: i64,
    fetch: i64,
) -> Result<Vec<Notice>, NotificationError> {
    let pool = &app.pool;
    match filter.read {
        None => {
            let visible = Ranges::visible(filter, inbox, upper);
            announcements::list(pool, user, inbox, visible, fetch).await
        }
        Some(false) => {
            let open = Ranges::open(filter, inbox, upper);
            announcements::list_unread(pool, user, open, fetch).await
        }
        Some(true) => {
            let passed = Ranges::passed(filter, inbox, upper);
            let at_once = announcements::list(pool, user, inbox, passed, fetch).await?;
            let open = Ranges::open(filter, inbox, upper);
            let singly = announcements::list_marked(pool, user, open, fetch).await?;
            Ok(entity::merge(at_once, singly, fetch))
        }
    }
}

/// The user's row, and the number of the last announcement. The event of the registration says since when the user is here; until
/// it arrives, auth is asked once.
async fn find_inbox(
    app: &App,
    caller: &Caller,
    user: UserId,
) -> Result<(Inbox, i64), NotificationError> {
    if let Some(found) = repo::inbox(&app.pool, user).await? {
        return Ok(found);
    }
    let known = app.users.look_up(caller, &[user]).await?;
    // For a user unknown to auth nothing says that the announcements so far were meant for them.
    let since = known.get(&user).and_then(|known| known.created_at);
    let since = since.unwrap_or(DateTime::<Utc>::MAX_UTC);
    db::write(&app.pool, move |tx| {
        Box::pin(async move { open_in_tx(tx, user, since).await })
    })
    .await?;
    let found = repo::inbox(&app.pool, user).await?;
    Ok(found.ok_or(CoreError::Corrupt("unread_counters.announcements_base"))?)
}

/// Counts down what was marked, announces it, and answers what is left unread. The inbox is locked.
async fn finish_in_tx(
    tx: &mut Tx,
    user: UserId,
    own: u64,
    to_all: u64,
) -> Result<Unread, NotificationError> {
    let left = repo::count_down_in_tx(tx, user, own, to_all).await?;
    if own > 0 || to_all > 0 {
        events::inboxes_changed_in_tx(tx, &[user]).await?;
    }
    Ok(left)
}

/// Opens the inbox of a user who came at `since`, if that was not known yet: earlier announcements are not the user's.
pub async fn open_in_tx(
    tx: &mut Tx,
    user: UserId,
    since: DateTime<Utc>,
) -> Result<(), NotificationError> {
    repo::open_in_tx(tx, user, since).await
}

/// Puts a notice into its user's inbox, counts it and announces it; false when the same happening was added before.
pub async fn add_in_tx(tx: &mut Tx, notice: &NewNotice) -> Result<bool, NotificationError> {
    let added = repo::add_in_tx(tx, notice).await?;
    if added {
        events::inboxes_changed_in_tx(tx, &[notice.user]).await?;
    }
    Ok(added)
}
