//! `adfolioctl acceptor`.

use adfolio_money::Money;
use adfolio_proto::acceptor::v1::{
    Acceptor, AcceptorKind, CreateAcceptanceCodeRequest, CreateAcceptorRequest, ExchangeDirection,
    ListAcceptorsRequest, Offer,
};
use anyhow::Context as _;
use chrono::{DateTime, Utc};
use clap::{Args, Subcommand};
use secrecy::{ExposeSecret as _, SecretString};
use serde_json::json;

use crate::names::{self, money, name, time};
use crate::output::Row;
use crate::services::{Change, Listing, Services, ask, list, operator};

/// Acceptors of foreign exchange and their codes
#[derive(Debug, Subcommand)]
pub enum AcceptorCommand {
    /// Lists acceptors
    List(Listing),
    /// Creates an acceptor
    Create(Create),
    /// Issues an acceptance code for an offer
    Code(Box<IssueCode>),
}

impl AcceptorCommand {
    /// Runs the command.
    pub async fn run(self, services: &Services) -> anyhow::Result<()> {
        match self {
            Self::List(listing) => list(services, listing).await,
            Self::Create(create) => create.run(services).await,
            Self::Code(code) => code.run(services).await,
        }
    }
}

/// Creates an acceptor
#[derive(Args, Debug)]
pub struct Create {
    /// Kind: personal or enterprise
    #[arg(value_parser = names::parse::<AcceptorKind>)]
    kind: AcceptorKind,
    /// Display name
    name: String,
    /// Rating in tenths, 0 to 50
    #[arg(long, default_value_t = 0)]
    rating_tenths: u32,
    #[command(flatten)]
    change: Change,
}

impl Create {
    async fn run(self, services: &Services) -> anyhow::Result<()> {
        let message = CreateAcceptorRequest {
            kind: self.kind.into(),
            name: self.name,
            rating_tenths: self.rating_tenths,
        };
        let caller = self.change.caller()?;
        let answer = ask!(services.acceptor_admin, create_acceptor, caller, message)?;
        let created = answer.acceptor.context("the answer has no acceptor")?;
        self.change.format.one(row(&created));
        Ok(())
    }
}

/// Issues an acceptance code for an offer
#[derive(Args, Debug)]
pub struct IssueCode {
    /// The acceptor's id
    acceptor_id: String,
    /// Direction: wallet_to_currency or currency_to_wallet
    #[arg(long, value_parser = names::parse::<ExchangeDirection>)]
    direction: ExchangeDirection,
    /// ISO 4217 code of the other currency
    #[arg(long)]
    currency: String,
    /// Units of the other currency for one unit of wallet money
    #[arg(long)]
    rate: String,
    /// Minimum wallet amount
    #[arg(long)]
    min: Money,
    /// Maximum wallet amount
    #[arg(long)]
    max: Money,
    /// When the offer ends
    #[arg(long)]
    expires_at: DateTime<Utc>,
    /// The only user who may use it; anyone by default
    #[arg(long, default_value = "")]
    user: String,
    /// The code; random by default
    #[arg(long, default_value = "")]
    code: SecretString,
    #[command(flatten)]
    change: Change,
}

impl IssueCode {
    async fn run(self, services: &Services) -> anyhow::Result<()> {
        let offer = Offer {
            id: String::new(),
            direction: self.direction.into(),
            currency: self.currency,
            rate: self.rate,
            min_minor: self.min.minor(),
            max_minor: self.max.minor(),
            expires_at: Some(self.expires_at.into()),
        };
        let message = CreateAcceptanceCodeRequest {
            acceptor_id: self.acceptor_id,
            user_id: self.user,
            offer: Some(offer),
            code: self.code.expose_secret().to_owned(),
        };
        let caller = self.change.caller()?;
        let answer = ask!(
            services.acceptor_admin,
            create_acceptance_code,
            caller,
            message
        )?;
        let offer = answer.offer.context("the answer has no offer")?;
        self.change.format.one(vec![
            ("code", json!(answer.code)),
            ("offer_id", json!(offer.id)),
            ("direction", name::<ExchangeDirection>(offer.direction)),
            ("currency", json!(offer.currency)),
            ("rate", json!(offer.rate)),
            ("min", money(offer.min_minor)),
            ("max", money(offer.max_minor)),
            ("expires_at", time(offer.expires_at)),
        ]);
        Ok(())
    }
}

async fn list(services: &Services, listing: Listing) -> anyhow::Result<()> {
    let message = ListAcceptorsRequest { page: None };
    let acceptors = list!(
        services.acceptor_admin,
        list_acceptors,
        operator(),
        message,
        listing.max
    )
    .await?;
    listing.print(&acceptors, row);
    Ok(())
}

fn row(acceptor: &Acceptor) -> Row {
    vec![
        ("id", json!(acceptor.id)),
        ("kind", name::<AcceptorKind>(acceptor.kind)),
        ("name", json!(acceptor.name)),
        ("rating_tenths", json!(acceptor.rating_tenths)),
        ("completed_orders", json!(acceptor.completed_orders)),
    ]
}
