//! The tables of the service, and what its login may do with them. They belong to a role that nobody logs in as.

use adfolio_kit::db::{Rights, Schema, TableRights};

/// Tables whose rows cannot all be changed and deleted. A table with a trigger that refuses it must be listed; the tests
/// compare.
const RIGHTS: &TableRights = &[
    ("messages", Rights::Append),
    ("content_versions", Rights::Append),
    ("content_version_parts", Rights::Append),
    (
        "publications",
        Rights::Amend(&[
            "category",
            "recipients",
            "state",
            "version",
            "title",
            "content",
            "publish_at",
            "published_at",
            "reached",
            "changed_by",
            "changed_at",
            "withdrawal_reason",
        ]),
    ),
];

/// The service's own tables.
pub static SCHEMA: Schema = Schema {
    migrator: sqlx::migrate!(),
    rights: RIGHTS,
};
