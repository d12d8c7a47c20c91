//! An event stream.

use std::sync::Arc;
use std::time::Duration;

use adfolio_kit::call;
use adfolio_kit::client::Call;
use adfolio_kit::identity::{Caller, UserId};
use adfolio_kit::refusal::Reason;
use adfolio_proto::auth::v1::UserState;
use adfolio_proto::notification::v1::CountUnreadRequest;
use axum::response::Response;
use bytes::Bytes;
use chrono::{SecondsFormat, Utc};
use serde_json::json;
use tracing::debug;

use super::change::Changes;
use super::pace::{Pace, Turn};
use super::sse::{self, event};
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
    pace: Pace,
}

impl Listener {
    /// Opens a stream of `user`, with their session's token.
    pub fn open(streams: &Streams, user: UserId, token: Token) -> Result<Self, Failure> {
        let signal = streams.begin(user)?;
        Ok(Self {
            user,
            token,
            signal,
            posting: 0,
            pace: Pace::begin(streams.end(), streams.0.max_age, TELL_INTERVAL),
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
                    let changes = self.signal.take();
                    return Some(self.events(changes).await);
                }
                Turn::Check if self.may_go_on().await => {}
                Turn::Check | Turn::End => return None,
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
