//! `adfolioctl wallet`.

mod freezes;
mod posting;

use std::process::ExitCode;
use std::time::Duration;

use adfolio_proto::wallet::v1::{ReconcileRequest, ReconcileResponse, VerifyChainsRequest};
use clap::{Args, Subcommand};
use serde_json::json;

use crate::output::{say, table};
use crate::services::{Listing, Services, ask, operator_within};

/// Limit of checks, which read the whole ledger.
const PROOF_LIMIT: Duration = Duration::from_mins(10);

/// Postings of staff, and checks of the ledger
#[derive(Debug, Subcommand)]
pub enum WalletCommand {
    /// Credits a deposit
    Deposit(posting::Remarked),
    /// Takes money back from the available balance
    Chargeback(posting::Remarked),
    /// Takes back a deposit that never arrived
    RechargeDeduction(posting::Remarked),
    /// Charges a membership; the user becomes a member (VIP)
    Membership(posting::Membership),
    /// Grants start-up funds, or records their return
    StartUpFunds(posting::StartUpFunds),
    /// Moves money from the available balance to the guarantee, or back
    Guarantee(posting::Guarantee),
    /// Lists wallets that their owners have frozen, newest first
    Freezes(Listing),
    /// Checks that the ledger balances; exits with 1 if it does not
    Reconcile(Reconcile),
    /// Verifies the hash chains of one user or of all users, and published heads against them; exits with 1 if one is
    /// broken
    Verify(Verify),
}

impl WalletCommand {
    /// Runs the command.
    pub async fn run(self, services: &Services) -> anyhow::Result<ExitCode> {
        let done = match self {
            Self::Deposit(posting) => posting.deposit(services).await,
            Self::Chargeback(posting) => posting.chargeback(services).await,
            Self::RechargeDeduction(posting) => posting.recharge_deduction(services).await,
            Self::Membership(membership) => membership.run(services).await,
            Self::StartUpFunds(funds) => funds.run(services).await,
            Self::Guarantee(guarantee) => guarantee.run(services).await,
            Self::Freezes(listing) => freezes::print(listing, services).await,
            // Checks have exit codes of their own.
            Self::Reconcile(reconcile) => return reconcile.run(services).await,
            Self::Verify(verify) => return verify.run(services).await,
        };
        done.map(|()| ExitCode::SUCCESS)
    }
}

/// Checks that the ledger balances; exits with 1 if it does not
#[derive(Args, Debug)]
pub struct Reconcile {
    /// Print JSON instead of a table
    #[arg(long)]
    json: bool,
}

impl Reconcile {
    async fn run(self, services: &Services) -> anyhow::Result<ExitCode> {
        let caller = operator_within(PROOF_LIMIT);
        let proof = ask!(
            services.wallet_admin,
            reconcile,
            caller,
            ReconcileRequest {}
        );
        let proof = proof?;
        if self.json {
            print_json(&proof);
        } else {
            print_table(&proof);
        }
        Ok(if proof.ok {
            ExitCode::SUCCESS
        } else {
            ExitCode::FAILURE
        })
    }
}

fn print_json(proof: &ReconcileResponse) {
    let check = |check: &adfolio_proto::wallet::v1::ReconcileCheck| json!({"name": check.name, "ok": check.ok, "figure": check.figure, "detail": check.detail});
    let checks: Vec<_> = proof.checks.iter().map(check).collect();
    say(&json!({"ok": proof.ok, "checks": checks}).to_string());
}

fn print_table(proof: &ReconcileResponse) {
    let row = |check: &adfolio_proto::wallet::v1::ReconcileCheck| {
        let ok = if check.ok { "ok" } else { "WRONG" };
        vec![
            check.name.clone(),
            ok.to_owned(),
            check.figure.to_string(),
            check.detail.clone(),
        ]
    };
    let rows: Vec<Vec<String>> = proof.checks.iter().map(row).collect();
    table(&["CHECK", "OK", "FIGURE", "DETAIL"], &rows);
    say(if proof.ok {
        "the books balance"
    } else {
        "THE BOOKS DO NOT BALANCE"
    });
}

/// Verifies the hash chains of one user or of all users; exits with 1 if one is broken
#[derive(Args, Debug)]
pub struct Verify {
    /// Only those of this user
    #[arg(long, default_value = "")]
    user: String,
}

impl Verify {
    async fn run(self, services: &Services) -> anyhow::Result<ExitCode> {
        let message = VerifyChainsRequest {
            user_id: self.user.clone(),
        };
        let answer = ask!(
            services.wallet_admin,
            verify_chains,
            operator_within(PROOF_LIMIT),
            message
        );
        let verified = answer?;
        say(&format!(
            "read {} transactions in {} chains",
            verified.transactions, verified.users
        ));
        if self.user.is_empty() {
            say(&format!(
                "compared {} published heads",
                verified.published_heads
            ));
        }
        if !verified.log_fault.is_empty() {
            say(&format!(
                "THE LOG OF CHECKPOINTS IS BROKEN: {}",
                verified.log_fault
            ));
        }
        if verified.broken.is_empty() && verified.log_fault.is_empty() {
            say("every chain holds");
            return Ok(ExitCode::SUCCESS);
        }
        if verified.broken.is_empty() {
            return Ok(ExitCode::FAILURE);
        }
        let row = |broken: &adfolio_proto::wallet::v1::BrokenChain| {
            vec![
                broken.user_id.clone(),
                broken.sequence.to_string(),
                broken.detail.clone(),
            ]
        };
        let rows: Vec<Vec<String>> = verified.broken.iter().map(row).collect();
        table(&["USER", "SEQUENCE", "DETAIL"], &rows);
        Ok(ExitCode::FAILURE)
    }
}
