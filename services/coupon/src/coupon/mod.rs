//! Coupons of users: claiming, lists, expiry.
//!
//! A claim is one transaction of these statements, in this order:
//! 1. the idempotency key, which makes a repeat wait for the first and answer the same;
//! 2. the campaign (it never changes, so it is not locked);
//! 3. the time zone of the user's claims, which the first one settles;
//! 4. the coupon; the unique indexes decide who was first;
//! 5. one part of the campaign's stock, last because others wait for it;
//! 6. the event, and the answer for the key.

pub mod entity;
pub(crate) mod repo;

use std::time::Duration;

use adfolio_kit::audit;
use adfolio_kit::db::{self, Tx};
use adfolio_kit::identity::{Caller, UserId};
use adfolio_kit::once::{Answer, Once};
use adfolio_kit::time_zone::TimeZone;
use adfolio_money::Money;
use chrono::{DateTime, Utc};
use serde_json::json;

pub use entity::{Claimable, Counts, Coupon, ShownCoupon, ShownState};

use crate::app::App;
use crate::benefit::Kind;
use crate::campaign::{self, Campaign};
use crate::error::CouponError;
use crate::events;
use crate::ids::{CampaignId, CouponId};

/// New-user campaigns that one claim tries at most.
const NEW_USER_CANDIDATES: i64 = 5;

/// Campaigns that a list shows as claimable at most.
const CLAIMABLE_LIMIT: i64 = 100;

/// Usable coupons that are listed at most.
const USABLE_LIMIT: i64 = 100;

/// Coupons that one statement of the sweeper marks at most.
const SWEEP_BATCH: i64 = 500;

/// The longest that one sweep may take.
pub const SWEEP_LIMIT: Duration = Duration::from_secs(20);

/// A page of a user's coupons and what stands beside it.
#[derive(Debug)]
pub struct Listing {
    /// The coupons.
    pub coupons: Vec<ShownCoupon>,
    /// How many there are.
    pub counts: Counts,
    /// What can be claimed now, or was.
    pub claimable: Vec<Claimable>,
}

/// Who claims, and when.
#[derive(Clone, Copy, Debug)]
struct Claimant {
    user: UserId,
    now: DateTime<Utc>,
    /// The caller's; it counts only for a first claim.
    time_zone: TimeZone,
}

/// Which part of a user's coupons is asked for.
#[derive(Clone, Copy, Debug)]
pub struct Page {
    /// Coupons of this state.
    pub state: ShownState,
    /// Older than this one.
    pub before: Option<CouponId>,
    /// At most so many.
    pub fetch: i64,
}

/// Claims a coupon of the named campaign, or of an open new-user campaign.
pub async fn claim(
    app: &App,
    once: Once<ShownCoupon>,
    user: UserId,
    time_zone: TimeZone,
    campaign: Option<CampaignId>,
) -> Result<Answer<ShownCoupon>, CouponError> {
    let now = app.clock.now();
    let claimant = Claimant {
        user,
        now,
        time_zone,
    };
    let candidates = match campaign {
        Some(id) => vec![id],
        None => repo::new_user_candidates(&app.pool, now, NEW_USER_CANDIDATES).await?,
    };
    // Without a candidate the transaction still runs: a repeat must find its answer.
    let mut outcome = claim_one(app, once.clone(), claimant, candidates.first().copied()).await;
    for next in candidates.iter().skip(1) {
        // Others took the last coupon between the look and the claim; another campaign may have one.
        if !matches!(outcome, Err(CouponError::CampaignExhausted)) {
            break;
        }
        outcome = claim_one(app, once.clone(), claimant, Some(*next)).await;
    }
    outcome
}

/// Gives a user a coupon of any campaign on behalf of a member of staff, without regard to claim rules and the campaign's window.
/// Its total holds.
pub async fn grant(
    app: &App,
    once: Once<ShownCoupon>,
    caller: &Caller,
    user: UserId,
    campaign: CampaignId,
) -> Result<Answer<ShownCoupon>, CouponError> {
    app.users.require(caller, &[user], "user_id").await?;
    let (now, id) = (app.clock.now(), CouponId(app.ids.next()));
    let caller = caller.clone();
    app.write_once(once, move |tx| {
        Box::pin(async move {
            let coupon = grant_in_tx(tx, user, campaign, id, now).await?;
            audit_entry(campaign, &coupon)?
                .record_in_tx(tx, &caller, now)
                .await?;
            Ok(coupon.shown_at(now))
        })
    })
    .await
}

/// The user's coupons of one state, newest first, with the counts and what can be claimed.
pub async fn list(
    app: &App,
    user: UserId,
    time_zone: TimeZone,
    page: Page,
) -> Result<Listing, CouponError> {
    let now = app.clock.now();
    // Most users have no coupon of most states, and between campaigns nobody can claim: the summary saves the other
    // two statements where they would find nothing.
    let summary = repo::summary(&app.reads, user, now).await?;
    let today = summary.time_zone.unwrap_or(time_zone).today(now);
    let coupons = async {
        if summary.counts.of(page.state) > 0 {
            repo::list(&app.reads, user, page.state, page.before, page.fetch, now).await
        } else {
            Ok(Vec::new())
        }
    };
    let claimable = async {
        if summary.may_claim {
            repo::claimable(&app.reads, user, today, now, CLAIMABLE_LIMIT).await
        } else {
            Ok(Vec::new())
        }
    };
    let (coupons, claimable) = tokio::try_join!(coupons, claimable)?;
    Ok(Listing {
        coupons: coupons
            .into_iter()
            .map(|coupon| coupon.shown_at(now))
            .collect(),
        counts: summary.counts,
        claimable,
    })
}

/// The same for staff, without what the user could claim.
pub async fn list_for_staff(
    app: &App,
    caller: &Caller,
    user: UserId,
    page: Page,
) -> Result<(Vec<ShownCoupon>, Counts), CouponError> {
    app.users.require(caller, &[user], "user_id").await?;
    let now = app.clock.now();
    let counts = repo::summary(&app.reads, user, now).await?.counts;
    let coupons = repo::list(&app.reads, user, page.state, page.before, page.fetch, now).await?;
    let shown = coupons.into_iter().map(|coupon| coupon.shown_at(now));
    Ok((shown.collect(), counts))
}

/// The user's unused coupons that some amount up to `amount_max` could use, soonest expiry first.
pub async fn usable(
    app: &App,
    user: UserId,
    amount_max: Money,
) -> Result<Vec<ShownCoupon>, CouponError> {
    let now = app.clock.now();
    let coupons = repo::usable(&app.reads, user, amount_max, now, USABLE_LIMIT).await?;
    Ok(coupons
        .into_iter()
        .map(|coupon| coupon.shown_at(now))
        .collect())
}

/// Marks what has expired. Any number of replicas may do it at once.
pub async fn sweep(app: &App) -> Result<(), CouponError> {
    loop {
        let now = app.clock.now();
        let marked = db::write(&app.pool, move |tx| {
            Box::pin(async move { repo::expire_in_tx(tx, now, SWEEP_BATCH).await })
        })
        .await?;
        if marked < SWEEP_BATCH.unsigned_abs() {
            return Ok(());
        }
    }
}

async fn claim_one(
    app: &App,
    once: Once<ShownCoupon>,
    claimant: Claimant,
    campaign: Option<CampaignId>,
) -> Result<Answer<ShownCoupon>, CouponError> {
    let id = CouponId(app.ids.next());
    app.write_once(once, move |tx| {
        Box::pin(async move {
            let Some(campaign) = campaign else {
                return Err(nothing_to_claim_in_tx(tx, claimant).await?);
            };
            let coupon = claim_in_tx(tx, claimant, campaign, id).await?;
            Ok(coupon.shown_at(claimant.now))
        })
    })
    .await
}

async fn claim_in_tx(
    tx: &mut Tx,
    claimant: Claimant,
    campaign: CampaignId,
    id: CouponId,
) -> Result<Coupon, CouponError> {
    let Claimant {
        user,
        now,
        time_zone,
    } = claimant;
    // The account's own zone: a caller who sends another one gets no second day.
    let time_zone = repo::time_zone_in_tx(tx, user, time_zone).await?;
    let today = time_zone.today(now);
    let campaign = campaign::repo::find_in_tx(tx, campaign)
        .await?
        .ok_or(CouponError::CampaignUnknown)?;
    match campaign.kind {
        // What only staff can grant does not exist for users.
        Kind::Staff => return Err(CouponError::CampaignUnknown),
        // The unique index knows days, not their order. Travelling west must not bring yesterday back.
        Kind::Periodic
            if repo::has_claimed_since_in_tx(tx, user, &campaign.terms.name, today).await? =>
        {
            return Err(CouponError::NameClaimedToday);
        }
        Kind::NewUser if repo::has_new_user_coupon_in_tx(tx, user).await? => {
            return Err(CouponError::AlreadyClaimed);
        }
        Kind::Periodic | Kind::NewUser => {}
    }
    if !campaign.is_open(now) {
        return Err(CouponError::CampaignClosed);
    }
    let coupon = new_coupon(&campaign, user, campaign.kind, id, now);
    repo::insert_in_tx(tx, &coupon, campaign.id, now, today).await?;
    if !campaign::repo::take_stock_in_tx(tx, campaign.id).await? {
        return Err(CouponError::CampaignExhausted);
    }
    events::claimed_in_tx(tx, user, campaign.id, id).await?;
    Ok(coupon)
}

/// A granted coupon comes from staff, whatever its campaign's kind: the unique indexes of the claim rules do not see it.
async fn grant_in_tx(
    tx: &mut Tx,
    user: UserId,
    campaign: CampaignId,
    id: CouponId,
    now: DateTime<Utc>,
) -> Result<Coupon, CouponError> {
    let campaign = campaign::repo::find_in_tx(tx, campaign)
        .await?
        .ok_or(CouponError::CampaignUnknown)?;
    let coupon = new_coupon(&campaign, user, Kind::Staff, id, now);
    repo::insert_in_tx(tx, &coupon, campaign.id, now, now.date_naive()).await?;
    if !campaign::repo::take_stock_in_tx(tx, campaign.id).await? {
        return Err(CouponError::CampaignExhausted);
    }
    events::granted_in_tx(tx, campaign.id, &coupon).await?;
    Ok(coupon)
}

fn audit_entry(campaign: CampaignId, coupon: &Coupon) -> Result<audit::Entry, CouponError> {
    let after = json!({
        "campaign_id": campaign.to_string(), "name": coupon.terms.name, "expires_at": coupon.expires_at,
    });
    let entry = audit::Entry::new("coupon.grant", coupon.id).user(coupon.user);
    Ok(entry.after(&after)?)
}

fn new_coupon(
    campaign: &Campaign,
    user: UserId,
    source: Kind,
    id: CouponId,
    now: DateTime<Utc>,
) -> Coupon {
    Coupon {
        id,
        user,
        terms: campaign.terms.clone(),
        source,
        expires_at: campaign.expiry(now),
        used_at: None,
        order: None,
        state: entity::State::Unused,
    }
}

/// Why there is no new-user coupon to claim.
async fn nothing_to_claim_in_tx(
    tx: &mut Tx,
    claimant: Claimant,
) -> Result<CouponError, CouponError> {
    if repo::has_new_user_coupon_in_tx(tx, claimant.user).await? {
        return Ok(CouponError::AlreadyClaimed);
    }
    let any_open = repo::has_open_new_user_campaign_in_tx(tx, claimant.now).await?;
    Ok(if any_open {
        CouponError::CampaignExhausted
    } else {
        CouponError::CampaignUnknown
    })
}
