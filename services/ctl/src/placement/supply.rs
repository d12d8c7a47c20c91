//! Placements and what they cost and earn.

use adfolio_money::Micros;
use adfolio_proto::plan::v1::{
    CreatePlacementRequest, EditPlacementRequest, ListPlacementsRequest, Placement, PlacementPrice,
    PriceModel, PriceState, SetPlacementPriceRequest, SupplyState, Texts,
};
use anyhow::Context as _;
use chrono::{DateTime, Utc};
use clap::Args;
use serde_json::{Value, json};

use crate::names::{self, name, time};
use crate::output::Row;
use crate::services::{Change, Listing, Services, ask, list, operator};

/// Creates a placement of a network
#[derive(Args, Debug)]
pub struct Create {
    /// The network's id
    network_id: String,
    /// Display name, unique within the network
    name: String,
    /// Form, as the network calls it: banner, interstitial …
    format: String,
    /// ISO 3166-1 alpha-2 codes, separated by commas; everywhere without
    #[arg(long, value_delimiter = ',')]
    countries: Vec<String>,
    /// Operating systems, separated by commas; all without
    #[arg(long, value_delimiter = ',')]
    systems: Vec<String>,
    #[command(flatten)]
    change: Change,
}

impl Create {
    /// Runs the command.
    pub async fn run(self, services: &Services) -> anyhow::Result<()> {
        let message = CreatePlacementRequest {
            network_id: self.network_id,
            name: self.name,
            format: self.format,
            countries: self.countries,
            systems: self.systems,
        };
        let caller = self.change.caller()?;
        let answer = ask!(services.placement_admin, create_placement, caller, message)?;
        print(&self.change, answer.placement)
    }
}

/// Changes a placement; what is left out stays
#[derive(Args, Debug)]
pub struct Edit {
    /// The placement's id
    placement_id: String,
    /// Display name, unique within the network
    #[arg(long, default_value = "")]
    name: String,
    /// Form
    #[arg(long, default_value = "")]
    format: String,
    /// ISO 3166-1 alpha-2 codes, separated by commas; "" for everywhere
    #[arg(long)]
    countries: Option<String>,
    /// Operating systems, separated by commas; "" for all
    #[arg(long)]
    systems: Option<String>,
    /// active or paused
    #[arg(long, value_parser = names::parse::<SupplyState>)]
    state: Option<SupplyState>,
    #[command(flatten)]
    change: Change,
}

impl Edit {
    /// Runs the command.
    pub async fn run(self, services: &Services) -> anyhow::Result<()> {
        let message = EditPlacementRequest {
            placement_id: self.placement_id,
            name: self.name,
            format: self.format,
            countries: self.countries.as_deref().map(texts),
            systems: self.systems.as_deref().map(texts),
            state: names::filter(self.state),
            reason: self.change.reason(),
        };
        let caller = self.change.caller()?;
        let answer = ask!(services.placement_admin, edit_placement, caller, message)?;
        print(&self.change, answer.placement)
    }
}

/// The parts of a list with commas; an empty text has none.
fn texts(list: &str) -> Texts {
    let values = list.split(',').map(str::trim).filter(|it| !it.is_empty());
    Texts {
        values: values.map(str::to_owned).collect(),
    }
}

/// Sets what a placement costs and earns
#[derive(Args, Debug)]
pub struct SetPrice {
    /// The placement's id
    placement_id: String,
    /// cpm (a thousand impressions) or cpc (a click)
    #[arg(value_parser = names::parse::<PriceModel>)]
    model: PriceModel,
    /// What it costs
    cost: String,
    /// What it earns
    revenue: String,
    /// From when on, as RFC 3339; not before now, and later than every price that was set before. To confirm a price that
    /// another member of staff has proposed: its valid_from
    valid_from: DateTime<Utc>,
    #[command(flatten)]
    change: Change,
}

impl SetPrice {
    /// Runs the command.
    pub async fn run(self, services: &Services) -> anyhow::Result<()> {
        let message = SetPlacementPriceRequest {
            placement_id: self.placement_id,
            model: self.model.into(),
            cost: self.cost,
            revenue: self.revenue,
            valid_from: Some(self.valid_from.into()),
        };
        let caller = self.change.caller()?;
        let answer = ask!(
            services.placement_admin,
            set_placement_price,
            caller,
            message
        )?;
        print(&self.change, answer.placement)
    }
}

/// Lists placements with their prices
#[derive(Args, Debug)]
pub struct ListPlacements {
    /// Only those of this network
    #[arg(long, default_value = "")]
    network: String,
    #[command(flatten)]
    listing: Listing,
}

impl ListPlacements {
    /// Runs the command.
    pub async fn run(self, services: &Services) -> anyhow::Result<()> {
        let message = ListPlacementsRequest {
            page: None,
            network_id: self.network,
        };
        let placements = list!(
            services.placement_admin,
            list_placements,
            operator(),
            message,
            self.listing.max
        )
        .await?;
        self.listing.print(&placements, row);
        Ok(())
    }
}

fn print(change: &Change, placement: Option<Placement>) -> anyhow::Result<()> {
    let placement = placement.context("the answer has no placement")?;
    change.format.one(row(&placement));
    Ok(())
}

fn row(placement: &Placement) -> Row {
    let prices: Vec<Value> = placement.prices.iter().map(price).collect();
    vec![
        ("id", json!(placement.id)),
        ("network", json!(placement.network_name)),
        ("name", json!(placement.name)),
        ("format", json!(placement.format)),
        ("countries", json!(placement.countries)),
        ("systems", json!(placement.systems)),
        ("state", name::<SupplyState>(placement.state)),
        ("prices", json!(prices)),
    ]
}

fn price(price: &PlacementPrice) -> Value {
    json!({
        "model": name::<PriceModel>(price.model),
        "cost": Micros::new(price.cost_micros).to_string(),
        "revenue": Micros::new(price.revenue_micros).to_string(),
        "valid_from": time(price.valid_from),
        "holds_from": time(price.holds_from),
        "state": name::<PriceState>(price.state),
    })
}
