//! The texts that staff edit.

use adfolio_proto::notification::v1 as notification;

use crate::call::{Call, send};
use crate::dto::Decode;
use crate::dto::content::{Content, ContentRequest};
use crate::errors::Failure;
use crate::input::{Json, Nothing};
use crate::messages::Success;
use crate::route::{ANY_ROLE, OPERATOR, Route};

/// Fits fifty questions and answers and two rule texts in twelve languages.
const CONTENT_LIMIT: usize = 4 * 1024 * 1024;

/// The routes of this area.
pub fn routes() -> Vec<Route> {
    vec![
        Route::get(
            "/admin/content",
            "getContent",
            "The texts that staff edit.",
            get,
        )
        .staff(ANY_ROLE),
        Route::post(
            "/admin/content",
            "setContent",
            "Replaces the texts that are sent.",
            set,
        )
        .staff(OPERATOR)
        .says(Success::Update)
        .keyed()
        .body_limit(CONTENT_LIMIT),
    ]
}

async fn get(call: Call, _: Nothing) -> Result<Content, Failure> {
    let response = send!(
        call.reading(),
        notification_admin.get_content,
        notification::GetContentRequest {}
    )
    .await?;
    Content::decode(response.content, "content")
}

async fn set(call: Call, Json(request): Json<ContentRequest>) -> Result<Content, Failure> {
    // To the service, an empty list of parts means all parts.
    let message = request.into_proto();
    if message.parts.is_empty() {
        return get(call, Nothing).await;
    }
    let response = send!(call.writing(), notification_admin.set_content, message).await?;
    call.gateway.service_entries().clear();
    Content::decode(response.content, "content")
}
