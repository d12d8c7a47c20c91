//! An event stream.

use std::sync::Arc;
use std::time::Duration;

use adfolio_kit::call;
use adfolio_kit::client::Call;
use adfolio_kit::identity::{Caller, UserId};
use adfolio_kit::refusal::Reason;
use adfolio_kit::shutdown::Shutdown;
use adfolio_proto::auth::v1::UserState;
use adfolio_proto::notification::v1::CountUnreadRequest;
use axum::response::Response;
use bytes::Bytes;
use chrono::{SecondsFormat, Utc};
use serde_json::json;
use tokio::time::{Instant, sleep_until};
use tracing::debug;

use super::change::Changes;
use super::sse::{self, BEAT, BEAT_INTERVAL, CHECK_INTERVAL, GREETING, event};
use super::{Signal, Streams};
use crate::auth::Token;
use crate::errors::Failure;

/// Minimum interval between two events of one kind.
const TELL_INTERVAL: Duration = Duration::from_millis(500);

/// Limit of reading how many notices are unread.
const COUNT_LIMIT: Duration = Duration::from_secs(3);

/// An open stream. Dropping it ends it.
#[derive(Debug)]
pub struct Listener {
    streams: Streams,
    user: UserId,
    token: Token,
    signal: Arc<Signal>,
    /// The newest posting that the stream knows of.
    posting: i64,
    end: Shutdown,
    greeted: bool,
    ends_at: Instant,
    check_at: Instant,
    beat_at: Instant,
    quiet_until: Instant,
}

impl Listener {
    /// Opens a stream of `user`, with their session's token.
    pub fn open(streams: &Streams, user: UserId, token: Token) -> Result<Self, Failure> {
        let signal = streams.begin(user)?;
        let now = Instant::now();
        Ok(Self {
            user,
            token,
            signal,
            posting: 0,
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
            let told = async {
                self.signal.wait().await;
                sleep_until(self.quiet_until).await;
            };
            let check = tokio::select! {
                biased;
                () = self.end.cancelled() => return None,
                () = sleep_until(self.ends_at) => return None,
                () = self.signal.doubted.notified() => true,
                () = sleep_until(self.check_at) => true,
                () = told => false,
                () = sleep_until(self.beat_at) => {
                    self.beat_at = Instant::now() + BEAT_INTERVAL;
                    return Some(Bytes::from_static(BEAT));
                }
            };
            if !check {
                let now = Instant::now();
                self.quiet_until = now + TELL_INTERVAL;
                self.beat_at = now + BEAT_INTERVAL;
                let changes = self.signal.take();
                return Some(self.events(changes).await);
            }
            self.check_at = Instant::now() + CHECK_INTERVAL;
            if !self.may_go_on().await {
                return None;
            }
        }
    }

    /// The events of some changes, in the format of event streams.
    async fn events(&mut self, changes: Changes) -> Bytes {
        let at = Utc::now().to_rfc3339_opts(SecondsFormat::Millis, true);
        let mut events = Vec::new();
        if changes.unread {
            let (total, sequence) = self.unread().await.unzip();
            events.push(event(
                "unread",
                &json!({"at": at, "total": total, "sequence": sequence.unwrap_or(0)}),
            ));
        }
        if changes.wallet {
            self.posting = self.posting.max(changes.posting.unwrap_or(0));
            events.push(event(
                "wallet",
                &json!({"at": at, "sequence": self.posting}),
            ));
        }
        if changes.all_plans {
            events.push(event("plan", &json!({"at": at, "id": null, "sequence": 0})));
        }
        let plans = changes.plans.iter();
        events.extend(plans.map(|(id, sequence)| {
            event("plan", &json!({"at": at, "id": id, "sequence": sequence}))
        }));
        events.concat().into()
    }

    /// How many notices are unread, with the sequence of the count; none while that cannot be read, so that the page asks.
    async fn unread(&self) -> Option<(i64, i64)> {
        let shared = &self.streams.0;
        let _turn = shared.checks.acquire().await.ok()?;
        let mut caller = Caller::system();
        let session = shared.sessions.user(&self.token, &caller).await.ok()?;
        session.identify(&mut caller);
        let notification = shared.services.notification.clone();
        let call = Call::repeated(&caller, COUNT_LIMIT);
        let counted = call!(notification, count_unread, CountUnreadRequest {}, call).await;
        match counted {
            Ok(count) => Some((count.unread_total, count.sequence)),
            Err(status) => {
                debug!(%status, "a stream does not know how many notices are unread");
                None
            }
        }
    }

    /// Whether the session is valid and the account active. True while that is unknown.
    async fn may_go_on(&self) -> bool {
        let shared = &self.streams.0;
        let Ok(_turn) = shared.checks.acquire().await else {
            return false;
        };
        match shared.sessions.user(&self.token, &Caller::system()).await {
            Ok(session) => session.user == self.user && session.state == UserState::Active,
            Err(failure) => !matches!(
                failure.refusal.reason,
                Reason::NotAuthenticated | Reason::SessionExpired
            ),
        }
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        self.streams.finish(self.user, &self.signal);
    }
}
