//! `adfolioctl operator`.

use adfolio_proto::plan::v1::{CreateOperatorRequest, ListOperatorsRequest, Operator};
use anyhow::Context as _;
use clap::{Args, Subcommand};
use serde_json::json;

use crate::output::Row;
use crate::services::{Change, Listing, Services, ask, operator, order};

/// Proxy operators
#[derive(Debug, Subcommand)]
pub enum OperatorCommand {
    /// Lists operators with the number of their followers
    List(Listing),
    /// Creates an operator
    Create(Create),
}

impl OperatorCommand {
    /// Does it.
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
    /// Name shown
    name: String,
    #[command(flatten)]
    change: Change,
}

impl Create {
    async fn run(self, services: &Services) -> anyhow::Result<()> {
        let message = CreateOperatorRequest { name: self.name };
        let caller = self.change.caller()?;
        let answer = order!(services.plan_admin, create_operator, caller, message);
        let created = answer.operator.context("no operator was answered")?;
        self.change.format.one(row(&created));
        Ok(())
    }
}

async fn list(services: &Services, listing: Listing) -> anyhow::Result<()> {
    let operators = listing
        .items(|page| async move {
            let message = ListOperatorsRequest { page: Some(page) };
            let answer = ask!(services.plan_admin, list_operators, operator(), message)?;
            Ok((answer.items, answer.next_cursor))
        })
        .await?;
    let rows = operators.iter().map(row).collect();
    listing.format.list(rows);
    Ok(())
}

fn row(operator: &Operator) -> Row {
    vec![
        ("id", json!(operator.id)),
        ("name", json!(operator.name)),
        ("followers", json!(operator.followers)),
    ]
}
