//! What is proved of the books, and how findings become checks.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use crate::ids::OrderId;

/// One proof.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Check {
    /// Stable name.
    pub name: &'static str,
    pub ok: bool,
    /// The figure that must be zero.
    pub figure: i64,
    /// What was found, for staff.
    pub detail: String,
}

impl Check {
    /// A check of a figure that must be zero.
    pub fn zero(name: &'static str, figure: i64, detail: String) -> Self {
        Self {
            name,
            ok: figure == 0,
            figure,
            detail,
        }
    }

    /// A check that could not be made: not proved is not ok.
    pub fn not_made(name: &'static str, why: &str) -> Self {
        Self {
            name,
            ok: false,
            figure: 0,
            detail: format!("not checked: {why}"),
        }
    }
}

/// Balances of the platform's accounts, in the order of [`Platform::ACCOUNTS`].
#[derive(Clone, Copy, Debug, Default)]
pub struct Platform(pub [i64; 10]);

impl Platform {
    pub const ACCOUNTS: [&'static str; 10] = [
        "deposits_clearing",
        "promotions",
        "ad_spend",
        "ad_revenue",
        "profit_share",
        "withdrawals_clearing",
        "withdrawal_fees",
        "chargebacks",
        "membership",
        "fx_clearing",
    ];

    /// Balance of the platform's side of exchange orders.
    pub fn fx_clearing(&self) -> i64 {
        self.0[9]
    }
}

/// What the metrics show of a proof; stored as JSON.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct Outcome {
    pub checks: BTreeMap<String, Found>,
    /// Balances of the platform's accounts in cents.
    pub platform: BTreeMap<String, i64>,
}

/// What a check found.
#[derive(Clone, Copy, Debug, Deserialize, Serialize)]
pub struct Found {
    pub ok: bool,
    /// The figure that must be zero.
    pub figure: i64,
}

impl Outcome {
    /// Of these checks, with the balances of the platform's accounts.
    pub fn of(checks: &[Check], platform: &Platform) -> Self {
        let found = |check: &Check| Found {
            ok: check.ok,
            figure: check.figure,
        };
        let accounts = Platform::ACCOUNTS.into_iter().zip(platform.0);
        Self {
            checks: checks
                .iter()
                .map(|check| (check.name.to_owned(), found(check)))
                .collect(),
            platform: accounts
                .map(|(account, balance)| (account.to_owned(), balance))
                .collect(),
        }
    }

    /// Whether every check found what it must.
    pub fn is_balanced(&self) -> bool {
        self.checks.values().all(|found| found.ok)
    }
}

/// The last proof.
#[derive(Clone, Debug)]
pub struct Proof {
    pub finished_at: DateTime<Utc>,
    pub outcome: Outcome,
}

/// What orders hold, by order.
pub type Holds = BTreeMap<OrderId, i64>;

/// The orders on which two books disagree.
pub fn differing_orders(ledger: &Holds, plan: &Holds) -> Vec<OrderId> {
    let only_in_plan = plan.iter().filter(|(id, _)| !ledger.contains_key(*id));
    let all = ledger.iter().chain(only_in_plan);
    let amount = |holds: &Holds, id: &OrderId| holds.get(id).copied().unwrap_or(0);
    all.filter(|(id, _)| amount(ledger, id) != amount(plan, id))
        .map(|(id, _)| *id)
        .collect()
}

/// What plan's books say of an order that holds money.
#[derive(Clone, Copy, Debug)]
pub struct HoldBook {
    pub order_id: OrderId,
    /// What it holds, in minor units.
    pub open: i64,
    /// Whether a change of it is under way between plan and the ledger.
    pub is_in_flight: bool,
}

/// What an order has consumed and earned, in minor units.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Delivered {
    pub consumed: i64,
    pub revenue: i64,
}

/// What plan's books say of an order into which money was put.
#[derive(Clone, Copy, Debug)]
pub struct DeliveryBook {
    pub order_id: OrderId,
    pub delivered: Delivered,
    /// Whether a change of it is under way between plan and the ledger.
    pub is_in_flight: bool,
    /// Whether its reports and roll-ups add up to its figures.
    pub is_explained: bool,
}

impl DeliveryBook {
    /// Whether reports, figures and postings are the same.
    pub fn agrees_with(&self, posted: Delivered) -> bool {
        self.is_explained && (self.is_in_flight || self.delivered == posted)
    }
}

/// What coupons cost by coupon's books, in minor units.
#[derive(Clone, Copy, Debug)]
pub struct CouponBook {
    /// Of redeemed coupons.
    pub redeemed: i64,
    /// Of reserved ones.
    pub reserved: i64,
}

/// What coupons cost by the ledger's books.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CouponCost {
    /// Coupon parts of orders that were not released: with those the coupon stays used.
    pub kept: i64,
}

impl CouponCost {
    /// How far coupon's books are from the ledger's. A coupon that is reserved may not have arrived in the ledger yet.
    pub fn distance(self, coupon: CouponBook) -> i64 {
        let surplus = coupon.redeemed.saturating_sub(self.kept);
        if surplus < 0 {
            surplus
        } else {
            surplus.saturating_sub(coupon.reserved).max(0)
        }
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    fn holds(pairs: &[(u128, i64)]) -> Holds {
        pairs
            .iter()
            .map(|(id, open)| (OrderId(Uuid::from_u128(*id)), *open))
            .collect()
    }

    #[test]
    fn orders_differ_when_either_book_has_another_amount() {
        let ledger = holds(&[(1, 5), (2, 6), (3, 7)]);
        assert!(differing_orders(&ledger, &ledger).is_empty());
        let plan = holds(&[(2, 9), (3, 7), (4, 8), (5, 0)]);
        let ids: Vec<u128> = differing_orders(&ledger, &plan)
            .iter()
            .map(|id| id.0.as_u128())
            .collect();
        assert_eq!(ids, [1, 2, 4]);
    }

    #[test]
    fn only_reserved_coupons_may_be_ahead_of_the_ledger() {
        let distance = |kept, redeemed, reserved| {
            CouponCost { kept }.distance(CouponBook { redeemed, reserved })
        };
        assert_eq!(distance(100, 100, 0), 0);
        assert_eq!(distance(100, 130, 30), 0);
        assert_eq!(distance(100, 110, 30), 0);
        assert_eq!(distance(100, 131, 30), 1);
        assert_eq!(distance(100, 90, 30), -10);
    }
}
