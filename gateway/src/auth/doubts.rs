//! Users whose sessions have been revoked since they were verified.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use adfolio_kit::consumer::EventSink;
use adfolio_kit::outbox::CloudEvent;
use adfolio_proto::events::v1::{AccountStateChanged, SessionsRevoked};
use moka::notification::RemovalCause;
use moka::policy::EvictionPolicy;
use tracing::debug;
use uuid::Uuid;

/// Maximum number of marked users. When a mark is evicted, the whole cache is invalidated.
const MAX_MARKS: u64 = 50_000;

/// Invalidates cached answers by user and generation. Cheap to clone.
#[derive(Clone, Debug)]
pub(super) struct Doubts {
    generation: Arc<AtomicU64>,
    cleared_at: Arc<AtomicU64>,
    marks: moka::sync::Cache<Uuid, u64>,
}

impl Doubts {
    pub(super) fn new(keep: Duration) -> Self {
        let generation = Arc::new(AtomicU64::new(0));
        let cleared_at = Arc::new(AtomicU64::new(0));
        let (raised, cleared) = (Arc::clone(&generation), Arc::clone(&cleared_at));
        let marks = moka::sync::Cache::builder()
            .max_capacity(MAX_MARKS)
            .eviction_policy(EvictionPolicy::lru())
            .time_to_live(keep)
            .eviction_listener(move |_, _, cause| {
                if cause == RemovalCause::Size {
                    clear(&raised, &cleared);
                }
            })
            .build();
        Self {
            generation,
            cleared_at,
            marks,
        }
    }

    pub(super) fn generation(&self) -> u64 {
        self.generation.load(Ordering::SeqCst)
    }

    /// Whether an answer about `owner`, requested at `generation`, is still valid.
    pub(super) fn believes(&self, owner: Uuid, generation: u64) -> bool {
        generation >= self.cleared_at.load(Ordering::SeqCst)
            && self.marks.get(&owner).is_none_or(|mark| generation >= mark)
    }

    pub(super) fn mark(&self, owner: Uuid) {
        let mark = raise(&self.generation);
        self.marks.insert(owner, mark);
    }

    pub(super) fn clear(&self) {
        clear(&self.generation, &self.cleared_at);
    }
}

fn raise(generation: &AtomicU64) -> u64 {
    generation.fetch_add(1, Ordering::SeqCst).saturating_add(1)
}

fn clear(generation: &AtomicU64, cleared_at: &AtomicU64) {
    cleared_at.fetch_max(raise(generation), Ordering::SeqCst);
}

/// Consumes revocations.
pub(super) struct RevocationSink {
    doubts: Doubts,
}

impl RevocationSink {
    pub(super) fn new(doubts: Doubts) -> Self {
        Self { doubts }
    }
}

impl EventSink for RevocationSink {
    fn on_gap(&mut self) {
        self.doubts.clear();
    }

    fn on_event(&mut self, event: CloudEvent) {
        let user = match event.event_type.as_str() {
            "adfolio.auth.v1.SessionsRevoked" => event
                .data::<SessionsRevoked>()
                .map(|revoked| revoked.user_id),
            "adfolio.auth.v1.AccountStateChanged" => event
                .data::<AccountStateChanged>()
                .map(|changed| changed.user_id),
            _ => return,
        };
        if let Some(user) = user.ok().and_then(|id| id.parse().ok()) {
            self.doubts.mark(user);
        } else {
            // An unreadable event may concern any user.
            debug!(
                event_type = event.event_type,
                "revocation cannot be read, all sessions are doubted"
            );
            self.doubts.clear();
        }
    }
}
