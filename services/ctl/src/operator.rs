//! `adfolioctl operator`.

use adfolio_proto::plan::v1::{CreateOperatorRequest, ListOperatorsRequest, Operator};
use anyhow::Context as _;
use clap::{Args, Subcommand};
use serde_json::json;

use crate::output::Row;
use crate::services::{Change, Listing, Services, ask, list, operator};

/// Proxy operators
#[derive(Debug, Subcommand)]
pub enum OperatorCommand {
    /// Lists operators with the number of their followers
    List(Listing),
    /// Creates an operator
    Create(Create),
}

impl OperatorCommand {
    /// Runs the command.
    pub async fn run(self, services: &Services) -> anyhow::Result<()> {
        match self {
            Self::List(listing) => list(services, listing).await,
            Self::Create(create) => create.run(services).await,
        }
    }
}

/// Creates an operator
#[derive(Args, Debug)]
pub struct Create {
    /// Display name
    name: String,
    #[command(flatten)]
    change: Change,
}

impl Create {
    async fn run(self, services: &Services) -> anyhow::Result<()> {
        let message = CreateOperatorRequest { name: self.name };
        let caller = self.change.caller()?;
        let answer = ask!(services.plan_admin, create_operator, caller, message)?;
        let created = answer.operator.context("the answer has no operator")?;
        self.change.format.one(row(&created));
        Ok(())
    }
}

async fn list(services: &Services, listing: Listing) -> anyhow::Result<()> {
    let message = ListOperatorsRequest { page: None };
    let operators = list!(
        services.plan_admin,
        list_operators,
        operator(),
        message,
        listing.max
    )
    .await?;
    listing.print(&operators, row);
    Ok(())
}

fn row(operator: &Operator) -> Row {
    vec![
        ("id", json!(operator.id)),
        ("name", json!(operator.name)),
        ("followers", json!(operator.followers)),
    ]
}
