//! The placement algorithm, tried in simulated worlds and evaluated on logs. These commands need no service: they run the
//! very code that places plans.

mod logs;
mod simulate;

use std::process::ExitCode;

use clap::Subcommand;

use simulate::SimulateCommand;

#[derive(Debug, Subcommand)]
pub enum PlacementCommand {
    /// Tries the algorithm in simulated worlds
    #[command(subcommand)]
    Simulate(SimulateCommand),
}

impl PlacementCommand {
    /// Runs the command.
    pub fn run(self) -> anyhow::Result<ExitCode> {
        match self {
            Self::Simulate(command) => command.run(),
        }?;
        Ok(ExitCode::SUCCESS)
    }
}
