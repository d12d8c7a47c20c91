//! Networks, their placements, and what these cost and earn.

use adfolio_proto::plan::v1 as plan;
use secrecy::SecretString;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{
    DecimalInput, Decode, FineMoney, PageLimit, Timestamp, TimestampInput, non_empty, present,
    secret, wire_enum, wire_struct,
};
use crate::errors::Failure;

wire_enum! {
    /// Whether plans are placed on a network or a placement.
    SupplyState = plan::SupplyState {
        /// They are.
        Active,
        /// Nothing new is placed on it; reports of what was are taken.
        Paused,
    }
}

wire_enum! {
    /// What is paid for.
    PriceModel = plan::PriceModel {
        /// A thousand impressions.
        Cpm,
        /// A click.
        Cpc,
    }
}

wire_enum! {
    /// Where a price stands.
    PriceState = plan::PriceState {
        /// It holds only once a second member of staff has set the same.
        Proposed,
        /// It holds, or will from its time on.
        Confirmed,
    }
}

wire_struct! {
    /// A valid key of a network, without the key.
    pub struct NetworkKey = plan::NetworkKey {
        /// Its last four characters.
        #[schema(example = "9f3c")]
        pub hint: String,
        /// When it was issued.
        pub issued_at: Timestamp,
        /// When it ends; null for the newest one.
        #[schema(required = true)]
        pub expires_at: Option<Timestamp>,
    }
}

wire_struct! {
    /// A network, which shows advertisements on its placements.
    pub struct Network = plan::Network {
        /// Opaque id.
        #[schema(example = "0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e41")]
        pub id: String,
        /// Display name.
        #[schema(example = "Network A")]
        pub name: String,
        /// The source that its reports name.
        #[schema(example = "network-a")]
        pub source: String,
        /// Whether plans are placed on it.
        pub state: SupplyState,
        /// Whether its delivery is simulated; whatever it reports is marked so for ever.
        pub simulated: bool = is_simulated,
        /// Seconds after the end of an allotment until which it reports. What it has not reported then goes back to the plan.
        #[schema(example = 300)]
        pub report_delay_seconds: u32,
        /// When it was created.
        pub created_at: Timestamp,
        /// Its valid keys, newest first.
        pub keys: Vec<NetworkKey>,
    }
}

/// A network with a key that was just issued.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct NetworkWithKey {
    /// The network.
    #[serde(flatten)]
    pub network: Network,
    /// The key, which the network sends as `X-Network-Key`; returned only here.
    #[serde(serialize_with = "secret::tell")]
    #[schema(value_type = String, example = "5f0c…")]
    pub key: SecretString,
}

impl NetworkWithKey {
    /// From a service's answer.
    pub fn decode(network: Option<plan::Network>, key: String) -> Result<Self, Failure> {
        Ok(Self {
            network: Network::decode(network, "network")?,
            key: key.into(),
        })
    }
}

/// Registers a network.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct CreateNetworkRequest {
    /// Display name.
    #[schema(example = "Network A")]
    pub name: String,
    /// The source that its reports name: 1 to 64 characters from a-z, 0-9, '-' and '_'. It never changes.
    #[schema(example = "network-a")]
    pub source: String,
    /// Whether its delivery is simulated.
    pub simulated: Option<bool>,
    /// Seconds after the end of an allotment until which it reports: 0 to 86400. Absent: 300.
    #[schema(example = 300)]
    pub report_delay_seconds: Option<u32>,
}

/// Changes a network; absent values stay.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct EditNetworkRequest {
    /// The network.
    #[schema(example = "0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e41")]
    pub network_id: String,
    /// Display name.
    pub name: Option<String>,
    /// Whether plans are placed on it.
    pub state: Option<SupplyState>,
    /// Seconds after the end of an allotment until which it reports: 0 to 86400.
    pub report_delay_seconds: Option<u32>,
    /// Why; stored in the audit log.
    #[schema(example = "reports hourly from now on")]
    pub reason: Option<String>,
}

/// Issues a further key of a network.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct IssueNetworkKeyRequest {
    /// The network.
    #[schema(example = "0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e41")]
    pub network_id: String,
    /// Seconds for which its earlier keys stay valid: 0 to 2592000. Absent: 86400.
    #[schema(example = 86400)]
    pub overlap_seconds: Option<u32>,
    /// Why; stored in the audit log.
    #[schema(example = "rotation")]
    pub reason: Option<String>,
}

wire_struct! {
    /// What a placement costs and earns from a time on.
    pub struct PlacementPrice = plan::PlacementPrice as price {
        /// What is paid for.
        pub model: PriceModel,
        /// What it costs.
        pub cost: FineMoney = cost_micros,
        /// What it earns.
        pub revenue: FineMoney = revenue_micros,
        /// From when on it is meant to hold.
        pub valid_from: Timestamp,
        /// From when on it holds: `valid_from`, or its confirmation if that came later. Null while it is proposed.
        #[schema(required = true)]
        pub holds_from: Option<Timestamp>,
        /// Where it stands.
        pub state: PriceState,
        /// The member of staff who set it; null for adfolioctl.
        #[schema(required = true)]
        pub set_by: Option<String> = (non_empty(price.set_by_id)),
        /// The member of staff who confirmed it.
        #[schema(required = true)]
        pub confirmed_by: Option<String> = (non_empty(price.confirmed_by_id)),
    }
}

wire_struct! {
    /// A place where a network shows advertisements.
    pub struct Placement = plan::Placement {
        /// Opaque id.
        #[schema(example = "0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e42")]
        pub id: String,
        /// Its network.
        #[schema(example = "0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e41")]
        pub network_id: String,
        /// Its network's name.
        #[schema(example = "Network A")]
        pub network_name: String,
        /// Display name, unique within the network.
        #[schema(example = "Feed, top")]
        pub name: String,
        /// Form, as the network calls it.
        #[schema(example = "native")]
        pub format: String,
        /// ISO 3166-1 alpha-2 codes; empty for everywhere.
        #[schema(example = json!(["AT", "DE"]))]
        pub countries: Vec<String>,
        /// Operating systems; empty for all.
        #[schema(example = json!(["android", "ios"]))]
        pub systems: Vec<String>,
        /// Whether plans are placed on it.
        pub state: SupplyState,
        /// When it was created.
        pub created_at: Timestamp,
        /// The price that holds now, if any, and those that were set for later, by `valid_from`.
        pub prices: Vec<PlacementPrice>,
    }
}

/// Creates a placement.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct CreatePlacementRequest {
    /// Its network.
    #[schema(example = "0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e41")]
    pub network_id: String,
    /// Display name, unique within the network.
    #[schema(example = "Feed, top")]
    pub name: String,
    /// Form: 1 to 32 characters from a-z, 0-9, '-' and '_'.
    #[schema(example = "native")]
    pub format: String,
    /// ISO 3166-1 alpha-2 codes. Absent or empty: everywhere.
    #[schema(example = json!(["AT", "DE"]))]
    pub countries: Option<Vec<String>>,
    /// Operating systems. Absent or empty: all.
    #[schema(example = json!(["android", "ios"]))]
    pub systems: Option<Vec<String>>,
}

/// Changes a placement; absent values stay.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct EditPlacementRequest {
    /// The placement.
    #[schema(example = "0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e42")]
    pub placement_id: String,
    /// Display name, unique within the network.
    pub name: Option<String>,
    /// Form.
    pub format: Option<String>,
    /// ISO 3166-1 alpha-2 codes; empty for everywhere.
    pub countries: Option<Vec<String>>,
    /// Operating systems; empty for all.
    pub systems: Option<Vec<String>>,
    /// Whether plans are placed on it.
    pub state: Option<SupplyState>,
    /// Why; stored in the audit log.
    #[schema(example = "redesigned")]
    pub reason: Option<String>,
}

/// Asks for placements.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct PlacementListQuery {
    /// Only those of this network.
    pub network_id: Option<String>,
    /// `next_cursor` of the previous page; the first page if absent.
    #[schema(max_length = 1024)]
    pub cursor: Option<String>,
    /// Maximum number of items; 20 if absent.
    pub limit: Option<PageLimit>,
}

/// Sets what a placement costs and earns from a time on.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct PlacementPriceRequest {
    /// The placement.
    #[schema(example = "0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e42")]
    pub placement_id: String,
    /// What is paid for.
    pub model: PriceModel,
    /// What it costs: of a thousand impressions with at most three decimals, of a click with at most six.
    pub cost: DecimalInput,
    /// What it earns, likewise.
    pub revenue: DecimalInput,
    /// From when on: not before now, and later than every price that was set before. To confirm a price: its `valid_from`.
    pub valid_from: TimestampInput,
}

/// What a product's advertisement shows.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct Creative {
    /// Headline; empty for the product's name.
    #[schema(example = "Repair the harbour")]
    pub title: String,
    /// Address of the picture; empty for the product's.
    #[schema(example = "/media/puzzle-harbour-cover.png")]
    pub picture: String,
    /// Address that a click leads to; may be empty.
    #[schema(example = "https://example.com/puzzle-harbour")]
    pub destination: String,
}

impl Decode<Option<plan::Creative>> for Creative {
    fn decode(creative: Option<plan::Creative>, field: &'static str) -> Result<Self, Failure> {
        let creative = present(creative, field)?;
        Ok(Self {
            title: creative.title,
            picture: creative.picture_url,
            destination: creative.destination_url,
        })
    }
}

impl Creative {
    /// To a service's message.
    pub fn into_proto(self) -> plan::Creative {
        plan::Creative {
            title: self.title,
            picture_url: self.picture,
            destination_url: self.destination,
        }
    }
}

wire_enum! {
    /// What placing a product's plans aims at.
    PlacementGoal = plan::PlacementGoal {
        /// Most clicks for the money.
        Clicks,
        /// Most revenue for the money.
        Revenue,
    }
}
