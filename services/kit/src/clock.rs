//! Time and identifiers, injected so that tests control both.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use chrono::{DateTime, SubsecRound, Utc};
use uuid::Uuid;

/// The time: the system's, or one that a test sets. Cheap to clone.
#[derive(Clone, Debug, Default)]
pub struct Clock {
    fixed: Option<Arc<Mutex<DateTime<Utc>>>>,
}

impl Clock {
    /// The system's clock.
    pub fn system() -> Self {
        Self { fixed: None }
    }

    /// A clock that stands still until it is moved.
    pub fn fixed(now: DateTime<Utc>) -> Self {
        Self {
            fixed: Some(Arc::new(Mutex::new(now))),
        }
    }

    /// The time, truncated to microseconds as PostgreSQL stores it, so a value read back equals the
    /// one written.
    pub fn now(&self) -> DateTime<Utc> {
        let now = match &self.fixed {
            Some(fixed) => *fixed.lock().unwrap_or_else(PoisonError::into_inner),
            None => Utc::now(),
        };
        now.trunc_subsecs(6)
    }

    /// Moves a fixed clock forward; the system's clock is not affected.
    pub fn advance(&self, by: Duration) {
        if let (Some(fixed), Ok(by)) = (&self.fixed, chrono::Duration::from_std(by)) {
            let mut now = fixed.lock().unwrap_or_else(PoisonError::into_inner);
            *now = now.checked_add_signed(by).unwrap_or(*now);
        }
    }

    /// Sets a fixed clock; the system's clock is not affected.
    pub fn set(&self, now: DateTime<Utc>) {
        if let Some(fixed) = &self.fixed {
            *fixed.lock().unwrap_or_else(PoisonError::into_inner) = now;
        }
    }
}

/// Makes identifiers: UUIDv7 of the system's time, or a sequence in tests. Cheap to clone.
#[derive(Clone, Debug, Default)]
pub struct Ids {
    counter: Option<Arc<AtomicU64>>,
}

impl Ids {
    /// Random, time-ordered identifiers.
    pub fn random() -> Self {
        Self { counter: None }
    }

    /// 1, 2, 3 … in the form of UUIDv7.
    pub fn counted() -> Self {
        Self {
            counter: Some(Arc::default()),
        }
    }

    /// The next identifier.
    pub fn next(&self) -> Uuid {
        match &self.counter {
            None => Uuid::now_v7(),
            Some(counter) => {
                let number = counter.fetch_add(1, Ordering::Relaxed).saturating_add(1);
                uuid::Builder::from_unix_timestamp_millis(number, &[0; 10]).into_uuid()
            }
        }
    }
}
