//! What one advertiser's client remembers.

use std::{
    collections::{HashMap, HashSet},
    ops::AddAssign,
};

/// The figures of a wallet, or a change of them, in minor units.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Funds {
    pub available: i64,
    pub to_be_consumed: i64,
    pub to_be_settled: i64,
    pub withdrawing: i64,
}

impl Funds {
    /// What comes in, or goes out.
    pub fn available(minor: i64) -> Self {
        Self {
            available: minor,
            ..Self::default()
        }
    }

    /// What a withdrawal takes aside.
    pub fn withdrawing(minor: i64) -> Self {
        Self {
            available: -minor,
            withdrawing: minor,
            ..Self::default()
        }
    }

    /// What a put takes aside, with what a coupon adds to it.
    pub fn held(paid: i64, discount: i64) -> Self {
        Self {
            available: -paid,
            to_be_consumed: paid + discount,
            ..Self::default()
        }
    }
}

impl AddAssign for Funds {
    fn add_assign(&mut self, other: Self) {
        self.available += other.available;
        self.to_be_consumed += other.to_be_consumed;
        self.to_be_settled += other.to_be_settled;
        self.withdrawing += other.withdrawing;
    }
}

/// What became of a call, as far as its caller knows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fate<T> {
    /// Success was answered.
    Done(T),
    /// It was refused.
    Refused,
    /// It was sent and never asked about again.
    Unknown,
}

/// Everything that one advertiser asked for and was told.
#[derive(Debug)]
pub struct History {
    pub user_id: String,
    pub client: crate::client::Client,
    /// What all that was answered comes to.
    pub funds: Funds,
    /// Postings by their key in the ledger, with what they change.
    pub postings: HashMap<String, (Fate<()>, Funds)>,
    /// Puts by their key, with the plan that was answered and what they pay.
    pub puts: HashMap<String, (Fate<String>, i64)>,
    /// Exchange orders that were answered, and how they were told to end.
    pub exchanges: HashMap<String, &'static str>,
    /// Coupons that staff were told they granted.
    pub coupons: HashSet<String>,
    /// Withdrawals that were answered.
    pub withdrawals: HashSet<String>,
    /// Operations on money that were answered, with success or a refusal.
    pub answered: usize,
    /// What attempts came to because a part was down.
    pub unavailable: Vec<String>,
}
