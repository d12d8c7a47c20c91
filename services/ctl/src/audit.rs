//! `adfolioctl audit`.

use adfolio_proto::auth::v1::{AuditEntry, ListAuditRequest};
use clap::{Args, Subcommand};
use serde_json::{Value, json};

use crate::names::{text, time};
use crate::output::Row;
use crate::services::{Listing, Services, ask, operator};

/// What staff did
#[derive(Debug, Subcommand)]
pub enum AuditCommand {
    /// Lists what staff did, over all services
    List(List),
}

impl AuditCommand {
    /// Does it.
    pub async fn run(self, services: &Services) -> anyhow::Result<()> {
        match self {
            Self::List(list) => list.run(services).await,
        }
    }
}

/// Lists what staff did, over all services
#[derive(Args, Debug)]
pub struct List {
    /// Only this staff member's (id)
    #[arg(long, default_value = "")]
    staff: String,
    /// Only what was done to this user (id)
    #[arg(long, default_value = "")]
    user: String,
    /// Only this action, for example wallet.deposit
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
        let entries = self
            .listing
            .items(|page| async move {
                let message = ListAuditRequest {
                    page: Some(page),
                    ..request.clone()
                };
                let answer = ask!(services.auth_admin, list_audit, operator(), message)?;
                Ok((answer.items, answer.next_cursor))
            })
            .await?;
        let rows = entries.iter().map(row).collect();
        self.listing.format.list(rows);
        Ok(())
    }
}

fn row(entry: &AuditEntry) -> Row {
    // Whoever has no account any more is named by the id.
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

/// A state as it was written, or as text if it cannot be read.
fn state(text: &str) -> Value {
    if text.is_empty() {
        return Value::Null;
    }
    serde_json::from_str(text).unwrap_or_else(|_| json!(text))
}
