//! `adfolioctl withdraw`.

use adfolio_proto::wallet::v1::{
    AdminListWithdrawalsRequest, DecideWithdrawalRequest, Withdrawal, WithdrawalDecision,
    WithdrawalMethod, WithdrawalStatus,
};
use anyhow::Context as _;
use clap::Subcommand;
use serde_json::json;

use crate::names::{self, money, name, text, time};
use crate::output::Row;
use crate::services::{Change, Services, UserListing, ask, list, operator};

/// Withdrawals
#[derive(Debug, Subcommand)]
pub enum WithdrawCommand {
    /// Lists withdrawals
    List {
        /// Only this status: pending, paid or rejected
        #[arg(long, value_parser = names::parse::<WithdrawalStatus>)]
        status: Option<WithdrawalStatus>,
        #[command(flatten)]
        listing: UserListing,
    },
    /// Marks a pending withdrawal as paid, or rejects it
    Decide {
        /// The withdrawal's id
        withdrawal_id: String,
        /// Decision: paid or rejected
        #[arg(value_parser = names::parse::<WithdrawalDecision>)]
        decision: WithdrawalDecision,
        #[command(flatten)]
        change: Change,
    },
}

impl WithdrawCommand {
    /// Runs the command.
    pub async fn run(self, services: &Services) -> anyhow::Result<()> {
        match self {
            Self::List { status, listing } => {
                let UserListing { user, listing } = listing;
                let message = AdminListWithdrawalsRequest {
                    payment_batch_id: String::new(),
                    id: String::new(),
                    status: names::filter(status),
                    user_id: user,
                    page: None,
                };
                let found = list!(
                    services.wallet_admin,
                    admin_list_withdrawals,
                    operator(),
                    message,
                    listing.max
                );
                listing.print(&found.await?, row);
            }
            Self::Decide {
                withdrawal_id,
                decision,
                change,
            } => {
                let message = DecideWithdrawalRequest {
                    withdrawal_id,
                    decision: decision.into(),
                    reason: change.reason(),
                };
                let answer = ask!(
                    services.wallet_admin,
                    decide_withdrawal,
                    change.caller()?,
                    message
                )?;
                let decided = answer.withdrawal.context("the answer has no withdrawal")?;
                change.format.one(row(&decided));
            }
        }
        Ok(())
    }
}

fn row(withdrawal: &Withdrawal) -> Row {
    vec![
        ("id", json!(withdrawal.id)),
        ("user_id", json!(withdrawal.user_id)),
        ("amount", money(withdrawal.amount_minor)),
        ("fee", money(withdrawal.fee_minor)),
        ("method", name::<WithdrawalMethod>(withdrawal.method)),
        ("status", name::<WithdrawalStatus>(withdrawal.status)),
        ("time", time(withdrawal.time)),
        ("decided_at", time(withdrawal.decided_at)),
        ("reason", text(&withdrawal.reason)),
    ]
}
