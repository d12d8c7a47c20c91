//! What staff publish, schedule and withdraw.

use std::collections::BTreeMap;

use adfolio_proto::notification::v1 as notification;
use adfolio_proto::notification::v1::edit_announcement_request::To;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::content::by_code;
use super::notification::{Category, Everybody, Recipients};
use super::staff::UserName;
use super::{PageLimit, Timestamp, TimestampInput, wire_enum, wire_struct};
use crate::lang::Lang;

wire_enum! {
    /// State of what staff publish.
    AnnouncementState = notification::AnnouncementState {
        /// Published at its time.
        Scheduled,
        /// Users have it.
        Published,
        /// Taken back before its time.
        Withdrawn,
    }
}

/// The audience of a notification.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum AnnouncementAudience {
    /// All users registered when it is published.
    All,
    /// Some users.
    Users,
}

wire_struct! {
    /// A notification as staff made it.
    pub struct Announcement = notification::Announcement as announcement {
        /// Its id.
        #[schema(example = "0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e36")]
        pub id: String,
        /// Its category.
        pub category: Category,
        /// Its state.
        pub state: AnnouncementState,
        /// Its audience.
        pub to: AnnouncementAudience = (if announcement.to_all { AnnouncementAudience::All } else { AnnouncementAudience::Users }),
        /// Number of recipients; 0 for all users.
        #[schema(example = 0)]
        pub recipients: i64,
        /// How many it has reached: its recipients, or the users who were active when it was published, a million at most.
        /// Null before, and while they are not counted.
        #[schema(required = true, example = 1204)]
        pub reached: Option<i64>,
        /// Title by language.
        #[schema(value_type = BTreeMap<String, String>, example = json!({"en": "Maintenance on Sunday"}))]
        pub title: BTreeMap<String, String>,
        /// Text by language.
        #[schema(
            value_type = BTreeMap<String, String>,
            example = json!({"en": "The console is not available from 02:00 to 03:00 UTC."})
        )]
        pub content: BTreeMap<String, String>,
        /// Counts its changes, beginning with 1.
        #[schema(example = 1)]
        pub version: i64,
        /// The member of staff who made it; null if that was not kept.
        #[schema(required = true, example = "0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e39")]
        pub made_by: Option<String>,
        /// When it was made.
        pub time: Timestamp,
        /// When it is to be published; null if it was published at once.
        #[schema(required = true)]
        pub publish_at: Option<Timestamp>,
        /// When it was published.
        #[schema(required = true)]
        pub published_at: Option<Timestamp>,
        /// The member of staff who last changed or withdrew it.
        #[schema(required = true)]
        pub changed_by: Option<String>,
        /// When they did.
        #[schema(required = true)]
        pub changed_at: Option<Timestamp>,
        /// Why it was withdrawn.
        #[schema(required = true)]
        pub withdrawal_reason: Option<String>,
    }
}

/// A notification as staff made it, with its recipients.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct AnnouncementDetail {
    /// The notification.
    #[serde(flatten)]
    pub announcement: Announcement,
    /// Its recipients, at most 1,000; none if it is for all users.
    pub users: Vec<UserName>,
}

/// Names an announcement.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct AnnouncementQuery {
    /// The announcement.
    #[schema(max_length = 64, example = "0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e36")]
    pub id: String,
}

wire_struct! {
    /// The audience of an announcement to all.
    pub struct AudienceSize = notification::GetAudienceResponse {
        /// How many users are active, a million at most.
        #[schema(example = 1204)]
        pub users: i64,
        /// Whether there are more.
        pub more: bool,
    }
}

/// Filters for what staff publish.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct AnnouncementListQuery {
    /// Only this state.
    pub state: Option<AnnouncementState>,
    /// `next_cursor` of the previous page; the first page if absent.
    #[schema(max_length = 1024)]
    pub cursor: Option<String>,
    /// Maximum number of items; 20 if absent.
    pub limit: Option<PageLimit>,
}

/// Changes a scheduled announcement. What is absent stays as it is.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct EditAnnouncementRequest {
    /// The announcement.
    #[schema(example = "0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e36")]
    pub id: String,
    /// The version that the change is based on.
    #[schema(minimum = 1, example = 1)]
    pub version: i64,
    /// Its category.
    pub category: Option<Category>,
    /// Recipients: `"all"` or user ids.
    pub to: Option<Recipients>,
    /// Title by language, at most 200 characters each; `en` is required.
    #[schema(value_type = Option<BTreeMap<Lang, String>>, example = json!({"en": "Maintenance on Sunday"}))]
    pub title: Option<BTreeMap<Lang, String>>,
    /// Text by language, at most 5000 characters each; `en` is required.
    #[schema(
        value_type = Option<BTreeMap<Lang, String>>,
        example = json!({"en": "The console is not available from 03:00 to 04:00 UTC."})
    )]
    pub content: Option<BTreeMap<Lang, String>>,
    /// When it is published, within a year.
    pub publish_at: Option<TimestampInput>,
}

impl EditAnnouncementRequest {
    /// To a service's message.
    pub fn into_proto(self) -> notification::EditAnnouncementRequest {
        let to = self.to.map(|to| match to {
            Recipients::Everybody(Everybody::All) => To::All(true),
            Recipients::Users(user_ids) => To::Users(notification::UserIds { user_ids }),
        });
        notification::EditAnnouncementRequest {
            id: self.id,
            version: self.version,
            category: self.category.map_or(0, Into::into),
            to,
            title: by_code(self.title.unwrap_or_default()),
            content: by_code(self.content.unwrap_or_default()),
            publish_at: self.publish_at.map(TimestampInput::into_proto),
        }
    }
}

/// Withdraws a scheduled announcement.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct WithdrawAnnouncementRequest {
    /// The announcement.
    #[schema(example = "0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e36")]
    pub id: String,
    /// Why, 1 to 500 characters; visible to staff only.
    #[schema(example = "The maintenance was postponed")]
    pub reason: String,
    /// The version that was looked at; whichever stands if absent.
    #[schema(minimum = 1, example = 1)]
    pub version: Option<i64>,
}
