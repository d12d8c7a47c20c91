//! Acceptors of foreign exchange.

use adfolio_proto::acceptor::v1 as acceptor;
use secrecy::SecretString;
use serde::Deserialize;
use utoipa::ToSchema;

use super::exchange::{AcceptorKind, ExchangeDirection, ExchangeOrder};
use super::statistics::ratio_text;
use super::{DecimalInput, Money, MoneyInput, Timestamp, TimestampInput, secret, wire_struct};
use crate::errors::Failure;

wire_struct! {
    /// An acceptor.
    pub struct Acceptor = acceptor::Acceptor as acceptor {
        /// Opaque id.
        #[schema(example = "0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e37")]
        pub id: String,
        /// Person or enterprise.
        pub kind: AcceptorKind,
        /// Display name.
        #[schema(example = "Harbour Exchange Ltd")]
        pub name: String,
        /// Rating from `"0.0"` to `"5.0"`, with one decimal.
        #[schema(example = "4.8")]
        pub rating: String = (ratio_text(i64::from(acceptor.rating_tenths), 10, 1).ok_or_else(|| Failure::broken_answer("rating"))?),
        /// Exchange orders completed.
        #[schema(example = 0)]
        pub completed_orders: i64,
    }
}

wire_struct! {
    /// An offer to exchange.
    pub struct Offer = acceptor::Offer {
        /// Opaque id.
        #[schema(example = "0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e38")]
        pub id: String,
        /// The direction.
        pub direction: ExchangeDirection,
        /// The other currency, ISO 4217.
        #[schema(example = "EUR")]
        pub currency: String,
        /// Units of the other currency for one unit of wallet money, as decimal text.
        #[schema(example = "0.9235")]
        pub rate: String,
        /// Minimum wallet amount.
        pub min: Money = min_minor,
        /// Maximum wallet amount.
        pub max: Money = max_minor,
        /// When the offer ends.
        pub expires_at: Timestamp,
    }
}

wire_struct! {
    /// The acceptor and offer of an acceptance code.
    pub struct AcceptorDetail = acceptor::GetAcceptorDetailResponse {
        /// The acceptor.
        pub acceptor: Acceptor,
        /// The offer.
        pub offer: Offer,
        /// The caller's pending exchange order with any acceptor; null without one.
        #[schema(required = true)]
        pub current: Option<ExchangeOrder>,
    }
}

/// Names an acceptance code.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct AcceptorDetailRequest {
    /// The chosen kind of acceptor.
    pub kind: AcceptorKind,
    /// Acceptance code.
    #[schema(value_type = String, example = "DEMO-PERSONAL")]
    pub code: SecretString,
}

/// Creates an acceptor.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct CreateAcceptorRequest {
    /// Person or enterprise.
    pub kind: AcceptorKind,
    /// Display name, 1 to 100 characters.
    #[schema(example = "Harbour Exchange Ltd")]
    pub name: String,
    /// Rating from 0 to 5 with at most one decimal; 0 if absent.
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
    /// The acceptor of the offer.
    #[schema(example = "0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e37")]
    pub acceptor_id: String,
    /// The only user who may use it; anyone if absent.
    pub user_id: Option<String>,
    /// The direction.
    pub direction: ExchangeDirection,
    /// The other currency, ISO 4217.
    #[schema(example = "EUR")]
    pub currency: String,
    /// Units of the other currency for one unit of wallet money, up to 8 decimals.
    pub rate: DecimalInput,
    /// Minimum wallet amount.
    pub min: MoneyInput,
    /// Maximum wallet amount.
    pub max: MoneyInput,
    /// When the offer ends.
    pub expires_at: TimestampInput,
}

wire_struct! {
    /// An acceptance code.
    pub struct AcceptanceCode = acceptor::CreateAcceptanceCodeResponse {
        /// The code to give to the user.
        #[serde(serialize_with = "secret::tell")]
        #[schema(value_type = String, example = "DEMO-PERSONAL")]
        pub code: SecretString,
        /// The offer behind it.
        pub offer: Offer,
    }
}
