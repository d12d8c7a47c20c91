//! The tables of the service, and what its login may do with them. They belong to a role that nobody logs in as.

use adfolio_kit::db::{Rights, Schema, TableRights};

/// Tables whose rows cannot all be changed and deleted. A table with a trigger that refuses it must be listed; the tests
/// compare.
const RIGHTS: &TableRights = &[
    ("campaigns", Rights::Append),
    ("lone_campaigns", Rights::Append),
    (
        "campaign_proposals",
        Rights::Amend(&["state", "decided_by", "decided_at", "decision_reason"]),
    ),
];

/// The service's own tables.
pub static SCHEMA: Schema = Schema {
    migrator: sqlx::migrate!(),
    rights: RIGHTS,
};
