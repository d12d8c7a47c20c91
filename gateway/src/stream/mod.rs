//! Event streams: they tell pages what has changed, so that pages need not poll.
//!
//! | event | data | what a page does |
//! |---|---|---|
//! | `unread` | `at`, `total`, `sequence` | shows the total, unless it knows one with a larger sequence; without a total it asks |
//! | `wallet` | `at`, `sequence`: number of the newest posting, 0 while the stream knows none | fetches the wallet |
//! | `plan` | `at`, `id`, `sequence`; without an id any plan may have changed | fetches the plan, lists and statistics |
//!
//! Events may be duplicate or spurious, and come in any order; of two about one thing, the one with the larger sequence is
//! later. Changes in quick succession are announced once, and after a gap everything is announced.
//!
//! While a user has streams here, the gateway subscribes to that user's events only. Nothing is missed from the
//! moment of the subscription. That moment itself counts as a change of everything, because the page may have fetched
//! before.

mod change;
mod feed;
mod listener;
pub(crate) mod pace;
pub(crate) mod sse;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use adfolio_kit::consumer::{EventSink, Interests, Subscription};
use adfolio_kit::identity::UserId;
use adfolio_kit::outbox::subject_key;
use adfolio_kit::refusal::{Reason, Refusal};
use adfolio_kit::shutdown::Shutdown;
use axum::http::StatusCode;
use tokio::sync::{Notify, Semaphore};
use uuid::Uuid;

use crate::auth::Sessions;
use crate::config::GatewayConfig;
use crate::errors::Failure;
use crate::services::Services;
use change::{Change, Changes};

pub use listener::Listener;

/// Maximum number of sessions verified, and of counts read, at the same time. After a gap all streams do both at once.
const CHECKED_AT_A_TIME: usize = 16;

/// When a client that got no stream may try again.
const RETRY: Duration = Duration::from_secs(10);

/// Routing keys of events for all users.
const ANNOUNCEMENTS: &str = "adfolio.notification.v1.AnnouncementPublished";

/// The pending changes of one stream.
#[derive(Debug, Default)]
struct Signal {
    changes: Mutex<Changes>,
    raised: Notify,
    /// The stream's session may have ended.
    doubted: Notify,
}

impl Signal {
    fn raise(&self, changes: &[Change]) {
        let mut pending = self.pending();
        for change in changes {
            pending.add(*change);
        }
        drop(pending);
        self.raised.notify_one();
    }

    /// Waits for a pending change. It takes nothing, so it may be dropped at any time.
    async fn wait(&self) {
        while self.pending().is_empty() {
            self.raised.notified().await;
        }
    }

    fn take(&self) -> Changes {
        std::mem::take(&mut self.pending())
    }

    fn pending(&self) -> MutexGuard<'_, Changes> {
        self.changes.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The streams of one user.
#[derive(Debug, Default)]
struct UserStreams {
    /// Whether the subscription includes the user.
    heard: bool,
    signals: Vec<Arc<Signal>>,
}

/// All open streams. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Streams(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    users: Mutex<HashMap<Uuid, UserStreams>>,
    interests: Interests,
    sessions: Sessions,
    services: Services,
    checks: Semaphore,
    open: Semaphore,
    per_user: usize,
    max_age: Duration,
    end: Shutdown,
    last_end: Shutdown,
}

impl Streams {
    /// No streams yet. Streams end with `shutdown`; those that open after it end with `closing`.
    pub fn new(
        config: &GatewayConfig,
        (sessions, services): (Sessions, Services),
        (shutdown, closing): (&Shutdown, &Shutdown),
    ) -> Self {
        let limit = |number: u32| usize::try_from(number).unwrap_or(usize::MAX);
        Self(Arc::new(Shared {
            users: Mutex::default(),
            interests: Interests::default(),
            sessions,
            services,
            checks: Semaphore::new(CHECKED_AT_A_TIME),
            open: Semaphore::new(limit(config.max_streams).min(Semaphore::MAX_PERMITS)),
            per_user: limit(config.max_streams_per_user),
            max_age: Duration::from_secs(config.stream_max_age_seconds),
            end: shutdown.clone(),
            last_end: closing.clone(),
        }))
    }

    /// The subscription that feeds the streams. It includes the users with streams.
    pub fn subscription(&self) -> Subscription {
        Subscription::ephemeral("gateway")
            .bind(ANNOUNCEMENTS)
            .with_interests(self.0.interests.clone())
    }

    /// The consumer of the subscription.
    pub fn sink(&self) -> impl EventSink + use<> {
        feed::Feed(self.clone())
    }

    /// Opens a stream, unless the limit per user or in total is reached.
    fn begin(&self, user: UserId) -> Result<Arc<Signal>, Failure> {
        let Ok(permit) = self.0.open.try_acquire() else {
            return Err(refused(
                StatusCode::SERVICE_UNAVAILABLE,
                Reason::Unavailable,
            ));
        };
        let signal = Arc::new(Signal::default());
        let mut users = self.lock();
        let streams = users.entry(user.0).or_default();
        if streams.signals.len() >= self.0.per_user {
            return Err(refused(
                StatusCode::TOO_MANY_REQUESTS,
                Reason::TooManyAttempts,
            ));
        }
        if streams.heard {
            signal.raise(&[Change::Everything]);
        }
        streams.signals.push(Arc::clone(&signal));
        // Under the lock, so that it cannot race with the removal of the user's last stream.
        self.0.interests.add(subject_key(user.0));
        permit.forget();
        metrics::gauge!("gateway_event_streams").increment(1);
        Ok(signal)
    }

    /// When a stream that opens now ends. A stream that opens during the notice lasts until the last requests are
    /// answered. Otherwise its client would reconnect at once, perhaps to this gateway again.
    fn end(&self) -> Shutdown {
        let shared = &self.0;
        if shared.end.is_triggered() {
            shared.last_end.clone()
        } else {
            shared.end.clone()
        }
    }

    fn finish(&self, user: UserId, signal: &Arc<Signal>) {
        let mut users = self.lock();
        if let Some(streams) = users.get_mut(&user.0) {
            streams.signals.retain(|other| !Arc::ptr_eq(other, signal));
            if streams.signals.is_empty() {
                users.remove(&user.0);
                self.0.interests.remove(&subject_key(user.0));
            }
        }
        self.0.open.add_permits(1);
        metrics::gauge!("gateway_event_streams").decrement(1);
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<Uuid, UserStreams>> {
        self.0.users.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// No stream for now.
pub(crate) fn refused(status: StatusCode, reason: Reason) -> Failure {
    Failure {
        refusal: Refusal::new(reason).retry_after(RETRY),
        status,
        lang: None,
    }
}
