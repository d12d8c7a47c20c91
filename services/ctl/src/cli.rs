//! The command line.

use std::process::ExitCode;

use clap::{Parser, Subcommand};

use crate::services::{Addresses, Services};
use crate::{dead, delivery, demo, staff, wallet};

/// Operates Adfolio.
#[derive(Debug, Parser)]
#[command(name = "adfolioctl", version, arg_required_else_help = true)]
pub struct Cli {
    #[command(flatten)]
    addresses: Addresses,
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Staff accounts
    #[command(subcommand)]
    Staff(staff::StaffCommand),
    /// Proofs of the ledger
    #[command(subcommand)]
    Wallet(wallet::WalletCommand),
    /// Delivery reports
    #[command(subcommand)]
    Delivery(delivery::DeliveryCommand),
    /// Events that a consumer could not take
    Dead(dead::DeadArgs),
    /// Demo data
    #[command(subcommand)]
    Demo(demo::DemoCommand),
}

impl Cli {
    /// Does what was asked for.
    pub async fn run(self) -> anyhow::Result<ExitCode> {
        let services = Services::connect(&self.addresses)?;
        match self.command {
            Command::Staff(command) => command.run(&services).await,
            Command::Wallet(command) => command.run(&services).await,
            Command::Delivery(command) => command.run(&services).await,
            Command::Dead(arguments) => arguments.run().await,
            Command::Demo(command) => command.run(&services).await,
        }
    }
}
