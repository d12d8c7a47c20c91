//! The caller's inbox.

use adfolio_kit::refusal::Reason;
use adfolio_proto::notification::v1 as notification;
use adfolio_proto::notification::v1::mark_read_request::Target;

use crate::call::{Call, send};
use crate::dto::notification::{
    MarkReadRequest, NotificationListRequest, NotificationPage, UnreadTotal,
};
use crate::dto::{Empty, page};
use crate::errors::Failure;
use crate::input::Json;
use crate::messages::Success;
use crate::route::Route;

/// The routes of this area.
pub fn routes() -> Vec<Route> {
    vec![
        Route::post(
            "/user/notifications",
            "listNotifications",
            "The caller's notifications, newest first.",
            list,
        )
        .user(),
        Route::post(
            "/user/notifications/read",
            "markNotificationsRead",
            "Marks one or all notifications as read.",
            mark_read,
        )
        .user()
        .fails(&[Reason::NotFound])
        .says(Success::Update),
        Route::post(
            "/user/notifications/unread_count",
            "countUnread",
            "The number of unread notifications.",
            count_unread,
        )
        .user(),
    ]
}

async fn list(
    call: Call,
    Json(request): Json<NotificationListRequest>,
) -> Result<NotificationPage, Failure> {
    let message = notification::ListNotificationsRequest {
        category: request.category.map_or(0, Into::into),
        filter: request.filter.map_or(0, Into::into),
        page: page(request.cursor, request.limit),
    };
    let response = send!(call.reading(), notification.list_notifications, message).await?;
    NotificationPage::from_proto(response)
}

async fn mark_read(
    call: Call,
    Json(request): Json<MarkReadRequest>,
) -> Result<UnreadTotal, Failure> {
    let target = match (request.id, request.all) {
        (Some(id), None | Some(false)) => Target::NotificationId(id),
        (None, Some(true)) => Target::All(true),
        (Some(_), Some(true)) => return Err(Failure::invalid("all")),
        (None, None | Some(false)) => return Err(Failure::invalid("id")),
    };
    let message = notification::MarkReadRequest {
        target: Some(target),
        category: request.category.map_or(0, Into::into),
    };
    let response = send!(call.writing(), notification.mark_read, message).await?;
    Ok(UnreadTotal {
        unread_total: response.unread_total,
        sequence: response.sequence,
    })
}

async fn count_unread(call: Call, _: Json<Empty>) -> Result<UnreadTotal, Failure> {
    let response = send!(
        call.reading(),
        notification.count_unread,
        notification::CountUnreadRequest {}
    )
    .await?;
    Ok(UnreadTotal {
        unread_total: response.unread_total,
        sequence: response.sequence,
    })
}
