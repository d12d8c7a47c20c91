//! The users' inbox.
//!
//! Locks: the row of `unread_counters` is the one lock of a user's inbox. Whoever marks takes it first and looks at notices
//! afterwards, in a statement of its own, so it sees every notice that was counted before. Whoever adds a notice inserts it
//! and takes the counter in the same statement: a concurrent mark-all either waits and marks it, or comes first and leaves
//! it unread and counted. So the counter equals the unread notices after every commit.

pub mod entity;
mod repo;

use adfolio_kit::clock::Clock;
use adfolio_kit::db::{self, PgPool, Tx};
use adfolio_kit::identity::UserId;
use uuid::Uuid;

pub use entity::{Category, Filter, NewNotice, Notice, Param, Params, Position, Template};

use crate::error::NotificationError;

/// The use cases of the inbox.
#[derive(Clone, Debug)]
pub struct Notices {
    pool: PgPool,
    clock: Clock,
}

impl Notices {
    /// On this database.
    pub fn new(pool: PgPool, clock: Clock) -> Self {
        Self { pool, clock }
    }

    /// A part of the user's inbox, newest first.
    pub async fn list(
        &self,
        user: UserId,
        filter: Filter,
        before: Option<Position>,
        fetch: i64,
    ) -> Result<Vec<Notice>, NotificationError> {
        repo::list(&self.pool, user, filter, before, fetch).await
    }

    /// How many notices the user has not read.
    pub async fn unread(&self, user: UserId) -> Result<i64, NotificationError> {
        repo::unread(&self.pool, user).await
    }

    /// Marks one notice as read, if it is not; answers what is left unread.
    pub async fn mark_one(&self, user: UserId, id: Uuid) -> Result<i64, NotificationError> {
        let now = self.clock.now();
        db::write(&self.pool, move |tx| {
            Box::pin(async move {
                // Without a counter the user never had a notice.
                if !repo::lock_counter_in_tx(tx, user).await? {
                    return Err(NotificationError::NotificationUnknown);
                }
                let marked = repo::mark_one_in_tx(tx, user, id, now).await?;
                if marked == 0 && !repo::exists_in_tx(tx, user, id).await? {
                    return Err(NotificationError::NotificationUnknown);
                }
                repo::count_down_in_tx(tx, user, marked).await
            })
        })
        .await
    }

    /// Marks every notice of the category (or of all) as read; answers what is left unread.
    pub async fn mark_all(
        &self,
        user: UserId,
        category: Option<Category>,
    ) -> Result<i64, NotificationError> {
        let now = self.clock.now();
        db::write(&self.pool, move |tx| {
            Box::pin(async move {
                if !repo::lock_counter_in_tx(tx, user).await? {
                    return Ok(0);
                }
                let marked = repo::mark_all_in_tx(tx, user, category, now).await?;
                repo::count_down_in_tx(tx, user, marked).await
            })
        })
        .await
    }
}

/// Puts a notice into its user's inbox and counts it; false when the same happening was told before.
pub async fn add_in_tx(tx: &mut Tx, notice: &NewNotice) -> Result<bool, NotificationError> {
    repo::add_in_tx(tx, notice).await
}
