//! `adfolioctl exchange`.

use adfolio_proto::acceptor::v1::{
    AdminListExchangesRequest, DecideExchangeRequest, Exchange, ExchangeDecision,
    ExchangeDirection, ExchangeStatus,
};
use anyhow::Context as _;
use clap::{Args, Subcommand};
use serde_json::json;

use crate::names::{self, money, name, text, time};
use crate::output::Row;
use crate::services::{Change, Listing, Services, ask, list, operator};

/// Exchange orders
#[derive(Debug, Subcommand)]
pub enum ExchangeCommand {
    /// Lists exchange orders
    List(List),
    /// Completes or cancels a pending exchange order
    Decide(Decide),
}

impl ExchangeCommand {
    /// Runs the command.
    pub async fn run(self, services: &Services) -> anyhow::Result<()> {
        match self {
            Self::List(list) => list.run(services).await,
            Self::Decide(decide) => decide.run(services).await,
        }
    }
}

/// Lists exchange orders
#[derive(Args, Debug)]
pub struct List {
    /// Only this status: pending, completed, cancelled or expired
    #[arg(long, value_parser = names::parse::<ExchangeStatus>)]
    status: Option<ExchangeStatus>,
    /// Only those of this user
    #[arg(long, default_value = "")]
    user: String,
    #[command(flatten)]
    listing: Listing,
}

impl List {
    async fn run(self, services: &Services) -> anyhow::Result<()> {
        let (status, user) = (names::filter(self.status), &self.user);
        let message = AdminListExchangesRequest {
            status,
            user_id: user.clone(),
            page: None,
        };
        let exchanges = list!(
            services.acceptor_admin,
            admin_list_exchanges,
            operator(),
            message,
            self.listing.max
        )
        .await?;
        self.listing.print(&exchanges, row);
        Ok(())
    }
}

/// Completes or cancels a pending exchange order
#[derive(Args, Debug)]
pub struct Decide {
    /// The order's id
    exchange_id: String,
    /// Decision: completed or cancelled
    #[arg(value_parser = names::parse::<ExchangeDecision>)]
    decision: ExchangeDecision,
    #[command(flatten)]
    change: Change,
}

impl Decide {
    async fn run(self, services: &Services) -> anyhow::Result<()> {
        let message = DecideExchangeRequest {
            exchange_id: self.exchange_id,
            decision: self.decision.into(),
            reason: self.change.reason(),
        };
        let caller = self.change.caller()?;
        let answer = ask!(services.acceptor_admin, decide_exchange, caller, message)?;
        let decided = answer
            .exchange
            .context("the answer has no exchange order")?;
        self.change.format.one(row(&decided));
        Ok(())
    }
}

fn row(exchange: &Exchange) -> Row {
    let acceptor = exchange.acceptor.as_ref().map(|acceptor| &acceptor.name);
    vec![
        ("id", json!(exchange.id)),
        ("user_id", json!(exchange.user_id)),
        ("acceptor", json!(acceptor)),
        ("direction", name::<ExchangeDirection>(exchange.direction)),
        ("amount", money(exchange.amount_minor)),
        ("currency", json!(exchange.currency)),
        ("rate", json!(exchange.rate)),
        ("counter_amount", json!(exchange.counter_amount)),
        ("status", name::<ExchangeStatus>(exchange.status)),
        ("create_time", time(exchange.create_time)),
        ("finish_time", time(exchange.finish_time)),
        ("reason", text(&exchange.reason)),
    ]
}
