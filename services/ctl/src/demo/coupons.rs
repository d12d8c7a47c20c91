//! The demo campaigns, and the advertiser's coupons.

use std::collections::HashSet;

use adfolio_kit::refusal::Reason;
use adfolio_proto::coupon::v1::{
    Campaign, CampaignKind, CouponState, CreateCampaignRequest, GrantCouponRequest,
    ListCampaignsRequest, ListCouponsRequest, ReceiveCouponRequest,
};
use anyhow::Context as _;
use uuid::Uuid;

use super::{MOST_ITEMS, catalog, reason, second, whole};
use crate::output::say;
use crate::services::{Services, ask, keyed, list, on_behalf_of, operator};

/// Creates the campaigns. The advertiser claims a coupon of the first, and staff grant one of each campaign for
/// grants.
pub async fn load(services: &Services, user: Uuid) -> anyhow::Result<()> {
    let campaigns = campaigns(services).await?;
    welcome(services, user).await?;
    grant(services, user, &campaigns).await
}

/// All campaigns, after creating the missing ones and releasing those that are only proposed.
async fn campaigns(services: &Services) -> anyhow::Result<Vec<Campaign>> {
    let message = ListCampaignsRequest { page: None };
    let mut known = whole(list!(
        services.coupon_admin,
        list_campaigns,
        operator(),
        message,
        MOST_ITEMS
    ))
    .await?;
    for (number, campaign) in catalog::campaigns().into_iter().enumerate() {
        if known.iter().any(|known| known.name == campaign.name) {
            continue;
        }
        let name = campaign.name.clone();
        let message = CreateCampaignRequest {
            campaign: Some(campaign),
        };
        let caller = keyed(operator(), &format!("demo-campaign-{number}"))?;
        let answer = ask!(services.coupon_admin, create_campaign, caller, message)?;
        known.push(answer.campaign.context("the answer has no campaign")?);
        say(&format!("created the campaign {name}"));
    }
    let demo = catalog::campaigns();
    for campaign in &mut known {
        if demo.iter().any(|demo| demo.name == campaign.name) {
            second::release(services, campaign).await?;
        }
    }
    Ok(known)
}

/// The advertiser claims the new-user coupon.
async fn welcome(services: &Services, user: Uuid) -> anyhow::Result<()> {
    let answer = ask!(
        services.coupon,
        list_coupons,
        on_behalf_of(user),
        ListCouponsRequest::default()
    );
    let claimable = answer?.claimable;
    let welcome = claimable
        .into_iter()
        .find(|offer| offer.name == catalog::WELCOME && !offer.claimed);
    let Some(welcome) = welcome else {
        return Ok(());
    };
    let message = ReceiveCouponRequest {
        campaign_id: welcome.campaign_id,
    };
    let caller = keyed(on_behalf_of(user), "demo-welcome-coupon")?;
    let answer = ask!(services.coupon, receive_coupon, caller, message);
    if reason(&answer) == Some(Reason::CouponAlreadyClaimed) {
        return Ok(());
    }
    answer?;
    say("claimed the new-user coupon");
    Ok(())
}

/// Grants a coupon of each demo campaign for grants, unless the advertiser had one.
async fn grant(services: &Services, user: Uuid, campaigns: &[Campaign]) -> anyhow::Result<()> {
    let mut had = HashSet::new();
    for state in [CouponState::Unused, CouponState::Used, CouponState::Expired] {
        let message = ListCouponsRequest {
            state: state.into(),
            page: None,
        };
        let coupons = whole(list!(
            services.coupon,
            list_coupons,
            on_behalf_of(user),
            message,
            MOST_ITEMS
        ))
        .await?;
        had.extend(coupons.into_iter().map(|coupon| coupon.name));
    }
    for demo in catalog::campaigns() {
        if demo.kind() != CampaignKind::Staff || had.contains(&demo.name) {
            continue;
        }
        let campaign = campaigns
            .iter()
            .find(|campaign| campaign.name == demo.name && campaign.kind() == demo.kind())
            .context("a demo campaign is not there")?;
        let message = GrantCouponRequest {
            campaign_id: campaign.id.clone(),
            user_id: user.to_string(),
        };
        let caller = keyed(operator(), &format!("demo-grant-{}-{user}", campaign.id))?;
        ask!(services.coupon_admin, grant_coupon, caller, message)?;
        say(&format!("granted a coupon of {}", demo.name));
    }
    Ok(())
}
