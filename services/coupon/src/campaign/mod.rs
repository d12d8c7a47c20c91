//! Campaigns: made and listed by staff.

pub mod entity;
pub(crate) mod repo;

use adfolio_kit::clock::{Clock, Ids};
use adfolio_kit::db::{self, PgPool};
use adfolio_kit::once::Once;
use prost::Message;
use uuid::Uuid;

pub use entity::{Campaign, NewCampaign, Terms};

use crate::error::CouponError;
use crate::ids::CampaignId;

/// The use cases of campaigns.
#[derive(Clone, Debug)]
pub struct Campaigns {
    pool: PgPool,
    clock: Clock,
    ids: Ids,
}

impl Campaigns {
    /// On this database.
    pub fn new(pool: PgPool, clock: Clock, ids: Ids) -> Self {
        Self { pool, clock, ids }
    }

    /// Makes a campaign for a member of staff.
    pub async fn create<M: Message + Default + 'static>(
        &self,
        once: Once,
        staff_id: Uuid,
        new: NewCampaign,
        answer: fn(&Campaign) -> M,
    ) -> Result<M, CouponError> {
        let now = self.clock.now();
        let new = new.check(now)?;
        let id = CampaignId(self.ids.next());
        db::write(&self.pool, move |tx| {
            Box::pin(async move {
                if let Some(earlier) = once.earlier_in_tx(tx).await? {
                    return Ok(earlier);
                }
                repo::insert_in_tx(tx, id, &new, staff_id, now).await?;
                let NewCampaign {
                    terms,
                    kind,
                    valid_days,
                    total,
                    starts_at,
                    ends_at,
                } = new;
                let campaign = Campaign {
                    id,
                    terms,
                    kind,
                    valid_days,
                    total,
                    claimed: 0,
                    starts_at,
                    ends_at,
                };
                let made = answer(&campaign);
                once.keep_in_tx(tx, &made).await?;
                Ok(made)
            })
        })
        .await
    }

    /// Campaigns older than `before`, newest first.
    pub async fn list(
        &self,
        before: Option<CampaignId>,
        fetch: i64,
    ) -> Result<Vec<Campaign>, CouponError> {
        repo::list(&self.pool, before, fetch).await
    }
}
