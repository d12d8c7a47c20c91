//! What users do with coupons.

use adfolio_kit::identity::Caller;
use adfolio_kit::once::Once;
use adfolio_kit::pagination::Cursor;
use adfolio_kit::refusal::Refusal;
use adfolio_kit::wire;
use adfolio_money::Money;
use adfolio_proto::coupon::v1 as pb;
use adfolio_proto::coupon::v1::coupon_service_server::CouponService;
use chrono::{DateTime, Utc};
use tonic::{Request, Response, Status};

use super::convert;
use crate::coupon::{Counts, Coupon, Coupons, ShownState};
use crate::ids::{CampaignId, CouponId};

/// The calls of users.
#[derive(Debug)]
pub struct UserCalls {
    coupons: Coupons,
}

impl UserCalls {
    /// On these use cases.
    pub fn new(coupons: Coupons) -> Self {
        Self { coupons }
    }
}

#[tonic::async_trait]
impl CouponService for UserCalls {
    async fn list_coupons(
        &self,
        request: Request<pb::ListCouponsRequest>,
    ) -> Result<Response<pb::ListCouponsResponse>, Status> {
        let caller = Caller::from_request(&request);
        let user = caller.require_user()?;
        let pb::ListCouponsRequest { state, page } = request.into_inner();
        let state = convert::state_from_wire(state)?;
        let (page, cursor) = wire::page(page)?;
        let cursors = Cursor::new(&format!("coupons.{}", state.as_str()), &user.to_string());
        let before = wire::cursor_id(&cursors, cursor.as_deref())?.map(CouponId);
        let listing = self
            .coupons
            .list(user, caller.time_zone, state, before, page.fetch())
            .await
            .map_err(|error| error.into_status("list_coupons"))?;
        let (coupons, next) = page.cut(listing.coupons, |last| {
            cursors.encode(&[&last.id.to_string()])
        });
        let now = self.coupons.now();
        Ok(Response::new(pb::ListCouponsResponse {
            items: coupons
                .iter()
                .map(|coupon| convert::coupon(coupon, now))
                .collect(),
            next_cursor: next.unwrap_or_default(),
            counts: counts(listing.counts),
            claimable: listing.claimable.iter().map(convert::claimable).collect(),
        }))
    }

    async fn receive_coupon(
        &self,
        request: Request<pb::ReceiveCouponRequest>,
    ) -> Result<Response<pb::ReceiveCouponResponse>, Status> {
        let caller = Caller::from_request(&request);
        let user = caller.require_user()?;
        let request = request.into_inner();
        let campaign = wire::optional_id(&request.campaign_id, "campaign_id")?.map(CampaignId);
        let once = Once::new(&caller, user.0, "receive_coupon", &request);
        let answer = self
            .coupons
            .claim(once, user, caller.time_zone, campaign, received)
            .await
            .map_err(|error| error.into_status("receive_coupon"))?;
        Ok(Response::new(answer))
    }

    async fn list_usable(
        &self,
        request: Request<pb::ListUsableRequest>,
    ) -> Result<Response<pb::ListUsableResponse>, Status> {
        let user = Caller::from_request(&request).require_user()?;
        let amount_max = Money::from_minor(request.into_inner().amount_max_minor);
        if amount_max.is_negative() {
            return Err(Refusal::invalid("amount_max").into());
        }
        let coupons = self
            .coupons
            .usable(user, amount_max)
            .await
            .map_err(|error| error.into_status("list_usable"))?;
        let now = self.coupons.now();
        let items = coupons
            .iter()
            .map(|coupon| convert::coupon(coupon, now))
            .collect();
        Ok(Response::new(pb::ListUsableResponse { items }))
    }
}

fn received(coupon: &Coupon, now: DateTime<Utc>) -> pb::ReceiveCouponResponse {
    pb::ReceiveCouponResponse {
        coupon: Some(convert::coupon(coupon, now)),
    }
}

fn counts(counts: Counts) -> Vec<pb::StateCount> {
    [
        (ShownState::Unused, counts.unused),
        (ShownState::Used, counts.used),
        (ShownState::Expired, counts.expired),
    ]
    .into_iter()
    .map(|(state, count)| pb::StateCount {
        state: convert::state_to_wire(state).into(),
        count,
    })
    .collect()
}
