//! Acceptors of foreign exchange.

use adfolio_proto::acceptor::v1 as acceptor;
use secrecy::SecretString;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::exchange::ExchangeOrder;
use super::statistics::ratio_text;
use super::{
    DecimalInput, Money, MoneyInput, Timestamp, TimestampInput, present, secret, wire_enum,
};
use crate::errors::Failure;

wire_enum! {
    /// Kind of an acceptor.
    AcceptorKind = acceptor::AcceptorKind {
        /// A person.
        Personal,
        /// An enterprise.
        Enterprise,
    }
}

wire_enum! {
    /// Which way an exchange goes.
    ExchangeDirection = acceptor::ExchangeDirection {
        /// Wallet money into the other currency.
        WalletToCurrency,
        /// The other currency into wallet money.
        CurrencyToWallet,
    }
}

/// An acceptor.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct Acceptor {
    /// Opaque id.
    #[schema(example = "0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e37")]
    pub id: String,
    /// Person or enterprise.
    pub kind: AcceptorKind,
    /// Name shown.
    #[schema(example = "Harbour Exchange Ltd")]
    pub name: String,
    /// Rating from `"0.0"` to `"5.0"`, with one decimal.
    #[schema(example = "4.8")]
    pub rating: String,
    /// Exchange orders completed.
    #[schema(example = 0)]
    pub completed_orders: i64,
}

impl Acceptor {
    /// From a service's message.
    pub fn from_proto(acceptor: acceptor::Acceptor) -> Result<Self, Failure> {
        Ok(Self {
            id: acceptor.id,
            kind: AcceptorKind::from_wire(acceptor.kind)?,
            name: acceptor.name,
            rating: ratio_text(i64::from(acceptor.rating_tenths), 10, 1)
                .ok_or_else(|| Failure::broken_answer("rating"))?,
            completed_orders: acceptor.completed_orders,
        })
    }
}

/// An offer to exchange.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct Offer {
    /// Opaque id.
    #[schema(example = "0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e38")]
    pub id: String,
    /// Which way.
    pub direction: ExchangeDirection,
    /// The other currency, ISO 4217.
    #[schema(example = "EUR")]
    pub currency: String,
    /// Units of the other currency for one unit of wallet money, as decimal text.
    #[schema(example = "0.9235")]
    pub rate: String,
    /// Least wallet amount.
    pub min: Money,
    /// Highest wallet amount.
    pub max: Money,
    /// When the offer ends.
    pub expires_at: Timestamp,
}

impl Offer {
    /// From a service's message.
    pub fn from_proto(offer: acceptor::Offer) -> Result<Self, Failure> {
        Ok(Self {
            id: offer.id,
            direction: ExchangeDirection::from_wire(offer.direction)?,
            currency: offer.currency,
            rate: offer.rate,
            min: Money::from_minor(offer.min_minor),
            max: Money::from_minor(offer.max_minor),
            expires_at: Timestamp::required(offer.expires_at, "expires_at")?,
        })
    }
}

/// What is behind an acceptance code.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct AcceptorDetail {
    /// The acceptor.
    pub acceptor: Acceptor,
    /// The offer.
    pub offer: Offer,
    /// The caller's pending exchange order, with whomever; null without one.
    #[schema(required = true)]
    pub current: Option<ExchangeOrder>,
}

impl AcceptorDetail {
    /// From a service's message.
    pub fn from_proto(response: acceptor::GetAcceptorDetailResponse) -> Result<Self, Failure> {
        Ok(Self {
            acceptor: Acceptor::from_proto(present(response.acceptor, "acceptor")?)?,
            offer: Offer::from_proto(present(response.offer, "offer")?)?,
            current: response
                .current
                .map(ExchangeOrder::from_proto)
                .transpose()?,
        })
    }
}

/// Asks for what is behind an acceptance code.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct AcceptorDetailRequest {
    /// Kind of acceptor chosen.
    pub kind: AcceptorKind,
    /// Acceptance code.
    #[schema(value_type = String, example = "DEMO-PERSONAL")]
    pub code: SecretString,
}

/// A page of acceptors.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct AcceptorPage {
    /// The acceptors, newest first.
    pub items: Vec<Acceptor>,
    /// Where the next page begins; null at the end.
    #[schema(required = true)]
    pub next_cursor: Option<String>,
}

/// Creates an acceptor.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct CreateAcceptorRequest {
    /// Person or enterprise.
    pub kind: AcceptorKind,
    /// Name shown, 1 to 100 characters.
    #[schema(example = "Harbour Exchange Ltd")]
    pub name: String,
    /// Rating from 0 to 5 with at most one decimal; 0 when absent.
    pub rating: Option<DecimalInput>,
}

/// A rating of 0 to 5 with at most one decimal, in tenths.
pub fn rating_tenths(rating: &DecimalInput) -> Option<u32> {
    let (whole, tenth) = rating
        .as_str()
        .split_once('.')
        .unwrap_or((rating.as_str(), "0"));
    let tenth: u32 = if tenth.len() == 1 {
        tenth.parse().ok()?
    } else {
        return None;
    };
    let whole: u32 = whole.parse().ok()?;
    whole
        .checked_mul(10)?
        .checked_add(tenth)
        .filter(|tenths| *tenths <= 50)
}

/// Issues an acceptance code.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct CreateAcceptanceCodeRequest {
    /// Whose offer.
    #[schema(example = "0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e37")]
    pub acceptor_id: String,
    /// Only for this user; for anyone when absent.
    pub user_id: Option<String>,
    /// Which way.
    pub direction: ExchangeDirection,
    /// The other currency, ISO 4217.
    #[schema(example = "EUR")]
    pub currency: String,
    /// Units of the other currency for one unit of wallet money, up to 8 decimals.
    pub rate: DecimalInput,
    /// Least wallet amount.
    pub min: MoneyInput,
    /// Highest wallet amount.
    pub max: MoneyInput,
    /// When the offer ends.
    pub expires_at: TimestampInput,
}

/// An acceptance code.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct AcceptanceCode {
    /// To hand to the user.
    #[serde(serialize_with = "secret::tell")]
    #[schema(value_type = String, example = "DEMO-PERSONAL")]
    pub code: SecretString,
    /// What it stands for.
    pub offer: Offer,
}
