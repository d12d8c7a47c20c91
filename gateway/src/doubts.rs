//! What has changed since it was asked for: an owner's part of a cache, or all of it.
//!
//! A cached answer carries the generation at which its request began. A change raises the generation and marks its
//! owner with it; an answer older than its owner's mark is invalid. This closes the race in which a request that began
//! before the change is stored after it: such an answer is stored, but never used.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use moka::notification::RemovalCause;
use moka::policy::EvictionPolicy;
use uuid::Uuid;

/// Maximum number of marked owners. When a mark is evicted, the whole cache is invalidated.
const MAX_MARKS: u64 = 50_000;

/// Invalidates cached answers by owner and generation. Cheap to clone.
#[derive(Clone, Debug)]
pub(crate) struct Doubts {
    generation: Arc<AtomicU64>,
    cleared_at: Arc<AtomicU64>,
    marks: moka::sync::Cache<Uuid, u64>,
}

impl Doubts {
    /// Nothing is in doubt. A mark is kept for `keep`, which must be longer than any answer that it concerns.
    pub(crate) fn new(keep: Duration) -> Self {
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

    /// The generation of a request that begins now.
    pub(crate) fn generation(&self) -> u64 {
        self.generation.load(Ordering::SeqCst)
    }

    /// Whether an answer about `owner`, requested at `generation`, is still valid.
    pub(crate) fn believes(&self, owner: Uuid, generation: u64) -> bool {
        generation >= self.cleared_at.load(Ordering::SeqCst)
            && self.marks.get(&owner).is_none_or(|mark| generation >= mark)
    }

    /// Invalidates all answers about `owner`.
    pub(crate) fn mark(&self, owner: Uuid) {
        let mark = raise(&self.generation);
        self.marks.insert(owner, mark);
    }

    /// Invalidates all answers.
    pub(crate) fn clear(&self) {
        clear(&self.generation, &self.cleared_at);
    }
}

fn raise(generation: &AtomicU64) -> u64 {
    generation.fetch_add(1, Ordering::SeqCst).saturating_add(1)
}

fn clear(generation: &AtomicU64, cleared_at: &AtomicU64) {
    cleared_at.fetch_max(raise(generation), Ordering::SeqCst);
}
