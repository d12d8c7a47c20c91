//! A user's orders as a table: sorted by a column, narrowed by time and text, with the totals of all its rows.
//!
//! A column has no index, because one user's orders are few: they are read whole and sorted.

use adfolio_kit::identity::UserId;
use adfolio_kit::names;
use adfolio_kit::refusal::Refusal;
use adfolio_money::Money;
use chrono::{DateTime, Utc};

use super::entity::Order;
use super::repo::table;
use super::status::Filter;
use crate::app::App;
use crate::error::PlanError;
use crate::ids::OrderId;

/// Longest text that is searched for, in characters.
const LONGEST_QUERY: usize = 100;

names! {
    /// What a table is sorted by.
    Sort {
        /// When the order was pushed or placed.
        CreateTime,
        /// Its budget.
        PutAmount,
        /// Its spend.
        Consumed,
        /// Its revenue.
        Revenue,
        /// Revenue less spend.
        Profit,
        /// Its impressions.
        Impressions,
        /// Its clicks.
        Clicks,
    }
}

impl Sort {
    /// An order's value in the column, as SQL computes it.
    pub fn value_of(self, order: &Order) -> i64 {
        let (charged, revenue) = (order.delivered.charged.get(), order.delivered.revenue.get());
        match self {
            Self::CreateTime => order.created_at.timestamp_micros(),
            Self::PutAmount => order.put_amount.minor(),
            Self::Consumed => charged,
            Self::Revenue => revenue,
            Self::Profit => revenue.saturating_sub(charged),
            Self::Impressions => order.delivered.impressions,
            Self::Clicks => order.delivered.clicks,
        }
    }
}

/// Which rows a table has, and their order.
#[derive(Clone, Debug)]
pub struct Table {
    pub sort: Sort,
    pub ascending: bool,
    /// Only orders created at or after.
    pub from: Option<DateTime<Utc>>,
    /// Only orders created before.
    pub to: Option<DateTime<Utc>>,
    /// Only orders with this text in the product's name or the plan number; empty for all.
    pub query: String,
}

impl Table {
    /// The text to search for. VALIDATION of one that is too long.
    pub fn checked_query(text: &str) -> Result<String, Refusal> {
        let trimmed = text.trim();
        if trimmed.chars().count() > LONGEST_QUERY || trimmed.contains('\0') {
            return Err(Refusal::invalid("query"));
        }
        Ok(trimmed.to_owned())
    }

    /// The sign with which values are compared, so that every page goes down.
    pub fn sign(&self) -> i64 {
        if self.ascending { -1 } else { 1 }
    }
}

/// Totals of all rows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    pub count: i64,
    pub put_amount: Money,
    /// The spend of each, rounded by itself.
    pub consumed: Money,
    /// The revenue of each, rounded by itself.
    pub revenue: Money,
    pub impressions: i64,
    pub clicks: i64,
}

/// A page of a table.
#[derive(Clone, Debug)]
pub struct Rows {
    pub orders: Vec<Order>,
    pub totals: Totals,
}

/// A page of a user's table behind the row with this value and id.
pub async fn rows(
    app: &App,
    user: UserId,
    table: &Table,
    filter: &Filter,
    behind: Option<(i64, OrderId)>,
    fetch: i64,
) -> Result<Rows, PlanError> {
    Ok(Rows {
        orders: table::page(&app.reads, user, table, filter, behind, fetch).await?,
        totals: table::totals(&app.reads, user, table, filter).await?,
    })
}
