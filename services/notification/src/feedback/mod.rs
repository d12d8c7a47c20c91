//! Feedback: what users write to us, and what staff answer.

pub mod entity;
mod repo;

use adfolio_kit::audit;
use adfolio_kit::clock::{Clock, Ids};
use adfolio_kit::db::{self, PgPool, Tx};
use adfolio_kit::identity::{Caller, Staff, UserId};
use adfolio_kit::once::Once;
use adfolio_kit::outbox::Notifier;
use adfolio_proto::notification::v1::{CloseFeedbackResponse, SubmitFeedbackResponse};
use chrono::{DateTime, Utc};
use serde_json::json;
use uuid::Uuid;

pub use entity::{Draft, Feedback, State};

use crate::error::NotificationError;
use crate::events;
use crate::notice::{self, Category, NewNotice};
use crate::text::{Param, Params, Template};

/// The use cases of feedback.
#[derive(Clone, Debug)]
pub struct FeedbackDesk {
    pool: PgPool,
    clock: Clock,
    ids: Ids,
    notifier: Notifier,
}

impl FeedbackDesk {
    /// On this database.
    pub fn new(pool: PgPool, clock: Clock, ids: Ids, notifier: Notifier) -> Self {
        Self {
            pool,
            clock,
            ids,
            notifier,
        }
    }

    /// Takes feedback in. `once` is the call, which is carried out once.
    pub async fn submit(
        &self,
        user: UserId,
        once: Once,
        draft: Draft,
    ) -> Result<SubmitFeedbackResponse, NotificationError> {
        let (id, now) = (self.ids.next(), self.clock.now());
        db::write(&self.pool, move |tx| {
            Box::pin(async move {
                if let Some(earlier) = once.earlier_in_tx(tx).await? {
                    return Ok(earlier);
                }
                repo::insert_in_tx(tx, id, user, &draft, now).await?;
                let answer = SubmitFeedbackResponse { id: id.to_string() };
                once.keep_in_tx(tx, &answer).await?;
                Ok(answer)
            })
        })
        .await
    }

    /// Feedback of all users, newest first.
    pub async fn list(
        &self,
        state: Option<State>,
        before: Option<Uuid>,
        fetch: i64,
    ) -> Result<Vec<Feedback>, NotificationError> {
        repo::list(&self.pool, state, before, fetch).await
    }

    /// Closes feedback; a reply goes to the user as a notice. `once` is the call, which is carried out once.
    pub async fn close(
        &self,
        caller: Caller,
        staff: Staff,
        once: Once,
        id: Uuid,
        reply: String,
    ) -> Result<CloseFeedbackResponse, NotificationError> {
        let (notice_id, now) = (self.ids.next(), self.clock.now());
        let answer = db::write(&self.pool, move |tx| {
            Box::pin(async move {
                if let Some(earlier) = once.earlier_in_tx(tx).await? {
                    return Ok(earlier);
                }
                let feedback = repo::lock_in_tx(tx, id)
                    .await?
                    .ok_or(NotificationError::FeedbackUnknown)?;
                let closed = feedback.close(reply, now)?;
                repo::close_in_tx(tx, &closed, staff.id).await?;
                if !closed.reply.is_empty() {
                    notice::add_in_tx(tx, &reply_notice(&closed, notice_id, now)).await?;
                }
                record_in_tx(tx, &caller, &closed, now).await?;
                let answer = CloseFeedbackResponse {
                    feedback: Some(closed.into()),
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

fn reply_notice(feedback: &Feedback, id: Uuid, now: DateTime<Utc>) -> NewNotice {
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

async fn record_in_tx(
    tx: &mut Tx,
    caller: &Caller,
    closed: &Feedback,
    now: DateTime<Utc>,
) -> Result<(), NotificationError> {
    Ok(audit::Entry::new("notification.feedback_close", closed.id)
        .user(closed.user.0)
        .before(&json!({"state": State::Open.as_str(), "topic": closed.topic}))?
        .after(&json!({"state": closed.state.as_str(), "reply": closed.reply}))?
        .record_in_tx(tx, events::STAFF_ACTED, caller, now)
        .await?)
}
