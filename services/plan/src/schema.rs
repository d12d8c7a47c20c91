//! The tables of the service, and what its login may do with them. They belong to a role that nobody logs in as.

use adfolio_kit::db::{Rights, Schema, TableRights};

/// Tables whose rows cannot all be changed and deleted. A table with a trigger that refuses it must be listed; the tests
/// compare.
const RIGHTS: &TableRights = &[
    ("order_history", Rights::Append),
    ("superseded_reports", Rights::Append),
    // Restated by a later revision, which a trigger checks; the one before is kept in superseded_reports.
    (
        "delivery_reports",
        Rights::Amend(&[
            "revision",
            "order_id",
            "time",
            "impressions",
            "clicks",
            "spend_micros",
            "charged_micros",
            "revenue_micros",
            "estimated",
            "origin",
            "received_at",
            "import_id",
            "import_line",
            "batch_id",
            "is_marked",
        ]),
    ),
    ("report_seals", Rights::Append),
    ("imported_users", Rights::Append),
    ("unsealed_batches", Rights::Replace),
    // Who imported what and when stays.
    (
        "delivery_imports",
        Rights::Amend(&[
            "state",
            "sha256",
            "finished_at",
            "request_sha256",
            "read",
            "plans",
            "impressions",
            "clicks",
            "spend_micros",
            "revenue_micros",
            "notable",
            "decided_by",
            "decided_at",
            "decision_reason",
            "applied",
            "repeated",
            "restated",
            "quarantined",
            "rejected",
            "rejections",
            "done_at",
            "signed_by_kid",
        ]),
    ),
    ("report_sources", Rights::Amend(&["channels"])),
    ("report_source_keys", Rights::Amend(&["revoked_at"])),
    ("staged_reports", Rights::Replace),
    // What was held back stays as it came; a decision on it stands.
    (
        "quarantined_reports",
        Rights::Amend(&[
            "state",
            "approved_by",
            "approved_at",
            "decided_by",
            "decided_at",
            "reason",
            "is_alone",
            "outcome",
        ]),
    ),
    // A key ends, and stays known.
    ("network_keys", Rights::Amend(&["expires_at"])),
    // A price holds as it was set, once it is confirmed.
    (
        "placement_prices",
        Rights::Amend(&["confirmed_by", "confirmed_at"]),
    ),
];

/// The service's own tables.
pub static SCHEMA: Schema = Schema {
    migrator: sqlx::migrate!(),
    rights: RIGHTS,
};
