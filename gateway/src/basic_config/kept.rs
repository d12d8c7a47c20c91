//! Cached answers of services. While a service is down, the last known answer is used.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use moka::future::Cache;

use crate::errors::Failure;

/// A cache of one answer per key.
pub(super) struct Kept<K, V> {
    fresh: Cache<K, V>,
    last_known: Mutex<HashMap<K, V>>,
}

impl<K, V> std::fmt::Debug for Kept<K, V> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("Kept(…)")
    }
}

impl<K, V> Kept<K, V>
where
    K: Copy + Eq + Hash + Send + Sync + 'static,
    V: Clone + Send + Sync + 'static,
{
    pub(super) fn new(keep: Duration) -> Self {
        Self {
            fresh: Cache::builder().time_to_live(keep).build(),
            last_known: Mutex::default(),
        }
    }

    /// Drops the fresh answers. The last known ones stay for when the service is down.
    pub(super) fn forget(&self) {
        self.fresh.invalidate_all();
    }

    /// The answer for `key`: fresh, or the last known one if `ask` fails. That one is cached for a while too, so that
    /// a frozen service delays only one caller now and then. If no answer was ever known, the failure is returned and
    /// not cached.
    pub(super) async fn get(
        &self,
        key: K,
        ask: impl Future<Output = Result<V, Failure>>,
    ) -> Result<V, Failure> {
        let asked = async {
            match ask.await {
                Ok(answer) => {
                    self.known().insert(key, answer.clone());
                    Ok(answer)
                }
                Err(failure) => self.known().get(&key).cloned().ok_or(failure),
            }
        };
        self.fresh
            .try_get_with(key, asked)
            .await
            .map_err(|failure| failure.as_ref().clone())
    }

    fn known(&self) -> std::sync::MutexGuard<'_, HashMap<K, V>> {
        self.last_known
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}
