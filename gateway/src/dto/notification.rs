//! The inbox.

use std::collections::BTreeMap;

use adfolio_proto::notification::v1 as notification;
use adfolio_proto::notification::v1::create_notification_request::To;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::announcement::AnnouncementState;
use super::content::by_code;
use super::{PageLimit, Timestamp, TimestampInput, wire_enum, wire_struct};
use crate::lang::Lang;

wire_enum! {
    /// Category of a notification.
    Category = notification::Category {
        /// System announcement.
        Announcement,
        /// System maintenance.
        Maintenance,
        /// Activity on the user's own account.
        Activity,
    }
}

/// Filter by category.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum CategoryFilter {
    /// All categories.
    All,
    /// System announcements.
    Announcement,
    /// System maintenance.
    Maintenance,
    /// Activity on the user's own account.
    Activity,
}

impl From<CategoryFilter> for i32 {
    fn from(filter: CategoryFilter) -> Self {
        let proto = match filter {
            CategoryFilter::All => notification::Category::Unspecified,
            CategoryFilter::Announcement => notification::Category::Announcement,
            CategoryFilter::Maintenance => notification::Category::Maintenance,
            CategoryFilter::Activity => notification::Category::Activity,
        };
        proto as Self
    }
}

/// Filter by read state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ReadFilter {
    /// All.
    All,
    /// Unread notifications.
    Unread,
    /// Read notifications.
    Read,
}

impl From<ReadFilter> for i32 {
    fn from(filter: ReadFilter) -> Self {
        let proto = match filter {
            ReadFilter::All => notification::ReadFilter::Unspecified,
            ReadFilter::Unread => notification::ReadFilter::Unread,
            ReadFilter::Read => notification::ReadFilter::Read,
        };
        proto as Self
    }
}

wire_struct! {
    /// A notification.
    pub struct Notification = notification::Notification {
        /// Opaque id.
        #[schema(example = "0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e36")]
        pub id: String,
        /// Its category.
        pub category: Category,
        /// Title in the caller's language.
        #[schema(example = "Deposit credited")]
        pub title: String,
        /// Text in the caller's language.
        #[schema(example = "2,000.00 was added to your available funds.")]
        pub content: String,
        /// Whether it was read.
        pub read: bool,
        /// When it was created.
        pub time: Timestamp,
        /// What it is about.
        pub kind: NotificationKind,
        /// What it leads to; null if it is not about one thing.
        #[schema(required = true)]
        pub target: Option<NotificationTarget>,
    }
}

wire_enum! {
    /// What a notification is about.
    NotificationKind = notification::NotificationKind {
        /// Money came or left.
        Money,
        /// A plan took a step.
        Plan,
        /// Something that protects the account or the wallet changed.
        Security,
        /// Everything else: coupons, replies, what staff write.
        Offer,
    }
}

wire_enum! {
    /// What a notification leads to.
    NotificationTargetKind = notification::NotificationTargetKind {
        /// An entry of the fund details.
        Entry,
        /// A withdrawal.
        Withdrawal,
        /// An exchange order.
        Exchange,
        /// A plan.
        Plan,
        /// A coupon.
        Coupon,
    }
}

wire_struct! {
    /// One thing that a notification leads to.
    pub struct NotificationTarget = notification::NotificationTarget {
        /// What it is.
        pub kind: NotificationTargetKind,
        /// Its id.
        #[schema(example = "0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e34-1")]
        pub id: String,
    }
}

wire_struct! {
    /// A page of notifications.
    pub struct NotificationPage = notification::ListNotificationsResponse {
        /// The notifications, newest first.
        pub items: Vec<Notification>,
        /// Cursor of the next page; null on the last page.
        #[schema(required = true)]
        pub next_cursor: Option<String>,
        /// Number of unread notifications in all categories.
        #[schema(example = 3)]
        pub unread_total: i64,
        /// Of two counts, also those of the event stream, the one with the larger number is later.
        #[schema(example = 12)]
        pub sequence: i64,
    }
}

/// Filters for notifications.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct NotificationListRequest {
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

/// Marks one notification (`id`) or all of them (`all`), optionally of one category, as read.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct MarkReadRequest {
    /// One notification.
    #[schema(example = "0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e36")]
    pub id: Option<String>,
    /// All of them.
    pub all: Option<bool>,
    /// With `all`: only notifications of this category.
    pub category: Option<CategoryFilter>,
}

/// Number of unread notifications.
#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
pub struct UnreadTotal {
    /// Number of unread notifications in all categories.
    #[schema(example = 3)]
    pub unread_total: i64,
    /// Of two counts, also those of the event stream, the one with the larger number is later.
    #[schema(example = 12)]
    pub sequence: i64,
}

/// All users.
#[derive(Clone, Copy, Debug, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Everybody {
    /// All users registered so far.
    All,
}

/// Recipients of a notification: `"all"` or a list of user ids.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(untagged)]
pub enum Recipients {
    /// All users.
    #[schema(title = "Everybody")]
    Everybody(Everybody),
    /// These users, 1 to 1000.
    #[schema(title = "Users")]
    Users(Vec<String>),
}

/// Publishes a notification.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct CreateNotificationRequest {
    /// Its category.
    pub category: Category,
    /// Recipients: `"all"` or user ids.
    pub to: Recipients,
    /// Title by language, at most 200 characters each; `en` is required.
    #[schema(example = json!({"en": "Maintenance on Sunday"}))]
    pub title: BTreeMap<Lang, String>,
    /// Text by language, at most 5000 characters each; `en` is required.
    #[schema(example = json!({"en": "The console is not available from 02:00 to 03:00 UTC."}))]
    pub content: BTreeMap<Lang, String>,
    /// When it is published, within a year; at once if absent.
    pub publish_at: Option<TimestampInput>,
}

impl CreateNotificationRequest {
    /// To a service's message.
    pub fn into_proto(self) -> notification::CreateNotificationRequest {
        let to = match self.to {
            Recipients::Everybody(Everybody::All) => To::All(true),
            Recipients::Users(user_ids) => To::Users(notification::UserIds { user_ids }),
        };
        notification::CreateNotificationRequest {
            category: self.category.into(),
            to: Some(to),
            title: by_code(self.title),
            content: by_code(self.content),
            publish_at: self.publish_at.map(TimestampInput::into_proto),
        }
    }
}

wire_struct! {
    /// A notification that is published or scheduled.
    pub struct PublishedNotification = notification::CreateNotificationResponse {
        /// Its id.
        #[schema(example = "0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e36")]
        pub id: String,
        /// Number of recipients; 0 for all users.
        #[schema(example = 1)]
        pub recipients: i64,
        /// Whether it is published or scheduled.
        pub state: AnnouncementState,
    }
}
