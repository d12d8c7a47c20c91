//! The books of any user, as staff ask for them.

use serde::Deserialize;
use utoipa::ToSchema;

use super::PageLimit;
use super::day::Day;
use super::wallet::{FlowListQuery, FlowType, Month, WalletAccount};

/// Filters for the fund details of a user.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct UserFlowListQuery {
    /// The user.
    pub user_id: String,
    /// Only this type.
    #[serde(rename = "type")]
    pub kind: Option<FlowType>,
    /// Only this account; all if absent. The amounts of an account's entries sum up to its balance.
    pub account: Option<WalletAccount>,
    /// Only this month, in the caller's time zone.
    pub month: Option<Month>,
    /// Only this day of the caller's time zone and later ones; not with a month.
    pub from: Option<Day>,
    /// Only this day and earlier ones; not with a month.
    pub until: Option<Day>,
    /// Whether to add up the entries of the account.
    pub totals: Option<bool>,
    /// `next_cursor` of the previous page; the first page if absent.
    #[schema(max_length = 1024)]
    pub cursor: Option<String>,
    /// Maximum number of items; 20 if absent.
    pub limit: Option<PageLimit>,
}

impl UserFlowListQuery {
    /// The user, and what the user would ask.
    pub fn split(self) -> (String, FlowListQuery) {
        let query = FlowListQuery {
            kind: self.kind,
            account: self.account,
            month: self.month,
            from: self.from,
            until: self.until,
            totals: self.totals,
            id: None,
            cursor: self.cursor,
            limit: self.limit,
        };
        (self.user_id, query)
    }
}

/// Selects a month of a user's statement.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct UserStatementQuery {
    /// The user.
    pub user_id: String,
    /// The month, in the caller's time zone.
    pub month: Month,
}

/// Names a user.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct UserQuery {
    /// The user.
    pub user_id: String,
}
