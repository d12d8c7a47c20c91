//! The tables of the service, and what its login may do with them. They belong to a role that nobody logs in as.

use adfolio_kit::db::{Rights, Schema, TableRights};

/// Tables whose rows cannot all be changed and deleted. A table with a trigger that refuses it must be listed; the tests
/// compare.
const RIGHTS: &TableRights = &[
    ("transactions", Rights::Append),
    ("closed_exchanges", Rights::Append),
    ("lone_postings", Rights::Append),
    ("published_heads", Rights::Append),
    ("published_subtrees", Rights::Append),
    ("checkpoints", Rights::Append),
    ("checkpoint_turns", Rights::Update),
    ("proofs", Rights::Update),
    // What was asked for stays; only its decision is written.
    (
        "approvals",
        Rights::Amend(&[
            "state",
            "decided_by",
            "decided_at",
            "decision_reason",
            "transaction_id",
            "failure",
            "failure_field",
        ]),
    ),
    ("bank_statements", Rights::Append),
    // What the bank said stays.
    (
        "bank_lines",
        Rights::Amend(&["posting_key", "aside_by", "aside_at", "aside_reason"]),
    ),
    (
        "payment_batches",
        Rights::Amend(&["state", "decided_by", "decided_at", "decision_reason"]),
    ),
    (
        "freezes",
        Rights::Amend(&[
            "owner_at",
            "staff_at",
            "staff_id",
            "staff_reason",
            "lifted_at",
        ]),
    ),
];

/// The service's own tables.
pub static SCHEMA: Schema = Schema {
    migrator: sqlx::migrate!(),
    rights: RIGHTS,
};
