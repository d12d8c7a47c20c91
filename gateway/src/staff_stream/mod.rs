//! The event stream of staff: it hints to pages of the console what to read anew.
//!
//! `event: changed`, `data: {"kinds": ["withdrawals", …]}`: something of these [`Topic`]s may have changed. A hint has no
//! figure and no id, and a role hears only of what it may open. Hints may be duplicate or spurious; those in quick
//! succession are one. The first one names every topic, since the page may have read before, and so does one after a
//! gap. So nothing is replayed: a `Last-Event-ID` would say nothing that the first hint does not.
//!
//! The streams are fed by the events that services publish, of which the gateway receives those in [`topic`] while it
//! has a stream. What changes without an event is not hinted at; docs/console.md names it.

mod feed;
mod listener;
mod topic;

use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use adfolio_kit::consumer::{EventSink, Interests, Subscription};
use adfolio_kit::identity::Staff;
use adfolio_kit::refusal::Reason;
use adfolio_kit::shutdown::Shutdown;
use axum::http::StatusCode;
use tokio::sync::{Notify, Semaphore};
use uuid::Uuid;

use crate::auth::Sessions;
use crate::config::GatewayConfig;
use crate::errors::Failure;
use crate::stream::refused;

pub use listener::StaffListener;
pub use topic::Topic;

/// Maximum number of streams of staff. They have places of their own, so that users do not take them.
const MOST_STREAMS: usize = 500;

/// Maximum number of sessions verified at the same time. After a gap all streams do so at once.
const CHECKED_AT_A_TIME: usize = 16;

/// The topics that one stream has not hinted at yet: no more than there are topics.
#[derive(Debug)]
struct Signal {
    staff: Staff,
    topics: Mutex<BTreeSet<Topic>>,
    raised: Notify,
    /// The stream's session may have ended.
    doubted: Notify,
}

impl Signal {
    fn new(staff: Staff) -> Self {
        Self {
            staff,
            topics: Mutex::default(),
            raised: Notify::new(),
            doubted: Notify::new(),
        }
    }

    /// Adds what the member's role may open.
    fn raise(&self, topics: &[Topic]) {
        let mut pending = self.pending();
        let before = pending.len();
        let heard = topics.iter().filter(|topic| topic.is_for(self.staff.role));
        pending.extend(heard);
        if pending.len() > before {
            drop(pending);
            self.raised.notify_one();
        }
    }

    /// Waits for a pending topic. It takes nothing, so it may be dropped at any time.
    async fn wait(&self) {
        while self.pending().is_empty() {
            self.raised.notified().await;
        }
    }

    fn take(&self) -> BTreeSet<Topic> {
        std::mem::take(&mut self.pending())
    }

    fn pending(&self) -> MutexGuard<'_, BTreeSet<Topic>> {
        self.topics.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// All open streams of staff. Cheap to clone.
#[derive(Clone, Debug)]
pub struct StaffStreams(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    streams: Mutex<HashMap<Uuid, Vec<Arc<Signal>>>>,
    interests: Interests,
    sessions: Sessions,
    checks: Semaphore,
    open: Semaphore,
    per_person: usize,
    max_age: Duration,
    end: Shutdown,
    last_end: Shutdown,
}

impl StaffStreams {
    /// No streams yet. Streams end with `shutdown`; those that open after it end with `closing`.
    pub fn new(
        config: &GatewayConfig,
        sessions: Sessions,
        (shutdown, closing): (&Shutdown, &Shutdown),
    ) -> Self {
        Self(Arc::new(Shared {
            streams: Mutex::default(),
            interests: Interests::default(),
            sessions,
            checks: Semaphore::new(CHECKED_AT_A_TIME),
            open: Semaphore::new(MOST_STREAMS),
            per_person: usize::try_from(config.max_streams_per_user).unwrap_or(usize::MAX),
            max_age: Duration::from_secs(config.stream_max_age_seconds),
            end: shutdown.clone(),
            last_end: closing.clone(),
        }))
    }

    /// The subscription that feeds the streams. It receives nothing while there is none.
    pub fn subscription(&self) -> Subscription {
        Subscription::ephemeral("gateway").with_interests(self.0.interests.clone())
    }

    /// The consumer of the subscription.
    pub fn sink(&self) -> impl EventSink + use<> {
        feed::Feed(self.clone())
    }

    /// Opens a stream, unless the limit per person or in total is reached.
    fn begin(&self, staff: Staff) -> Result<Arc<Signal>, Failure> {
        let Ok(permit) = self.0.open.try_acquire() else {
            return Err(refused(
                StatusCode::SERVICE_UNAVAILABLE,
                Reason::Unavailable,
            ));
        };
        let signal = Arc::new(Signal::new(staff));
        let mut streams = self.lock();
        let of_person = streams.entry(staff.id).or_default();
        if of_person.len() >= self.0.per_person {
            return Err(refused(
                StatusCode::TOO_MANY_REQUESTS,
                Reason::TooManyAttempts,
            ));
        }
        // The page may have read before this moment. Where the subscription only begins with this stream, everything is
        // raised once more when it takes effect.
        signal.raise(Topic::ALL);
        of_person.push(Arc::clone(&signal));
        // Under the lock, so that it cannot race with the end of the last stream.
        for event in topic::EVENTS {
            self.0.interests.add(event.to_owned());
        }
        permit.forget();
        metrics::gauge!("gateway_staff_event_streams").increment(1);
        Ok(signal)
    }

    /// When a stream that opens now ends; see [`crate::stream::Streams`].
    fn end(&self) -> Shutdown {
        let shared = &self.0;
        if shared.end.is_triggered() {
            shared.last_end.clone()
        } else {
            shared.end.clone()
        }
    }

    fn finish(&self, signal: &Arc<Signal>) {
        let mut streams = self.lock();
        if let Some(of_person) = streams.get_mut(&signal.staff.id) {
            of_person.retain(|other| !Arc::ptr_eq(other, signal));
            if of_person.is_empty() {
                streams.remove(&signal.staff.id);
            }
        }
        if streams.is_empty() {
            for event in topic::EVENTS {
                self.0.interests.remove(event);
            }
        }
        self.0.open.add_permits(1);
        metrics::gauge!("gateway_staff_event_streams").decrement(1);
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<Uuid, Vec<Arc<Signal>>>> {
        self.0
            .streams
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use adfolio_kit::identity::StaffRole;

    use super::*;

    fn signal(role: StaffRole) -> Signal {
        Signal::new(Staff {
            id: Uuid::nil(),
            role,
        })
    }

    #[test]
    fn a_stream_keeps_each_topic_once_and_none_that_its_role_may_not_open() {
        let support = signal(StaffRole::Support);
        for _ in 0..1_000 {
            support.raise(&[Topic::Feedback, Topic::Withdrawals, Topic::Plans]);
        }
        let pending = support.take();
        assert_eq!(pending, BTreeSet::from([Topic::Feedback, Topic::Plans]));
        assert!(support.take().is_empty());
        let admin = signal(StaffRole::Admin);
        admin.raise(Topic::ALL);
        assert_eq!(admin.take().len(), Topic::ALL.len());
    }
}
