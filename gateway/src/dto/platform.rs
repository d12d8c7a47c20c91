//! The platform's own accounts.

use adfolio_proto::wallet::v1 as wallet;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::staff::UserName;
use super::{Money, PageLimit, Timestamp, wire_enum, wire_struct};

wire_enum! {
    /// An account of the platform.
    PlatformAccount = wallet::PlatformAccount {
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

wire_struct! {
    /// An account and its balance.
    pub struct PlatformBalance = wallet::PlatformBalance {
        /// The account.
        pub account: PlatformAccount,
        /// The sum of its entries: what users gained from it is negative.
        pub balance: Money = balance_minor,
    }
}

wire_struct! {
    /// The platform's accounts as the last proof of the books found them.
    pub struct PlatformAccounts = wallet::ListPlatformAccountsResponse {
        /// When the proof had read the books; null before the first one.
        #[schema(required = true)]
        pub as_of: Option<Timestamp>,
        /// Every account; empty before the first proof.
        pub items: Vec<PlatformBalance>,
    }
}

wire_struct! {
    /// What one transaction moved on an account.
    pub struct PlatformEntry = wallet::PlatformEntry {
        /// The transaction.
        #[schema(example = "0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e31")]
        pub transaction_id: String,
        /// When it was posted.
        pub time: Timestamp,
        /// Its type, by the name that statements have.
        #[serde(rename = "type")]
        #[schema(example = "deposit")]
        pub kind: String = r#type,
        /// Signed change of the account.
        pub amount: Money = amount_minor,
        /// The plan, withdrawal or exchange order.
        #[schema(required = true)]
        pub reference: Option<String>,
        /// Staff's remark.
        #[schema(required = true)]
        pub remark: Option<String>,
        /// The member of staff who posted it.
        #[schema(required = true)]
        pub staff_id: Option<String>,
    }
}

/// An entry with its user.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct StaffPlatformEntry {
    /// The entry.
    #[serde(flatten)]
    pub entry: PlatformEntry,
    /// The user whose wallet the transaction belongs to.
    pub user: UserName,
}

/// Selects entries of an account.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct PlatformEntryListQuery {
    /// The account; not one that every delivery report moves: `ad_spend` and `ad_revenue` are listed by plan.
    pub account: PlatformAccount,
    /// `next_cursor` of the previous page; the first page if absent.
    #[schema(max_length = 1024)]
    pub cursor: Option<String>,
    /// Maximum number of items; 20 if absent.
    pub limit: Option<PageLimit>,
}
