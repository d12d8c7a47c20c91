//! Where an order stands, and steps from there.

use adfolio_kit::refusal::Refusal;
use chrono::{DateTime, Utc};

use crate::error::PlanError;

/// Where an order stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Status {
    /// Its put is under way.
    Placing,
    /// Its put was refused.
    Refused,
    /// Pushed, waits for the user's put.
    Waiting,
    /// Paid, waits for its first delivery.
    Matching,
    /// Delivering.
    Putting,
    /// Undelivered; the money went back.
    PutFailed,
    /// Budget consumed or window over; the ledger does not have everything yet.
    PutFinished,
    /// Networks may still restate.
    WaitingSettlement,
    /// Revenue paid out.
    Settled,
}

impl Status {
    /// The statuses that are shown.
    pub const LISTED: [Self; 7] = [
        Self::Waiting,
        Self::Matching,
        Self::Putting,
        Self::PutFailed,
        Self::PutFinished,
        Self::WaitingSettlement,
        Self::Settled,
    ];

    /// The name in the database and in events.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Placing => "placing",
            Self::Refused => "refused",
            Self::Waiting => "waiting",
            Self::Matching => "matching",
            Self::Putting => "putting",
            Self::PutFailed => "put_failed",
            Self::PutFinished => "put_finished",
            Self::WaitingSettlement => "waiting_settlement",
            Self::Settled => "settled",
        }
    }

    /// The status of a name in the database.
    pub fn parse(text: &str) -> Result<Self, PlanError> {
        let all = [Self::Placing, Self::Refused]
            .into_iter()
            .chain(Self::LISTED);
        all.into_iter()
            .find(|status| status.as_str() == text)
            .ok_or(PlanError::Corrupt("status"))
    }
}

/// An ending that has been decided and waits for other services.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pending {
    /// Give everything back.
    Fail,
    /// Pay out.
    Settle,
}

impl Pending {
    /// The name in the database.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Fail => "fail",
            Self::Settle => "settle",
        }
    }

    /// The ending of a name in the database.
    pub fn parse(text: &str) -> Result<Self, PlanError> {
        match text {
            "fail" => Ok(Self::Fail),
            "settle" => Ok(Self::Settle),
            _ => Err(PlanError::Corrupt("pending")),
        }
    }
}

/// A step in the life of an order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Transition {
    /// From where; none for the first that is shown.
    pub from: Option<Status>,
    /// Where to.
    pub to: Status,
    /// When.
    pub time: DateTime<Utc>,
    /// Why; may be empty.
    pub reason: String,
}

/// The order is not in a state that allows this.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a plan that is {} does not allow this", .0.as_str())]
pub struct NotAllowed(pub Status);

impl From<NotAllowed> for PlanError {
    fn from(error: NotAllowed) -> Self {
        Self::Refused(Refusal::invalid("id").detail(error.to_string()))
    }
}
