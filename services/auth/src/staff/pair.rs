//! Whether two accounts of staff are two people.
//!
//! An account is held by its *person*: itself if it is a founder or was confirmed, otherwise the person of its maker.
//! For 72 hours it may also be held by the person who reset its password or second factor, and counts as held by the
//! person who set its role or made it active again: an admin makes nobody a second person for an act of the same day.
//!
//! | the account that decides | answer |
//! |---|---|
//! | is the account that asked | SAME_PERSON |
//! | is unknown or disabled | NOT_ACTIVE |
//! | was made by somebody less than 24 hours ago | NEW |
//! | decides for the nil id, which no account has | YES |
//! | made the account that asked, or was made by it, through however many steps | SAME_PERSON |
//! | may be held by one who may hold the account that asked | SAME_PERSON |
//! | descends from its maker in more steps than are read | SAME_PERSON |
//! | otherwise | YES |
//!
//! A confirmation makes a puppet a person beside the other accounts of its maker, but never beside the maker.

use std::collections::{HashMap, HashSet};

use adfolio_kit::names;
use chrono::{DateTime, TimeDelta, Utc};
use uuid::Uuid;

use crate::ids::StaffId;

/// An account that somebody made decides nothing for so long.
const NEW_FOR: TimeDelta = TimeDelta::hours(24);

/// The person who changed an account counts as its holder for so long.
const CHANGE_FOR: TimeDelta = TimeDelta::hours(72);

/// Steps from an account to those that it comes from that are read at most.
pub const MOST_STEPS: i32 = 64;

names! {
    /// Whether one account may decide what another one asked for.
    SecondPair {
        /// It may.
        Yes,
        /// One person may hold both.
        SamePerson,
        /// It is younger than a day.
        New,
        /// It is unknown or disabled.
        NotActive,
    }
}

/// What decides about an account.
#[derive(Clone, Debug)]
pub struct Account {
    pub is_active: bool,
    /// None for a founder.
    pub made_by: Option<StaffId>,
    pub is_confirmed: bool,
    pub created_at: DateTime<Utc>,
    /// Who last reset its password, and its second factor, made it active again, and set its role, and when. Each
    /// replaces only the one of its kind: who knows a one-time password may hold the account when somebody else resets
    /// the second factor.
    pub changes: [Option<(StaffId, DateTime<Utc>)>; 4],
}

/// Accounts with all those that they come from.
#[derive(Debug, Default)]
pub struct Kin {
    accounts: HashMap<StaffId, Account>,
    is_complete: bool,
}

/// The time after which a change counts.
pub fn changes_count_after(now: DateTime<Utc>) -> DateTime<Utc> {
    now.checked_sub_signed(CHANGE_FOR).unwrap_or(now)
}

impl Kin {
    /// `is_complete`: no account is more than [`MOST_STEPS`] away.
    pub fn new(accounts: HashMap<StaffId, Account>, is_complete: bool) -> Self {
        Self {
            accounts,
            is_complete,
        }
    }

    /// Whether `decided_by` may decide what `asked_by` asked for.
    pub fn second_pair(
        &self,
        asked_by: StaffId,
        decided_by: StaffId,
        now: DateTime<Utc>,
    ) -> SecondPair {
        if asked_by == decided_by {
            return SecondPair::SamePerson;
        }
        let decider = self.accounts.get(&decided_by);
        let Some(decider) = decider.filter(|account| account.is_active) else {
            return SecondPair::NotActive;
        };
        if decider.made_by.is_some() && now.signed_duration_since(decider.created_at) < NEW_FOR {
            return SecondPair::New;
        }
        let asks_without_account = asked_by.0 == Uuid::nil();
        if !asks_without_account && self.are_related(asked_by, decided_by, now) {
            return SecondPair::SamePerson;
        }
        SecondPair::Yes
    }

    /// Whether one person may hold both accounts. Also for adfolioctl, which has none.
    pub fn are_related(&self, one: StaffId, other: StaffId, now: DateTime<Utc>) -> bool {
        if !self.is_complete || self.makers(one).contains(&other) {
            return true;
        }
        if self.makers(other).contains(&one) {
            return true;
        }
        let (one, other) = (self.people(one, now), self.people(other, now));
        !one.is_disjoint(&other)
    }

    /// The account and those that it comes from.
    fn makers(&self, id: StaffId) -> HashSet<StaffId> {
        let mut makers = HashSet::new();
        let mut next = Some(id);
        // An account that was read before would be its own maker.
        while let Some(id) = next.filter(|id| makers.insert(*id)) {
            next = self.accounts.get(&id).and_then(|account| account.made_by);
        }
        makers
    }

    /// The person of an account.
    fn person(&self, id: StaffId) -> StaffId {
        let (mut id, mut seen) = (id, HashSet::new());
        while seen.insert(id) {
            let account = self.accounts.get(&id);
            let maker = account.filter(|account| !account.is_confirmed);
            match maker.and_then(|account| account.made_by) {
                Some(maker) => id = maker,
                None => break,
            }
        }
        id
    }

    /// The person of an account, and of those who lately changed it.
    fn people(&self, id: StaffId, now: DateTime<Utc>) -> HashSet<StaffId> {
        let (mut people, mut seen, mut open) = (HashSet::new(), HashSet::new(), vec![id]);
        while let Some(id) = open.pop() {
            if !seen.insert(id) {
                continue;
            }
            people.insert(self.person(id));
            let changes = self.accounts.get(&id).map(|account| account.changes);
            let changes = changes.into_iter().flatten().flatten();
            let lately = changes.filter(|(_, at)| *at > changes_count_after(now));
            open.extend(lately.map(|(by, _)| by));
        }
        people
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(number: u128) -> StaffId {
        StaffId(Uuid::from_u128(number))
    }

    fn now() -> DateTime<Utc> {
        DateTime::from_timestamp(1_700_000_000, 0).expect("time")
    }

    const FOUNDERS: [u128; 2] = [1, 2];
    const NIL: u128 = 0;

    /// Two founders, and old accounts: id and maker.
    fn office(made: &[(u128, u128)]) -> Kin {
        let old = now() - TimeDelta::days(10);
        let account = |made_by: Option<u128>| Account {
            is_active: true,
            made_by: made_by.map(id),
            is_confirmed: false,
            created_at: old,
            changes: [None; 4],
        };
        let founders = FOUNDERS.map(|founder| (id(founder), account(None)));
        let made = made.iter().map(|(of, by)| (id(*of), account(Some(*by))));
        Kin::new(founders.into_iter().chain(made).collect(), true)
    }

    fn change(kin: &mut Kin, of: u128, change: impl FnOnce(&mut Account)) {
        change(kin.accounts.get_mut(&id(of)).expect("an account"));
    }

    fn confirm(kin: &mut Kin, of: u128) {
        change(kin, of, |account| account.is_confirmed = true);
    }

    fn reset(kin: &mut Kin, of: u128, by: u128, ago: TimeDelta) {
        let reset = Some((id(by), now() - ago));
        change(kin, of, |account| account.changes[0] = reset);
    }

    fn reset_factor(kin: &mut Kin, of: u128, by: u128, ago: TimeDelta) {
        let reset = Some((id(by), now() - ago));
        change(kin, of, |account| account.changes[1] = reset);
    }

    #[track_caller]
    fn both_ways(kin: &Kin, one: u128, other: u128, answer: SecondPair) {
        for (asked, decided) in [(one, other), (other, one)] {
            let found = kin.second_pair(id(asked), id(decided), now());
            assert_eq!(found, answer, "{decided} decides for {asked}");
        }
    }

    #[test]
    fn founders_are_two_from_the_start() {
        let mut kin = office(&[]);
        for founder in FOUNDERS {
            change(&mut kin, founder, |account| account.created_at = now());
        }
        both_ways(&kin, 1, 2, SecondPair::Yes);
        both_ways(&kin, 1, 1, SecondPair::SamePerson);
    }

    #[test]
    fn a_decider_is_active_and_a_day_old() {
        let mut kin = office(&[(3, 1)]);
        let ask = |kin: &Kin, decided: u128| kin.second_pair(id(2), id(decided), now());
        assert_eq!(ask(&kin, 3), SecondPair::Yes);
        let second = TimeDelta::seconds(1);
        change(&mut kin, 3, |account| {
            account.created_at = now() - NEW_FOR + second;
        });
        assert_eq!(ask(&kin, 3), SecondPair::New);
        change(&mut kin, 3, |account| account.created_at = now() - NEW_FOR);
        assert_eq!(ask(&kin, 3), SecondPair::Yes);
        change(&mut kin, 3, |account| account.is_active = false);
        assert_eq!(ask(&kin, 3), SecondPair::NotActive);
        // Who asked may be disabled by now.
        assert_eq!(kin.second_pair(id(3), id(2), now()), SecondPair::Yes);
        for unknown in [NIL, 99] {
            assert_eq!(ask(&kin, unknown), SecondPair::NotActive);
        }
    }

    #[test]
    fn for_the_nil_id_only_the_decider_counts() {
        let mut kin = office(&[(3, 1), (4, NIL)]);
        for decided in [1, 3, 4] {
            let found = kin.second_pair(id(NIL), id(decided), now());
            assert_eq!(found, SecondPair::Yes);
        }
        change(&mut kin, 4, |account| account.created_at = now());
        let found = kin.second_pair(id(NIL), id(4), now());
        assert_eq!(found, SecondPair::New);
    }

    #[test]
    fn puppets_are_their_maker() {
        // 1 made 3, which made 4, which made 5; 1 made 6, too; 2 made 7.
        let kin = office(&[(3, 1), (4, 3), (5, 4), (6, 1), (7, 2)]);
        for (one, other) in [(1, 5), (3, 5), (1, 6), (5, 6), (4, 6)] {
            both_ways(&kin, one, other, SecondPair::SamePerson);
        }
        for (one, other) in [(2, 5), (7, 5), (7, 1), (1, 2)] {
            both_ways(&kin, one, other, SecondPair::Yes);
        }
    }

    #[test]
    fn a_confirmed_account_is_a_person_beside_all_but_its_makers() {
        let mut kin = office(&[(3, 1), (4, 3), (6, 1)]);
        confirm(&mut kin, 3);
        both_ways(&kin, 3, 6, SecondPair::Yes);
        both_ways(&kin, 3, 1, SecondPair::SamePerson);
        // What it made is its own, and still comes from its maker's maker.
        both_ways(&kin, 4, 6, SecondPair::Yes);
        both_ways(&kin, 4, 3, SecondPair::SamePerson);
        both_ways(&kin, 4, 1, SecondPair::SamePerson);
    }

    #[test]
    fn who_reset_an_account_may_hold_it_for_three_days() {
        let mut kin = office(&[(3, 1), (4, 2)]);
        reset(&mut kin, 2, 1, TimeDelta::hours(71));
        both_ways(&kin, 1, 2, SecondPair::SamePerson);
        // Neither do puppets of one decide for the other, nor do puppets of both.
        both_ways(&kin, 3, 2, SecondPair::SamePerson);
        reset(&mut kin, 2, 1, TimeDelta::hours(72));
        both_ways(&kin, 1, 2, SecondPair::Yes);
        reset(&mut kin, 2, 3, TimeDelta::hours(1));
        both_ways(&kin, 1, 2, SecondPair::SamePerson);
        // Resets in a circle end.
        reset(&mut kin, 3, 2, TimeDelta::hours(1));
        both_ways(&kin, 1, 2, SecondPair::SamePerson);
        both_ways(&kin, 4, 3, SecondPair::SamePerson);
    }

    #[test]
    fn a_reset_of_the_second_factor_does_not_hide_that_of_the_password() {
        let mut kin = office(&[(3, 2)]);
        confirm(&mut kin, 3);
        reset_factor(&mut kin, 2, 1, TimeDelta::hours(71));
        both_ways(&kin, 1, 2, SecondPair::SamePerson);
        reset(&mut kin, 1, 3, TimeDelta::hours(2));
        reset_factor(&mut kin, 1, 2, TimeDelta::hours(1));
        both_ways(&kin, 1, 3, SecondPair::SamePerson);
        both_ways(&kin, 1, 2, SecondPair::SamePerson);
        for of in [1, 2] {
            reset_factor(&mut kin, of, 3 - of, TimeDelta::hours(72));
        }
        both_ways(&kin, 1, 2, SecondPair::Yes);
        both_ways(&kin, 1, 3, SecondPair::SamePerson);
    }

    #[test]
    fn who_enables_an_account_or_sets_its_role_counts_as_its_holder() {
        for kind in [2, 3] {
            let mut kin = office(&[(3, 1)]);
            let by_1 = |ago| Some((id(1), now() - ago));
            change(&mut kin, 2, |account| {
                account.changes[kind] = by_1(TimeDelta::hours(71));
            });
            both_ways(&kin, 1, 2, SecondPair::SamePerson);
            both_ways(&kin, 3, 2, SecondPair::SamePerson);
            change(&mut kin, 2, |account| {
                account.changes[kind] = by_1(TimeDelta::hours(72));
            });
            both_ways(&kin, 1, 2, SecondPair::Yes);
        }
    }

    #[test]
    fn what_was_not_read_to_the_end_is_one_person() {
        let mut kin = office(&[]);
        kin.is_complete = false;
        both_ways(&kin, 1, 2, SecondPair::SamePerson);
    }

    #[test]
    fn a_circle_of_makers_ends() {
        let kin = office(&[(3, 4), (4, 3)]);
        both_ways(&kin, 3, 4, SecondPair::SamePerson);
        both_ways(&kin, 3, 1, SecondPair::Yes);
    }
}
