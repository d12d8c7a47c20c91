//! `adfolioctl approval`.
//!
//! All that adfolioctl does has the same staff id, no matter who runs it. So a request made with adfolioctl must be
//! approved by a member of staff over the API, never with adfolioctl.

use adfolio_proto::wallet::v1::{
    Approval, ApprovalAction, ApprovalDecision, ApprovalState, DecideApprovalRequest,
    ListApprovalsRequest,
};
use anyhow::Context as _;
use clap::Subcommand;
use serde_json::json;

use crate::names::{self, money, name, text, time};
use crate::output::Row;
use crate::services::{Change, Listing, Services, ask, list, operator};

/// Requests by staff that another member of staff must approve
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
    /// Approves a request, which posts it, or rejects it; not for requests made with adfolioctl
    Decide {
        /// The request's id
        approval_id: String,
        /// Decision: approved or rejected
        #[arg(value_parser = names::parse::<ApprovalDecision>)]
        decision: ApprovalDecision,
        #[command(flatten)]
        change: Change,
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
            Self::Decide {
                approval_id,
                decision,
                change,
            } => {
                // Only staff see the reason, so it names who gave it. An empty one stays empty, because a rejection
                // needs a reason.
                let reason = match change.reason() {
                    none if none.is_empty() => none,
                    _ => change.signed_reason(),
                };
                let message = DecideApprovalRequest {
                    approval_id,
                    decision: decision.into(),
                    reason,
                };
                let answer = ask!(
                    services.wallet_admin,
                    decide_approval,
                    change.caller()?,
                    message
                )?;
                let decided = answer.approval.context("the answer has no approval")?;
                change.format.one(row(&decided));
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
