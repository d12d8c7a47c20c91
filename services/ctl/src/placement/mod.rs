//! `adfolioctl placement`: placements and their prices, and the algorithm that places plans on them, tried in simulated worlds
//! and evaluated on logs.

mod evaluate;
pub mod logs;
mod replay;
mod simulate;
mod supply;

use std::process::ExitCode;

use clap::Subcommand;

use evaluate::Evaluate;
use replay::Replay;
use simulate::SimulateCommand;
use supply::{Create, Edit, ListPlacements, SetPrice};

use crate::services::Services;

#[derive(Debug, Subcommand)]
pub enum PlacementCommand {
    #[command(flatten)]
    Trial(TrialCommand),
    /// Makes the stored decision about a plan in a round again, and compares
    Replay(Replay),
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

/// Changes and lists what plans can be placed on.
#[derive(Debug, Subcommand)]
pub enum SupplyCommand {
    /// Creates a placement of a network
    Create(Create),
    /// Changes a placement, or pauses placing plans on it
    Edit(Edit),
    /// Sets what a placement costs and earns from a time on
    Price(SetPrice),
    /// Lists placements with their prices
    List(ListPlacements),
}

impl SupplyCommand {
    /// Runs the command.
    pub async fn run(self, services: &Services) -> anyhow::Result<()> {
        match self {
            Self::Create(create) => create.run(services).await,
            Self::Edit(edit) => edit.run(services).await,
            Self::Price(price) => price.run(services).await,
            Self::List(list) => list.run(services).await,
        }
    }
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
