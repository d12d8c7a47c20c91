//! `adfolioctl approval`.
//!
//! adfolioctl asks, and shows what is asked for, but decides nothing: a decision is a person's, and adfolioctl has no
//! account of one.

use adfolio_proto::wallet::v1::{Approval, ApprovalAction, ApprovalState, ListApprovalsRequest};
use clap::Subcommand;
use serde_json::json;

use crate::names::{self, money, name, text, time};
use crate::output::Row;
use crate::services::{Listing, Services, list, operator};

/// Requests by staff that another person must approve, over the API
#[derive(Debug, Subcommand)]
pub enum ApprovalCommand {
    /// Lists requests for approval
    List {
        /// Only requests in this state: pending, approved, rejected, expired or failed
        #[arg(long, value_parser = names::parse::<ApprovalState>)]
        state: Option<ApprovalState>,
        #[command(flatten)]
        listing: Listing,
    },
}

impl ApprovalCommand {
    /// Runs the command.
    pub async fn run(self, services: &Services) -> anyhow::Result<()> {
        match self {
            Self::List { state, listing } => {
                let state = names::filter(state);
                let message = ListApprovalsRequest { state, page: None };
                let found = list!(
                    services.wallet_admin,
                    list_approvals,
                    operator(),
                    message,
                    listing.max
                );
                listing.print(&found.await?, row);
            }
        }
        Ok(())
    }
}

fn row(approval: &Approval) -> Row {
    vec![
        ("id", json!(approval.id)),
        ("action", name::<ApprovalAction>(approval.action)),
        ("user_id", json!(approval.user_id)),
        ("withdrawal_id", text(&approval.withdrawal_id)),
        ("amount", money(approval.amount_minor)),
        ("remark", text(&approval.remark)),
        ("request_reason", text(&approval.request_reason)),
        ("requested_by", json!(approval.requested_by)),
        ("requested_at", time(approval.requested_at)),
        ("expires_at", time(approval.expires_at)),
        ("state", name::<ApprovalState>(approval.state)),
        ("decided_by", text(&approval.decided_by)),
        ("decided_at", time(approval.decided_at)),
        ("reason", text(&approval.decision_reason)),
        ("transaction_id", text(&approval.transaction_id)),
        ("failure", text(&approval.failure)),
    ]
}
