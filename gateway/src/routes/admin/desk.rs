//! Notifications and feedback, as support handles them.

use adfolio_kit::refusal::Reason;
use adfolio_proto::notification::v1 as notification;

use super::announcement::NOTIFICATION_LIMIT;
use super::people::Names;
use crate::call::{Call, send};
use crate::dto::feedback::{CloseFeedbackRequest, Feedback, FeedbackListQuery};
use crate::dto::notification::{CreateNotificationRequest, PublishedNotification};
use crate::dto::{Page, page, present};
use crate::errors::Failure;
use crate::input::{Json, Query};
use crate::messages::Success;
use crate::route::{Route, SUPPORT};

/// The routes of this area.
pub fn routes() -> Vec<Route> {
    vec![
        Route::post(
            "/admin/notification/create",
            "createNotification",
            "Publishes a notification to all or some users, at once or at a time.",
            create,
        )
        .staff(SUPPORT)
        .fails(&[Reason::NotFound])
        .says(Success::Submission)
        .keyed()
        .body_limit(NOTIFICATION_LIMIT),
        Route::get(
            "/admin/feedback/list",
            "listFeedback",
            "Feedback of all users, newest first.",
            list,
        )
        .staff(SUPPORT),
        Route::post(
            "/admin/feedback/close",
            "closeFeedback",
            "Closes feedback, with or without a reply to the user.",
            close,
        )
        .staff(SUPPORT)
        .fails(&[Reason::NotFound, Reason::NothingChanged])
        .says(Success::Update)
        .keyed(),
    ]
}

async fn create(
    call: Call,
    Json(request): Json<CreateNotificationRequest>,
) -> Result<PublishedNotification, Failure> {
    let response = send!(
        call.writing(),
        notification_admin.create_notification,
        request.into_proto()
    )
    .await?;
    PublishedNotification::from_proto(response)
}

async fn list(
    call: Call,
    Query(query): Query<FeedbackListQuery>,
) -> Result<Page<Feedback>, Failure> {
    let message = notification::ListFeedbackRequest {
        state: query.state.map_or(0, Into::into),
        page: page(query.cursor, query.limit),
    };
    let response = send!(call.reading(), notification_admin.list_feedback, message).await?;
    let names = Names::of(&call, response.items.iter().map(|item| &item.user_id)).await;
    Page::compose(response.items, response.next_cursor, |item| {
        with_user(&names, item)
    })
}

async fn close(call: Call, Json(request): Json<CloseFeedbackRequest>) -> Result<Feedback, Failure> {
    let message = notification::CloseFeedbackRequest {
        feedback_id: request.id,
        reply: request.reply.unwrap_or_default(),
    };
    let response = send!(call.writing(), notification_admin.close_feedback, message).await?;
    let feedback = present(response.feedback, "feedback")?;
    let names = Names::of(&call, [&feedback.user_id].into_iter()).await;
    with_user(&names, feedback)
}

fn with_user(names: &Names, feedback: notification::Feedback) -> Result<Feedback, Failure> {
    let user = names.user(feedback.user_id.clone());
    Feedback::from_proto(feedback, user)
}
