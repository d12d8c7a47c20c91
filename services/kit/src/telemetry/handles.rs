//! Handles of metrics that are kept: the macros of `metrics` copy and hash the labels and search the
//! registry each time.
//!
//! A handle that is made before the recorder is installed counts nothing, forever; such a handle is not kept.

use std::borrow::Borrow;
use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{OnceLock, PoisonError, RwLock};

use super::metrics::is_recording;

/// A metric with fixed labels.
///
/// ```ignore
/// static BATCHES: Handle<Counter> =
///     Handle::new(|| metrics::counter!("wallet_posting_batches_total"));
/// BATCHES.get().increment(1);
/// ```
#[derive(Debug)]
pub struct Handle<H> {
    kept: OnceLock<H>,
    make: fn() -> H,
}

impl<H: Clone> Handle<H> {
    /// A handle that `make` makes when it is needed.
    pub const fn new(make: fn() -> H) -> Self {
        Self {
            kept: OnceLock::new(),
            make,
        }
    }

    /// The metric.
    pub fn get(&self) -> H {
        match self.kept.get() {
            Some(kept) => kept.clone(),
            None if is_recording() => self.kept.get_or_init(self.make).clone(),
            None => (self.make)(),
        }
    }
}

/// A metric by the values of its labels, which must be few.
#[derive(Debug)]
pub struct Handles<K, H>(RwLock<HashMap<K, H>>);

impl<K, H> Default for Handles<K, H> {
    fn default() -> Self {
        Self(RwLock::default())
    }
}

impl<K: Eq + Hash, H: Clone> Handles<K, H> {
    /// The metric with these values, made by `make` the first time.
    pub fn get<Q>(&self, key: &Q, make: impl FnOnce() -> H) -> H
    where
        K: Borrow<Q>,
        Q: Eq + Hash + ToOwned<Owned = K> + ?Sized,
    {
        let kept = self
            .0
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .get(key)
            .cloned();
        if let Some(kept) = kept {
            return kept;
        }
        let is_kept = is_recording();
        let handle = make();
        if is_kept {
            let mut handles = self.0.write().unwrap_or_else(PoisonError::into_inner);
            handles.insert(key.to_owned(), handle.clone());
        }
        handle
    }
}
