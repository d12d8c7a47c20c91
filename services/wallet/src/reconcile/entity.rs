//! What is proved of the books, and how findings become checks.

use std::collections::BTreeMap;

use adfolio_proto::coupon::v1::GetRedeemedTotalResponse;
use uuid::Uuid;

/// One proof.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Check {
    /// Stable name.
    pub name: &'static str,
    /// Whether it holds.
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

/// What one walk over all wallets found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Findings {
    /// Wallets read.
    pub wallets: i64,
    /// Transactions read.
    pub transactions: i64,
    /// Transactions whose entries do not sum to zero, or that have none.
    pub unbalanced: i64,
    /// Transactions whose changes are not the sums of their entries.
    pub differing: i64,
    /// Transactions whose number or balances after do not follow from the ones before.
    pub off_course: i64,
    /// Wallets whose balances are not the sums of their entries.
    pub wallets_differing: i64,
    /// Sum of what they differ by.
    pub balance_difference: i64,
    /// Wallets whose available balance is not the sum of its lines in the fund details.
    pub details_differing: i64,
    /// Wallets whose coupon total is not what promotions paid for them.
    pub discounts_differing: i64,
    /// Balances of the platform's accounts.
    pub platform: Platform,
}

/// Balances of the platform's accounts: sums of their entries.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Platform {
    /// Deposits credited.
    pub deposits_clearing: i64,
    /// What coupons cost.
    pub promotions: i64,
    /// What delivery cost.
    pub ad_spend: i64,
    /// What delivery earned.
    pub ad_revenue: i64,
    /// The platform's share.
    pub profit_share: i64,
}

impl Findings {
    /// Adds what the next page of wallets holds. Saturating: a sum that does not fit is no proof of anything anyway.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self {
            wallets: self.wallets.saturating_add(other.wallets),
            transactions: self.transactions.saturating_add(other.transactions),
            unbalanced: self.unbalanced.saturating_add(other.unbalanced),
            differing: self.differing.saturating_add(other.differing),
            off_course: self.off_course.saturating_add(other.off_course),
            wallets_differing: self
                .wallets_differing
                .saturating_add(other.wallets_differing),
            balance_difference: self
                .balance_difference
                .saturating_add(other.balance_difference),
            details_differing: self
                .details_differing
                .saturating_add(other.details_differing),
            discounts_differing: self
                .discounts_differing
                .saturating_add(other.discounts_differing),
            platform: Platform {
                deposits_clearing: self
                    .platform
                    .deposits_clearing
                    .saturating_add(other.platform.deposits_clearing),
                promotions: self
                    .platform
                    .promotions
                    .saturating_add(other.platform.promotions),
                ad_spend: self
                    .platform
                    .ad_spend
                    .saturating_add(other.platform.ad_spend),
                ad_revenue: self
                    .platform
                    .ad_revenue
                    .saturating_add(other.platform.ad_revenue),
                profit_share: self
                    .platform
                    .profit_share
                    .saturating_add(other.platform.profit_share),
            },
        }
    }

    /// The checks that the books prove by themselves.
    pub fn checks(&self) -> Vec<Check> {
        let Self {
            wallets,
            transactions,
            ..
        } = self;
        vec![
            Check::zero(
                "entries_sum_to_zero",
                self.unbalanced,
                format!(
                    "{} of {transactions} transactions do not balance",
                    self.unbalanced
                ),
            ),
            Check::zero(
                "transactions_equal_entries",
                self.differing,
                format!(
                    "{} of {transactions} transactions differ from their entries",
                    self.differing
                ),
            ),
            Check::zero(
                "balances_follow_in_sequence",
                self.off_course,
                format!(
                    "{} of {transactions} transactions do not follow from the one before",
                    self.off_course
                ),
            ),
            Check::zero(
                "balances_equal_entries",
                self.wallets_differing,
                format!(
                    "{} of {wallets} wallets differ, by {} minor units in all",
                    self.wallets_differing, self.balance_difference
                ),
            ),
            Check::zero(
                "fund_details_sum_to_available",
                self.details_differing,
                format!(
                    "{} of {wallets} wallets differ from their fund details",
                    self.details_differing
                ),
            ),
            Check::zero(
                "discounts_equal_promotions",
                self.discounts_differing,
                format!(
                    "{} of {wallets} wallets differ from what promotions paid",
                    self.discounts_differing
                ),
            ),
        ]
    }
}

/// What orders hold, by order.
pub type Holds = BTreeMap<Uuid, i64>;

/// The orders on which two books disagree.
pub fn differing_orders(ledger: &Holds, plan: &Holds) -> Vec<Uuid> {
    let only_in_plan = plan.iter().filter(|(id, _)| !ledger.contains_key(*id));
    let all = ledger.iter().chain(only_in_plan);
    let amount = |holds: &Holds, id: &Uuid| holds.get(id).copied().unwrap_or(0);
    all.filter(|(id, _)| amount(ledger, id) != amount(plan, id))
        .map(|(id, _)| *id)
        .collect()
}

/// What coupons cost by the ledger's books.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CouponCost {
    /// Coupon parts of orders that were not released: with those the coupon stays used.
    pub kept: i64,
}

impl CouponCost {
    /// How far coupon's books are from the ledger's. A coupon that is reserved may not have arrived in the ledger yet.
    pub fn distance(self, coupon: &GetRedeemedTotalResponse) -> i64 {
        let surplus = coupon.redeemed_minor.saturating_sub(self.kept);
        if surplus < 0 {
            surplus
        } else {
            surplus.saturating_sub(coupon.reserved_minor).max(0)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn holds(pairs: &[(u128, i64)]) -> Holds {
        pairs
            .iter()
            .map(|(id, open)| (Uuid::from_u128(*id), *open))
            .collect()
    }

    #[test]
    fn orders_differ_when_either_book_has_another_amount() {
        let ledger = holds(&[(1, 5), (2, 6), (3, 7)]);
        assert!(differing_orders(&ledger, &ledger).is_empty());
        let plan = holds(&[(2, 9), (3, 7), (4, 8), (5, 0)]);
        let ids: Vec<u128> = differing_orders(&ledger, &plan)
            .iter()
            .map(Uuid::as_u128)
            .collect();
        assert_eq!(ids, [1, 2, 4]);
    }

    #[test]
    fn only_reserved_coupons_may_be_ahead_of_the_ledger() {
        let distance = |kept, redeemed_minor, reserved_minor| {
            CouponCost { kept }.distance(&GetRedeemedTotalResponse {
                redeemed_minor,
                reserved_minor,
            })
        };
        assert_eq!(distance(100, 100, 0), 0);
        assert_eq!(distance(100, 130, 30), 0);
        assert_eq!(distance(100, 110, 30), 0);
        assert_eq!(distance(100, 131, 30), 1);
        assert_eq!(distance(100, 90, 30), -10);
    }
}
