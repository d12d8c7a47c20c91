//! The texts that staff edit.

use adfolio_kit::refusal::Reason;
use adfolio_proto::notification::v1 as notification;

use crate::call::{Call, send};
use crate::dto::content::{Content, ContentRequest};
use crate::dto::content_version::{
    ContentVersion, ContentVersionDetail, ContentVersionQuery, RestoreContentRequest,
};
use crate::dto::{Page, PageQuery, present};
use crate::errors::Failure;
use crate::input::{Json, Nothing, Query};
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
        .fails(&[Reason::ChangedMeanwhile])
        .says(Success::Update)
        .keyed()
        .body_limit(CONTENT_LIMIT),
        Route::get(
            "/admin/content/versions",
            "listContentVersions",
            "Changes of the texts that staff edit, newest first.",
            versions,
        )
        .staff(ANY_ROLE),
        Route::get(
            "/admin/content/version",
            "getContentVersion",
            "All texts as a version left them.",
            version,
        )
        .staff(ANY_ROLE)
        .fails(&[Reason::NotFound]),
        Route::post(
            "/admin/content/restore",
            "restoreContent",
            "Makes what an old version left the texts again, as a new version.",
            restore,
        )
        .staff(OPERATOR)
        .fails(&[
            Reason::NotFound,
            Reason::ChangedMeanwhile,
            Reason::NothingChanged,
        ])
        .says(Success::Update)
        .keyed(),
    ]
}

async fn get(call: Call, _: Nothing) -> Result<Content, Failure> {
    let response = send!(
        call.reading(),
        notification_admin.get_content,
        notification::GetContentRequest {}
    )
    .await?;
    Content::from_proto(present(response.content, "content")?, response.version)
}

async fn set(call: Call, Json(request): Json<ContentRequest>) -> Result<Content, Failure> {
    check(request.version, "version")?;
    // To the service, an empty list of parts means all parts.
    let message = request.into_proto();
    if message.parts.is_empty() {
        return get(call, Nothing).await;
    }
    let response = send!(call.writing(), notification_admin.set_content, message).await?;
    call.gateway.service_entries().clear();
    Content::from_proto(present(response.content, "content")?, response.version)
}

async fn versions(
    call: Call,
    Query(query): Query<PageQuery>,
) -> Result<Page<ContentVersion>, Failure> {
    let message = notification::ListContentVersionsRequest {
        page: query.into_page(),
    };
    let response = send!(
        call.reading(),
        notification_admin.list_content_versions,
        message
    )
    .await?;
    Page::from_proto(response.items, response.next_cursor)
}

async fn version(
    call: Call,
    Query(query): Query<ContentVersionQuery>,
) -> Result<ContentVersionDetail, Failure> {
    let message = notification::GetContentVersionRequest {
        version: query.version,
    };
    let response = send!(
        call.reading(),
        notification_admin.get_content_version,
        message
    )
    .await?;
    ContentVersionDetail::from_proto(response)
}

async fn restore(
    call: Call,
    Json(request): Json<RestoreContentRequest>,
) -> Result<Content, Failure> {
    check(request.current, "current")?;
    // To the service, an empty list of parts means all parts.
    if request.parts.as_ref().is_some_and(Vec::is_empty) {
        return Err(Failure::invalid("parts"));
    }
    let message = notification::RestoreContentRequest {
        version: request.version,
        parts: request.parts.unwrap_or_default(),
        current: request.current.unwrap_or(0),
        reason: request.reason,
    };
    let response = send!(call.writing(), notification_admin.restore_content, message).await?;
    call.gateway.service_entries().clear();
    Content::from_proto(present(response.content, "content")?, response.version)
}

/// To the service, 0 is no version.
fn check(version: Option<i64>, field: &'static str) -> Result<(), Failure> {
    if version.is_some_and(|version| version < 1) {
        Err(Failure::invalid(field))
    } else {
        Ok(())
    }
}
