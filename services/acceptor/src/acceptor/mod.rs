//! Acceptors: made and listed by staff.

pub mod entity;
pub(crate) mod repo;

use adfolio_kit::audit;
use adfolio_kit::clock::{Clock, Ids};
use adfolio_kit::db::{self, PgPool};
use adfolio_kit::identity::Caller;
use adfolio_kit::once::MessageOnce;
use prost::Message;
use serde_json::json;
use uuid::Uuid;

pub use entity::{Acceptor, Kind, Rating};

use crate::error::AcceptorError;

/// The use cases of acceptors.
#[derive(Clone, Debug)]
pub struct Acceptors {
    pool: PgPool,
    clock: Clock,
    ids: Ids,
}

impl Acceptors {
    /// On this database.
    pub fn new(pool: PgPool, clock: Clock, ids: Ids) -> Self {
        Self { pool, clock, ids }
    }

    /// Makes an acceptor for a member of staff.
    pub async fn create<M: Message + Default + 'static>(
        &self,
        once: MessageOnce,
        caller: &Caller,
        staff_id: Uuid,
        (kind, name, rating): (Kind, String, Rating),
        answer: fn(&Acceptor) -> M,
    ) -> Result<M, AcceptorError> {
        let now = self.clock.now();
        let acceptor = Acceptor {
            id: self.ids.next(),
            kind,
            name,
            rating,
            completed_orders: 0,
        };
        let caller = caller.clone();
        db::write(&self.pool, move |tx| {
            Box::pin(async move {
                if let Some(earlier) = once.earlier_in_tx(tx).await? {
                    return Ok(earlier);
                }
                repo::insert_in_tx(tx, &acceptor, staff_id, now).await?;
                audit::Entry::new("acceptor.create", acceptor.id)
                    .after(&json!({
                        "kind": acceptor.kind.as_str(), "name": acceptor.name,
                        "rating_tenths": acceptor.rating.tenths(),
                    }))?
                    .record_in_tx(tx, &caller, now)
                    .await?;
                let made = answer(&acceptor);
                once.keep_in_tx(tx, &made).await?;
                Ok(made)
            })
        })
        .await
    }

    /// Acceptors older than `before`, newest first.
    pub async fn list(
        &self,
        before: Option<Uuid>,
        fetch: i64,
    ) -> Result<Vec<Acceptor>, AcceptorError> {
        repo::list(&self.pool, before, fetch).await
    }
}
