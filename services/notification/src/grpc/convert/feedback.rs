//! Feedback.

use adfolio_kit::refusal::Refusal;
use adfolio_kit::wire;
use adfolio_proto::notification::v1 as pb;

use crate::feedback::{Feedback, State};

pub fn state_from_wire(state: i32) -> Result<Option<State>, Refusal> {
    match pb::FeedbackState::try_from(state) {
        Ok(pb::FeedbackState::Unspecified) => Ok(None),
        Ok(pb::FeedbackState::Open) => Ok(Some(State::Open)),
        Ok(pb::FeedbackState::Closed) => Ok(Some(State::Closed)),
        Err(_) => Err(Refusal::invalid("state")),
    }
}

/// The name of a filtered list, for its cursors.
pub fn list_name(state: Option<State>) -> String {
    format!("feedback.{}", state.map_or("all", State::as_str))
}

impl From<Feedback> for pb::Feedback {
    fn from(feedback: Feedback) -> Self {
        let state = match feedback.state {
            State::Open => pb::FeedbackState::Open,
            State::Closed => pb::FeedbackState::Closed,
        };
        Self {
            id: feedback.id.to_string(),
            user_id: feedback.user.to_string(),
            topic: feedback.topic,
            content: feedback.content,
            image_file_ids: feedback.images,
            state: state.into(),
            reply: feedback.reply,
            time: Some(wire::timestamp(feedback.created_at)),
            closed_at: feedback.closed_at.map(wire::timestamp),
        }
    }
}
