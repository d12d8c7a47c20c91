//! The platform's own accounts, for finance: what stands on them, and what moved them.
//!
//! A balance is a sum of entries, never a row, so that postings of different users share no lock. The proof of the books
//! sums them anyway: its last figures are shown.

mod repo;

use adfolio_kit::names;
use adfolio_kit::refusal::Refusal;
use chrono::{DateTime, Utc};

use crate::app::App;
use crate::error::WalletError;
use crate::flow::entity::Account;
use crate::ids::{ReferenceId, StaffId, TransactionId};
use crate::reconcile;
use adfolio_kit::identity::UserId;

names! {
    /// An account of the platform. The names are those of the books.
    PlatformAccount {
        /// What was paid in.
        DepositsClearing,
        /// What coupons and start-up funds cost.
        Promotions,
        /// What plans have spent.
        AdSpend,
        /// What plans have earned.
        AdRevenue,
        /// The platform's share of it.
        ProfitShare,
        /// What was paid out.
        WithdrawalsClearing,
        /// Fees of withdrawals.
        WithdrawalFees,
        /// What was taken back.
        Chargebacks,
        /// Membership fees.
        Membership,
        /// What was exchanged.
        FxClearing,
    }
}

impl PlatformAccount {
    /// The account by which its entries are found. VALIDATION for those that every delivery report moves: an index of
    /// their entries would cost each report, and the plans show them.
    fn listed_as(self) -> Result<Account, Refusal> {
        match self {
            Self::DepositsClearing => Ok(Account::DepositsClearing),
            Self::Promotions => Ok(Account::Promotions),
            Self::ProfitShare => Ok(Account::ProfitShare),
            // A fee is a part of a paid withdrawal.
            Self::WithdrawalsClearing | Self::WithdrawalFees => Ok(Account::WithdrawalsClearing),
            Self::Chargebacks => Ok(Account::Chargebacks),
            Self::Membership => Ok(Account::Membership),
            Self::FxClearing => Ok(Account::FxClearing),
            Self::AdSpend | Self::AdRevenue => Err(Refusal::invalid("account")),
        }
    }
}

/// What one transaction moved on an account.
#[derive(Clone, Debug)]
pub struct Entry {
    pub transaction_id: TransactionId,
    pub posted_at: DateTime<Utc>,
    pub kind: String,
    pub user_id: UserId,
    pub amount: i64,
    pub reference: Option<ReferenceId>,
    pub remark: String,
    pub staff_id: Option<StaffId>,
}

/// Every account with its balance, and when the proof had read the books; nothing before the first one.
pub async fn balances(
    app: &App,
) -> Result<Option<(DateTime<Utc>, Vec<(PlatformAccount, i64)>)>, WalletError> {
    let Some(proof) = reconcile::last_proof(app).await? else {
        return Ok(None);
    };
    let balance = |account: PlatformAccount| {
        let found = proof.outcome.platform.get(account.as_str());
        (account, found.copied().unwrap_or(0))
    };
    let balances = PlatformAccount::ALL.iter().copied().map(balance);
    Ok(Some((proof.finished_at, balances.collect())))
}

/// What moved an account, newest first.
pub async fn entries(
    app: &App,
    account: PlatformAccount,
    before: Option<TransactionId>,
    limit: i64,
) -> Result<Vec<Entry>, WalletError> {
    let are_fees = account == PlatformAccount::WithdrawalFees;
    let listed_as = account.listed_as()?;
    Ok(repo::entries(&app.pool, (listed_as, are_fees), before, limit).await?)
}
