//! A staff member.

use adfolio_kit::identity::StaffRole;
use chrono::{DateTime, Utc};
use uuid::Uuid;

/// A staff account.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StaffMember {
    /// The id.
    pub id: Uuid,
    /// Login name.
    pub username: String,
    /// What the member may do.
    pub role: StaffRole,
    /// When the account was created.
    pub created_at: DateTime<Utc>,
}
