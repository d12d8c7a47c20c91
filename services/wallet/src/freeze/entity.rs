//! A freeze, and who has agreed to its end.

use adfolio_kit::identity::UserId;
use chrono::{DateTime, Utc};

use crate::ids::{FreezeId, StaffId};

/// Longest reason, in characters.
pub const LONGEST_REASON: usize = 500;

/// A wallet that nothing may leave, or that was one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Freeze {
    pub id: FreezeId,
    pub user_id: UserId,
    pub frozen_at: DateTime<Utc>,
    /// As its owner said it; empty without one.
    pub reason: String,
    /// When the owner agreed to lift it.
    pub owner_at: Option<DateTime<Utc>>,
    /// When a member of staff agreed, and who.
    pub staff_at: Option<DateTime<Utc>>,
    pub staff_id: Option<StaffId>,
    /// Empty without one.
    pub staff_reason: String,
    pub lifted_at: Option<DateTime<Utc>>,
}

impl Freeze {
    /// Whether both have agreed to lift it.
    pub fn may_be_lifted(&self) -> bool {
        self.lifted_at.is_none() && self.owner_at.is_some() && self.staff_at.is_some()
    }
}
