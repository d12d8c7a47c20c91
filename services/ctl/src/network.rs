//! `adfolioctl network`.

use adfolio_money::Micros;
use adfolio_proto::plan::v1::{
    Allotment, CreateNetworkRequest, EditNetworkRequest, ExportAllotmentsRequest,
    IssueNetworkKeyRequest, ListNetworksRequest, Network, PriceModel, SupplyState,
};
use anyhow::Context as _;
use clap::{Args, Subcommand};
use serde_json::{Value, json};

use crate::names::{self, name, time};
use crate::output::Row;
use crate::services::{Change, Listing, Services, ask, list, operator};

/// Networks, which show advertisements on their placements
#[derive(Debug, Subcommand)]
pub enum NetworkCommand {
    /// Registers a network and prints its first key, which is never shown again
    Create(Create),
    /// Changes a network, or pauses placing plans on it
    Edit(Edit),
    /// Issues a further key and prints it; the earlier keys end after an overlap
    Key(IssueKey),
    /// Writes what a network may show now to standard output, as CSV
    Export(Export),
    /// Lists networks with their valid keys
    List(Listing),
}

impl NetworkCommand {
    /// Runs the command.
    pub async fn run(self, services: &Services) -> anyhow::Result<()> {
        match self {
            Self::Create(create) => create.run(services).await,
            Self::Edit(edit) => edit.run(services).await,
            Self::Key(issue) => issue.run(services).await,
            Self::Export(export) => export.run(services).await,
            Self::List(listing) => {
                let message = ListNetworksRequest { page: None };
                let networks = list!(
                    services.placement_admin,
                    list_networks,
                    operator(),
                    message,
                    listing.max
                )
                .await?;
                listing.print(&networks, row);
                Ok(())
            }
        }
    }
}

/// Registers a network
#[derive(Args, Debug)]
pub struct Create {
    /// Display name
    name: String,
    /// The source that its reports name; it never changes
    source: String,
    /// Its delivery is simulated; whatever it reports is marked so for ever
    #[arg(long)]
    simulated: bool,
    /// Seconds after the end of an allotment until which it reports [default: 300]
    #[arg(long)]
    report_delay_seconds: Option<u32>,
    #[command(flatten)]
    change: Change,
}

impl Create {
    async fn run(self, services: &Services) -> anyhow::Result<()> {
        let message = CreateNetworkRequest {
            name: self.name,
            source: self.source,
            is_simulated: self.simulated,
            report_delay_seconds: self.report_delay_seconds,
        };
        let caller = self.change.caller()?;
        let answer = ask!(services.placement_admin, create_network, caller, message)?;
        print_key(&self.change, answer.network, &answer.key)
    }
}

/// Changes a network; what is left out stays
#[derive(Args, Debug)]
pub struct Edit {
    /// The network's id
    network_id: String,
    /// Display name
    #[arg(long, default_value = "")]
    name: String,
    /// active or paused
    #[arg(long, value_parser = names::parse::<SupplyState>)]
    state: Option<SupplyState>,
    /// Seconds after the end of an allotment until which it reports
    #[arg(long)]
    report_delay_seconds: Option<u32>,
    #[command(flatten)]
    change: Change,
}

impl Edit {
    async fn run(self, services: &Services) -> anyhow::Result<()> {
        let message = EditNetworkRequest {
            network_id: self.network_id,
            name: self.name,
            state: names::filter(self.state),
            report_delay_seconds: self.report_delay_seconds,
            reason: self.change.reason(),
        };
        let caller = self.change.caller()?;
        let answer = ask!(services.placement_admin, edit_network, caller, message)?;
        let network = answer.network.context("the answer has no network")?;
        self.change.format.one(row(&network));
        Ok(())
    }
}

/// Issues a further key of a network
#[derive(Args, Debug)]
pub struct IssueKey {
    /// The network's id
    network_id: String,
    /// Seconds for which the earlier keys stay valid [default: 86400]
    #[arg(long)]
    overlap_seconds: Option<u32>,
    #[command(flatten)]
    change: Change,
}

impl IssueKey {
    async fn run(self, services: &Services) -> anyhow::Result<()> {
        let message = IssueNetworkKeyRequest {
            network_id: self.network_id,
            overlap_seconds: self.overlap_seconds,
            reason: self.change.reason(),
        };
        let caller = self.change.caller()?;
        let answer = ask!(services.placement_admin, issue_network_key, caller, message)?;
        print_key(&self.change, answer.network, &answer.key)
    }
}

fn print_key(change: &Change, network: Option<Network>, key: &str) -> anyhow::Result<()> {
    let network = network.context("the answer has no network")?;
    let mut row = row(&network);
    row.push(("key", json!(key)));
    change.format.one(row);
    Ok(())
}

fn row(network: &Network) -> Row {
    let keys: Vec<_> = network
        .keys
        .iter()
        .map(|key| json!({"hint": key.hint, "expires_at": time(key.expires_at)}))
        .collect();
    vec![
        ("id", json!(network.id)),
        ("name", json!(network.name)),
        ("source", json!(network.source)),
        ("state", name::<SupplyState>(network.state)),
        ("simulated", json!(network.is_simulated)),
        ("report_delay_seconds", json!(network.report_delay_seconds)),
        ("keys", json!(keys)),
    ]
}

/// Writes what a network may show, for one that does not fetch it itself
#[derive(Args, Debug)]
pub struct Export {
    /// The network's id
    network_id: String,
}

impl Export {
    /// Runs the command.
    async fn run(self, services: &Services) -> anyhow::Result<()> {
        let mut file = csv::Writer::from_writer(std::io::stdout());
        file.write_record(COLUMNS)?;
        let mut after = String::new();
        loop {
            let message = ExportAllotmentsRequest {
                network_id: self.network_id.clone(),
                after: after.clone(),
            };
            let page = ask!(
                services.placement_admin,
                export_allotments,
                operator(),
                message
            )?;
            let Some(last) = page.items.last() else {
                break;
            };
            after.clone_from(&last.id);
            for allotment in &page.items {
                file.write_record(cells(allotment))?;
            }
        }
        file.flush()?;
        Ok(())
    }
}

/// As `GET /network/allotments` names them.
const COLUMNS: [&str; 14] = [
    "allotment_id",
    "plan_number",
    "placement",
    "placement_name",
    "budget",
    "units",
    "model",
    "cost",
    "revenue",
    "from",
    "to",
    "report_until",
    "title",
    "destination",
];

fn cells(allotment: &Allotment) -> [String; 14] {
    let text = |value: Value| value.as_str().map(str::to_owned).unwrap_or_default();
    let creative = allotment.creative.clone().unwrap_or_default();
    [
        allotment.id.clone(),
        allotment.plan_number.clone(),
        allotment.placement_id.clone(),
        allotment.placement_name.clone(),
        Micros::new(allotment.budget_micros).to_string(),
        allotment.units.to_string(),
        text(name::<PriceModel>(allotment.model)),
        Micros::new(allotment.cost_micros).to_string(),
        Micros::new(allotment.revenue_micros).to_string(),
        text(time(allotment.from)),
        text(time(allotment.to)),
        text(time(allotment.report_until)),
        creative.title,
        creative.destination_url,
    ]
}
