//! The memory of one advertiser's client.

use std::{
    collections::{HashMap, HashSet},
    ops::AddAssign,
};

/// The balances of a wallet, or a change of them, in minor units.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Funds {
    pub available: i64,
    pub to_be_consumed: i64,
    pub to_be_settled: i64,
    pub withdrawing: i64,
}

impl Funds {
    /// Money in or out.
    pub fn available(minor: i64) -> Self {
        Self {
            available: minor,
            ..Self::default()
        }
    }

    /// The hold of a withdrawal.
    pub fn withdrawing(minor: i64) -> Self {
        Self {
            available: -minor,
            withdrawing: minor,
            ..Self::default()
        }
    }

    /// The hold of a put, including the coupon's share.
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

/// The outcome of a call as known to its caller.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fate<T> {
    /// Success was answered.
    Done(T),
    /// It was refused.
    Refused,
    /// It was sent and never repeated; the outcome is unknown.
    Unknown,
}

/// Everything that one advertiser asked for and was answered.
#[derive(Debug)]
pub struct History {
    pub user_id: String,
    pub client: crate::client::Client,
    /// The total of all answers.
    pub funds: Funds,
    /// Postings by their key in the ledger, with their changes.
    pub postings: HashMap<String, (Fate<()>, Funds)>,
    /// Puts by their key, with the answered plan and its payment.
    pub puts: HashMap<String, (Fate<String>, i64)>,
    /// Answered exchange orders, and how they ended.
    pub exchanges: HashMap<String, &'static str>,
    /// Coupons granted by staff.
    pub coupons: HashSet<String>,
    /// Answered withdrawals.
    pub withdrawals: HashSet<String>,
    /// Answered operations on money, successful or refused.
    pub answered: usize,
    /// Errors of attempts because a component was down.
    pub unavailable: Vec<String>,
}
