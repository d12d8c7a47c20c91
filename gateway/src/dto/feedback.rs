//! Feedback of users.

use adfolio_proto::notification::v1 as notification;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::staff::UserName;
use super::{PageLimit, Timestamp, wire_enum, wire_struct};
use crate::paths::file_url;

/// Hands in feedback.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct FeedbackRequest {
    /// Subject, 1 to 200 characters.
    #[schema(example = "Delivery")]
    pub topic: String,
    /// Text, 1 to 5000 characters.
    #[schema(example = "The series of my plan shows no clicks since noon.")]
    pub content: String,
    /// Ids of the caller's own uploads, at most 9.
    #[schema(max_items = 9)]
    pub images: Option<Vec<String>>,
}

/// The id of what was made.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct Created {
    /// Opaque id.
    #[schema(example = "0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e3f")]
    pub id: String,
}

wire_enum! {
    /// Where feedback stands.
    FeedbackState = notification::FeedbackState {
        /// Waits for staff.
        Open,
        /// Dealt with.
        Closed,
    }
}

wire_struct! {
    /// Feedback with its user.
    pub struct Feedback = notification::Feedback as feedback, user: UserName {
        /// Opaque id.
        #[schema(example = "0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e3f")]
        pub id: String,
        /// Whose feedback.
        pub user: UserName = (user),
        /// Subject.
        #[schema(example = "Delivery")]
        pub topic: String,
        /// Text.
        #[schema(example = "The series of my plan shows no clicks since noon.")]
        pub content: String,
        /// Addresses of its images.
        pub images: Vec<String> = (feedback.image_file_ids.iter().map(|id| file_url(id)).collect()),
        /// Where it stands.
        pub state: FeedbackState,
        /// What staff replied.
        #[schema(required = true)]
        pub reply: Option<String>,
        /// When it came.
        pub time: Timestamp,
        /// When it was closed.
        #[schema(required = true)]
        pub closed_at: Option<Timestamp>,
    }
}

/// Asks for feedback of all users.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct FeedbackListQuery {
    /// Only this state.
    pub state: Option<FeedbackState>,
    /// Position from the page before (`next_cursor`); absent asks for the first page.
    #[schema(max_length = 1024)]
    pub cursor: Option<String>,
    /// Rows wanted; 20 when absent.
    pub limit: Option<PageLimit>,
}

/// Closes feedback.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct CloseFeedbackRequest {
    /// The feedback.
    #[schema(example = "0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e3f")]
    pub id: String,
    /// Told to the user as a notification, at most 2000 characters; nothing is told when absent.
    #[schema(example = "The network restated its report; the clicks are there now.")]
    pub reply: Option<String>,
}
