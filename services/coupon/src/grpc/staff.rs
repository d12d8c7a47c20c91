//! What staff do with coupons.

use adfolio_kit::identity::{Caller, StaffRole};
use adfolio_kit::once::Once;
use adfolio_kit::pagination::Cursor;
use adfolio_kit::refusal::Refusal;
use adfolio_kit::wire;
use adfolio_proto::coupon::v1 as pb;
use adfolio_proto::coupon::v1::coupon_admin_service_server::CouponAdminService;
use tonic::{Request, Response, Status};

use super::convert;
use crate::campaign::{Campaign, Campaigns};
use crate::ids::CampaignId;

/// The calls of staff.
#[derive(Debug)]
pub struct StaffCalls {
    campaigns: Campaigns,
}

impl StaffCalls {
    /// On these use cases.
    pub fn new(campaigns: Campaigns) -> Self {
        Self { campaigns }
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
            .create(once, staff.id, new, created)
            .await
            .map_err(|error| error.into_status("create_campaign"))?;
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

fn created(campaign: &Campaign) -> pb::CreateCampaignResponse {
    pb::CreateCampaignResponse {
        campaign: Some(convert::campaign(campaign)),
    }
}
