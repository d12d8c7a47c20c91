//! The demo campaigns, and the advertiser's coupons.

use std::collections::HashSet;

use adfolio_kit::refusal::Reason;
use adfolio_proto::coupon::v1::{
    Campaign, CampaignKind, CouponState, CreateCampaignRequest, GrantCouponRequest,
    ListCampaignsRequest, ListCouponsRequest, ReceiveCouponRequest,
};
use anyhow::Context as _;
use uuid::Uuid;

use super::{all, catalog, reason};
use crate::output::say;
use crate::services::{Services, ask, explain, keyed, on_behalf_of, operator, order};

/// Makes the campaigns; the advertiser claims a coupon of the first, and staff grant one of each that they may grant.
pub async fn load(services: &Services, user: Uuid) -> anyhow::Result<()> {
    let campaigns = campaigns(services).await?;
    welcome(services, user).await?;
    grant(services, user, &campaigns).await
}

/// Every campaign there is, after what was missing of the demo's was made.
async fn campaigns(services: &Services) -> anyhow::Result<Vec<Campaign>> {
    let mut known = all(|page| async move {
        let message = ListCampaignsRequest { page: Some(page) };
        let answer = ask!(services.coupon_admin, list_campaigns, operator(), message)?;
        Ok((answer.items, answer.next_cursor))
    })
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
        let answer = order!(services.coupon_admin, create_campaign, caller, message);
        known.push(answer.campaign.context("no campaign was answered")?);
        say(&format!("created the campaign {name}"));
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
    let claimable = answer.map_err(|status| explain(&status))?.claimable;
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
    answer.map_err(|status| explain(&status))?;
    say("claimed the new-user coupon");
    Ok(())
}

/// Grants a coupon of each demo campaign that only staff give out, unless the advertiser ever had one.
async fn grant(services: &Services, user: Uuid, campaigns: &[Campaign]) -> anyhow::Result<()> {
    let mut had = HashSet::new();
    for state in [CouponState::Unused, CouponState::Used, CouponState::Expired] {
        let coupons = all(|page| async move {
            let message = ListCouponsRequest {
                state: state.into(),
                page: Some(page),
            };
            let answer = ask!(services.coupon, list_coupons, on_behalf_of(user), message)?;
            Ok((answer.items, answer.next_cursor))
        })
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
        order!(services.coupon_admin, grant_coupon, caller, message);
        say(&format!("granted a coupon of {}", demo.name));
    }
    Ok(())
}
