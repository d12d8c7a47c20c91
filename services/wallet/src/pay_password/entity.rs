//! The form of transaction passwords, and when attempts lock them.

use adfolio_kit::refusal::Refusal;
use chrono::{DateTime, TimeDelta, Utc};
use secrecy::{ExposeSecret, SecretString};

/// Wrong attempts since the last right one that lock the password for a while.
pub const ATTEMPTS_MAX: i32 = 5;

/// Wrong attempts within a day that lock it until staff reset it.
pub const DAY_ATTEMPTS_MAX: i32 = 10;

/// How long an attempt without an outcome counts: longer than any evaluation waits for its turn and takes.
const OPEN: TimeDelta = TimeDelta::minutes(1);

/// How long the first lock lasts.
const LOCK: TimeDelta = TimeDelta::minutes(30);

/// How long a day of attempts lasts, from its first.
const DAY: TimeDelta = TimeDelta::hours(24);

/// Hex digits of an MD5.
const DIGEST_LENGTH: usize = 32;

/// The MD5 of a transaction password: 32 hex digits, which callers send in either case. Kept in lower case, never shown.
#[derive(Clone, Debug)]
pub struct PinDigest(SecretString);

impl PinDigest {
    /// VALIDATION of `field` unless the text has the form.
    pub fn parse(text: &str, field: &'static str) -> Result<Self, Refusal> {
        let is_hex = text.bytes().all(|byte| byte.is_ascii_hexdigit());
        if text.len() == DIGEST_LENGTH && is_hex {
            Ok(Self(SecretString::from(text.to_ascii_lowercase())))
        } else {
            Err(Refusal::invalid(field))
        }
    }

    pub(super) fn expose(&self) -> &str {
        self.0.expose_secret()
    }
}

impl PartialEq for PinDigest {
    /// One caller sent both, so the duration of the comparison reveals nothing.
    fn eq(&self, other: &Self) -> bool {
        self.expose() == other.expose()
    }
}

/// How a password is locked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lock {
    Until(DateTime<Utc>),
    /// Until staff reset it.
    ForGood,
}

/// Wrong attempts at one password.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Attempts {
    /// Since the last right one.
    pub row: i32,
    /// Within the day that began then.
    pub day: i32,
    pub day_began_at: Option<DateTime<Utc>>,
    pub locked_until: Option<DateTime<Utc>>,
    /// Locked until staff reset it.
    pub locked_for_good: bool,
}

/// Attempts at one password whose outcome is not known: they are being evaluated, or a death has cut them off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Open {
    pub count: i64,
    pub first_began_at: Option<DateTime<Utc>>,
}

/// Why an attempt may not be made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wait {
    Locked(Lock),
    /// As many as are left have no outcome yet; for so long at most the first of them counts.
    Busy(TimeDelta),
}

/// What began at this moment or before counts no more without an outcome.
pub fn forgotten_at(now: DateTime<Utc>) -> Option<DateTime<Utc>> {
    now.checked_sub_signed(OPEN)
}

impl Attempts {
    /// Whether there may be another attempt. Those without an outcome count as if they were wrong, so that attempts
    /// which come together are never more than the limit.
    pub fn admit(mut self, open: Open, now: DateTime<Utc>) -> Result<(), Wait> {
        if let Some(lock) = self.lock_at(now) {
            return Err(Wait::Locked(lock));
        }
        self.forget_at(now);
        let left =
            (ATTEMPTS_MAX.saturating_sub(self.row)).min(DAY_ATTEMPTS_MAX.saturating_sub(self.day));
        if open.count < i64::from(left) {
            return Ok(());
        }
        let since = open.first_began_at.unwrap_or(now);
        let left = OPEN.checked_sub(&now.signed_duration_since(since));
        Err(Wait::Busy(left.unwrap_or(OPEN)))
    }

    /// The lock that holds at this moment.
    fn lock_at(&self, now: DateTime<Utc>) -> Option<Lock> {
        if self.locked_for_good {
            return Some(Lock::ForGood);
        }
        self.locked_until.filter(|end| *end > now).map(Lock::Until)
    }

    /// Counts a wrong attempt, and answers whether it locks the password.
    pub fn fail(&mut self, now: DateTime<Utc>) -> bool {
        let was_locked = self.lock_at(now).is_some();
        self.forget_at(now);
        self.row = self.row.saturating_add(1);
        self.day = self.day.saturating_add(1);
        self.day_began_at.get_or_insert(now);
        if self.day >= DAY_ATTEMPTS_MAX {
            self.locked_for_good = true;
        } else if self.row >= ATTEMPTS_MAX {
            self.locked_until = now.checked_add_signed(LOCK);
        }
        self.lock_at(now).is_some() && !was_locked
    }

    /// Ends the row: an attempt was right.
    pub fn succeed(&mut self) {
        self.row = 0;
    }

    /// Forgets what counts no more.
    fn forget_at(&mut self, now: DateTime<Utc>) {
        // When a lock ends, the row starts again.
        if self.locked_until.is_some_and(|end| end <= now) {
            self.locked_until = None;
            self.row = 0;
        }
        let day_is_over = self
            .day_began_at
            .is_some_and(|began| now.signed_duration_since(began) >= DAY);
        if day_is_over {
            self.day = 0;
            self.day_began_at = None;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(minutes: i64) -> DateTime<Utc> {
        DateTime::UNIX_EPOCH + TimeDelta::minutes(minutes)
    }

    #[test]
    fn hex_of_the_right_length_is_a_digest_in_either_case() {
        let good = "e10adc3949ba59abbe56e057f20f883e";
        let parse = |text: &str| PinDigest::parse(text, "password").expect("a digest");
        assert!(parse(good) == parse(&good.to_uppercase()));
        for bad in [
            "",
            "123456",
            &good[1..],
            "g10adc3949ba59abbe56e057f20f883e",
            "e10adc3949ba59abbe56e057f20f883é",
        ] {
            assert!(PinDigest::parse(bad, "password").is_err(), "{bad}");
        }
        let shown = format!(
            "{:?}",
            PinDigest::parse(good, "password").expect("a digest")
        );
        assert!(!shown.contains(good), "{shown}");
    }

    const NONE_OPEN: Open = Open {
        count: 0,
        first_began_at: None,
    };

    #[test]
    fn five_in_a_row_lock_for_half_an_hour_and_ten_in_a_day_for_good() {
        let mut attempts = Attempts::default();
        for turn in 1..=5 {
            assert_eq!(attempts.admit(NONE_OPEN, at(0)), Ok(()));
            assert_eq!(attempts.fail(at(0)), turn == 5);
        }
        let locked = Wait::Locked(Lock::Until(at(30)));
        assert_eq!(attempts.admit(NONE_OPEN, at(0)), Err(locked));
        assert_eq!(attempts.admit(NONE_OPEN, at(29)), Err(locked));
        for turn in 6..=10 {
            assert_eq!(attempts.admit(NONE_OPEN, at(30)), Ok(()));
            assert_eq!(attempts.fail(at(30)), turn == 10);
        }
        let locked = Wait::Locked(Lock::ForGood);
        assert_eq!(attempts.admit(NONE_OPEN, at(1_000_000)), Err(locked));
    }

    #[test]
    fn a_right_one_ends_the_row_and_not_the_day() {
        let mut attempts = Attempts::default();
        for _ in 0..4 {
            attempts.fail(at(0));
        }
        attempts.succeed();
        assert_eq!((attempts.row, attempts.day), (0, 4));
        for turn in 1..=5 {
            assert_eq!(attempts.fail(at(1)), turn == 5);
        }
        assert_eq!(attempts.admit(NONE_OPEN, at(40)), Ok(()));
        attempts.succeed();
        assert!(attempts.fail(at(41)), "the tenth of the day");
    }

    #[test]
    fn attempts_without_an_outcome_count_as_wrong_ones() {
        let open = |count, minute| Open {
            count,
            first_began_at: Some(at(minute)),
        };
        let mut attempts = Attempts::default();
        assert_eq!(attempts.admit(open(4, 0), at(0)), Ok(()));
        let busy = Wait::Busy(TimeDelta::minutes(1));
        assert_eq!(attempts.admit(open(5, 0), at(0)), Err(busy));
        attempts.fail(at(0));
        assert_eq!(attempts.admit(open(3, 0), at(0)), Ok(()));
        let later = at(0) + TimeDelta::seconds(50);
        let busy = Wait::Busy(TimeDelta::seconds(10));
        assert_eq!(attempts.admit(open(4, 0), later), Err(busy));
        // Of the day's ten nine are gone.
        for minute in [0, 0, 0, 0, 31, 31, 31, 31] {
            attempts.fail(at(minute));
        }
        attempts.succeed();
        assert_eq!(attempts.admit(NONE_OPEN, at(32)), Ok(()));
        let busy = Wait::Busy(TimeDelta::minutes(1));
        assert_eq!(attempts.admit(open(1, 32), at(32)), Err(busy));
    }

    #[test]
    fn what_fails_under_a_lock_does_not_tell_of_it_again() {
        let mut attempts = Attempts::default();
        for _ in 0..5 {
            attempts.fail(at(0));
        }
        assert!(!attempts.fail(at(1)));
    }

    #[test]
    fn a_day_ends_after_a_day() {
        let mut attempts = Attempts::default();
        for _ in 0..5 {
            attempts.fail(at(0));
        }
        for _ in 0..4 {
            attempts.fail(at(24 * 60));
        }
        let now = at(24 * 60);
        assert_eq!((attempts.day, attempts.admit(NONE_OPEN, now)), (4, Ok(())));
    }
}
