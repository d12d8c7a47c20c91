//! Feedback of users.

use adfolio_proto::notification::v1 as notification;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::staff::UserName;
use super::{PageLimit, Timestamp, wire_enum, wire_struct};
use crate::paths::file_url;

/// Submits feedback.
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

/// The id of a new object.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct Created {
    /// Opaque id.
    #[schema(example = "0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e3f")]
    pub id: String,
}

wire_enum! {
    /// State of feedback.
    FeedbackState = notification::FeedbackState {
        /// Waiting for staff.
        Open,
        /// Handled by staff.
        Closed,
    }
}

wire_struct! {
    /// Feedback with its user.
    pub struct Feedback = notification::Feedback as feedback, user: UserName {
        /// Opaque id.
        #[schema(example = "0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e3f")]
        pub id: String,
        /// Its user.
        pub user: UserName = (user),
        /// Subject.
        #[schema(example = "Delivery")]
        pub topic: String,
        /// Text.
        #[schema(example = "The series of my plan shows no clicks since noon.")]
        pub content: String,
        /// Addresses of its images.
        pub images: Vec<String> = (feedback.image_file_ids.iter().map(|id| file_url(id)).collect()),
        /// Its state.
        pub state: FeedbackState,
        /// Reply of staff.
        #[schema(required = true)]
        pub reply: Option<String>,
        /// When it was created.
        pub time: Timestamp,
        /// When it was closed.
        #[schema(required = true)]
        pub closed_at: Option<Timestamp>,
        /// The member of staff who closed it.
        #[schema(required = true)]
        pub closed_by: Option<String>,
    }
}

/// Filters for the feedback of all users.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct FeedbackListQuery {
    /// Only this state.
    pub state: Option<FeedbackState>,
    /// `next_cursor` of the previous page; the first page if absent.
    #[schema(max_length = 1024)]
    pub cursor: Option<String>,
    /// Maximum number of items; 20 if absent.
    pub limit: Option<PageLimit>,
}

/// Closes feedback.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct CloseFeedbackRequest {
    /// The feedback.
    #[schema(example = "0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e3f")]
    pub id: String,
    /// Sent to the user as a notification, at most 2000 characters; no notification if absent.
    #[schema(example = "The network restated its report; the clicks are there now.")]
    pub reply: Option<String>,
}
