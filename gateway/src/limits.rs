//! The flood limit: requests per second for each client address, each token and each network's key.

use std::hash::Hash;
use std::num::NonZeroU32;
use std::sync::Arc;
use std::time::Duration;

use adfolio_kit::refusal::{Reason, Refusal};
use axum::http::StatusCode;
use governor::clock::{Clock, DefaultClock};
use governor::{DefaultDirectRateLimiter, Quota, RateLimiter};
use moka::sync::Cache;

use crate::errors::Failure;

/// Maximum number of keys. Beyond it the least recently seen are dropped, which resets their counters.
const MAX_KEYS: u64 = 50_000;

/// A key that was idle this long has its whole burst again.
const FORGET_AFTER: Duration = Duration::from_mins(1);

/// A limit per key, in bounded memory.
pub struct FloodLimit<K> {
    quota: Option<Quota>,
    keys: Cache<K, Arc<DefaultDirectRateLimiter>>,
}

impl<K> std::fmt::Debug for FloodLimit<K> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("FloodLimit")
            .field("quota", &self.quota)
            .finish_non_exhaustive()
    }
}

impl<K: Hash + Eq + Send + Sync + 'static> FloodLimit<K> {
    /// A number of requests per second, with a burst of twice as many; 0 for no limit.
    pub fn new(per_second: u32) -> Self {
        let quota = NonZeroU32::new(per_second).map(|rate| {
            Quota::per_second(rate)
                .allow_burst(rate.saturating_mul(NonZeroU32::MIN.saturating_add(1)))
        });
        let keys = Cache::builder()
            .max_capacity(MAX_KEYS)
            .eviction_policy(moka::policy::EvictionPolicy::lru())
            .time_to_idle(FORGET_AFTER)
            .build();
        Self { quota, keys }
    }

    /// Counts a request of `key`, or refuses it with the time to wait.
    pub fn check(&self, key: K) -> Result<(), Failure> {
        let Some(quota) = self.quota else {
            return Ok(());
        };
        let limiter = self
            .keys
            .get_with(key, || Arc::new(RateLimiter::direct(quota)));
        limiter.check().map_err(|not_until| {
            let wait = not_until
                .wait_time_from(DefaultClock::default().now())
                .max(Duration::from_secs(1));
            let refusal = Refusal::new(Reason::TooManyAttempts).retry_after(wait);
            Failure {
                refusal,
                status: StatusCode::TOO_MANY_REQUESTS,
                lang: None,
            }
        })
    }
}
