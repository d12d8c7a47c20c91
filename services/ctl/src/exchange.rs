//! `adfolioctl exchange`.

use adfolio_proto::acceptor::v1::{
    AdminListExchangesRequest, DecideExchangeRequest, Exchange, ExchangeDecision,
    ExchangeDirection, ExchangeStatus,
};
use anyhow::Context as _;
use clap::Subcommand;
use serde_json::json;

use crate::names::{self, money, name, text, time};
use crate::output::Row;
use crate::services::{Change, Services, UserListing, ask, list, operator};

/// Exchange orders
#[derive(Debug, Subcommand)]
pub enum ExchangeCommand {
    /// Lists exchange orders
    List {
        /// Only this status: pending, completed, cancelled or expired
        #[arg(long, value_parser = names::parse::<ExchangeStatus>)]
        status: Option<ExchangeStatus>,
        #[command(flatten)]
        listing: UserListing,
    },
    /// Completes or cancels a pending exchange order; also completes one that has ended within 30 days, if its payment
    /// came late
    Decide {
        /// The order's id
        exchange_id: String,
        /// Decision: completed or cancelled
        #[arg(value_parser = names::parse::<ExchangeDecision>)]
        decision: ExchangeDecision,
        #[command(flatten)]
        change: Change,
    },
}

impl ExchangeCommand {
    /// Runs the command.
    pub async fn run(self, services: &Services) -> anyhow::Result<()> {
        match self {
            Self::List { status, listing } => {
                let UserListing { user, listing } = listing;
                let message = AdminListExchangesRequest {
                    status: names::filter(status),
                    user_id: user,
                    page: None,
                };
                let found = list!(
                    services.acceptor_admin,
                    admin_list_exchanges,
                    operator(),
                    message,
                    listing.max
                );
                listing.print(&found.await?, row);
            }
            Self::Decide {
                exchange_id,
                decision,
                change,
            } => {
                let message = DecideExchangeRequest {
                    exchange_id,
                    decision: decision.into(),
                    reason: change.reason(),
                };
                let answer = ask!(
                    services.acceptor_admin,
                    decide_exchange,
                    change.caller()?,
                    message
                )?;
                let decided = answer
                    .exchange
                    .context("the answer has no exchange order")?;
                change.format.one(row(&decided));
            }
        }
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
        // What a late completion could not take.
        ("missing", money(exchange.missing_minor)),
    ]
}
