//! How many guesses one source may make within an hour.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use adfolio_kit::identity::UserId;
use chrono::{DateTime, TimeDelta, Utc};

use crate::attempt::entity::{Wait, digest};

/// How long failures are counted together.
pub const WINDOW: TimeDelta = TimeDelta::hours(1);

/// Wrong guesses within an hour after which further ones are refused until its end.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Passwords, whatever the names.
    pub logins: Limit,
    /// Authorisation codes.
    pub licenses: Limit,
    /// Authorisation codes that one account tries.
    pub licenses_per_account: i32,
}

/// The limits of where guesses come from.
#[derive(Clone, Copy, Debug)]
pub struct Limit {
    pub address: i32,
    pub network: i32,
}

/// One counter, and how far it may count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Scope {
    pub digest: [u8; 32],
    pub most: i32,
    /// For the log.
    pub what: &'static str,
}

/// What a guess is counted under, in the order in which the counters are locked, so that two guesses cannot wait for
/// each other.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Scopes(Vec<Scope>);

impl Scopes {
    /// None: a guess that other limits bound.
    pub fn none() -> Self {
        Self::default()
    }

    /// Of a login. A text that is no address, from a caller inside, is counted nowhere.
    pub fn of_login(limits: &Limits, address: &str) -> Self {
        Self::sorted(from(address, "login", limits.logins))
    }

    /// Of an authorisation code that somebody registers with.
    pub fn of_registration(limits: &Limits, address: &str) -> Self {
        Self::sorted(from(address, "license", limits.licenses))
    }

    /// Of an authorisation code that an account is opened with.
    pub fn of_opening(limits: &Limits, user: UserId, address: &str) -> Self {
        let mut scopes = from(address, "license", limits.licenses);
        scopes.push(Scope {
            digest: digest(&["license", "user", &user.to_string()]),
            most: limits.licenses_per_account,
            what: "account",
        });
        Self::sorted(scopes)
    }

    fn sorted(mut scopes: Vec<Scope>) -> Self {
        scopes.sort_unstable_by_key(|scope| scope.digest);
        Self(scopes)
    }

    /// Each of them, in ascending order.
    pub fn iter(&self) -> std::slice::Iter<'_, Scope> {
        self.0.iter()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The one with this digest.
    pub fn find(&self, digest: &[u8]) -> Option<&Scope> {
        self.0.iter().find(|scope| scope.digest[..] == *digest)
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }
}

/// The counters of an address and of its network.
fn from(address: &str, target: &str, limit: Limit) -> Vec<Scope> {
    let Ok(address) = address.parse::<IpAddr>() else {
        return Vec::new();
    };
    let (host, network) = host_and_network(address.to_canonical());
    let scope = |what: &'static str, address: IpAddr, most| Scope {
        digest: digest(&[target, what, &address.to_string()]),
        most,
        what,
    };
    vec![
        scope("address", host, limit.address),
        scope("network", network, limit.network),
    ]
}

/// What one client has, and what one organisation has: an IPv4 address and its /24, of IPv6 the /64 and the /48.
fn host_and_network(address: IpAddr) -> (IpAddr, IpAddr) {
    match address {
        IpAddr::V4(v4) => {
            let [a, b, c, _] = v4.octets();
            (address, Ipv4Addr::new(a, b, c, 0).into())
        }
        IpAddr::V6(v6) => {
            let [a, b, c, d, ..] = v6.segments();
            (
                Ipv6Addr::new(a, b, c, d, 0, 0, 0, 0).into(),
                Ipv6Addr::new(a, b, c, 0, 0, 0, 0, 0).into(),
            )
        }
    }
}

/// The guesses counted under one scope within an hour.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Counter {
    /// When the hour began.
    pub began_at: DateTime<Utc>,
    pub failures: i32,
    /// Being evaluated. Not counted as failures, so that many right passwords at once do not lock.
    pub pending: i32,
}

impl Counter {
    /// A new one.
    pub fn new(now: DateTime<Utc>) -> Self {
        Self {
            began_at: now,
            failures: 0,
            pending: 0,
        }
    }

    /// How long further guesses are refused; none while they are not.
    pub fn locked_for(&self, now: DateTime<Utc>, most: i32) -> Option<TimeDelta> {
        let left = self.ends_at().signed_duration_since(now);
        (self.failures >= most && left > TimeDelta::zero()).then_some(left)
    }

    /// Counts a guess before it is evaluated.
    pub fn begin(&mut self, now: DateTime<Utc>, most: i32) -> Result<(), Wait> {
        if let Some(left) = self.locked_for(now, most) {
            return Err(Wait::Locked(left));
        }
        // Guesses without an outcome (the process died) are forgotten with the hour.
        if self.ends_at() <= now {
            *self = Self::new(now);
        }
        if self.failures.saturating_add(self.pending) >= most {
            return Err(Wait::Busy);
        }
        self.pending = self.pending.saturating_add(1);
        Ok(())
    }

    /// When the hour ends.
    fn ends_at(&self) -> DateTime<Utc> {
        let end = self.began_at.checked_add_signed(WINDOW);
        end.unwrap_or(self.began_at)
    }

    /// Records the outcome of a guess that was counted at `begun_at`.
    pub fn end(&mut self, begun_at: DateTime<Utc>, is_wrong: bool) {
        // One of the hour before is pending no more.
        if begun_at >= self.began_at {
            self.pending = self.pending.saturating_sub(1).max(0);
        }
        if is_wrong {
            self.failures = self.failures.saturating_add(1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn start() -> DateTime<Utc> {
        DateTime::from_timestamp(1_700_000_000, 0).expect("time")
    }

    #[test]
    fn failures_of_an_hour_are_limited_until_its_end() {
        let mut counter = Counter::new(start());
        for minute in [0, 10, 20] {
            let now = start() + TimeDelta::minutes(minute);
            assert_eq!(counter.begin(now, 3), Ok(()));
            counter.end(now, true);
        }
        let now = start() + TimeDelta::minutes(20);
        let wait = Wait::Locked(TimeDelta::minutes(40));
        assert_eq!(counter.begin(now, 3), Err(wait));
        assert_eq!(counter.begin(start() + WINDOW, 3), Ok(()));
        assert_eq!((counter.failures, counter.pending), (0, 1));
    }

    #[test]
    fn what_is_right_is_not_counted() {
        let mut counter = Counter::new(start());
        for _ in 0..10 {
            assert_eq!(counter.begin(start(), 3), Ok(()));
            counter.end(start(), false);
        }
        // Right ones at once wait for each other, and one wrong one among them does not lock.
        for _ in 0..3 {
            assert_eq!(counter.begin(start(), 3), Ok(()));
        }
        assert_eq!(counter.begin(start(), 3), Err(Wait::Busy));
        counter.end(start(), true);
        counter.end(start(), false);
        assert_eq!(counter.begin(start(), 3), Ok(()));
    }

    #[test]
    fn what_ends_after_the_hour_frees_nothing_in_the_next() {
        let mut counter = Counter::new(start());
        assert_eq!(counter.begin(start(), 3), Ok(()));
        let later = start() + WINDOW;
        assert_eq!(counter.begin(later, 3), Ok(()));
        counter.end(start(), true);
        assert_eq!((counter.failures, counter.pending), (1, 1));
    }

    const LIMITS: Limits = Limits {
        logins: Limit {
            address: 3,
            network: 9,
        },
        licenses: Limit {
            address: 3,
            network: 9,
        },
        licenses_per_account: 3,
    };

    fn shared(first: &str, second: &str) -> usize {
        let other = Scopes::of_login(&LIMITS, second);
        let is_shared = |scope: &&Scope| other.iter().any(|one| one == *scope);
        let first = Scopes::of_login(&LIMITS, first);
        first.iter().filter(is_shared).count()
    }

    #[test]
    fn neighbours_share_the_counter_of_their_network() {
        assert_eq!(shared("192.0.2.1", "::ffff:192.0.2.1"), 2);
        assert_eq!(shared("192.0.2.1", "192.0.2.255"), 1);
        assert_eq!(shared("192.0.2.1", "192.0.3.1"), 0);
        assert_eq!(shared("2001:db8:1:2::1", "2001:db8:1:2:ffff::1"), 2);
        assert_eq!(shared("2001:db8:1:2::1", "2001:db8:1:3::1"), 1);
        assert_eq!(shared("2001:db8:1:2::1", "2001:db8:2:2::1"), 0);
        assert!(Scopes::of_login(&LIMITS, "").is_empty());
    }

    #[test]
    fn targets_do_not_mix() {
        let login = Scopes::of_login(&LIMITS, "192.0.2.1");
        let code = Scopes::of_registration(&LIMITS, "192.0.2.1");
        assert!(login.iter().all(|scope| !code.0.contains(scope)));
        let user = UserId(uuid::Uuid::nil());
        let opening = Scopes::of_opening(&LIMITS, user, "192.0.2.1");
        assert!(code.iter().all(|scope| opening.0.contains(scope)));
        assert_eq!(Scopes::of_opening(&LIMITS, user, "").len(), 1);
    }
}
