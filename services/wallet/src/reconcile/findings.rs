//! What a walk over the books finds, and the checks that follow from it.

use std::collections::BTreeMap;

use adfolio_kit::identity::UserId;

use super::entity::{Check, Platform};

/// A wallet's figures, which its entries must explain.
#[derive(Clone, Copy, Debug)]
pub struct Wallet {
    pub user_id: UserId,
    /// Number of the last transaction.
    pub seq: i64,
    /// Available, to be consumed, to be settled, withdrawing, guarantee.
    pub balances: [i64; 5],
    /// What coupons paid.
    pub discount_total: i64,
    pub start_up_outstanding: i64,
}

/// Sums of a user's transactions and entries, up to the number of the wallet they are compared with.
#[derive(Clone, Copy, Debug, Default)]
pub struct Sums {
    pub transactions: i64,
    /// Entries of the five accounts.
    pub balances: [i64; 5],
    /// Entries of the available account that the fund details show.
    pub shown: i64,
    /// Entries of promotions for coupons.
    pub coupons: i64,
    /// Entries of promotions for start-up funds.
    pub start_up: i64,
}

/// One user's part of a stretch of the books.
#[derive(Clone, Copy, Debug)]
pub struct Part {
    pub user_id: UserId,
    pub has_wallet: bool,
    pub transactions: i64,
    /// Transactions whose entries do not sum to zero.
    pub unbalanced: i64,
    /// Transactions whose number or balances after do not follow from the one before.
    pub off_course: i64,
    /// What is to be compared with the wallet.
    pub sums: Sums,
    /// What exchange orders changed of the available balance.
    pub exchanged: i64,
    pub platform: Platform,
}

/// What a walk over the books found. Sums saturate: one that does not fit proves nothing anyway.
#[derive(Clone, Copy, Debug, Default)]
pub struct Findings {
    wallets: i64,
    transactions: i64,
    unbalanced: i64,
    off_course: i64,
    wallets_differing: i64,
    balance_difference: i64,
    details_differing: i64,
    discounts_differing: i64,
    start_up_differing: i64,
    exchanged: i64,
    pub platform: Platform,
}

impl Findings {
    /// Takes in a user's part of a stretch, whose sums go to the other parts of that user.
    pub fn add(&mut self, part: &Part, sums: &mut BTreeMap<UserId, Sums>) {
        increase(&mut self.transactions, part.transactions);
        increase(&mut self.unbalanced, part.unbalanced);
        increase(&mut self.off_course, part.off_course);
        increase(&mut self.wallets_differing, i64::from(!part.has_wallet));
        for (total, amount) in self.platform.0.iter_mut().zip(part.platform.0) {
            increase(total, amount);
        }
        let user = sums.entry(part.user_id).or_default();
        increase(&mut user.transactions, part.sums.transactions);
        increase(&mut user.shown, part.sums.shown);
        increase(&mut user.coupons, part.sums.coupons);
        increase(&mut user.start_up, part.sums.start_up);
        increase(&mut self.exchanged, part.exchanged);
        for (total, amount) in user.balances.iter_mut().zip(part.sums.balances) {
            increase(total, amount);
        }
    }

    /// Compares a wallet with all parts of its user.
    pub fn compare(&mut self, wallet: &Wallet, sums: &Sums) {
        let pairs = wallet.balances.iter().zip(sums.balances);
        let difference = pairs.fold(0_i64, |all, (balance, sum)| {
            all.saturating_add(balance.saturating_sub(sum).saturating_abs())
        });
        let differs = difference != 0 || wallet.seq != sums.transactions;
        increase(&mut self.wallets, 1);
        increase(&mut self.wallets_differing, i64::from(differs));
        increase(&mut self.balance_difference, difference);
        increase(
            &mut self.details_differing,
            i64::from(wallet.balances[0] != sums.shown),
        );
        increase(
            &mut self.discounts_differing,
            i64::from(wallet.discount_total.checked_neg() != Some(sums.coupons)),
        );
        increase(
            &mut self.start_up_differing,
            i64::from(wallet.start_up_outstanding.checked_neg() != Some(sums.start_up)),
        );
    }

    /// The checks that the books prove by themselves.
    pub fn checks(&self) -> Vec<Check> {
        let Self {
            wallets,
            transactions,
            ..
        } = self;
        let of_transactions = |name, count, what| {
            Check::zero(
                name,
                count,
                format!("{count} of {transactions} transactions {what}"),
            )
        };
        let of_wallets = |name, count, what: String| {
            Check::zero(name, count, format!("{count} of {wallets} wallets {what}"))
        };
        let difference = self.balance_difference;
        let cleared = self.platform.fx_clearing();
        vec![
            of_transactions("entries_sum_to_zero", self.unbalanced, "do not balance"),
            of_transactions(
                "balances_follow_in_sequence",
                self.off_course,
                "do not follow from the one before",
            ),
            of_wallets(
                "balances_equal_entries",
                self.wallets_differing,
                format!("differ from their entries, by {difference} minor units in all"),
            ),
            of_wallets(
                "fund_details_sum_to_available",
                self.details_differing,
                "differ from their fund details".into(),
            ),
            of_wallets(
                "discounts_equal_promotions",
                self.discounts_differing,
                "differ from what promotions paid".into(),
            ),
            of_wallets(
                "start_up_funds_equal_grants",
                self.start_up_differing,
                "differ from what was granted and returned".into(),
            ),
            Check::zero(
                "fx_clearing_equals_exchanges",
                cleared.saturating_add(self.exchanged),
                format!(
                    "exchange orders brought users {}, the clearing account stands at {cleared}",
                    self.exchanged
                ),
            ),
        ]
    }
}

fn increase(total: &mut i64, amount: i64) {
    *total = total.saturating_add(amount);
}
