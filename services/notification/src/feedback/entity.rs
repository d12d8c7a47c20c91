//! Feedback and its two states.

use adfolio_kit::identity::UserId;
use adfolio_kit::names;
use adfolio_kit::refusal::Refusal;
use chrono::{DateTime, Utc};

use crate::error::NotificationError;
use crate::ids::{FeedbackId, StaffId};
use crate::localized::{Form, check_text};

/// Characters of a topic at most.
const LONGEST_TOPIC: usize = 200;

/// Characters of a text at most.
const LONGEST_CONTENT: usize = 5_000;

/// Characters of a reply at most.
const LONGEST_REPLY: usize = 2_000;

/// Images at most.
const MOST_IMAGES: usize = 9;

/// Bytes of an image's id at most.
const LONGEST_IMAGE_ID: usize = 200;

names! {
    /// Where feedback stands.
    State {
        Open,
        Closed,
    }
}

/// What a user hands in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Draft {
    pub topic: String,
    pub content: String,
    pub images: Vec<String>,
}

impl Draft {
    /// Checks what was sent.
    pub fn check(topic: &str, content: &str, images: Vec<String>) -> Result<Self, Refusal> {
        let is_id = |id: &String| {
            (1..=LONGEST_IMAGE_ID).contains(&id.len())
                && id.bytes().all(|byte| byte.is_ascii_graphic())
        };
        let topic = check_text(topic, Form::Line, LONGEST_TOPIC, "topic")?;
        let content = check_text(content, Form::Paragraphs, LONGEST_CONTENT, "content")?;
        if images.len() > MOST_IMAGES || !images.iter().all(is_id) {
            return Err(Refusal::invalid("images"));
        }
        Ok(Self {
            topic,
            content,
            images,
        })
    }
}

/// A reply as it was sent; an empty one is none.
pub fn check_reply(reply: &str) -> Result<String, Refusal> {
    if reply.trim().is_empty() {
        return Ok(String::new());
    }
    check_text(reply, Form::Paragraphs, LONGEST_REPLY, "reply")
}

/// Feedback of a user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Feedback {
    pub id: FeedbackId,
    pub user: UserId,
    pub topic: String,
    pub content: String,
    pub images: Vec<String>,
    pub state: State,
    /// What staff replied; empty without a reply.
    pub reply: String,
    pub created_at: DateTime<Utc>,
    pub closed_at: Option<DateTime<Utc>>,
    pub closed_by: Option<StaffId>,
}

impl Feedback {
    /// Closes it, once: nobody answers over somebody else's answer.
    pub fn close(
        mut self,
        reply: String,
        by: StaffId,
        now: DateTime<Utc>,
    ) -> Result<Self, NotificationError> {
        if self.state == State::Closed {
            return Err(NotificationError::FeedbackClosed);
        }
        self.state = State::Closed;
        self.reply = reply;
        self.closed_at = Some(now);
        self.closed_by = Some(by);
        Ok(self)
    }
}
