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
    /// Statuses; never empty.
    pub statuses: Vec<Status>,
    /// Values of `official`; never empty.
    pub official: Vec<bool>,
}
