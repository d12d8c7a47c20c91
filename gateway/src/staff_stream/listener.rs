//! An event stream of a member of staff.

use std::sync::Arc;
use std::time::Duration;

use adfolio_kit::identity::{Caller, Staff};
use adfolio_kit::refusal::Reason;
use adfolio_kit::shutdown::Shutdown;
use axum::response::Response;
use bytes::Bytes;
use chrono::Utc;
use serde_json::json;
use tokio::time::{Instant, sleep_until};

use super::topic::Topic;
use super::{Signal, StaffStreams};
use crate::auth::Token;
use crate::errors::Failure;
use crate::second_factor::Demand;
use crate::stream::sse::{self, BEAT, BEAT_INTERVAL, CHECK_INTERVAL, GREETING};

/// Minimum interval between two hints.
const HINT_INTERVAL: Duration = Duration::from_secs(1);

/// An open stream. Dropping it ends it.
#[derive(Debug)]
pub struct StaffListener {
    streams: StaffStreams,
    staff: Staff,
    token: Token,
    signal: Arc<Signal>,
    end: Shutdown,
    greeted: bool,
    ends_at: Instant,
    check_at: Instant,
    beat_at: Instant,
    quiet_until: Instant,
}

impl StaffListener {
    /// Opens a stream of a member of staff, with their session's token.
    pub fn open(streams: &StaffStreams, staff: Staff, token: Token) -> Result<Self, Failure> {
        let signal = streams.begin(staff)?;
        let now = Instant::now();
        Ok(Self {
            staff,
            token,
            signal,
            end: streams.end(),
            greeted: false,
            ends_at: now + streams.0.max_age,
            check_at: now + CHECK_INTERVAL,
            beat_at: now + BEAT_INTERVAL,
            quiet_until: now,
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
        if !self.greeted {
            self.greeted = true;
            return Some(Bytes::from_static(GREETING));
        }
        loop {
            let hinted = async {
                self.signal.wait().await;
                sleep_until(self.quiet_until).await;
            };
            let check = tokio::select! {
                biased;
                () = self.end.cancelled() => return None,
                () = sleep_until(self.ends_at) => return None,
                () = self.signal.doubted.notified() => true,
                () = sleep_until(self.check_at) => true,
                () = hinted => false,
                () = sleep_until(self.beat_at) => {
                    self.beat_at = Instant::now() + BEAT_INTERVAL;
                    return Some(Bytes::from_static(BEAT));
                }
            };
            if !check {
                let now = Instant::now();
                self.quiet_until = now + HINT_INTERVAL;
                self.beat_at = now + BEAT_INTERVAL;
                let topics = self.signal.take().into_iter();
                let kinds: Vec<&str> = topics.map(Topic::as_str).collect();
                return Some(sse::event("changed", &json!({"kinds": kinds})).into());
            }
            self.check_at = Instant::now() + CHECK_INTERVAL;
            if !self.may_go_on().await {
                return None;
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
