//! Campaigns: made and listed by staff.

pub mod entity;
pub(crate) mod repo;

use adfolio_kit::audit;
use adfolio_kit::identity::{Caller, Staff};
use adfolio_kit::once::{Answer, Once};
use serde_json::json;

pub use entity::{Campaign, NewCampaign, Terms};

use crate::app::App;
use crate::error::CouponError;
use crate::ids::CampaignId;

/// Makes a campaign for a member of staff.
pub async fn create(
    app: &App,
    once: Once<Campaign>,
    caller: &Caller,
    staff: Staff,
    new: NewCampaign,
) -> Result<Answer<Campaign>, CouponError> {
    let now = app.clock.now();
    let new = new.check(now)?;
    let id = CampaignId(app.ids.next());
    let caller = caller.clone();
    app.write_once(once, move |tx| {
        Box::pin(async move {
            repo::insert_in_tx(tx, id, &new, staff.id, now).await?;
            let campaign = new.made(id);
            audit_entry(&campaign)?
                .record_in_tx(tx, &caller, now)
                .await?;
            Ok(campaign)
        })
    })
    .await
}

/// Campaigns older than `before`, newest first.
pub async fn list(
    app: &App,
    before: Option<CampaignId>,
    fetch: i64,
) -> Result<Vec<Campaign>, CouponError> {
    repo::list(&app.pool, before, fetch).await
}

fn audit_entry(campaign: &Campaign) -> Result<audit::Entry, CouponError> {
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
