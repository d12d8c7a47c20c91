//! Products and audiences.

use adfolio_proto::common::v1 as common;
use adfolio_proto::plan::v1 as plan;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::coupon::Coupon;
use super::supply::{Creative, PlacementGoal};
use super::{Decode, Money, MoneyInput, present, wire_enum, wire_struct};
use crate::errors::Failure;

wire_enum! {
    /// Advertising content of a product.
    ContentType = plan::ContentType {
        /// Video.
        Video,
        /// Landing page.
        LandingPage,
    }
}

wire_enum! {
    /// Target gender of an advertisement.
    Gender = common::Gender {
        /// Everyone.
        Any,
        /// Women.
        Female,
        /// Men.
        Male,
    }
}

/// Audience of an advertisement.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct Audience {
    /// Region names or codes; empty for everywhere.
    #[schema(example = json!(["DE", "AT"]))]
    pub regions: Vec<String>,
    /// Youngest age in years.
    #[schema(example = 18)]
    pub age_min: u32,
    /// Oldest age in years.
    #[schema(example = 55)]
    pub age_max: u32,
    /// Target gender.
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
    /// To a service's message.
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
    /// A product that can be advertised.
    pub struct Product = plan::Product {
        /// Opaque id.
        #[schema(example = "0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e31")]
        pub id: String,
        /// Display name.
        #[schema(example = "Puzzle Harbour")]
        pub name: String,
        /// Square icon.
        #[schema(required = true, example = "/media/puzzle-harbour.png")]
        pub icon_url: Option<String>,
        /// Wide picture.
        #[schema(required = true, example = "/media/puzzle-harbour-cover.png")]
        pub cover_url: Option<String>,
        /// Displayed category.
        #[schema(example = "Games")]
        pub category: String,
        /// Description.
        #[schema(example = "A calm puzzle game by the sea.")]
        pub description: String,
        /// Game description; may be empty.
        #[schema(example = "Match tiles, repair the harbour.")]
        pub game_description: String,
        /// Advertising content it supports.
        pub content_types: Vec<ContentType>,
        /// Minimum put amount.
        pub put_min: Money = put_min_minor,
        /// Maximum put amount.
        pub put_max: Money = put_max_minor,
        /// Audience of its advertisements.
        pub audience: Audience,
    }
}

/// A product with its limits of revenue and how its plans are placed, for staff.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct StaffProduct {
    /// The product.
    #[serde(flatten)]
    pub product: Product,
    /// Highest revenue of a plan that needs no second look, in percent of its spend.
    #[schema(example = 1000)]
    pub return_max_percent: u32,
    /// The same of a thousand impressions.
    pub revenue_per_thousand_max: Money,
    /// What placing its plans aims at.
    pub goal: PlacementGoal,
    /// Placements that its plans may use; empty for all.
    pub placements: Vec<String>,
    /// What its advertisement shows.
    pub creative: Creative,
}

impl Decode<plan::Product> for StaffProduct {
    fn decode(product: plan::Product, field: &'static str) -> Result<Self, Failure> {
        let per_thousand = product.revenue_per_thousand_max_minor;
        Ok(Self {
            return_max_percent: present(product.return_max_percent, field)?,
            revenue_per_thousand_max: Money::decode(present(per_thousand, field)?, field)?,
            goal: PlacementGoal::decode(product.goal, "goal")?,
            placements: product.placements.clone().unwrap_or_default().ids,
            creative: Creative::decode(product.creative.clone(), "creative")?,
            product: Product::decode(product, field)?,
        })
    }
}

impl Decode<Option<plan::Product>> for StaffProduct {
    fn decode(product: Option<plan::Product>, field: &'static str) -> Result<Self, Failure> {
        Self::decode(present(product, field)?, field)
    }
}

/// A product with the coupons that can be used on it.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct AppDetail {
    /// The product.
    #[serde(flatten)]
    pub product: Product,
    /// The caller's coupons that are usable for an amount within the product's range, the first to expire first.
    pub coupons: Vec<Coupon>,
}

/// Names a product.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct AppDetailRequest {
    /// The product.
    #[schema(example = "0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e31")]
    pub product_id: String,
}

/// Declares a request with all fields of a product, and further ones. Flattening would lose the names of fields in failures.
macro_rules! product_request {
    ($(#[$meta:meta])* $name:ident { $($further:tt)* }) => {
        $(#[$meta])*
        #[derive(Clone, Debug, Deserialize, ToSchema)]
        pub struct $name {
            $($further)*
            /// Display name.
            #[schema(example = "Puzzle Harbour")]
            pub name: String,
            /// Square icon.
            #[schema(example = "/media/puzzle-harbour.png")]
            pub icon_url: Option<String>,
            /// Wide picture.
            pub cover_url: Option<String>,
            /// Displayed category.
            #[schema(example = "Games")]
            pub category: String,
            /// Description.
            #[schema(example = "A calm puzzle game by the sea.")]
            pub description: String,
            /// Game description; may be empty.
            #[schema(example = "Match tiles, repair the harbour.")]
            pub game_description: String,
            /// Advertising content it supports.
            pub content_types: Vec<ContentType>,
            /// Minimum put amount.
            pub put_min: MoneyInput,
            /// Maximum put amount.
            pub put_max: MoneyInput,
            /// Audience of its advertisements.
            pub audience: Audience,
            /// Highest revenue of a plan that needs no second look, in percent of its spend: 0 to 10000. Absent: unchanged, or
            /// 1000.
            #[schema(example = 1000)]
            pub return_max_percent: Option<u32>,
            /// The same of a thousand impressions. Absent: unchanged, or 1000.00.
            pub revenue_per_thousand_max: Option<MoneyInput>,
            /// What placing its plans aims at. Absent: unchanged, or clicks.
            pub goal: Option<PlacementGoal>,
            /// Placements that its plans may use; empty for all. Absent: unchanged, or all.
            pub placements: Option<Vec<String>>,
            /// What its advertisement shows. Absent: unchanged, or its name and pictures.
            pub creative: Option<Creative>,
        }

        impl $name {
            fn into_product(self, id: String) -> plan::Product {
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
                    return_max_percent: self.return_max_percent,
                    revenue_per_thousand_max_minor: self
                        .revenue_per_thousand_max
                        .map(MoneyInput::minor),
                    goal: self.goal.map(Into::into).unwrap_or_default(),
                    placements: self.placements.map(|ids| plan::PlacementSelection { ids }),
                    creative: self.creative.map(Creative::into_proto),
                }
            }
        }
    };
}

product_request! {
    /// Creates a product.
    CreateProductRequest {}
}

impl CreateProductRequest {
    /// To a service's message.
    pub fn into_proto(self) -> plan::Product {
        self.into_product(String::new())
    }
}

product_request! {
    /// Changes a product.
    EditProductRequest {
        /// The product.
        #[schema(example = "0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e31")]
        pub id: String,
    }
}

impl EditProductRequest {
    /// To a service's message.
    pub fn into_proto(self) -> plan::Product {
        let id = self.id.clone();
        self.into_product(id)
    }
}
