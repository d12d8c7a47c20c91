//! The customer-service entries, which staff replace as a whole and everybody reads.

pub mod entity;
mod repo;

use std::collections::HashSet;

use adfolio_kit::clock::Ids;
use adfolio_kit::db::{self, PgPool};

pub use entity::{Content, Draft, ServiceEntry};

use crate::error::NotificationError;

/// The use cases of customer-service entries.
#[derive(Clone, Debug)]
pub struct ServiceEntries {
    pool: PgPool,
    ids: Ids,
}

impl ServiceEntries {
    /// On this database.
    pub fn new(pool: PgPool, ids: Ids) -> Self {
        Self { pool, ids }
    }

    /// Both lists.
    pub async fn content(&self) -> Result<Content, NotificationError> {
        repo::load(&self.pool).await
    }

    /// Replaces both lists.
    pub async fn replace(
        &self,
        customer_service: Vec<Draft>,
        recharge_customer_service: Vec<Draft>,
    ) -> Result<Content, NotificationError> {
        let mut known = HashSet::new();
        let new_id = || self.ids.next();
        let content = Content {
            customer_service: entity::check_list(
                customer_service,
                "customer_service",
                &mut known,
                new_id,
            )?,
            recharge_customer_service: entity::check_list(
                recharge_customer_service,
                "recharge_customer_service",
                &mut known,
                new_id,
            )?,
        };
        db::write(&self.pool, move |tx| {
            Box::pin(async move {
                repo::replace_in_tx(tx, &content).await?;
                Ok(content)
            })
        })
        .await
    }
}
