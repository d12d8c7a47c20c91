//! `adfolioctl withdraw`.

use adfolio_proto::wallet::v1::{
    AdminListWithdrawalsRequest, DecideWithdrawalRequest, Withdrawal, WithdrawalDecision,
    WithdrawalMethod, WithdrawalStatus,
};
use anyhow::Context as _;
use clap::{Args, Subcommand};
use serde_json::json;

use crate::names::{self, money, name, text, time};
use crate::output::Row;
use crate::services::{Change, Listing, Services, ask, list, operator};

/// Withdrawals
#[derive(Debug, Subcommand)]
pub enum WithdrawCommand {
    /// Lists withdrawals
    List(List),
    /// Marks a pending withdrawal as paid, or rejects it
    Decide(Decide),
}

impl WithdrawCommand {
    /// Runs the command.
    pub async fn run(self, services: &Services) -> anyhow::Result<()> {
        match self {
            Self::List(list) => list.run(services).await,
            Self::Decide(decide) => decide.run(services).await,
        }
    }
}

/// Lists withdrawals
#[derive(Args, Debug)]
pub struct List {
    /// Only this status: pending, paid or rejected
    #[arg(long, value_parser = names::parse::<WithdrawalStatus>)]
    status: Option<WithdrawalStatus>,
    /// Only those of this user
    #[arg(long, default_value = "")]
    user: String,
    #[command(flatten)]
    listing: Listing,
}

impl List {
    async fn run(self, services: &Services) -> anyhow::Result<()> {
        let (status, user) = (names::filter(self.status), &self.user);
        let message = AdminListWithdrawalsRequest {
            status,
            user_id: user.clone(),
            page: None,
        };
        let withdrawals = list!(
            services.wallet_admin,
            admin_list_withdrawals,
            operator(),
            message,
            self.listing.max
        )
        .await?;
        self.listing.print(&withdrawals, row);
        Ok(())
    }
}

/// Marks a pending withdrawal as paid, or rejects it
#[derive(Args, Debug)]
pub struct Decide {
    /// The withdrawal's id
    withdrawal_id: String,
    /// Decision: paid or rejected
    #[arg(value_parser = names::parse::<WithdrawalDecision>)]
    decision: WithdrawalDecision,
    #[command(flatten)]
    change: Change,
}

impl Decide {
    async fn run(self, services: &Services) -> anyhow::Result<()> {
        let message = DecideWithdrawalRequest {
            withdrawal_id: self.withdrawal_id,
            decision: self.decision.into(),
            reason: self.change.reason(),
        };
        let caller = self.change.caller()?;
        let answer = ask!(services.wallet_admin, decide_withdrawal, caller, message)?;
        let decided = answer.withdrawal.context("the answer has no withdrawal")?;
        self.change.format.one(row(&decided));
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
