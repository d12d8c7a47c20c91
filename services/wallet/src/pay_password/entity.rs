//! The form of transaction passwords, and when attempts lock them.

use adfolio_kit::refusal::Refusal;
use chrono::{DateTime, TimeDelta, Utc};
use secrecy::{ExposeSecret, SecretString};

/// Attempts since the last right one that lock the password for a while.
pub const ATTEMPTS_MAX: i32 = 5;

/// Wrong attempts within a day that lock it until staff reset it.
pub const DAY_ATTEMPTS_MAX: i32 = 10;

/// How long the first lock lasts.
const LOCK: TimeDelta = TimeDelta::minutes(30);

/// How long a day of attempts lasts, from its first.
const DAY: TimeDelta = TimeDelta::hours(24);

/// Hex digits of an MD5.
const DIGEST_LENGTH: usize = 32;

/// The MD5 of a transaction password, as callers send it: 32 lower-case hex digits. Never shown.
#[derive(Clone, Debug)]
pub struct PinDigest(SecretString);

impl PinDigest {
    /// VALIDATION of `field` unless the text has the form.
    pub fn parse(text: &str, field: &'static str) -> Result<Self, Refusal> {
        let is_hex = text
            .bytes()
            .all(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte));
        if text.len() == DIGEST_LENGTH && is_hex {
            Ok(Self(SecretString::from(text)))
        } else {
            Err(Refusal::invalid(field))
        }
    }

    /// The digits of the MD5.
    pub(super) fn expose(&self) -> &str {
        self.0.expose_secret()
    }
}

impl PartialEq for PinDigest {
    /// Both were sent by the same caller, so nothing is told by the time that this takes.
    fn eq(&self, other: &Self) -> bool {
        self.expose() == other.expose()
    }
}

/// How a password is locked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lock {
    /// For a while.
    Until(DateTime<Utc>),
    /// Until staff reset it.
    ForGood,
}

/// Attempts at one password. They are counted before it is known whether they are right.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Attempts {
    /// Since the last right one.
    pub row: i32,
    /// Within the day that began then.
    pub day: i32,
    /// When that day began.
    pub day_began_at: Option<DateTime<Utc>>,
    /// Until when the password is locked.
    pub locked_until: Option<DateTime<Utc>>,
    /// Locked until staff reset it.
    pub locked_for_good: bool,
}

impl Attempts {
    /// The lock that holds at this moment.
    pub fn lock_at(&self, now: DateTime<Utc>) -> Option<Lock> {
        if self.locked_for_good {
            return Some(Lock::ForGood);
        }
        self.locked_until.filter(|end| *end > now).map(Lock::Until)
    }

    /// Counts an attempt at a password that is not locked, and answers whether it is locked from here on. The lock is set
    /// before the attempt is evaluated, so that attempts which come together are never more than the limit.
    pub fn count(&mut self, now: DateTime<Utc>) -> bool {
        // A lock that is over begins the row anew.
        if self.locked_until.take().is_some() {
            self.row = 0;
        }
        let day_is_over = self
            .day_began_at
            .is_none_or(|began| now.signed_duration_since(began) >= DAY);
        if day_is_over {
            self.day = 0;
            self.day_began_at = Some(now);
        }
        self.row = self.row.saturating_add(1);
        self.day = self.day.saturating_add(1);
        if self.day >= DAY_ATTEMPTS_MAX {
            self.locked_for_good = true;
        } else if self.row >= ATTEMPTS_MAX {
            self.locked_until = now.checked_add_signed(LOCK);
        }
        self.lock_at(now).is_some()
    }

    /// Takes back an attempt that was right: the row ends, the day has one less.
    pub fn forgive(&mut self) {
        self.row = 0;
        self.day = self.day.saturating_sub(1).max(0);
        self.locked_until = None;
        self.locked_for_good = self.day >= DAY_ATTEMPTS_MAX;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(minutes: i64) -> DateTime<Utc> {
        DateTime::UNIX_EPOCH + TimeDelta::minutes(minutes)
    }

    #[test]
    fn only_lower_case_hex_of_the_right_length_is_a_digest() {
        let good = "e10adc3949ba59abbe56e057f20f883e";
        assert!(PinDigest::parse(good, "password").is_ok());
        for bad in [
            "",
            "123456",
            &good[1..],
            &good.to_uppercase(),
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

    #[test]
    fn five_in_a_row_lock_for_half_an_hour_and_ten_in_a_day_for_good() {
        let mut attempts = Attempts::default();
        for turn in 1..=5 {
            assert_eq!(attempts.lock_at(at(0)), None);
            assert_eq!(attempts.count(at(0)), turn == 5);
        }
        assert_eq!(attempts.lock_at(at(0)), Some(Lock::Until(at(30))));
        assert_eq!(attempts.lock_at(at(30)), None);
        for turn in 6..=10 {
            assert_eq!(attempts.count(at(31)), turn == 10);
        }
        assert_eq!(attempts.lock_at(at(1_000_000)), Some(Lock::ForGood));
    }

    #[test]
    fn a_right_one_is_taken_back() {
        let mut attempts = Attempts::default();
        for _ in 0..4 {
            attempts.count(at(0));
        }
        // The fifth is right, although it would have locked.
        assert!(attempts.count(at(0)));
        attempts.forgive();
        assert_eq!(attempts.lock_at(at(0)), None);
        assert_eq!((attempts.row, attempts.day), (0, 4));
        for _ in 0..5 {
            attempts.count(at(1));
        }
        assert_eq!(attempts.lock_at(at(1)), Some(Lock::Until(at(31))));
        // The tenth of the day is right as well.
        attempts.count(at(40));
        attempts.forgive();
        assert_eq!((attempts.day, attempts.lock_at(at(40))), (9, None));
    }

    #[test]
    fn a_day_ends_after_a_day() {
        let mut attempts = Attempts::default();
        for _ in 0..5 {
            attempts.count(at(0));
        }
        for _ in 0..4 {
            attempts.count(at(24 * 60));
        }
        assert_eq!((attempts.day, attempts.lock_at(at(24 * 60))), (4, None));
    }
}
