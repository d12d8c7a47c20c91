//! What staff have published, scheduled or withdrawn.

use adfolio_kit::refusal::Reason;
use adfolio_proto::notification::v1 as notification;

use super::people::Names;
use crate::call::{Call, send};
use crate::dto::announcement::{
    Announcement, AnnouncementDetail, AnnouncementListQuery, AnnouncementQuery, AudienceSize,
    EditAnnouncementRequest, WithdrawAnnouncementRequest,
};
use crate::dto::{Decode, Page, page};
use crate::errors::Failure;
use crate::input::{Json, Nothing, Query};
use crate::messages::Success;
use crate::route::{Route, SUPPORT};

/// Fits titles and texts in twelve languages with characters of up to four bytes, and a thousand ids.
pub const NOTIFICATION_LIMIT: usize = 512 * 1024;

/// The routes of this area.
pub fn routes() -> Vec<Route> {
    vec![
        Route::get(
            "/admin/announcement/list",
            "listAnnouncements",
            "What staff have published, scheduled or withdrawn, newest first.",
            list,
        )
        .staff(SUPPORT),
        Route::get(
            "/admin/announcement/detail",
            "getAnnouncement",
            "One of them, with its recipients.",
            detail,
        )
        .staff(SUPPORT)
        .fails(&[Reason::NotFound]),
        Route::get(
            "/admin/announcement/audience",
            "getAudience",
            "How many active users an announcement to all would reach now.",
            audience,
        )
        .staff(SUPPORT),
        Route::post(
            "/admin/announcement/edit",
            "editAnnouncement",
            "Changes a scheduled announcement before it is published.",
            edit,
        )
        .staff(SUPPORT)
        .fails(&[
            Reason::NotFound,
            Reason::ChangedMeanwhile,
            Reason::NothingChanged,
        ])
        .says(Success::Update)
        .keyed()
        .body_limit(NOTIFICATION_LIMIT),
        Route::post(
            "/admin/announcement/withdraw",
            "withdrawAnnouncement",
            "Withdraws a scheduled announcement before it is published.",
            withdraw,
        )
        .staff(SUPPORT)
        .fails(&[
            Reason::NotFound,
            Reason::ChangedMeanwhile,
            Reason::NothingChanged,
        ])
        .says(Success::Update)
        .keyed(),
    ]
}

async fn list(
    call: Call,
    Query(query): Query<AnnouncementListQuery>,
) -> Result<Page<Announcement>, Failure> {
    let message = notification::ListAnnouncementsRequest {
        state: query.state.map_or(0, Into::into),
        page: page(query.cursor, query.limit),
    };
    let response = send!(
        call.reading(),
        notification_admin.list_announcements,
        message
    )
    .await?;
    Page::from_proto(response.items, response.next_cursor)
}

async fn detail(
    call: Call,
    Query(query): Query<AnnouncementQuery>,
) -> Result<AnnouncementDetail, Failure> {
    let message = notification::GetAnnouncementRequest { id: query.id };
    let response = send!(call.reading(), notification_admin.get_announcement, message).await?;
    let names = Names::of(&call, response.user_ids.iter()).await;
    Ok(AnnouncementDetail {
        announcement: Announcement::decode(response.announcement, "announcement")?,
        users: response
            .user_ids
            .into_iter()
            .map(|id| names.user(id))
            .collect(),
    })
}

async fn audience(call: Call, _: Nothing) -> Result<AudienceSize, Failure> {
    let message = notification::GetAudienceRequest {};
    let response = send!(call.reading(), notification_admin.get_audience, message).await?;
    AudienceSize::from_proto(response)
}

async fn edit(
    call: Call,
    Json(request): Json<EditAnnouncementRequest>,
) -> Result<Announcement, Failure> {
    // To the service, an empty text is none.
    for (sent, field) in [(&request.title, "title"), (&request.content, "content")] {
        if sent
            .as_ref()
            .is_some_and(std::collections::BTreeMap::is_empty)
        {
            return Err(Failure::invalid(field));
        }
    }
    let message = request.into_proto();
    let response = send!(
        call.writing(),
        notification_admin.edit_announcement,
        message
    )
    .await?;
    Announcement::decode(response.announcement, "announcement")
}

async fn withdraw(
    call: Call,
    Json(request): Json<WithdrawAnnouncementRequest>,
) -> Result<Announcement, Failure> {
    if request.version.is_some_and(|version| version < 1) {
        return Err(Failure::invalid("version"));
    }
    let message = notification::WithdrawAnnouncementRequest {
        id: request.id,
        reason: request.reason,
        version: request.version.unwrap_or(0),
    };
    let response = send!(
        call.writing(),
        notification_admin.withdraw_announcement,
        message
    )
    .await?;
    Announcement::decode(response.announcement, "announcement")
}
