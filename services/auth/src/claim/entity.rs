//! What can be claimed, by whom, and for how long.

use adfolio_kit::identity::StaffRole;
use adfolio_kit::names;
use adfolio_kit::refusal::Refusal;
use adfolio_kit::wire;
use chrono::{DateTime, TimeDelta, Utc};

use crate::ids::{ClaimId, StaffId};

/// A claim that is not renewed runs out after this.
pub const LEASE: TimeDelta = TimeDelta::minutes(2);

/// Longest id of an item, in characters.
const LONGEST_ITEM: usize = 100;

names! {
    /// What an item is.
    Kind {
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

impl Kind {
    /// Who may see such items, and so who works on them; an admin always.
    pub fn roles(self) -> &'static [StaffRole] {
        match self {
            Self::Withdrawal | Self::Approval | Self::ExchangeOrder | Self::BankLine => {
                &[StaffRole::Finance]
            }
            Self::Feedback => &[StaffRole::Support],
            Self::Import | Self::Plan | Self::User | Self::Content => StaffRole::ALL,
        }
    }
}

/// What is claimed. Nobody looks it up: a claim on nothing runs out like any other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Item {
    /// What it is.
    pub kind: Kind,
    /// Its id.
    pub id: String,
}

impl Item {
    /// From what a caller sent.
    pub fn parse(kind: Kind, id: &str) -> Result<Self, Refusal> {
        Ok(Self {
            kind,
            id: wire::line(id, LONGEST_ITEM, "id")?,
        })
    }
}

/// Who works on an item.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claim {
    pub id: ClaimId,
    pub kind: Kind,
    pub item_id: String,
    pub staff_id: StaffId,
    pub staff_username: String,
    pub claimed_at: DateTime<Utc>,
    pub expires_at: DateTime<Utc>,
}
