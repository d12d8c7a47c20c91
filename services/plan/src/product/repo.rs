//! The SQL of products.

use std::collections::HashMap;

use adfolio_kit::db::{Pool, Tx};
use adfolio_kit::error::CoreError;
use adfolio_kit::pagination::bound;
use adfolio_money::Money;
use chrono::{DateTime, Utc};
use uuid::Uuid;

use super::entity::{
    Audience, ContentType, Creative, Details, Gender, Goal, Product, RevenueLimits, Terms,
};
use crate::error::PlanError;
use crate::ids::{PlacementId, ProductId};

struct ProductRow {
    id: ProductId,
    name: String,
    icon_url: String,
    cover_url: String,
    category: String,
    description: String,
    game_description: String,
    content_types: Vec<String>,
    put_min_minor: i64,
    put_max_minor: i64,
    regions: Vec<String>,
    age_min: i32,
    age_max: i32,
    gender: Gender,
    return_max_percent: i32,
    revenue_per_thousand_max_minor: i64,
    goal: Goal,
    placement_ids: Vec<Uuid>,
    creative_title: String,
    creative_picture_url: String,
    creative_destination_url: String,
    created_at: DateTime<Utc>,
}

impl TryFrom<ProductRow> for Product {
    type Error = PlanError;

    fn try_from(row: ProductRow) -> Result<Self, PlanError> {
        let content_types = row
            .content_types
            .iter()
            .map(|name| ContentType::from_name(name))
            .collect::<Option<_>>()
            .ok_or(CoreError::Corrupt("products.content_types"))?;
        let details = Details {
            name: row.name,
            icon_url: row.icon_url,
            cover_url: row.cover_url,
            category: row.category,
            description: row.description,
            game_description: row.game_description,
            content_types,
            put_min: Money::from_minor(row.put_min_minor),
            put_max: Money::from_minor(row.put_max_minor),
            audience: Audience::from_columns(row.regions, row.age_min, row.age_max, row.gender)?,
            terms: Terms {
                limits: RevenueLimits {
                    return_max_percent: row.return_max_percent.into(),
                    per_thousand_max: Money::from_minor(row.revenue_per_thousand_max_minor),
                },
                goal: row.goal,
                placements: row.placement_ids.into_iter().map(PlacementId).collect(),
                creative: Creative {
                    title: row.creative_title,
                    picture_url: row.creative_picture_url,
                    destination_url: row.creative_destination_url,
                },
            },
        };
        Ok(Self {
            id: row.id,
            details,
            created_at: row.created_at,
        })
    }
}

fn content_type_names(details: &Details) -> Vec<String> {
    details
        .content_types
        .iter()
        .map(|content| content.as_str().to_owned())
        .collect()
}

fn placement_ids(details: &Details) -> Vec<Uuid> {
    details.terms.placements.iter().map(|id| id.0).collect()
}

/// A statement that writes a product. `$now` is `$17`.
macro_rules! write_product {
    ($sql:literal, $product:ident, $now:expr) => {{
        let details = &$product.details;
        let (age_min, age_max) = details.audience.age_columns();
        sqlx::query!(
            $sql,
            $product.id.0,
            details.name,
            details.icon_url,
            details.cover_url,
            details.category,
            details.description,
            details.game_description,
            &content_type_names(details),
            details.put_min.minor(),
            details.put_max.minor(),
            &details.audience.regions,
            age_min,
            age_max,
            details.audience.gender.as_str(),
            i32::try_from(details.terms.limits.return_max_percent).unwrap_or(i32::MAX),
            details.terms.limits.per_thousand_max.minor(),
            $now,
            details.terms.goal.as_str(),
            &placement_ids(details),
            details.terms.creative.title,
            details.terms.creative.picture_url,
            details.terms.creative.destination_url,
        )
    }};
}

/// Writes a new product.
pub(super) async fn insert_in_tx(tx: &mut Tx, product: &Product) -> Result<(), PlanError> {
    write_product!(
        "INSERT INTO products (id, name, icon_url, cover_url, category, description, game_description, content_types,
                               put_min_minor, put_max_minor, regions, age_min, age_max, gender, return_max_percent,
                               revenue_per_thousand_max_minor, created_at, updated_at, goal, placement_ids,
                               creative_title, creative_picture_url, creative_destination_url)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $17, $18, $19, $20, $21, $22)",
        product,
        product.created_at
    )
    .execute(tx)
    .await?;
    Ok(())
}

/// Changes a product. The caller holds its lock.
pub(super) async fn update_in_tx(
    tx: &mut Tx,
    product: &Product,
    now: DateTime<Utc>,
) -> Result<(), PlanError> {
    write_product!(
        "UPDATE products SET name = $2, icon_url = $3, cover_url = $4, category = $5, description = $6,
                             game_description = $7, content_types = $8, put_min_minor = $9, put_max_minor = $10,
                             regions = $11, age_min = $12, age_max = $13, gender = $14, return_max_percent = $15,
                             revenue_per_thousand_max_minor = $16, updated_at = $17, goal = $18, placement_ids = $19,
                             creative_title = $20, creative_picture_url = $21, creative_destination_url = $22
         WHERE id = $1",
        product,
        now
    )
    .execute(tx)
    .await?;
    Ok(())
}

/// A query for products: what follows FROM, and its arguments.
macro_rules! query_products {
    ($from:literal $(, $argument:expr)* $(,)?) => {
        sqlx::query_as!(
            ProductRow,
            r#"SELECT id AS "id: _", name, icon_url, cover_url, category, description, game_description,
                content_types, put_min_minor, put_max_minor, regions, age_min, age_max, gender AS "gender: _",
                return_max_percent, revenue_per_thousand_max_minor, goal AS "goal: _", placement_ids, creative_title,
                creative_picture_url, creative_destination_url, created_at
         FROM "# + $from
            $(, $argument)*
        )
    };
}

/// One product, locked until the transaction ends.
pub(super) async fn lock_in_tx(tx: &mut Tx, id: ProductId) -> Result<Option<Product>, PlanError> {
    let row = query_products!("products WHERE id = $1 FOR NO KEY UPDATE", id.0)
        .fetch_optional(tx)
        .await?;
    row.map(Product::try_from).transpose()
}

/// One product.
pub(super) async fn find(pool: &Pool, id: ProductId) -> Result<Option<Product>, PlanError> {
    let row = query_products!("products WHERE id = $1", id.0)
        .fetch_optional(pool)
        .await?;
    row.map(Product::try_from).transpose()
}

/// Those of these products that exist.
pub(super) async fn find_many_in_tx(
    tx: &mut Tx,
    ids: &[ProductId],
) -> Result<Vec<Product>, PlanError> {
    let ids: Vec<Uuid> = ids.iter().map(|id| id.0).collect();
    let rows = query_products!("products WHERE id = ANY($1)", &ids)
        .fetch_all(tx)
        .await?;
    rows.into_iter().map(Product::try_from).collect()
}

/// The limits of these products.
pub(super) async fn limits_in_tx(
    tx: &mut Tx,
    ids: &[ProductId],
) -> Result<HashMap<ProductId, RevenueLimits>, PlanError> {
    let ids: Vec<Uuid> = ids.iter().map(|id| id.0).collect();
    let rows = sqlx::query!(
        "SELECT id, return_max_percent, revenue_per_thousand_max_minor FROM products WHERE id = ANY($1)",
        &ids
    )
    .fetch_all(tx)
    .await?;
    let limits = rows.into_iter().map(|row| {
        let limits = RevenueLimits {
            return_max_percent: row.return_max_percent.into(),
            per_thousand_max: Money::from_minor(row.revenue_per_thousand_max_minor),
        };
        (ProductId(row.id), limits)
    });
    Ok(limits.collect())
}

/// Products older than `before`, newest first. Ids are ordered by time.
pub(super) async fn list(
    pool: &Pool,
    before: Option<ProductId>,
    limit: i64,
) -> Result<Vec<Product>, PlanError> {
    let rows = query_products!(
        "products WHERE id < $1 ORDER BY id DESC LIMIT $2",
        bound(before),
        limit,
    )
    .fetch_all(pool)
    .await?;
    rows.into_iter().map(Product::try_from).collect()
}

/// Lowest and highest put amount over all products. There are few of them.
pub(super) async fn put_range(pool: &Pool) -> Result<Option<(Money, Money)>, PlanError> {
    let row = sqlx::query!(
        "SELECT min(put_min_minor) AS lowest, max(put_max_minor) AS highest FROM products"
    )
    .fetch_one(pool)
    .await?;
    let range = row.lowest.zip(row.highest);
    Ok(range.map(|(lowest, highest)| (Money::from_minor(lowest), Money::from_minor(highest))))
}
