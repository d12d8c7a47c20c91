//! `adfolioctl product`.

use std::path::PathBuf;

use adfolio_money::Money;
use adfolio_proto::common::v1::{Audience, Gender};
use adfolio_proto::plan::v1::{
    AdminListProductsRequest, ContentType, CreateProductRequest, Creative, EditProductRequest,
    PlacementGoal, PlacementSelection, Product,
};
use anyhow::{Context as _, anyhow};
use clap::{Args, Subcommand};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::files::read_json;
use crate::names::{self, money, name};
use crate::output::Row;
use crate::services::{Change, Listing, Services, ask, list, operator};

/// Products
#[derive(Debug, Subcommand)]
pub enum ProductCommand {
    /// Lists products
    List(Listing),
    /// Creates a product
    Create(Write),
    /// Replaces a product; the file has its id
    Edit(Write),
}

impl ProductCommand {
    /// Runs the command.
    pub async fn run(self, services: &Services) -> anyhow::Result<()> {
        match self {
            Self::List(listing) => list(services, listing).await,
            Self::Create(write) => write.create(services).await,
            Self::Edit(write) => write.edit(services).await,
        }
    }
}

/// A product in a file
#[derive(Args, Debug)]
pub struct Write {
    /// JSON file with the product's fields as in the REST contract
    file: PathBuf,
    #[command(flatten)]
    change: Change,
}

impl Write {
    async fn create(self, services: &Services) -> anyhow::Result<()> {
        let product = Some(read_json::<ProductFile>(&self.file)?.into_product()?);
        let message = CreateProductRequest { product };
        let caller = self.change.caller()?;
        let answer = ask!(services.plan_admin, create_product, caller, message)?;
        self.show(answer.product)
    }

    async fn edit(self, services: &Services) -> anyhow::Result<()> {
        let product = Some(read_json::<ProductFile>(&self.file)?.into_product()?);
        let message = EditProductRequest { product };
        let caller = self.change.caller()?;
        let answer = ask!(services.plan_admin, edit_product, caller, message)?;
        self.show(answer.product)
    }

    fn show(&self, product: Option<Product>) -> anyhow::Result<()> {
        let product = product.context("the answer has no product")?;
        self.change.format.one(row(&product));
        Ok(())
    }
}

async fn list(services: &Services, listing: Listing) -> anyhow::Result<()> {
    let message = AdminListProductsRequest { page: None };
    let products = list!(
        services.plan_admin,
        admin_list_products,
        operator(),
        message,
        listing.max
    )
    .await?;
    listing.print(&products, row);
    Ok(())
}

fn row(product: &Product) -> Row {
    let types: Vec<_> = product
        .content_types
        .iter()
        .map(|number| name::<ContentType>(*number))
        .collect();
    vec![
        ("id", json!(product.id)),
        ("name", json!(product.name)),
        ("category", json!(product.category)),
        ("put_min", money(product.put_min_minor)),
        ("put_max", money(product.put_max_minor)),
        ("content_types", json!(types)),
        ("goal", json!(name::<PlacementGoal>(product.goal))),
        (
            "placements",
            json!(
                product
                    .placements
                    .as_ref()
                    .map(|placements| &placements.ids)
            ),
        ),
        ("return_max_percent", json!(product.return_max_percent)),
        (
            "revenue_per_thousand_max",
            product
                .revenue_per_thousand_max_minor
                .map_or(Value::Null, money),
        ),
    ]
}

/// A product in the format of the REST contract.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ProductFile {
    #[serde(default)]
    id: String,
    name: String,
    #[serde(default)]
    icon_url: Option<String>,
    #[serde(default)]
    cover_url: Option<String>,
    category: String,
    description: String,
    #[serde(default)]
    game_description: String,
    content_types: Vec<String>,
    put_min: Money,
    put_max: Money,
    #[serde(default)]
    return_max_percent: Option<u32>,
    #[serde(default)]
    revenue_per_thousand_max: Option<Money>,
    #[serde(default)]
    goal: Option<String>,
    #[serde(default)]
    placements: Option<Vec<String>>,
    #[serde(default)]
    creative: Option<CreativeFile>,
    audience: AudienceFile,
}

/// What an advertisement shows, in the format of the REST contract.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct CreativeFile {
    title: String,
    picture: String,
    destination: String,
}

/// An audience in the format of the REST contract.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AudienceFile {
    regions: Vec<String>,
    age_min: u32,
    age_max: u32,
    gender: String,
}

impl AudienceFile {
    /// To a service's message.
    pub fn into_audience(self) -> anyhow::Result<Audience> {
        let gender = names::parse::<Gender>(&self.gender).map_err(|problem| anyhow!(problem))?;
        Ok(Audience {
            regions: self.regions,
            age_min: self.age_min,
            age_max: self.age_max,
            gender: gender.into(),
        })
    }
}

impl ProductFile {
    fn into_product(self) -> anyhow::Result<Product> {
        let content_types: Result<Vec<i32>, String> = self
            .content_types
            .iter()
            .map(|text| names::parse::<ContentType>(text).map(i32::from))
            .collect();
        let goal = self.goal.as_deref().map(names::parse::<PlacementGoal>);
        Ok(Product {
            id: self.id,
            name: self.name,
            icon_url: self.icon_url.unwrap_or_default(),
            cover_url: self.cover_url.unwrap_or_default(),
            category: self.category,
            description: self.description,
            game_description: self.game_description,
            content_types: content_types.map_err(|problem| anyhow!(problem))?,
            put_min_minor: self.put_min.minor(),
            put_max_minor: self.put_max.minor(),
            audience: Some(self.audience.into_audience()?),
            return_max_percent: self.return_max_percent,
            revenue_per_thousand_max_minor: self.revenue_per_thousand_max.map(Money::minor),
            goal: goal
                .transpose()
                .map_err(|problem| anyhow!(problem))?
                .map(i32::from)
                .unwrap_or_default(),
            placements: self.placements.map(|ids| PlacementSelection { ids }),
            creative: self.creative.map(|creative| Creative {
                title: creative.title,
                picture_url: creative.picture,
                destination_url: creative.destination,
            }),
        })
    }
}
