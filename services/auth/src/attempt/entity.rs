//! When a login may be tried.

use chrono::{DateTime, TimeDelta, Utc};
use sha2::{Digest, Sha256};

/// The limit of one counter.
#[derive(Clone, Copy, Debug)]
pub struct Limit {
    /// Failures that lock.
    pub failures: i32,
    /// How long it stays, and how long a failure is remembered.
    pub lock: TimeDelta,
}

/// The limits of both counters.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    pub account: Limit,
    pub address: Limit,
}

impl Limits {
    /// The limit of one of the scopes.
    pub fn of(&self, scopes: &Scopes, scope: &[u8]) -> Limit {
        if scope == scopes.account {
            self.account
        } else {
            self.address
        }
    }

    /// How long a failure counts at most.
    pub fn longest_memory(&self) -> TimeDelta {
        self.account.lock.max(self.address.lock)
    }
}

/// Why a login may not be tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wait {
    /// Too many failures: locked for this long.
    Locked(TimeDelta),
    /// As many attempts as are left are being evaluated at this moment.
    Busy,
}

/// The attempts counted under one scope.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attempts {
    /// Failures, and attempts whose outcome is not known yet.
    pub failures: i32,
    /// When the last one began.
    pub last_attempt_at: DateTime<Utc>,
    /// Until when the scope is locked.
    pub locked_until: Option<DateTime<Utc>>,
}

impl Attempts {
    /// Counts an attempt before it is evaluated, so that parallel guesses cannot all slip in before the first has
    /// failed.
    pub fn begin(&mut self, now: DateTime<Utc>, limit: Limit) -> Result<(), Wait> {
        match self.locked_until {
            Some(until) if until > now => {
                return Err(Wait::Locked(until.signed_duration_since(now)));
            }
            Some(_) => self.forget(),
            None => {}
        }
        // Attempts without an outcome (the process died) fall out of the count like failures do.
        if now.signed_duration_since(self.last_attempt_at) >= limit.lock {
            self.forget();
        }
        if self.failures >= limit.failures {
            return Err(Wait::Busy);
        }
        self.failures = self.failures.saturating_add(1);
        self.last_attempt_at = now;
        Ok(())
    }

    /// Records that an attempt failed: the last one allowed locks.
    pub fn fail(&mut self, now: DateTime<Utc>, limit: Limit) {
        if self.failures >= limit.failures && self.locked_until.is_none() {
            self.locked_until = now.checked_add_signed(limit.lock);
        }
    }

    fn forget(&mut self) {
        self.failures = 0;
        self.locked_until = None;
    }
}

/// What is counted: logins of one account, and logins of one account from one address. Both are digests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Scopes {
    /// The account, from any address.
    pub account: [u8; 32],
    /// The account from the caller's address.
    pub address: [u8; 32],
}

impl Scopes {
    /// Those of a login of `kind` ("user" or "staff") under a compared user name.
    pub fn new(kind: &str, username_key: &str, address: &str) -> Self {
        Self {
            account: digest(&[kind, username_key]),
            address: digest(&[kind, username_key, address]),
        }
    }

    /// Both, in the order in which they are locked, so that two logins cannot wait for each other.
    pub fn sorted(&self) -> [[u8; 32]; 2] {
        let mut both = [self.account, self.address];
        both.sort_unstable();
        both
    }
}

fn digest(parts: &[&str]) -> [u8; 32] {
    let mut hash = Sha256::new();
    for part in parts {
        // Lengths first: no two lists of parts share their bytes.
        hash.update(part.len().to_be_bytes());
        hash.update(part.as_bytes());
    }
    hash.finalize().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMIT: Limit = Limit {
        failures: 3,
        lock: TimeDelta::minutes(30),
    };

    fn start() -> DateTime<Utc> {
        DateTime::from_timestamp(1_700_000_000, 0).expect("time")
    }

    fn none() -> Attempts {
        Attempts {
            failures: 0,
            last_attempt_at: start(),
            locked_until: None,
        }
    }

    #[test]
    fn the_last_allowed_failure_locks() {
        let mut attempts = none();
        for _ in 0..3 {
            assert_eq!(attempts.begin(start(), LIMIT), Ok(()));
            attempts.fail(start(), LIMIT);
        }
        assert_eq!(
            attempts.begin(start(), LIMIT),
            Err(Wait::Locked(TimeDelta::minutes(30)))
        );
        let later = start() + TimeDelta::minutes(29);
        assert_eq!(
            attempts.begin(later, LIMIT),
            Err(Wait::Locked(TimeDelta::minutes(1)))
        );
        assert_eq!(
            attempts.begin(start() + TimeDelta::minutes(30), LIMIT),
            Ok(())
        );
        assert_eq!(attempts.failures, 1);
    }

    #[test]
    fn attempts_under_evaluation_count() {
        let mut attempts = none();
        for _ in 0..3 {
            assert_eq!(attempts.begin(start(), LIMIT), Ok(()));
        }
        assert_eq!(attempts.begin(start(), LIMIT), Err(Wait::Busy));
    }

    #[test]
    fn attempts_without_outcome_are_forgotten() {
        let mut attempts = none();
        for _ in 0..3 {
            assert_eq!(attempts.begin(start(), LIMIT), Ok(()));
        }
        assert_eq!(
            attempts.begin(start() + TimeDelta::minutes(30), LIMIT),
            Ok(())
        );
    }

    #[test]
    fn scopes_do_not_mix() {
        let first = Scopes::new("user", "ann", "b");
        assert_ne!(first.account, Scopes::new("staff", "ann", "b").account);
        assert_ne!(first.address, Scopes::new("user", "an", "nb").address);
        assert_eq!(first.account, Scopes::new("user", "ann", "c").account);
    }
}
