//! Delays between attempts: doubling, capped, and jittered so that replicas do not retry in step.

use std::time::Duration;

/// Doublings beyond which no delay grows.
const MOST_DOUBLINGS: u32 = 16;

/// The delay after so many attempts that failed: `first` after one, then doubling up to `longest`.
pub fn after(attempts: i32, first: Duration, longest: Duration) -> Duration {
    let doublings = u32::try_from(attempts.saturating_sub(1))
        .unwrap_or(0)
        .min(MOST_DOUBLINGS);
    first
        .saturating_mul(2_u32.saturating_pow(doublings))
        .min(longest)
}

/// The delays of an operation that keeps failing.
#[derive(Clone, Debug)]
pub struct Backoff {
    first: Duration,
    cap: Duration,
    next: Duration,
}

impl Backoff {
    /// Starts at `first` and doubles up to `cap`.
    pub fn new(first: Duration, cap: Duration) -> Self {
        Self {
            first,
            cap,
            next: first,
        }
    }

    /// For connections to a server that may be down for long: 100 ms to 5 s.
    pub fn reconnect() -> Self {
        Self::new(Duration::from_millis(100), Duration::from_secs(5))
    }

    /// The next delay: between half and all of the current step.
    pub fn next_wait(&mut self) -> Duration {
        let step = self.next;
        self.next = step.saturating_mul(2).min(self.cap);
        let micros = u64::try_from(step.as_micros()).unwrap_or(u64::MAX);
        Duration::from_micros(rand::random_range(micros / 2..=micros))
    }

    /// Starts over after a success.
    pub fn reset(&mut self) {
        self.next = self.first;
    }
}
