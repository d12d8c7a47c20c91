//! Versions of the texts that staff edit.

use adfolio_proto::notification::v1 as notification;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::content::Content;
use super::{Timestamp, present, wire_struct};
use crate::errors::Failure;

wire_struct! {
    /// A change of the texts that staff edit.
    pub struct ContentVersion = notification::ContentVersion as version {
        /// Its number; the first is what stood when versions began to be kept.
        #[schema(example = 7)]
        pub version: i64,
        /// The parts that it changed.
        #[schema(example = json!(["faq", "marketing_headline"]))]
        pub parts: Vec<String>,
        /// The member of staff who made it; null for the first.
        #[schema(required = true, example = "0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e39")]
        pub made_by: Option<String>,
        /// When.
        pub time: Timestamp,
        /// Why; null without a reason.
        #[schema(required = true, example = "New fees from December")]
        pub reason: Option<String>,
        /// The version that it restored.
        #[schema(required = true)]
        pub restored: Option<i64> = ((version.restored != 0).then_some(version.restored)),
    }
}

/// A version, with all texts as it left them.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct ContentVersionDetail {
    /// What changed, and who changed it.
    pub change: ContentVersion,
    /// All texts as it left them.
    pub content: Content,
}

impl ContentVersionDetail {
    /// From a service's message.
    pub fn from_proto(response: notification::GetContentVersionResponse) -> Result<Self, Failure> {
        let change = ContentVersion::from_proto(present(response.version, "version")?)?;
        let content = present(response.content, "content")?;
        let content = Content::from_proto(content, change.version)?;
        Ok(Self { change, content })
    }
}

/// Selects a version.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct ContentVersionQuery {
    /// Its number.
    #[schema(minimum = 1, example = 6)]
    pub version: i64,
}

/// Makes what an old version left the texts again, as a new version.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct RestoreContentRequest {
    /// The version to restore.
    #[schema(minimum = 1, example = 6)]
    pub version: i64,
    /// The parts to restore, by the names that versions have; all if absent.
    #[schema(example = json!(["faq"]))]
    pub parts: Option<Vec<String>>,
    /// The version that stands; whichever does if absent.
    #[schema(minimum = 1, example = 7)]
    pub current: Option<i64>,
    /// Why, 1 to 500 characters; visible to staff only.
    #[schema(example = "The new answers were wrong")]
    pub reason: String,
}
