//! Products: what can be advertised.
//!
//! | use case | statement |
//! |---|---|
//! | create, edit | one insert or update |
//! | list | a range of the primary key, whose UUIDv7 are ordered by time |

pub mod entity;
mod repo;

use std::collections::HashMap;

use adfolio_kit::audit;
use adfolio_kit::db::{self, Tx};
use adfolio_kit::identity::Caller;
use adfolio_kit::once::{Answer, Once};
use adfolio_kit::refusal::Refusal;
use adfolio_money::Money;

use crate::app::App;
use crate::error::PlanError;
use crate::ids::ProductId;
use entity::{Details, Product, RevenueLimits};

/// Creates a product, once per idempotency key.
pub async fn create(
    app: &App,
    once: Once<Product>,
    caller: &Caller,
    details: Details,
) -> Result<Answer<Product>, PlanError> {
    details.check()?;
    let product = Product {
        id: ProductId(app.ids.next()),
        details,
        created_at: app.clock.now(),
    };
    let caller = caller.clone();
    app.write_once(once, move |tx| {
        Box::pin(async move {
            repo::insert_in_tx(tx, &product).await?;
            audit::Entry::new("plan.create_product", product.id)
                .after(&product.details.summary())?
                .record_in_tx(tx, &caller, product.created_at)
                .await?;
            Ok(product)
        })
    })
    .await
}

/// Limits of revenue as staff change them; what they leave out stays.
#[derive(Clone, Copy, Debug)]
pub struct NewLimits {
    pub return_max_percent: Option<i64>,
    pub per_thousand_max: Option<Money>,
}

impl NewLimits {
    fn over(self, known: RevenueLimits) -> RevenueLimits {
        RevenueLimits {
            return_max_percent: self.return_max_percent.unwrap_or(known.return_max_percent),
            per_thousand_max: self.per_thousand_max.unwrap_or(known.per_thousand_max),
        }
    }
}

/// Changes a product. Running plans keep what they were put with.
pub async fn edit(
    app: &App,
    caller: &Caller,
    id: ProductId,
    mut details: Details,
    limits: NewLimits,
) -> Result<Product, PlanError> {
    details.check()?;
    let (now, caller) = (app.clock.now(), caller.clone());
    db::write(&app.pool, move |tx| {
        Box::pin(async move {
            let known = repo::lock_in_tx(tx, id).await?;
            let known = known.ok_or_else(|| Refusal::not_found("product_id"))?;
            let before = known.details.summary();
            details.limits = limits.over(known.details.limits);
            let product = Product { details, ..known };
            repo::update_in_tx(tx, &product, now).await?;
            audit::Entry::new("plan.edit_product", product.id)
                .before(&before)?
                .after(&product.details.summary())?
                .record_in_tx(tx, &caller, now)
                .await?;
            Ok(product)
        })
    })
    .await
}

/// Lowest and highest put amount over all products; none while there is no product.
pub async fn put_range(app: &App) -> Result<Option<(Money, Money)>, PlanError> {
    repo::put_range(&app.pool).await
}

/// One product, or NOT_FOUND.
pub async fn find(app: &App, id: ProductId) -> Result<Product, PlanError> {
    repo::find(&app.pool, id)
        .await?
        .ok_or_else(|| Refusal::not_found("product_id").into())
}

/// Those of these products that exist.
pub async fn find_many_in_tx(tx: &mut Tx, ids: &[ProductId]) -> Result<Vec<Product>, PlanError> {
    repo::find_many_in_tx(tx, ids).await
}

/// The limits of these products.
pub async fn limits_in_tx(
    tx: &mut Tx,
    ids: &[ProductId],
) -> Result<HashMap<ProductId, RevenueLimits>, PlanError> {
    repo::limits_in_tx(tx, ids).await
}

/// Products older than `before`, newest first.
pub async fn list(
    app: &App,
    before: Option<ProductId>,
    fetch: i64,
) -> Result<Vec<Product>, PlanError> {
    repo::list(&app.pool, before, fetch).await
}
