//! What can be advertised, and to whom.

use adfolio_proto::common::v1 as common;
use adfolio_proto::plan::v1 as plan;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::coupon::Coupon;
use super::{Decode, Money, MoneyInput, wire_enum, wire_struct};
use crate::errors::Failure;

wire_enum! {
    /// Content a product can be advertised with.
    ContentType = plan::ContentType {
        /// Video.
        Video,
        /// Landing page.
        LandingPage,
    }
}

wire_enum! {
    /// Gender an advertisement is shown to.
    Gender = common::Gender {
        /// Everyone.
        Any,
        /// Women.
        Female,
        /// Men.
        Male,
    }
}

/// Whom an advertisement is shown to.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct Audience {
    /// Region names or codes; empty means everywhere.
    #[schema(example = json!(["DE", "AT"]))]
    pub regions: Vec<String>,
    /// Youngest age in years.
    #[schema(example = 18)]
    pub age_min: u32,
    /// Oldest age in years.
    #[schema(example = 55)]
    pub age_max: u32,
    /// Gender aimed at.
    pub gender: Gender,
}

/// A missing audience is everyone, and so is a missing gender.
impl Decode<Option<common::Audience>> for Audience {
    fn decode(audience: Option<common::Audience>, _: &'static str) -> Result<Self, Failure> {
        let audience = audience.unwrap_or_default();
        Ok(Self {
            regions: audience.regions,
            age_min: audience.age_min,
            age_max: audience.age_max,
            gender: Gender::from_wire(audience.gender).unwrap_or(Gender::Any),
        })
    }
}

impl Audience {
    /// For a service's message.
    pub fn into_proto(self) -> common::Audience {
        common::Audience {
            regions: self.regions,
            age_min: self.age_min,
            age_max: self.age_max,
            gender: self.gender.into(),
        }
    }
}

wire_struct! {
    /// What can be advertised.
    pub struct Product = plan::Product {
        /// Opaque id.
        #[schema(example = "0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e31")]
        pub id: String,
        /// Name shown.
        #[schema(example = "Puzzle Harbour")]
        pub name: String,
        /// Square icon.
        #[schema(required = true, example = "/media/puzzle-harbour.png")]
        pub icon_url: Option<String>,
        /// Wide picture.
        #[schema(required = true, example = "/media/puzzle-harbour-cover.png")]
        pub cover_url: Option<String>,
        /// Category shown.
        #[schema(example = "Games")]
        pub category: String,
        /// What it is.
        #[schema(example = "A calm puzzle game by the sea.")]
        pub description: String,
        /// Game description; may be empty.
        #[schema(example = "Match tiles, repair the harbour.")]
        pub game_description: String,
        /// Content it can be advertised with.
        pub content_types: Vec<ContentType>,
        /// Lowest put amount.
        pub put_min: Money = put_min_minor,
        /// Highest put amount.
        pub put_max: Money = put_max_minor,
        /// Whom its advertisements are shown to.
        pub audience: Audience,
    }
}

/// A product with the coupons that can be used on it.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct AppDetail {
    /// The product.
    #[serde(flatten)]
    pub product: Product,
    /// The caller's coupons that some amount within the product's range can use, soonest expiry first.
    pub coupons: Vec<Coupon>,
}

/// Asks for a product with the caller's coupons for it.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct AppDetailRequest {
    /// The product.
    #[schema(example = "0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e31")]
    pub product_id: String,
}

/// A product as staff create it.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct CreateProductRequest {
    /// Name shown.
    #[schema(example = "Puzzle Harbour")]
    pub name: String,
    /// Square icon.
    #[schema(example = "/media/puzzle-harbour.png")]
    pub icon_url: Option<String>,
    /// Wide picture.
    pub cover_url: Option<String>,
    /// Category shown.
    #[schema(example = "Games")]
    pub category: String,
    /// What it is.
    #[schema(example = "A calm puzzle game by the sea.")]
    pub description: String,
    /// Game description; may be empty.
    #[schema(example = "Match tiles, repair the harbour.")]
    pub game_description: String,
    /// Content it can be advertised with.
    pub content_types: Vec<ContentType>,
    /// Lowest put amount.
    pub put_min: MoneyInput,
    /// Highest put amount.
    pub put_max: MoneyInput,
    /// Whom its advertisements are shown to.
    pub audience: Audience,
}

impl CreateProductRequest {
    /// For a service's message.
    pub fn into_proto(self, id: String) -> plan::Product {
        plan::Product {
            id,
            name: self.name,
            icon_url: self.icon_url.unwrap_or_default(),
            cover_url: self.cover_url.unwrap_or_default(),
            category: self.category,
            description: self.description,
            game_description: self.game_description,
            content_types: self.content_types.into_iter().map(Into::into).collect(),
            put_min_minor: self.put_min.minor(),
            put_max_minor: self.put_max.minor(),
            audience: Some(self.audience.into_proto()),
        }
    }
}

/// A product as staff change it.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct EditProductRequest {
    /// The product.
    #[schema(example = "0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e31")]
    pub id: String,
    /// Name shown.
    #[schema(example = "Puzzle Harbour")]
    pub name: String,
    /// Square icon.
    #[schema(example = "/media/puzzle-harbour.png")]
    pub icon_url: Option<String>,
    /// Wide picture.
    pub cover_url: Option<String>,
    /// Category shown.
    #[schema(example = "Games")]
    pub category: String,
    /// What it is.
    #[schema(example = "A calm puzzle game by the sea.")]
    pub description: String,
    /// Game description; may be empty.
    #[schema(example = "Match tiles, repair the harbour.")]
    pub game_description: String,
    /// Content it can be advertised with.
    pub content_types: Vec<ContentType>,
    /// Lowest put amount.
    pub put_min: MoneyInput,
    /// Highest put amount.
    pub put_max: MoneyInput,
    /// Whom its advertisements are shown to.
    pub audience: Audience,
}

impl EditProductRequest {
    /// For a service's message.
    pub fn into_proto(self) -> plan::Product {
        let id = self.id;
        CreateProductRequest {
            name: self.name,
            icon_url: self.icon_url,
            cover_url: self.cover_url,
            category: self.category,
            description: self.description,
            game_description: self.game_description,
            content_types: self.content_types,
            put_min: self.put_min,
            put_max: self.put_max,
            audience: self.audience,
        }
        .into_proto(id)
    }
}
