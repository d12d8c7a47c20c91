//! Feedback.

use adfolio_kit::mirror;
use adfolio_kit::mirror::Mirrored as _;
use adfolio_kit::wire;
use adfolio_proto::notification::v1 as proto;

use crate::feedback::{Feedback, State};
use crate::ids::FeedbackId;

mirror! {
    State = proto::FeedbackState,
}

/// The name of a filtered list, for its cursors.
pub fn list_name(state: Option<State>) -> String {
    format!("feedback.{}", state.map_or("all", State::as_str))
}

impl From<&Feedback> for proto::Feedback {
    fn from(feedback: &Feedback) -> Self {
        Self {
            id: feedback.id.to_string(),
            user_id: feedback.user.to_string(),
            topic: feedback.topic.clone(),
            content: feedback.content.clone(),
            image_file_ids: feedback.images.clone(),
            state: feedback.state.to_wire(),
            reply: feedback.reply.clone(),
            time: Some(wire::timestamp(feedback.created_at)),
            closed_at: feedback.closed_at.map(wire::timestamp),
            closed_by: feedback
                .closed_by
                .map(|by| by.to_string())
                .unwrap_or_default(),
        }
    }
}

impl From<&Feedback> for proto::CloseFeedbackResponse {
    fn from(feedback: &Feedback) -> Self {
        Self {
            feedback: Some(feedback.into()),
        }
    }
}

impl From<&FeedbackId> for proto::SubmitFeedbackResponse {
    fn from(id: &FeedbackId) -> Self {
        Self { id: id.to_string() }
    }
}
