//! Who works on what in the console.

use adfolio_proto::auth::v1 as auth;
use serde::Deserialize;
use utoipa::ToSchema;

use super::audit::StaffName;
use super::{PageLimit, Timestamp, wire_enum, wire_struct};

wire_enum! {
    /// What an item is.
    ClaimKind = auth::ClaimKind {
        /// A withdrawal.
        Withdrawal,
        /// A request that needs another member of staff.
        Approval,
        /// An exchange order.
        ExchangeOrder,
        /// Feedback.
        Feedback,
        /// An import of delivery.
        Import,
        /// A line of a bank's file.
        BankLine,
        /// A plan.
        Plan,
        /// A user.
        User,
        /// A section of texts.
        Content,
    }
}

wire_struct! {
    /// Who works on an item. It warns and blocks nobody.
    pub struct Claim = auth::Claim as claim, caller: &str {
        /// What the item is.
        pub kind: ClaimKind,
        /// Its id.
        #[schema(example = "0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e44")]
        pub id: String = item_id,
        /// Whether the caller holds it.
        pub own: bool = (claim.staff_id == caller),
        /// Who holds it.
        pub staff: StaffName = (StaffName { id: claim.staff_id, username: claim.staff_username }),
        /// Since when.
        pub claimed_at: Timestamp,
        /// When it runs out unless its holder renews it.
        pub expires_at: Timestamp,
    }
}

/// Claims or releases an item.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct ClaimRequest {
    /// What the item is.
    pub kind: ClaimKind,
    /// Its id, 1 to 100 characters. It is not looked up.
    #[schema(example = "0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e44", max_length = 100)]
    pub id: String,
}

/// A page of claims of one kind.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct ClaimListQuery {
    /// What the items are.
    pub kind: ClaimKind,
    /// `next_cursor` of the previous page; the first page if absent.
    #[schema(max_length = 1024)]
    pub cursor: Option<String>,
    /// Maximum number of items; 20 if absent.
    pub limit: Option<PageLimit>,
}
