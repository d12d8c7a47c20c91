//! A user's coupons, notifications and security log, as staff see them.

use adfolio_proto::auth::v1 as auth;
use adfolio_proto::coupon::v1 as coupon;
use adfolio_proto::notification::v1 as notification;
use serde::Deserialize;
use utoipa::ToSchema;

use super::coupon::{Coupon, CouponCounts, CouponState};
use super::notification::{CategoryFilter, Notification, ReadFilter};
use super::{PageLimit, wire_struct};

wire_struct! {
    /// A page of a user's coupons.
    pub struct UserCouponPage = coupon::AdminListCouponsResponse {
        /// The coupons, newest first.
        pub items: Vec<Coupon>,
        /// Cursor of the next page; null on the last page.
        #[schema(required = true)]
        pub next_cursor: Option<String>,
        /// Counts by state.
        pub counts: CouponCounts,
    }
}

/// Filters for a user's coupons.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct UserCouponQuery {
    /// The user.
    #[schema(example = "0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e2f")]
    pub user_id: String,
    /// The state; unused if absent.
    pub state: Option<CouponState>,
    /// `next_cursor` of the previous page; the first page if absent.
    #[schema(max_length = 1024)]
    pub cursor: Option<String>,
    /// Maximum number of items; 20 if absent.
    pub limit: Option<PageLimit>,
}

wire_struct! {
    /// A page of a user's notifications.
    pub struct UserNoticePage = notification::AdminListNotificationsResponse {
        /// The notifications, newest first, in the caller's language.
        pub items: Vec<Notification>,
        /// Cursor of the next page; null on the last page.
        #[schema(required = true)]
        pub next_cursor: Option<String>,
        /// Number of unread notifications in all categories.
        #[schema(example = 3)]
        pub unread_total: i64,
    }
}

/// Filters for a user's notifications.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct UserNoticeQuery {
    /// The user.
    #[schema(example = "0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e2f")]
    pub user_id: String,
    /// The category; all if absent.
    pub category: Option<CategoryFilter>,
    /// Read or unread; all if absent.
    pub filter: Option<ReadFilter>,
    /// `next_cursor` of the previous page; the first page if absent.
    #[schema(max_length = 1024)]
    pub cursor: Option<String>,
    /// Maximum number of items; 20 if absent.
    pub limit: Option<PageLimit>,
}

/// Selects a page of a user's security log.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct UserSecurityLogQuery {
    /// The user.
    #[schema(example = "0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e2f")]
    pub user_id: String,
    /// `next_cursor` of the previous page; the first page if absent.
    #[schema(max_length = 1024)]
    pub cursor: Option<String>,
    /// Maximum number of items; 20 if absent.
    pub limit: Option<PageLimit>,
}

/// Ends all sessions of a user.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct EndUserSessionsRequest {
    /// The user.
    #[schema(example = "0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e2f")]
    pub user_id: String,
    /// Why, 1 to 500 characters; the user's security log shows it.
    #[schema(example = "The user reported a stolen phone")]
    pub reason: String,
}

wire_struct! {
    /// The sessions of a user have ended.
    pub struct EndedSessions = auth::EndUserSessionsResponse {
        /// How many had not ended before.
        #[schema(example = 2)]
        pub ended: i64,
    }
}
