//! What staff do with coupons.

use adfolio_kit::identity::{Caller, StaffRole};
use adfolio_kit::mirror::Mirrored as _;
use adfolio_kit::once::Once;
use adfolio_kit::refusal::Refusal;
use adfolio_kit::wire::{self, List};
use adfolio_proto::coupon::v1 as proto;
use adfolio_proto::coupon::v1::coupon_admin_service_server::CouponAdminService;
use tonic::{Request, Response, Status};

use super::{StaffApi, map};
use crate::coupon::ShownState;
use crate::{campaign, coupon, waiting};

#[tonic::async_trait]
impl CouponAdminService for StaffApi {
    async fn create_campaign(
        &self,
        request: Request<proto::CreateCampaignRequest>,
    ) -> Result<Response<proto::CreateCampaignResponse>, Status> {
        let caller = Caller::from_request(&request);
        let staff = caller.require_staff(&[StaffRole::Operator])?;
        let request = request.into_inner();
        let once = Once::new::<proto::CreateCampaignResponse>(&caller, staff.id, &request);
        let new = request
            .campaign
            .ok_or_else(|| Refusal::invalid("campaign"))?
            .try_into()?;
        let answer = campaign::create(&self.0, once, &caller, staff, new).await?;
        Ok(Response::new(answer.into_message()?))
    }

    async fn decide_campaign(
        &self,
        request: Request<proto::DecideCampaignRequest>,
    ) -> Result<Response<proto::DecideCampaignResponse>, Status> {
        let caller = Caller::from_request(&request);
        let staff = caller.require_staff(&[StaffRole::Operator])?;
        let request = request.into_inner();
        let once = Once::new::<proto::DecideCampaignResponse>(&caller, staff.id, &request);
        let decision = map::decision(staff, &request)?;
        let answer = campaign::decide(&self.0, once, &caller, decision).await?;
        Ok(Response::new(answer.into_message()?))
    }

    async fn grant_coupon(
        &self,
        request: Request<proto::GrantCouponRequest>,
    ) -> Result<Response<proto::GrantCouponResponse>, Status> {
        let caller = Caller::from_request(&request);
        let staff = caller.require_staff(&[StaffRole::Operator])?;
        let request = request.into_inner();
        let campaign = wire::id(&request.campaign_id, "campaign_id")?;
        let user = wire::id(&request.user_id, "user_id")?;
        let once = Once::new::<proto::GrantCouponResponse>(&caller, staff.id, &request);
        let answer = coupon::grant(&self.0, once, &caller, user, campaign).await?;
        Ok(Response::new(answer.into_message()?))
    }

    async fn list_campaigns(
        &self,
        request: Request<proto::ListCampaignsRequest>,
    ) -> Result<Response<proto::ListCampaignsResponse>, Status> {
        Caller::from_request(&request).require_staff(StaffRole::ALL)?;
        let list = List::new(request.into_inner().page, "campaigns", &"staff")?;
        let rows = campaign::list(&self.0, list.before()?, list.fetch()).await?;
        let (campaigns, next_cursor) = list.cut(rows, |last| last.id);
        Ok(Response::new(proto::ListCampaignsResponse {
            items: campaigns.iter().map(Into::into).collect(),
            next_cursor,
        }))
    }
    async fn get_waiting(
        &self,
        request: Request<proto::GetWaitingRequest>,
    ) -> Result<Response<proto::GetWaitingResponse>, Status> {
        Caller::from_request(&request).require_staff(StaffRole::ALL)?;
        let waiting = waiting::of_staff(&self.0).await?;
        Ok(Response::new(proto::GetWaitingResponse {
            items: waiting.into_iter().map(Into::into).collect(),
        }))
    }

    async fn admin_list_coupons(
        &self,
        request: Request<proto::AdminListCouponsRequest>,
    ) -> Result<Response<proto::AdminListCouponsResponse>, Status> {
        let caller = Caller::from_request(&request);
        caller.require_staff(StaffRole::ALL)?;
        let request = request.into_inner();
        let user = wire::id(&request.user_id, "user_id")?;
        let state = ShownState::optional(request.state, "state")?.unwrap_or(ShownState::Unused);
        let list = List::new(
            request.page,
            &format!("staff.coupons.{}", state.as_str()),
            &user,
        )?;
        let page = coupon::Page {
            state,
            before: list.before()?,
            fetch: list.fetch(),
        };
        let (rows, counts) = coupon::list_for_staff(&self.0, &caller, user, page).await?;
        let (coupons, next_cursor) = list.cut(rows, |last| last.coupon.id);
        Ok(Response::new(proto::AdminListCouponsResponse {
            items: coupons.iter().map(Into::into).collect(),
            next_cursor,
            counts: counts.into(),
        }))
    }
}
