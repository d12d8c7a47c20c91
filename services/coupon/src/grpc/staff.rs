//! What staff do with coupons.

use adfolio_kit::identity::{Caller, StaffRole, UserId};
use adfolio_kit::once::Once;
use adfolio_kit::pagination::Cursor;
use adfolio_kit::refusal::Refusal;
use adfolio_kit::wire;
use adfolio_proto::coupon::v1 as pb;
use adfolio_proto::coupon::v1::coupon_admin_service_server::CouponAdminService;
use chrono::{DateTime, Utc};
use tonic::{Request, Response, Status};

use super::convert;
use crate::campaign::{Campaign, Campaigns};
use crate::coupon::{Coupon, Coupons};
use crate::ids::CampaignId;

/// The calls of staff.
#[derive(Debug)]
pub struct StaffCalls {
    campaigns: Campaigns,
    coupons: Coupons,
}

impl StaffCalls {
    /// On these use cases.
    pub fn new(campaigns: Campaigns, coupons: Coupons) -> Self {
        Self { campaigns, coupons }
    }
}

#[tonic::async_trait]
impl CouponAdminService for StaffCalls {
    async fn create_campaign(
        &self,
        request: Request<pb::CreateCampaignRequest>,
    ) -> Result<Response<pb::CreateCampaignResponse>, Status> {
        let caller = Caller::from_request(&request);
        let staff = caller.require_staff(&[StaffRole::Operator])?;
        let request = request.into_inner();
        let once = Once::new(&caller, staff.id, "create_campaign", &request);
        let campaign = request
            .campaign
            .as_ref()
            .ok_or_else(|| Refusal::invalid("campaign"))?;
        let new = convert::new_campaign(campaign)?;
        let answer = self
            .campaigns
            .create(once, &caller, staff.id, new, created)
            .await
            .map_err(|error| error.into_status("create_campaign"))?;
        self.coupons.notify();
        Ok(Response::new(answer))
    }

    async fn grant_coupon(
        &self,
        request: Request<pb::GrantCouponRequest>,
    ) -> Result<Response<pb::GrantCouponResponse>, Status> {
        let caller = Caller::from_request(&request);
        let staff = caller.require_staff(&[StaffRole::Operator])?;
        let request = request.into_inner();
        let campaign = CampaignId(wire::id(&request.campaign_id, "campaign_id")?);
        let user = UserId(wire::id(&request.user_id, "user_id")?);
        let once = Once::new(&caller, staff.id, "grant_coupon", &request);
        let answer = self
            .coupons
            .grant(once, &caller, user, campaign, granted)
            .await
            .map_err(|error| error.into_status("grant_coupon"))?;
        Ok(Response::new(answer))
    }

    async fn list_campaigns(
        &self,
        request: Request<pb::ListCampaignsRequest>,
    ) -> Result<Response<pb::ListCampaignsResponse>, Status> {
        Caller::from_request(&request).require_staff(&StaffRole::ALL)?;
        let (page, cursor) = wire::page(request.into_inner().page)?;
        let cursors = Cursor::new("campaigns", "staff");
        let before = wire::cursor_id(&cursors, cursor.as_deref())?.map(CampaignId);
        let rows = self
            .campaigns
            .list(before, page.fetch())
            .await
            .map_err(|error| error.into_status("list_campaigns"))?;
        let (campaigns, next) = page.cut(rows, |last| cursors.encode(&[&last.id.to_string()]));
        Ok(Response::new(pb::ListCampaignsResponse {
            items: campaigns.iter().map(convert::campaign).collect(),
            next_cursor: next.unwrap_or_default(),
        }))
    }
}

fn granted(coupon: &Coupon, now: DateTime<Utc>) -> pb::GrantCouponResponse {
    pb::GrantCouponResponse {
        coupon: Some(convert::coupon(coupon, now)),
    }
}

fn created(campaign: &Campaign) -> pb::CreateCampaignResponse {
    pb::CreateCampaignResponse {
        campaign: Some(convert::campaign(campaign)),
    }
}
