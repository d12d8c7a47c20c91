//! Campaigns: made and listed by staff. One that may cost more than the threshold of four eyes waits as a proposal, without
//! a stock to claim from, until another person releases it.

pub mod entity;
pub(crate) mod repo;

use adfolio_kit::audit;
use adfolio_kit::db::Tx;
use adfolio_kit::four_eyes::{self, Threshold};
use adfolio_kit::identity::{Caller, Staff};
use adfolio_kit::once::{Answer, Once};
use adfolio_kit::refusal::Refusal;
use chrono::{DateTime, Utc};
use serde_json::json;

pub use entity::{Campaign, Choice, NewCampaign, State, Terms};

use crate::app::App;
use crate::error::CouponError;
use crate::ids::{CampaignId, StaffId};
use entity::Verdict;

/// A decision about a proposed campaign.
#[derive(Clone, Debug)]
pub struct Decision {
    pub id: CampaignId,
    pub by: StaffId,
    pub choice: Choice,
    pub reason: String,
}

/// How many proposals wait for a decision, and since when the oldest does.
pub async fn waiting(app: &App) -> Result<(i64, Option<DateTime<Utc>>), CouponError> {
    repo::count_proposed(&app.pool).await
}

/// Makes a campaign for a member of staff, or proposes one that takes another.
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
    let (caller, threshold) = (caller.clone(), app.threshold);
    app.write_once(once, move |tx| {
        Box::pin(async move {
            let staff = StaffId(staff.id);
            repo::insert_in_tx(tx, id, &new, staff, now).await?;
            let state = first_state_in_tx(tx, (id, &new), staff, threshold, now).await?;
            match state {
                State::Released => repo::stock_in_tx(tx, id, new.total).await?,
                _ => repo::propose_in_tx(tx, id, new.total).await?,
            }
            let campaign = new.made(id, state, staff);
            audit_entry("coupon.create_campaign", &campaign)?
                .record_in_tx(tx, &caller, now)
                .await?;
            Ok(campaign)
        })
    })
    .await
}

/// Releases or rejects a proposed campaign. Auth must say that the decider is another person than its maker: without
/// its answer nothing is decided.
pub async fn decide(
    app: &App,
    once: Once<Campaign>,
    caller: &Caller,
    decision: Decision,
) -> Result<Answer<Campaign>, CouponError> {
    let found = repo::find(&app.pool, decision.id).await?;
    let found = found.ok_or_else(|| Refusal::not_found("id"))?;
    // Everything else is answered under the lock.
    if found.verdict(decision.by, decision.choice) == Ok(Verdict::Now) {
        app.second_pair
            .require(caller, found.created_by.0, decision.by.0)
            .await?;
    }
    let (caller, now) = (caller.clone(), app.clock.now());
    app.write_once(once, move |tx| {
        Box::pin(async move { decide_in_tx(tx, &caller, &decision, now).await })
    })
    .await
}

/// Campaigns older than `before`, newest first, each with what it has cost so far.
pub async fn list(
    app: &App,
    before: Option<CampaignId>,
    fetch: i64,
) -> Result<Vec<Campaign>, CouponError> {
    let mut campaigns = repo::list(&app.reads, before, fetch).await?;
    let ids: Vec<CampaignId> = campaigns.iter().map(|campaign| campaign.id).collect();
    let costs = repo::costs(&app.reads, &ids).await?;
    for campaign in &mut campaigns {
        campaign.cost = costs.get(&campaign.id).copied().unwrap_or_default();
    }
    Ok(campaigns)
}

/// Whether a new campaign is released at once, which counts, or proposed. Of many made at once, on any replicas, each sees
/// what the one before has left.
async fn first_state_in_tx(
    tx: &mut Tx,
    (id, new): (CampaignId, &NewCampaign),
    staff: StaffId,
    threshold: Threshold,
    now: DateTime<Utc>,
) -> Result<State, CouponError> {
    if !threshold.is_set() {
        return Ok(State::Released);
    }
    let Some(cost) = new.cost_max() else {
        return Ok(State::Proposed);
    };
    four_eyes::lock_in_tx(tx, staff.0, id.0).await?;
    let since = four_eyes::counted_since(now);
    let alone = repo::sum_alone_in_tx(tx, staff, since).await?;
    if threshold.is_exceeded_after(alone, cost) {
        return Ok(State::Proposed);
    }
    repo::count_alone_in_tx(tx, id, staff, cost, now).await?;
    Ok(State::Released)
}

async fn decide_in_tx(
    tx: &mut Tx,
    caller: &Caller,
    decision: &Decision,
    now: DateTime<Utc>,
) -> Result<Campaign, CouponError> {
    repo::lock_proposal_in_tx(tx, decision.id).await?;
    let found = repo::find_in_tx(tx, decision.id).await?;
    let mut campaign = found.ok_or_else(|| Refusal::not_found("id"))?;
    if campaign.verdict(decision.by, decision.choice)? == Verdict::Before {
        return Ok(campaign);
    }
    campaign.decide(decision.choice, decision.by, now);
    repo::save_decision_in_tx(tx, &campaign, &decision.reason).await?;
    let action = match decision.choice {
        Choice::Released => "coupon.release_campaign",
        Choice::Rejected => "coupon.reject_campaign",
    };
    audit_entry(action, &campaign)?
        .reason(decision.reason.clone())
        .record_in_tx(tx, caller, now)
        .await?;
    Ok(campaign)
}

fn audit_entry(action: &'static str, campaign: &Campaign) -> Result<audit::Entry, CouponError> {
    let (mode, value_minor, value_basis_points) = campaign.terms.benefit.columns();
    let after = json!({
        "name": campaign.terms.name, "type": campaign.terms.coupon_type.as_str(), "mode": mode,
        "value_minor": value_minor, "value_basis_points": value_basis_points,
        "amount_requirement": campaign.terms.amount_requirement, "kind": campaign.kind.as_str(),
        "valid_days": campaign.valid_days, "total": campaign.total, "starts_at": campaign.starts_at,
        "ends_at": campaign.ends_at, "state": campaign.state.as_str(), "created_by": campaign.created_by.0,
    });
    Ok(audit::Entry::new(action, campaign.id).after(&after)?)
}
