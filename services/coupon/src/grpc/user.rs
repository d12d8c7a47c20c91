//! What users do with coupons.

use adfolio_kit::identity::Caller;
use adfolio_kit::mirror::Mirrored as _;
use adfolio_kit::once::Once;
use adfolio_kit::refusal::Refusal;
use adfolio_kit::wire::{self, List};
use adfolio_money::Money;
use adfolio_proto::coupon::v1 as proto;
use adfolio_proto::coupon::v1::coupon_service_server::CouponService;
use tonic::{Request, Response, Status};

use super::UserApi;
use crate::coupon::{self, ShownState};

#[tonic::async_trait]
impl CouponService for UserApi {
    async fn list_coupons(
        &self,
        request: Request<proto::ListCouponsRequest>,
    ) -> Result<Response<proto::ListCouponsResponse>, Status> {
        let caller = Caller::from_request(&request);
        let user = caller.require_user()?;
        let proto::ListCouponsRequest { state, page } = request.into_inner();
        let state = ShownState::optional(state, "state")?.unwrap_or(ShownState::Unused);
        let list = List::new(page, &format!("coupons.{}", state.as_str()), &user)?;
        let page = coupon::Page {
            state,
            before: list.before()?,
            fetch: list.fetch(),
        };
        let listing = coupon::list(&self.0, user, caller.time_zone, page).await?;
        let (coupons, next_cursor) = list.cut(listing.coupons, |last| last.coupon.id);
        Ok(Response::new(proto::ListCouponsResponse {
            items: coupons.iter().map(Into::into).collect(),
            next_cursor,
            counts: listing.counts.into(),
            claimable: listing.claimable.iter().map(Into::into).collect(),
        }))
    }

    async fn receive_coupon(
        &self,
        request: Request<proto::ReceiveCouponRequest>,
    ) -> Result<Response<proto::ReceiveCouponResponse>, Status> {
        let caller = Caller::from_request(&request);
        let user = caller.require_user()?;
        let request = request.into_inner();
        let campaign = wire::optional_id(&request.campaign_id, "campaign_id")?;
        let once = Once::new::<proto::ReceiveCouponResponse>(&caller, user.0, &request);
        let answer = coupon::claim(&self.0, once, user, caller.time_zone, campaign).await?;
        Ok(Response::new(answer.into_message()?))
    }

    async fn list_usable(
        &self,
        request: Request<proto::ListUsableRequest>,
    ) -> Result<Response<proto::ListUsableResponse>, Status> {
        let user = Caller::from_request(&request).require_user()?;
        let amount_max = Money::from_minor(request.into_inner().amount_max_minor);
        if amount_max.is_negative() {
            return Err(Refusal::invalid("amount_max").into());
        }
        let coupons = coupon::usable(&self.0, user, amount_max).await?;
        Ok(Response::new(proto::ListUsableResponse {
            items: coupons.iter().map(Into::into).collect(),
        }))
    }
}
