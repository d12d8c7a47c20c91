//! The second person of the demo, who decides about what adfolioctl asks for.

use adfolio_kit::identity::Caller;
use adfolio_proto::auth::v1::ListStaffRequest;
use adfolio_proto::coupon::v1::{Campaign, CampaignDecision, CampaignState, DecideCampaignRequest};
use adfolio_proto::wallet::v1::{
    ApprovalAction, ApprovalDecision, ApprovalState, DecideApprovalRequest, ListApprovalsRequest,
};
use anyhow::Context as _;
use uuid::Uuid;

use super::{MOST_ITEMS, catalog, whole};
use crate::output::say;
use crate::services::{Services, ask, keyed, list, member, operator};

/// Why the second person agrees to everything.
const REASON: &str = "Demo data";

/// adfolioctl on behalf of the second person.
pub async fn caller(services: &Services) -> anyhow::Result<Caller> {
    let message = ListStaffRequest::default();
    let staff = whole(list!(
        services.auth_admin,
        list_staff,
        operator(),
        message,
        MOST_ITEMS
    ))
    .await?;
    let second = staff
        .into_iter()
        .find(|member| member.username == catalog::SECOND_ADMIN);
    let second = second.with_context(|| {
        format!(
            "this takes a second person, and there is no account {}",
            catalog::SECOND_ADMIN
        )
    })?;
    let id: Uuid = second.id.parse().context("a staff id is no UUID")?;
    Ok(member(id))
}

/// Approves the deposit that adfolioctl has asked for.
pub async fn approve_deposit(services: &Services, user: Uuid) -> anyhow::Result<()> {
    let message = ListApprovalsRequest {
        state: ApprovalState::Pending.into(),
        page: None,
    };
    let waiting = whole(list!(
        services.wallet_admin,
        list_approvals,
        operator(),
        message,
        MOST_ITEMS
    ))
    .await?;
    let asked = waiting.into_iter().find(|approval| {
        approval.user_id == user.to_string()
            && approval.action() == ApprovalAction::Deposit
            && approval.amount_minor == catalog::DEPOSIT_MINOR
    });
    let asked = asked.context("the opening deposit was rejected, or has waited for too long")?;
    let message = DecideApprovalRequest {
        approval_id: asked.id.clone(),
        decision: ApprovalDecision::Approved.into(),
        reason: REASON.to_owned(),
    };
    let key = format!("demo-approve-{}", asked.id);
    let caller = keyed(caller(services).await?, &key)?;
    ask!(services.wallet_admin, decide_approval, caller, message)?;
    Ok(())
}

/// Releases a campaign that waits for a second person.
pub async fn release(services: &Services, campaign: &mut Campaign) -> anyhow::Result<()> {
    if campaign.state() != CampaignState::Proposed {
        return Ok(());
    }
    let message = DecideCampaignRequest {
        campaign_id: campaign.id.clone(),
        decision: CampaignDecision::Released.into(),
        reason: REASON.to_owned(),
    };
    let key = format!("demo-release-{}", campaign.id);
    let caller = keyed(caller(services).await?, &key)?;
    let answer = ask!(services.coupon_admin, decide_campaign, caller, message)?;
    *campaign = answer.campaign.context("the answer has no campaign")?;
    say(&format!("released the campaign {}", campaign.name));
    Ok(())
}
