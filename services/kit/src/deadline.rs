//! The time by which a call must be answered. It is passed on and only ever shrinks.

use std::time::Duration;

use tokio::time::Instant;

/// The limit of a call without a deadline.
pub const DEFAULT_CALL_LIMIT: Duration = Duration::from_secs(10);

/// The time by which a call must be answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Deadline(Instant);

impl Deadline {
    /// A deadline this long from now.
    pub fn after(limit: Duration) -> Self {
        let now = Instant::now();
        Self(now.checked_add(limit).unwrap_or(now))
    }

    /// No deadline: only the limits of calls apply. For work that nobody waits for.
    pub fn none() -> Self {
        Self::after(Duration::from_hours(24 * 365))
    }

    /// The remaining time; zero once it has passed.
    pub fn remaining(&self) -> Duration {
        self.0.saturating_duration_since(Instant::now())
    }

    /// Whether it has passed.
    pub fn has_passed(&self) -> bool {
        self.remaining().is_zero()
    }

    /// The same deadline, or `limit` from now if that is earlier.
    #[must_use]
    pub fn capped(&self, limit: Duration) -> Self {
        (*self).min(Self::after(limit))
    }

    /// The instant, for `tokio::time::timeout_at`.
    pub fn instant(&self) -> Instant {
        self.0
    }
}

impl Default for Deadline {
    fn default() -> Self {
        Self::after(DEFAULT_CALL_LIMIT)
    }
}

/// The duration of a `grpc-timeout` header: at most 8 digits and a unit.
pub fn parse_grpc_timeout(text: &str) -> Option<Duration> {
    let (digits, unit) = text.split_at_checked(text.len().checked_sub(1)?)?;
    if digits.is_empty() || digits.len() > 8 || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let value: u64 = digits.parse().ok()?;
    match unit {
        "H" => Some(Duration::from_secs(value.checked_mul(3600)?)),
        "M" => Some(Duration::from_secs(value.checked_mul(60)?)),
        "S" => Some(Duration::from_secs(value)),
        "m" => Some(Duration::from_millis(value)),
        "u" => Some(Duration::from_micros(value)),
        "n" => Some(Duration::from_nanos(value)),
        _ => None,
    }
}
