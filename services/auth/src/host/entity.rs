//! Hosts and their keys.

use adfolio_kit::signing_key::Kid;
use chrono::{DateTime, Utc};

use crate::ids::HostId;

/// A native host shell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Host {
    pub id: HostId,
    pub name: String,
    /// Oldest first, revoked ones included.
    pub keys: Vec<HostKey>,
    pub created_at: DateTime<Utc>,
}

impl Host {
    /// Whether this is one of its keys, not revoked.
    pub fn has_valid(&self, kid: &Kid) -> bool {
        let mut keys = self.keys.iter();
        keys.any(|key| key.kid == *kid && key.revoked_at.is_none())
    }
}

/// A key of a host, as it is shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostKey {
    pub kid: Kid,
    pub added_at: DateTime<Utc>,
    pub revoked_at: Option<DateTime<Utc>>,
}
