//! Coupon campaigns.

use adfolio_kit::refusal::Reason;
use adfolio_proto::coupon::v1 as coupon;

use crate::call::{Call, read, write_call};
use crate::dto::campaign::{
    Campaign, CampaignPage, CampaignTotal, CreateCampaignRequest, GrantCouponRequest, ValueInput,
};
use crate::dto::coupon::{Coupon, CouponMode};
use crate::dto::{PageQuery, TimestampInput, each, non_empty, present};
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
            "Creates a campaign.",
            create,
        )
        .staff(OPERATOR)
        .says(Success::Submission)
        .keyed(),
        Route::get(
            "/admin/coupon/campaign/list",
            "listCampaigns",
            "Campaigns, newest first.",
            list,
        )
        .staff(ANY_ROLE),
        Route::post(
            "/admin/coupon/grant",
            "grantCoupon",
            "Gives a user a coupon of a campaign, whatever the claim rules say.",
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
    // The form of the value follows from the mode.
    let (value_minor, value_basis_points) = match (request.mode, request.value) {
        (CouponMode::Discount, ValueInput::BasisPoints(basis_points)) => (0, basis_points),
        (CouponMode::Deduction | CouponMode::Addition, ValueInput::Money(minor)) => (minor, 0),
        _ => return Err(Failure::invalid("value")),
    };
    let campaign = coupon::Campaign {
        id: String::new(),
        name: request.name,
        r#type: request.coupon_type.into(),
        mode: request.mode.into(),
        value_minor,
        value_basis_points,
        amount_requirement_minor: request.amount_requirement.minor(),
        kind: request.kind.into(),
        valid_days: request.valid_days,
        total: request.total.map_or(0, CampaignTotal::get),
        claimed: 0,
        starts_at: request.starts_at.map(TimestampInput::into_proto),
        ends_at: request.ends_at.map(TimestampInput::into_proto),
    };
    let message = coupon::CreateCampaignRequest {
        campaign: Some(campaign),
    };
    Campaign::from_proto(present(
        write_call!(call, coupon_admin.create_campaign, message)?.campaign,
        "campaign",
    )?)
}

async fn list(call: Call, Query(query): Query<PageQuery>) -> Result<CampaignPage, Failure> {
    let response = read!(
        call,
        coupon_admin.list_campaigns,
        coupon::ListCampaignsRequest {
            page: query.into_page()
        }
    )?;
    Ok(CampaignPage {
        items: each(response.items, Campaign::from_proto)?,
        next_cursor: non_empty(response.next_cursor),
    })
}

async fn grant(call: Call, Json(request): Json<GrantCouponRequest>) -> Result<Coupon, Failure> {
    let message = coupon::GrantCouponRequest {
        campaign_id: request.campaign_id,
        user_id: request.user_id,
    };
    Coupon::from_proto(present(
        write_call!(call, coupon_admin.grant_coupon, message)?.coupon,
        "coupon",
    )?)
}
