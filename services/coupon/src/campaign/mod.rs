//! Campaigns: made and listed by staff.

pub mod entity;
pub(crate) mod repo;

use adfolio_kit::audit;
use adfolio_kit::clock::{Clock, Ids};
use adfolio_kit::db::{self, PgPool};
use adfolio_kit::identity::Caller;
use adfolio_kit::once::Once;
use prost::Message;
use serde_json::json;
use uuid::Uuid;

pub use entity::{Campaign, NewCampaign, Terms};

use crate::error::CouponError;
use crate::events::STAFF_ACTED;
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
        caller: &Caller,
        staff_id: Uuid,
        new: NewCampaign,
        answer: fn(&Campaign) -> M,
    ) -> Result<M, CouponError> {
        let now = self.clock.now();
        let new = new.check(now)?;
        let id = CampaignId(self.ids.next());
        let caller = caller.clone();
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
                created_act(&campaign)?
                    .record_in_tx(tx, STAFF_ACTED, &caller, now)
                    .await?;
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

fn created_act(campaign: &Campaign) -> Result<audit::Entry, CouponError> {
    let (mode, value_minor, value_basis_points) = campaign.terms.benefit.columns();
    let after = json!({
        "name": campaign.terms.name, "type": campaign.terms.coupon_type.as_str(), "mode": mode,
        "value_minor": value_minor, "value_basis_points": value_basis_points,
        "amount_requirement": campaign.terms.amount_requirement, "kind": campaign.kind.as_str(),
        "valid_days": campaign.valid_days, "total": campaign.total, "starts_at": campaign.starts_at,
        "ends_at": campaign.ends_at,
    });
    Ok(audit::Entry::new("coupon.create_campaign", campaign.id).after(&after)?)
}
