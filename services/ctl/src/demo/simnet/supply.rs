//! What the simulated network has to offer, registered as staff would.

use adfolio_kit::identity::Caller;
use adfolio_money::Micros;
use adfolio_proto::plan::v1::{
    CreateNetworkRequest, CreatePlacementRequest, IssueNetworkKeyRequest, ListNetworksRequest,
    ListPlacementsRequest, Placement, PriceModel, PriceState, SetPlacementPriceRequest,
};
use anyhow::{Context as _, ensure};
use chrono::{TimeDelta, Utc};

use super::super::{MOST_ITEMS, second, whole};
use crate::output::say;
use crate::services::{Services, ask, keyed, list, operator};

/// The source that its reports name.
const SOURCE: &str = "simnet";

/// How long a new price waits: what is set must not lie in the past when it arrives.
const PRICE_NOTICE: TimeDelta = TimeDelta::seconds(5);

/// A placement: its name, which ends with the number of the item that has its click rate, its form and its price.
struct Offer {
    name: &'static str,
    format: &'static str,
    model: PriceModel,
    cost: &'static str,
    revenue: &'static str,
}

const OFFERS: [Offer; 8] = [
    cpm("Start page 13", "banner", "0.12", "0.138"),
    cpm("Article feed 23", "native", "0.12", "0.138"),
    cpm("Search results 3", "native", "0.12", "0.138"),
    cpm("Video break 9", "video", "0.12", "0.138"),
    cpm("App interstitial 31", "interstitial", "0.12", "0.138"),
    cpm("Sidebar 15", "banner", "0.12", "0.138"),
    cpm("Footer 4", "banner", "0.12", "0.138"),
    Offer {
        name: "Newsletter 24",
        format: "native",
        model: PriceModel::Cpc,
        cost: "0.03",
        revenue: "0.0345",
    },
];

const fn cpm(
    name: &'static str,
    format: &'static str,
    cost: &'static str,
    revenue: &'static str,
) -> Offer {
    Offer {
        name,
        format,
        model: PriceModel::Cpm,
        cost,
        revenue,
    }
}

/// Registers what is missing of the network, and issues it a key.
pub async fn register(services: &Services) -> anyhow::Result<String> {
    let network = network(services).await.context("network")?;
    placements(services, &network).await.context("placements")?;
    let message = IssueNetworkKeyRequest {
        network_id: network,
        overlap_seconds: None,
        reason: "start of the simulated network".to_owned(),
    };
    let answer = ask!(
        services.placement_admin,
        issue_network_key,
        operator(),
        message
    );
    Ok(answer.context("key")?.key)
}

/// The network's id.
async fn network(services: &Services) -> anyhow::Result<String> {
    let message = ListNetworksRequest { page: None };
    let known = whole(list!(
        services.placement_admin,
        list_networks,
        operator(),
        message,
        MOST_ITEMS
    ))
    .await?;
    if let Some(found) = known.into_iter().find(|network| network.source == SOURCE) {
        ensure!(
            found.is_simulated,
            "the network with the source {SOURCE} is not a simulated one"
        );
        return Ok(found.id);
    }
    let message = CreateNetworkRequest {
        name: "Simulated network".to_owned(),
        source: SOURCE.to_owned(),
        is_simulated: true,
        report_delay_seconds: None,
    };
    let caller = keyed(operator(), "demo-simnet")?;
    let answer = ask!(services.placement_admin, create_network, caller, message)?;
    let created = answer.network.context("the answer has no network")?;
    say("registered the simulated network");
    Ok(created.id)
}

async fn placements(services: &Services, network: &str) -> anyhow::Result<()> {
    let message = ListPlacementsRequest {
        page: None,
        network_id: network.to_owned(),
    };
    let known = whole(list!(
        services.placement_admin,
        list_placements,
        operator(),
        message,
        MOST_ITEMS
    ))
    .await?;
    for (number, offer) in OFFERS.iter().enumerate() {
        let found = known.iter().find(|known| known.name == offer.name);
        let placement = match found {
            Some(found) => found.clone(),
            None => create(services, network, (number, offer)).await?,
        };
        price(services, offer, placement).await?;
    }
    Ok(())
}

async fn create(
    services: &Services,
    network: &str,
    (number, offer): (usize, &Offer),
) -> anyhow::Result<Placement> {
    let message = CreatePlacementRequest {
        network_id: network.to_owned(),
        name: offer.name.to_owned(),
        format: offer.format.to_owned(),
        countries: Vec::new(),
        systems: Vec::new(),
    };
    let caller = keyed(operator(), &format!("demo-simnet-{number}"))?;
    let answer = ask!(services.placement_admin, create_placement, caller, message)?;
    answer.placement.context("the answer has no placement")
}

/// Sets the price of a placement without one. Where that takes two people, the second admin confirms it, also one that an
/// earlier start had proposed.
async fn price(services: &Services, offer: &Offer, placement: Placement) -> anyhow::Result<()> {
    let mut prices = placement.prices;
    if prices.is_empty() {
        let valid_from = Utc::now()
            .checked_add_signed(PRICE_NOTICE)
            .context("no such time")?;
        let message = SetPlacementPriceRequest {
            placement_id: placement.id.clone(),
            model: offer.model.into(),
            cost: offer.cost.to_owned(),
            revenue: offer.revenue.to_owned(),
            valid_from: Some(valid_from.into()),
        };
        prices = set_price(services, operator(), message).await?.prices;
    }
    for price in prices {
        if price.state() == PriceState::Proposed {
            let message = SetPlacementPriceRequest {
                placement_id: placement.id.clone(),
                model: price.model,
                cost: Micros::new(price.cost_micros).to_string(),
                revenue: Micros::new(price.revenue_micros).to_string(),
                valid_from: price.valid_from,
            };
            set_price(services, second::caller(services).await?, message).await?;
        }
    }
    Ok(())
}

async fn set_price(
    services: &Services,
    caller: Caller,
    message: SetPlacementPriceRequest,
) -> anyhow::Result<Placement> {
    let answer = ask!(
        services.placement_admin,
        set_placement_price,
        caller,
        message
    )?;
    answer.placement.context("the answer has no placement")
}
