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
use crate::ids::{PlacementId, ProductId};
use crate::placement;
use entity::{Creative, Details, Goal, Product, RevenueLimits, Terms};

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
            placement::require_in_tx(tx, &product.details.terms.placements).await?;
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

/// Terms of a product as staff change them; what they leave out stays.
#[derive(Clone, Debug)]
pub struct NewTerms {
    pub return_max_percent: Option<i64>,
    pub per_thousand_max: Option<Money>,
    pub goal: Option<Goal>,
    pub placements: Option<Vec<PlacementId>>,
    pub creative: Option<Creative>,
}

impl NewTerms {
    /// The terms with these changes.
    pub fn over(self, known: Terms) -> Terms {
        let limits = known.limits;
        Terms {
            limits: RevenueLimits {
                return_max_percent: self.return_max_percent.unwrap_or(limits.return_max_percent),
                per_thousand_max: self.per_thousand_max.unwrap_or(limits.per_thousand_max),
            },
            goal: self.goal.unwrap_or(known.goal),
            placements: self.placements.unwrap_or(known.placements),
            creative: self.creative.unwrap_or(known.creative),
        }
    }
}

/// Changes a product. Running plans keep what they were put with.
pub async fn edit(
    app: &App,
    caller: &Caller,
    id: ProductId,
    mut details: Details,
    terms: NewTerms,
) -> Result<Product, PlanError> {
    details.check()?;
    let (now, caller) = (app.clock.now(), caller.clone());
    db::write(&app.pool, move |tx| {
        Box::pin(async move {
            let known = repo::lock_in_tx(tx, id).await?;
            let known = known.ok_or_else(|| Refusal::not_found("product_id"))?;
            let before = known.details.summary();
            details.terms = terms.over(known.details.terms);
            placement::require_in_tx(tx, &details.terms.placements).await?;
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
