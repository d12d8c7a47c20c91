//! Coupon campaigns.

use adfolio_kit::refusal::Reason;
use adfolio_proto::coupon::v1 as coupon;

use crate::call::{Call, send};
use crate::dto::campaign::{
    Campaign, CampaignTotal, CreateCampaignRequest, DecideCampaignRequest, GrantCouponRequest,
    ValueInput,
};
use crate::dto::coupon::{Coupon, CouponMode};
use crate::dto::{Decode, Page, PageQuery, TimestampInput};
use crate::errors::Failure;
use crate::input::{Json, Query};
use crate::messages::Success;
use crate::route::{ANY_ROLE, OPERATOR, Route};

/// The routes of this area.
pub fn routes() -> Vec<Route> {
    vec![
        Route::post(
            "/admin/coupon/campaign/create",
            "createCampaign",
            "Creates a campaign. One that may cost much is proposed, and released by a second person.",
            create,
        )
        .staff(OPERATOR)
        .says(Success::Submission)
        .keyed(),
        Route::post(
            "/admin/coupon/campaign/decide",
            "decideCampaign",
            "Releases or rejects a campaign that another person proposed.",
            decide,
        )
        .staff(OPERATOR)
        .fails(&[Reason::NotFound, Reason::NothingChanged])
        .says(Success::Update)
        .keyed(),
        Route::get(
            "/admin/coupon/campaign/list",
            "listCampaigns",
            "Campaigns, newest first, each with what it has cost so far.",
            list,
        )
        .staff(ANY_ROLE),
        Route::post(
            "/admin/coupon/grant",
            "grantCoupon",
            "Grants a user a coupon of a campaign, regardless of the claim rules.",
            grant,
        )
        .staff(OPERATOR)
        .fails(&[Reason::NotFound, Reason::CouponNotUsable])
        .says(Success::Submission)
        .keyed(),
    ]
}

async fn create(
    call: Call,
    Json(request): Json<CreateCampaignRequest>,
) -> Result<Campaign, Failure> {
    // The mode determines the form of the value.
    let (value_minor, value_basis_points) = match (request.mode, request.value) {
        (CouponMode::Discount, ValueInput::BasisPoints(basis_points)) => (0, basis_points),
        (CouponMode::Deduction | CouponMode::Addition, ValueInput::Money(minor)) => (minor, 0),
        _ => return Err(Failure::invalid("value")),
    };
    let campaign = coupon::Campaign {
        name: request.name,
        r#type: request.coupon_type.into(),
        mode: request.mode.into(),
        value_minor,
        value_basis_points,
        amount_requirement_minor: request.amount_requirement.minor(),
        kind: request.kind.into(),
        valid_days: request.valid_days,
        total: request.total.map_or(0, CampaignTotal::get),
        starts_at: request.starts_at.map(TimestampInput::into_proto),
        ends_at: request.ends_at.map(TimestampInput::into_proto),
        ..coupon::Campaign::default()
    };
    let message = coupon::CreateCampaignRequest {
        campaign: Some(campaign),
    };
    let response = send!(call.writing(), coupon_admin.create_campaign, message).await?;
    Campaign::decode(response.campaign, "campaign")
}

async fn decide(
    call: Call,
    Json(request): Json<DecideCampaignRequest>,
) -> Result<Campaign, Failure> {
    let message = coupon::DecideCampaignRequest {
        campaign_id: request.id,
        decision: request.decision.into(),
        reason: request.reason,
    };
    let response = send!(call.writing(), coupon_admin.decide_campaign, message).await?;
    Campaign::decode(response.campaign, "campaign")
}

async fn list(call: Call, Query(query): Query<PageQuery>) -> Result<Page<Campaign>, Failure> {
    let message = coupon::ListCampaignsRequest {
        page: query.into_page(),
    };
    let response = send!(call.reading(), coupon_admin.list_campaigns, message).await?;
    Page::from_proto(response.items, response.next_cursor)
}

async fn grant(call: Call, Json(request): Json<GrantCouponRequest>) -> Result<Coupon, Failure> {
    let message = coupon::GrantCouponRequest {
        campaign_id: request.campaign_id,
        user_id: request.user_id,
    };
    let response = send!(call.writing(), coupon_admin.grant_coupon, message).await?;
    Coupon::decode(response.coupon, "coupon")
}
