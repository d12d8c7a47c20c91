//! The status of an order, and the steps of its life.

use adfolio_kit::names;
use chrono::{DateTime, Utc};

names! {
    /// Where an order stands.
    Status {
        /// Its put is under way.
        Placing,
        /// Its put was refused.
        Refused,
        /// Pushed; waits for the user's put.
        Waiting,
        /// Paid; waits for its first delivery.
        Matching,
        /// Delivers.
        Putting,
        /// Not delivered; the money was returned.
        PutFailed,
        /// The budget is consumed or the window is over; the ledger may not have everything yet.
        PutFinished,
        /// Networks may still restate.
        WaitingSettlement,
        /// The revenue is paid out.
        Settled,
    }
}

impl Status {
    /// The statuses that users and staff see.
    pub const LISTED: [Self; 7] = [
        Self::Waiting,
        Self::Matching,
        Self::Putting,
        Self::PutFailed,
        Self::PutFinished,
        Self::WaitingSettlement,
        Self::Settled,
    ];

    /// Those of orders that were paid and have not failed.
    pub const PAID: [Self; 5] = [
        Self::Matching,
        Self::Putting,
        Self::PutFinished,
        Self::WaitingSettlement,
        Self::Settled,
    ];

    /// Those of orders for which wallet holds money and revenue.
    pub const OPEN: [Self; 4] = [
        Self::Matching,
        Self::Putting,
        Self::PutFinished,
        Self::WaitingSettlement,
    ];
}

names! {
    /// An ending that is decided and waits for other services.
    Pending {
        /// Return everything.
        Fail,
        /// Pay out.
        Settle,
    }
}

/// A step in the life of an order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Transition {
    /// The status before; none for the first one that users see.
    pub from: Option<Status>,
    /// The status after.
    pub to: Status,
    /// When.
    pub time: DateTime<Utc>,
    /// Why; may be empty.
    pub reason: String,
}

/// A step in the life of an order, as its timeline shows it.
#[derive(Clone, Debug)]
pub struct TimelineEntry {
    /// The status after; none if a later release wrote one that this release does not know.
    pub status: Option<Status>,
    /// When.
    pub time: DateTime<Utc>,
    /// Why; may be empty.
    pub reason: String,
}

/// Which orders a list shows.
#[derive(Clone, Debug)]
pub struct Filter {
    /// Statuses.
    pub statuses: Vec<Status>,
    /// Values of `official`.
    pub official: Vec<bool>,
}

impl Filter {
    /// Whether it lets all orders through that users see.
    pub fn is_whole(&self) -> bool {
        let has_all = Status::LISTED.iter().all(|it| self.statuses.contains(it));
        has_all && [true, false].iter().all(|it| self.official.contains(it))
    }

    /// The filter with these statuses at most; it may let nothing through.
    #[must_use]
    pub fn within(&self, statuses: &[Status]) -> Self {
        let selected = |it: &&Status| self.statuses.contains(it);
        Self {
            statuses: statuses.iter().filter(selected).copied().collect(),
            official: self.official.clone(),
        }
    }
}
