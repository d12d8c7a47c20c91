//! What support needs to know of a user besides the details, and ending the user's sessions.

use adfolio_kit::refusal::Reason;
use adfolio_proto::auth::v1 as auth;
use adfolio_proto::coupon::v1 as coupon;
use adfolio_proto::notification::v1 as notification;

use crate::call::{Call, send};
use crate::dto::security::SecurityEntry;
use crate::dto::user_page::{
    EndUserSessionsRequest, EndedSessions, UserCouponPage, UserCouponQuery, UserNoticePage,
    UserNoticeQuery, UserSecurityLogQuery,
};
use crate::dto::{Page, page};
use crate::errors::Failure;
use crate::input::{Json, Query};
use crate::messages::Success;
use crate::route::{ANY_ROLE, Route, SUPPORT};

/// The routes of this area.
pub fn routes() -> Vec<Route> {
    vec![
        Route::get(
            "/admin/user/coupons",
            "listUserCoupons",
            "A user's coupons of one state, newest first.",
            coupons,
        )
        .staff(ANY_ROLE)
        .fails(&[Reason::NotFound]),
        Route::get(
            "/admin/user/notices",
            "listUserNotices",
            "A user's notifications, newest first, as the user's inbox has them. Audited.",
            notices,
        )
        .staff(SUPPORT)
        .fails(&[Reason::NotFound]),
        Route::get(
            "/admin/user/security_log",
            "listUserSecurityLog",
            "What was done to a user's account, newest first, as the user sees it.",
            security_log,
        )
        .staff(SUPPORT)
        .fails(&[Reason::NotFound]),
        Route::post(
            "/admin/user/sessions/end",
            "endUserSessions",
            "Ends all sessions of a user, for a reason, and forgets the user's devices.",
            end_sessions,
        )
        .staff(SUPPORT)
        .fails(&[Reason::NotFound])
        .says(Success::Update),
    ]
}

async fn coupons(
    call: Call,
    Query(query): Query<UserCouponQuery>,
) -> Result<UserCouponPage, Failure> {
    let message = coupon::AdminListCouponsRequest {
        user_id: query.user_id,
        state: query.state.map_or(0, Into::into),
        page: page(query.cursor, query.limit),
    };
    let response = send!(call.reading(), coupon_admin.admin_list_coupons, message).await?;
    UserCouponPage::from_proto(response)
}

async fn notices(
    call: Call,
    Query(query): Query<UserNoticeQuery>,
) -> Result<UserNoticePage, Failure> {
    let message = notification::AdminListNotificationsRequest {
        user_id: query.user_id,
        category: query.category.map_or(0, Into::into),
        filter: query.filter.map_or(0, Into::into),
        page: page(query.cursor, query.limit),
    };
    let response = send!(
        call.reading(),
        notification_admin.admin_list_notifications,
        message
    )
    .await?;
    UserNoticePage::from_proto(response)
}

async fn security_log(
    call: Call,
    Query(query): Query<UserSecurityLogQuery>,
) -> Result<Page<SecurityEntry>, Failure> {
    let message = auth::AdminListSecurityLogRequest {
        user_id: query.user_id,
        page: page(query.cursor, query.limit),
    };
    let response = send!(call.reading(), auth_admin.admin_list_security_log, message).await?;
    Page::from_proto(response.items, response.next_cursor)
}

async fn end_sessions(
    call: Call,
    Json(request): Json<EndUserSessionsRequest>,
) -> Result<EndedSessions, Failure> {
    let message = auth::EndUserSessionsRequest {
        user_id: request.user_id,
        reason: request.reason,
    };
    let response = send!(call.writing(), auth_admin.end_user_sessions, message).await?;
    EndedSessions::from_proto(response)
}
