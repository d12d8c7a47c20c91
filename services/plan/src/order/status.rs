//! The status of an order, and the steps of its life.

use adfolio_kit::names;
use chrono::{DateTime, Utc};

names! {
    /// Where an order stands.
    Status {
        /// Its put is under way.
        Placing = "placing",
        /// Its put was refused.
        Refused = "refused",
        /// Pushed; waits for the user's put.
        Waiting = "waiting",
        /// Paid; waits for its first delivery.
        Matching = "matching",
        /// Delivers.
        Putting = "putting",
        /// Not delivered; the money was returned.
        PutFailed = "put_failed",
        /// The budget is consumed or the window is over; the ledger may not have everything yet.
        PutFinished = "put_finished",
        /// Networks may still restate.
        WaitingSettlement = "waiting_settlement",
        /// The revenue is paid out.
        Settled = "settled",
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
        Fail = "fail",
        /// Pay out.
        Settle = "settle",
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
