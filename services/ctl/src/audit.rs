//! `adfolioctl audit`.

use std::process::ExitCode;

use adfolio_proto::auth::v1::{AuditEntry, ListAuditRequest, VerifyAuditLogRequest};
use clap::{Args, Subcommand};
use serde_json::{Value, json};

use crate::chain::{Chain, VERIFY_LIMIT};
use crate::names::{text, time};
use crate::output::{Row, say};
use crate::services::{Listing, Services, ask, list, operator, operator_within};

/// The audit log
#[derive(Debug, Subcommand)]
pub enum AuditCommand {
    /// Lists the audit log of all services
    List(List),
    /// Verifies the hash chain of the audit log; exits with 1 if it is broken
    Verify,
}

impl AuditCommand {
    /// Runs the command.
    pub async fn run(self, services: &Services) -> anyhow::Result<ExitCode> {
        match self {
            Self::List(list) => {
                list.run(services).await?;
                Ok(ExitCode::SUCCESS)
            }
            Self::Verify => verify(services).await,
        }
    }
}

/// What staff did is compared with the chain here; `adfolioctl wallet reconcile` compares the chain with what was published.
async fn verify(services: &Services) -> anyhow::Result<ExitCode> {
    let caller = operator_within(VERIFY_LIMIT);
    let found = ask!(
        services.auth_admin,
        verify_audit_log,
        caller,
        VerifyAuditLogRequest {}
    )?;
    say(&format!(
        "read {} entries of the audit log; {} are not sealed yet",
        found.entries, found.waiting
    ));
    let chain = Chain {
        name: "THE AUDIT LOG",
        unit: "entry",
        sequence: found.sequence,
        hash: &found.hash,
        broken_sequence: found.broken_sequence,
        detail: &found.detail,
    };
    Ok(chain.say())
}

/// Lists the audit log of all services
#[derive(Args, Debug)]
pub struct List {
    /// Only entries of this member of staff (id)
    #[arg(long, default_value = "")]
    staff: String,
    /// Only entries about this user (id)
    #[arg(long, default_value = "")]
    user: String,
    /// Only entries with this action, for example wallet.deposit
    #[arg(long, default_value = "")]
    action: String,
    #[command(flatten)]
    listing: Listing,
}

impl List {
    async fn run(self, services: &Services) -> anyhow::Result<()> {
        let request = ListAuditRequest {
            staff_id: self.staff,
            user_id: self.user,
            action: self.action,
            page: None,
        };
        let request = &request;
        let entries = list!(
            services.auth_admin,
            list_audit,
            operator(),
            request,
            self.listing.max
        )
        .await?;
        self.listing.print(&entries, row);
        Ok(())
    }
}

fn row(entry: &AuditEntry) -> Row {
    // A member without an account is shown by id.
    let staff = if entry.staff_username.is_empty() {
        &entry.staff_id
    } else {
        &entry.staff_username
    };
    vec![
        ("time", time(entry.time)),
        ("staff", json!(staff)),
        ("action", json!(entry.action)),
        ("target", json!(entry.target)),
        ("user_id", text(&entry.user_id)),
        ("reason", text(&entry.reason)),
        ("before", state(&entry.before_json)),
        ("after", state(&entry.after_json)),
    ]
}

/// Parses a recorded object; invalid JSON is shown as text.
fn state(text: &str) -> Value {
    if text.is_empty() {
        return Value::Null;
    }
    serde_json::from_str(text).unwrap_or_else(|_| json!(text))
}
