//! Messages of networks, placements and prices.

use adfolio_kit::mirror::Mirrored as _;
use adfolio_kit::refusal::Refusal;
use adfolio_kit::wire;
use adfolio_money::Micros;
use adfolio_proto::plan::v1 as proto;
use chrono::{DateTime, Utc};
use uuid::Uuid;

use super::optional;
use crate::network::Network;
use crate::network::entity::IssuedKey;
use crate::placement::{Placement, Price, PriceModel};

impl From<Network> for proto::Network {
    fn from(network: Network) -> Self {
        Self {
            id: network.id.to_string(),
            name: network.name,
            source: network.source,
            state: network.state.to_wire(),
            is_simulated: network.is_simulated,
            report_delay_seconds: network.report_delay_seconds,
            created_at: Some(wire::timestamp(network.created_at)),
            keys: network.keys.into_iter().map(Into::into).collect(),
        }
    }
}

impl From<IssuedKey> for proto::NetworkKey {
    fn from(key: IssuedKey) -> Self {
        Self {
            hint: key.hint,
            issued_at: Some(wire::timestamp(key.issued_at)),
            expires_at: key.expires_at.map(wire::timestamp),
        }
    }
}

/// A new placement, which has no price yet.
impl From<&Placement> for proto::CreatePlacementResponse {
    fn from(created: &Placement) -> Self {
        Self {
            placement: Some(created.into()),
        }
    }
}

impl From<&Placement> for proto::Placement {
    fn from(placement: &Placement) -> Self {
        let details = &placement.details;
        Self {
            id: placement.id.to_string(),
            network_id: placement.network_id.to_string(),
            network_name: placement.network_name.clone(),
            name: details.name.clone(),
            format: details.format.clone(),
            countries: details.countries.clone(),
            systems: details.systems.clone(),
            state: details.state.to_wire(),
            created_at: Some(wire::timestamp(placement.created_at)),
            prices: placement.prices.iter().map(Into::into).collect(),
        }
    }
}

impl From<&Price> for proto::PlacementPrice {
    fn from(price: &Price) -> Self {
        Self {
            model: price.model.to_wire(),
            cost_micros: price.cost.get(),
            revenue_micros: price.revenue.get(),
            valid_from: Some(wire::timestamp(price.valid_from)),
            state: price.state().to_wire(),
            set_by_id: optional(Some(price.set_by).filter(|by| !by.is_nil())),
            confirmed_by_id: optional(price.confirmed_by),
            holds_from: price.begins_at().map(wire::timestamp),
        }
    }
}

/// A price as staff set it.
pub fn price(request: &proto::SetPlacementPriceRequest, set_by: Uuid) -> Result<Price, Refusal> {
    let amount = |text: &str, field: &str| -> Result<Micros, Refusal> {
        let malformed = |error: adfolio_money::MoneyError| {
            let refusal = Refusal::invalid(field);
            refusal.detail(error.to_string())
        };
        text.parse().map_err(malformed)
    };
    let model = PriceModel::required(request.model, "model")?;
    let amounts = (
        amount(&request.cost, "cost")?,
        amount(&request.revenue, "revenue")?,
    );
    let valid_from: Option<DateTime<Utc>> = wire::instant(request.valid_from, "valid_from")?;
    let valid_from = valid_from.ok_or_else(|| Refusal::invalid("valid_from"))?;
    Price::new(model, amounts, valid_from, set_by)
}
