//! The placement algorithm, tried in simulated worlds and evaluated on logs. These commands need no service: they run the
//! very code that places plans.

mod evaluate;
mod logs;
mod simulate;

use std::process::ExitCode;

use clap::Subcommand;

use evaluate::Evaluate;
use simulate::SimulateCommand;

#[derive(Debug, Subcommand)]
pub enum PlacementCommand {
    /// Tries the algorithm in simulated worlds
    #[command(subcommand)]
    Simulate(SimulateCommand),
    /// Estimates what a policy would have brought, from the log of another one; withholds what the log does not carry
    Evaluate(Evaluate),
}

impl PlacementCommand {
    /// Runs the command.
    pub fn run(self) -> anyhow::Result<ExitCode> {
        match self {
            Self::Simulate(command) => command.run(),
            Self::Evaluate(evaluate) => evaluate.run(),
        }?;
        Ok(ExitCode::SUCCESS)
    }
}
