//! What has changed for a user and is still to be sent on a stream.

use std::collections::BTreeMap;

use uuid::Uuid;

/// Plans that one word names at most; with more, it is about all of them.
const NAMED_PLANS: usize = 20;

/// A change that pages must hear of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// How many notices are unread.
    Unread,
    /// The wallet, or what protects it; with the number of the posting that changed it.
    Wallet(Option<i64>),
    /// A plan or its metrics, with the sequence of the change.
    Plan { id: Uuid, sequence: i64 },
    /// Any plan, or its metrics.
    Plans,
    /// Any of these may have changed.
    Everything,
}

/// Changes that were not sent yet. What comes together is sent once.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Changes {
    pub unread: bool,
    pub wallet: bool,
    /// The newest posting among the changes of the wallet.
    pub posting: Option<i64>,
    /// The newest sequence of each plan.
    pub plans: BTreeMap<Uuid, i64>,
    /// Whether plans besides those may have changed.
    pub all_plans: bool,
}

impl Changes {
    pub fn add(&mut self, change: Change) {
        match change {
            Change::Unread => self.unread = true,
            Change::Wallet(posting) => {
                self.wallet = true;
                self.posting = self.posting.max(posting);
            }
            Change::Plan { id, sequence } => {
                if self.plans.len() >= NAMED_PLANS && !self.plans.contains_key(&id) {
                    self.all_plans = true;
                    return;
                }
                let newest = self.plans.entry(id).or_insert(sequence);
                *newest = sequence.max(*newest);
            }
            Change::Plans => self.all_plans = true,
            Change::Everything => {
                self.unread = true;
                self.wallet = true;
                self.all_plans = true;
            }
        }
    }

    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(id: u128, sequence: i64) -> Change {
        Change::Plan {
            id: Uuid::from_u128(id),
            sequence,
        }
    }

    #[test]
    fn the_newest_of_each_is_kept_whatever_the_order() {
        let mut changes = Changes::default();
        for change in [
            plan(1, 7),
            plan(2, 3),
            plan(1, 5),
            Change::Wallet(Some(9)),
            Change::Wallet(None),
            Change::Wallet(Some(8)),
        ] {
            changes.add(change);
        }
        let plans = BTreeMap::from([(Uuid::from_u128(1), 7), (Uuid::from_u128(2), 3)]);
        assert_eq!(changes.plans, plans);
        assert_eq!((changes.wallet, changes.posting), (true, Some(9)));
        assert!(!changes.unread && !changes.all_plans);
    }

    #[test]
    fn many_plans_are_all_plans() {
        let mut changes = Changes::default();
        assert!(changes.is_empty());
        for id in 0..1_000 {
            changes.add(plan(id, 1));
        }
        assert_eq!(changes.plans.len(), NAMED_PLANS);
        assert!(changes.all_plans);
        changes.add(plan(0, 2));
        assert_eq!(changes.plans[&Uuid::from_u128(0)], 2);
    }
}
