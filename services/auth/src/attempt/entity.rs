//! When a login may be tried.

use chrono::{DateTime, TimeDelta, Utc};
use sha2::{Digest, Sha256};

use crate::device::DeviceDigest;
use crate::error::AuthError;
use crate::session::{Kind, TokenDigest};

/// The limit of one counter.
#[derive(Clone, Copy, Debug)]
pub struct Limit {
    /// Failures that lock.
    pub failures: i32,
    /// How long it stays, and how long a failure is remembered.
    pub lock: TimeDelta,
}

/// The limits of all counters.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    pub account: Limit,
    pub address: Limit,
    /// Of a known device, and of a session.
    pub device: Limit,
}

impl Limits {
    /// The limit of a counter.
    pub fn of(&self, counted: Counted) -> Limit {
        match counted {
            Counted::Account => self.account,
            Counted::Address => self.address,
            Counted::Device | Counted::Session => self.device,
        }
    }

    /// How long a failure counts at most.
    pub fn longest_memory(&self) -> TimeDelta {
        let (account, address) = (self.account.lock, self.address.lock);
        account.max(address).max(self.device.lock)
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

/// Why an attempt has not begun. Nothing of it is counted.
#[derive(Debug)]
pub enum NotBegun {
    Wait(Wait),
    Failed(AuthError),
}

impl From<Wait> for NotBegun {
    fn from(wait: Wait) -> Self {
        Self::Wait(wait)
    }
}

impl From<sqlx::Error> for NotBegun {
    fn from(error: sqlx::Error) -> Self {
        Self::Failed(error.into())
    }
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

/// What a counter counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Counted {
    /// Logins of an account from unknown devices, from any address.
    Account,
    /// Logins of an account from unknown devices, from one address.
    Address,
    /// Logins of an account from one of its devices.
    Device,
    /// Passwords and codes that are typed in one session of an account.
    Session,
}

impl Counted {
    /// Its name in the log.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Account => "account",
            Self::Address => "address",
            Self::Device => "device",
            Self::Session => "session",
        }
    }
}

/// What an attempt is counted under. Failures of strangers, of a known device and in a session lock none of the others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scopes {
    /// The account that all of them belong to.
    pub account: [u8; 32],
    /// In the order in which they are locked, so that two attempts cannot wait for each other.
    counters: Vec<([u8; 32], Counted)>,
}

impl Scopes {
    /// Those of a login of `kind` under a compared user name, from a device that the account knows or from another one
    /// at this address.
    pub fn of_login(
        kind: Kind,
        username_key: &str,
        device: Option<DeviceDigest>,
        address: &str,
    ) -> Self {
        let kind = kind.as_str();
        let account = digest(&[kind, username_key]);
        let counters = match device {
            Some(device) => {
                let device = digest(&[kind, username_key, "device", &hex::encode(device.0)]);
                vec![(device, Counted::Device)]
            }
            None => vec![
                (account, Counted::Account),
                (digest(&[kind, username_key, address]), Counted::Address),
            ],
        };
        Self::sorted(account, counters)
    }

    /// That of a password or code typed in the session of this token. A stolen session can lock itself alone.
    pub fn of_session(kind: Kind, username_key: &str, token: TokenDigest) -> Self {
        let kind = kind.as_str();
        let account = digest(&[kind, username_key]);
        let session = digest(&[kind, username_key, "session", &hex::encode(token.0)]);
        Self::sorted(account, vec![(session, Counted::Session)])
    }

    /// The scope that all counters of an account belong to.
    pub fn account(kind: Kind, username_key: &str) -> [u8; 32] {
        digest(&[kind.as_str(), username_key])
    }

    fn sorted(account: [u8; 32], mut counters: Vec<([u8; 32], Counted)>) -> Self {
        counters.sort_unstable_by_key(|(scope, _)| *scope);
        Self { account, counters }
    }

    /// Each counter, in ascending order of the scopes.
    pub fn counters(&self) -> &[([u8; 32], Counted)] {
        &self.counters
    }
}

/// The digest of what is counted.
pub fn digest(parts: &[&str]) -> [u8; 32] {
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
        let login = |kind, key: &str, address: &str| Scopes::of_login(kind, key, None, address);
        let scopes = |scopes: &Scopes| -> Vec<[u8; 32]> {
            let counters = scopes.counters().iter();
            counters.map(|(scope, _)| *scope).collect()
        };
        let shared = |one: &Scopes, other: &Scopes| {
            let other = scopes(other);
            scopes(one)
                .iter()
                .filter(|scope| other.contains(scope))
                .count()
        };
        let ann = login(Kind::User, "ann", "b");
        assert_eq!(shared(&ann, &login(Kind::Staff, "ann", "b")), 0);
        assert_eq!(shared(&ann, &login(Kind::User, "an", "nb")), 0);
        assert_eq!(shared(&ann, &login(Kind::User, "ann", "c")), 1);
        let device = |byte| {
            let device = Some(DeviceDigest([byte; 32]));
            Scopes::of_login(Kind::User, "ann", device, "b")
        };
        let session = Scopes::of_session(Kind::User, "ann", TokenDigest([1; 32]));
        for own in [&device(1), &session] {
            assert_eq!(shared(&ann, own), 0);
            assert_eq!(own.account, Scopes::account(Kind::User, "ann"));
        }
        assert_eq!(shared(&device(1), &session), 0);
        assert_eq!(shared(&device(1), &device(2)), 0);
    }
}
