//! `adfolioctl placement`: placements and their prices, and the algorithm that places plans on them, tried in simulated worlds
//! and evaluated on logs.

mod evaluate;
mod logs;
mod simulate;
mod supply;

use std::process::ExitCode;

use clap::Subcommand;

use evaluate::Evaluate;
use simulate::SimulateCommand;
use supply::SupplyCommand;

#[derive(Debug, Subcommand)]
pub enum PlacementCommand {
    #[command(flatten)]
    Trial(TrialCommand),
    #[command(flatten)]
    Supply(SupplyCommand),
}

/// Runs the code that places plans, without any service.
#[derive(Debug, Subcommand)]
pub enum TrialCommand {
    /// Tries the algorithm in simulated worlds
    #[command(subcommand)]
    Simulate(SimulateCommand),
    /// Estimates what a policy would have brought, from the log of another one; withholds what the log does not carry
    Evaluate(Evaluate),
}

impl TrialCommand {
    /// Runs the command.
    pub fn run(self) -> anyhow::Result<ExitCode> {
        match self {
            Self::Simulate(command) => command.run(),
            Self::Evaluate(evaluate) => evaluate.run(),
        }?;
        Ok(ExitCode::SUCCESS)
    }
}
