//! How long money waits before it may leave.

use chrono::{DateTime, TimeDelta, Utc};

/// How long money waits before it may leave after a change of what protects a wallet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CoolingOff {
    hours: u16,
}

impl CoolingOff {
    /// So many hours; with 0 nothing waits.
    pub fn of_hours(hours: u16) -> Self {
        Self { hours }
    }

    /// The hours; 0 when it never waits.
    pub fn hours(self) -> u16 {
        self.hours
    }

    /// When the cooling-off after a change at `changed_at` ends; none when it is over at `now`.
    pub fn end(
        self,
        changed_at: Option<DateTime<Utc>>,
        now: DateTime<Utc>,
    ) -> Option<DateTime<Utc>> {
        let end = changed_at?.checked_add_signed(self.lasts())?;
        (end > now).then_some(end)
    }

    /// Whether a wallet whose only destination was bound at `bound_at` is still being set up, so that binding one of
    /// the other kind adds to the set-up: the first is young, and nothing has changed since. One that took another's
    /// place is itself a change, and no set-up begins with it.
    pub fn is_being_set_up(
        self,
        bound_at: DateTime<Utc>,
        changed_at: Option<DateTime<Utc>>,
        now: DateTime<Utc>,
    ) -> bool {
        let is_untouched = changed_at.is_none_or(|changed_at| changed_at < bound_at);
        is_untouched && self.end(Some(bound_at), now).is_some()
    }

    fn lasts(self) -> TimeDelta {
        TimeDelta::hours(i64::from(self.hours))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(hours: i64) -> DateTime<Utc> {
        DateTime::UNIX_EPOCH + TimeDelta::hours(hours)
    }

    #[test]
    fn withdrawals_wait_to_the_end_and_not_longer() {
        let day = CoolingOff::of_hours(24);
        assert_eq!(day.end(None, at(0)), None);
        assert_eq!(day.end(Some(at(0)), at(0)), Some(at(24)));
        assert_eq!(day.end(Some(at(0)), at(23)), Some(at(24)));
        assert_eq!(day.end(Some(at(0)), at(24)), None);
    }

    #[test]
    fn without_hours_they_never_wait() {
        let off = CoolingOff::of_hours(0);
        assert_eq!(off.end(Some(at(0)), at(0)), None);
        assert!(!off.is_being_set_up(at(0), None, at(0)));
    }

    #[test]
    fn a_wallet_is_being_set_up_for_as_long_as_withdrawals_would_wait() {
        let day = CoolingOff::of_hours(24);
        assert!(day.is_being_set_up(at(0), None, at(23)));
        assert!(!day.is_being_set_up(at(0), None, at(24)));
        // What changed before it was bound is not its concern; what changed with it or after it is.
        assert!(day.is_being_set_up(at(5), Some(at(4)), at(6)));
        assert!(!day.is_being_set_up(at(5), Some(at(5)), at(6)));
        assert!(!day.is_being_set_up(at(5), Some(at(6)), at(6)));
    }
}
