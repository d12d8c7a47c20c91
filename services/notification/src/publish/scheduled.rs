//! What staff do with publications after they are made: look at them, and change or withdraw what is not published yet.

use adfolio_kit::audit;
use adfolio_kit::identity::{Caller, Staff, UserId};
use adfolio_kit::once::{Answer, Once};
use adfolio_kit::refusal::Refusal;
use serde_json::{Value, json};

use super::entity::{self, Announcement, Edit, Recipients, State};
use super::repo;
use crate::app::App;
use crate::error::NotificationError;
use crate::ids::{NoticeId, StaffId};
use crate::lang::Lang;
use crate::localized;

/// Publications, newest first.
pub async fn list(
    app: &App,
    state: Option<State>,
    before: Option<NoticeId>,
    fetch: i64,
) -> Result<Vec<Announcement>, NotificationError> {
    repo::list(&app.reads, state, before, fetch).await
}

/// One of them with its recipients; none if it is for all.
pub async fn get(
    app: &App,
    id: NoticeId,
) -> Result<(Announcement, Vec<UserId>), NotificationError> {
    let found = repo::find(&app.pool, id).await?;
    Ok(found.ok_or_else(|| Refusal::not_found("id"))?)
}

/// Changes what is not published yet.
pub async fn edit(
    app: &App,
    once: Once<Announcement>,
    caller: &Caller,
    staff: Staff,
    id: NoticeId,
    edit: Edit,
) -> Result<Answer<Announcement>, NotificationError> {
    if let Some(Recipients::Users(users)) = &edit.to {
        app.users.require(caller, users, "to").await?;
    }
    let (now, caller) = (app.clock.now(), caller.clone());
    app.write_once(once, move |tx| {
        Box::pin(async move {
            if let Some(at) = edit.publish_at {
                entity::check_time(at, now)?;
            }
            let found = repo::lock_in_tx(tx, id).await?;
            let mut announcement = found.ok_or_else(|| Refusal::not_found("id"))?;
            let before = summary(&announcement);
            announcement.edit(&edit, StaffId(staff.id), now)?;
            repo::save_in_tx(tx, &announcement).await?;
            if let Some(to) = &edit.to {
                repo::save_recipients_in_tx(tx, id, to).await?;
            }
            audit::Entry::new("notification.announcement_edit", id)
                .before(&before)?
                .after(&summary(&announcement))?
                .record_in_tx(tx, &caller, now)
                .await?;
            Ok(announcement)
        })
    })
    .await
}

/// Takes back what is not published yet.
pub async fn withdraw(
    app: &App,
    once: Once<Announcement>,
    caller: &Caller,
    staff: Staff,
    id: NoticeId,
    (version, reason): (Option<i64>, String),
) -> Result<Answer<Announcement>, NotificationError> {
    let (now, caller) = (app.clock.now(), caller.clone());
    app.write_once(once, move |tx| {
        Box::pin(async move {
            let found = repo::lock_in_tx(tx, id).await?;
            let mut announcement = found.ok_or_else(|| Refusal::not_found("id"))?;
            announcement.withdraw(version, reason.clone(), StaffId(staff.id), now)?;
            repo::save_in_tx(tx, &announcement).await?;
            audit::Entry::new("notification.announcement_withdraw", id)
                .reason(reason)
                .before(&json!({"state": State::Scheduled.as_str()}))?
                .after(&json!({"state": announcement.state.as_str()}))?
                .record_in_tx(tx, &caller, now)
                .await?;
            Ok(announcement)
        })
    })
    .await
}

/// What the audit log keeps: which one it is and what tells its versions apart, not the whole text.
fn summary(announcement: &Announcement) -> Value {
    let title = localized::in_lang(&announcement.message.title, Lang::FALLBACK);
    let content = announcement.message.content.values();
    json!({
        "version": announcement.version,
        "category": announcement.category.as_str(),
        "to": announcement.recipients.map_or_else(|| json!("all"), |count| json!(count)),
        "title": title,
        "content_characters": content.map(|text| text.chars().count()).sum::<usize>(),
        "publish_at": announcement.publish_at,
    })
}
