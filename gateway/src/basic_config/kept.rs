//! Answers of services, kept for seconds, and the last known ones for as long as a service is away.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use moka::future::Cache;

use crate::errors::Failure;

/// The answers to one question in each of a few forms.
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

    /// Forgets what is fresh; what is last known stays, for when the service is away.
    pub(super) fn forget(&self) {
        self.fresh.invalidate_all();
    }

    /// The answer for `key`, fresh or, where `ask` fails, the last known one; that is kept for a while too, so that a frozen
    /// service costs one caller a wait now and then and not every caller. Only where nothing was ever known the failure
    /// comes through, and is not kept.
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
