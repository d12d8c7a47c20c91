//! Feedback: what users write to us, and what staff answer.

pub mod entity;
mod repo;

use adfolio_kit::audit;
use adfolio_kit::identity::{Caller, Staff, UserId};
use adfolio_kit::once::{Answer, Once};
use chrono::{DateTime, Utc};
use serde_json::json;

pub use entity::{Draft, Feedback, State};

use crate::app::App;
use crate::error::NotificationError;
use crate::ids::{FeedbackId, NoticeId, StaffId};
use crate::notice::{self, Category, NewNotice};
use crate::text::{Param, Params, Template};

/// Takes feedback in.
pub async fn submit(
    app: &App,
    once: Once<FeedbackId>,
    user: UserId,
    draft: Draft,
) -> Result<Answer<FeedbackId>, NotificationError> {
    let (id, now) = (FeedbackId(app.ids.next()), app.clock.now());
    app.write_once(once, move |tx| {
        Box::pin(async move {
            repo::insert_in_tx(tx, id, user, &draft, now).await?;
            Ok(id)
        })
    })
    .await
}

/// Feedback of all users, newest first.
pub async fn list(
    app: &App,
    state: Option<State>,
    before: Option<FeedbackId>,
    fetch: i64,
) -> Result<Vec<Feedback>, NotificationError> {
    repo::list(&app.reads, state, before, fetch).await
}

/// How much feedback is open, and since when the oldest is.
pub async fn waiting(app: &App) -> Result<(i64, Option<DateTime<Utc>>), NotificationError> {
    repo::count_open(&app.pool).await
}

/// Closes feedback. A reply goes to the user as a notice.
pub async fn close(
    app: &App,
    once: Once<Feedback>,
    caller: &Caller,
    staff: Staff,
    id: FeedbackId,
    reply: String,
) -> Result<Answer<Feedback>, NotificationError> {
    let (notice, now) = (NoticeId(app.ids.next()), app.clock.now());
    let caller = caller.clone();
    app.write_once(once, move |tx| {
        Box::pin(async move {
            let feedback = repo::lock_in_tx(tx, id)
                .await?
                .ok_or(NotificationError::FeedbackUnknown)?;
            let closed = feedback.close(reply, StaffId(staff.id), now)?;
            repo::close_in_tx(tx, &closed).await?;
            if !closed.reply.is_empty() {
                notice::add_in_tx(tx, &reply_notice(&closed, notice, now)).await?;
            }
            audit_entry(&closed)?.record_in_tx(tx, &caller, now).await?;
            Ok(closed)
        })
    })
    .await
}

fn reply_notice(feedback: &Feedback, id: NoticeId, now: DateTime<Utc>) -> NewNotice {
    NewNotice {
        id,
        user: feedback.user,
        category: Category::Activity,
        template: Template::FeedbackReply,
        params: Params::from([
            ("topic".to_owned(), Param::Text(feedback.topic.clone())),
            ("reply".to_owned(), Param::Text(feedback.reply.clone())),
        ]),
        source_key: format!("feedback:{}", feedback.id),
        occurred_at: now,
    }
}

fn audit_entry(closed: &Feedback) -> Result<audit::Entry, NotificationError> {
    Ok(audit::Entry::new("notification.feedback_close", closed.id)
        .user(closed.user)
        .before(&json!({"state": State::Open.as_str(), "topic": closed.topic}))?
        .after(&json!({"state": closed.state.as_str(), "reply": closed.reply}))?)
}
