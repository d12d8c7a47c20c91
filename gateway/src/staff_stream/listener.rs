//! An event stream of a member of staff.

use std::sync::Arc;
use std::time::Duration;

use adfolio_kit::identity::{Caller, Staff};
use adfolio_kit::refusal::Reason;
use axum::response::Response;
use bytes::Bytes;
use chrono::Utc;
use serde_json::json;

use super::topic::Topic;
use super::{Signal, StaffStreams};
use crate::auth::Token;
use crate::errors::Failure;
use crate::second_factor::Demand;
use crate::stream::pace::{Pace, Turn};
use crate::stream::sse;

/// Minimum interval between two hints.
const HINT_INTERVAL: Duration = Duration::from_secs(1);

/// An open stream. Dropping it ends it.
#[derive(Debug)]
pub struct StaffListener {
    streams: StaffStreams,
    staff: Staff,
    token: Token,
    signal: Arc<Signal>,
    pace: Pace,
}

impl StaffListener {
    /// Opens a stream of a member of staff, with their session's token.
    pub fn open(streams: &StaffStreams, staff: Staff, token: Token) -> Result<Self, Failure> {
        let signal = streams.begin(staff)?;
        Ok(Self {
            staff,
            token,
            signal,
            pace: Pace::begin(streams.end(), streams.0.max_age, HINT_INTERVAL),
            streams: streams.clone(),
        })
    }

    /// The answer, which lasts until the stream ends.
    pub fn into_response(self) -> Response {
        sse::response(futures::stream::unfold(self, |mut listener| async move {
            let piece = listener.next().await?;
            Some((Ok(piece), listener))
        }))
    }

    /// The next chunk of the stream; none at its end.
    async fn next(&mut self) -> Option<Bytes> {
        loop {
            let doubted = self.signal.doubted.notified();
            match self.pace.turn(self.signal.wait(), doubted).await {
                Turn::Send(piece) => return Some(Bytes::from_static(piece)),
                Turn::SendChanges => {
                    let topics = self.signal.take().into_iter();
                    let kinds: Vec<&str> = topics.map(Topic::as_str).collect();
                    return Some(sse::event("changed", &json!({"kinds": kinds})).into());
                }
                Turn::Check if self.may_go_on().await => {}
                Turn::Check | Turn::End => return None,
            }
        }
    }

    /// Whether the session is valid, still of this role, and does not lack its second factor. True while that is unknown.
    async fn may_go_on(&self) -> bool {
        let shared = &self.streams.0;
        let Ok(_turn) = shared.checks.acquire().await else {
            return false;
        };
        match shared.sessions.staff(&self.token, &Caller::system()).await {
            Ok(session) => {
                session.staff == self.staff
                    && !session.must_change_password
                    && Demand::Shown.check(&session, Utc::now()).is_ok()
            }
            Err(failure) => !matches!(
                failure.refusal.reason,
                Reason::NotAuthenticated | Reason::SessionExpired
            ),
        }
    }
}

impl Drop for StaffListener {
    fn drop(&mut self) {
        self.streams.finish(&self.signal);
    }
}
