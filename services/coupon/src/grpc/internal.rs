//! The coupon's part in placing a plan. The order in the request says whose it is; there is no caller to check.

use adfolio_kit::identity::UserId;
use adfolio_kit::refusal::Refusal;
use adfolio_kit::wire;
use adfolio_money::Money;
use adfolio_proto::coupon::v1 as proto;
use adfolio_proto::coupon::v1::coupon_reservation_service_server::CouponReservationService;
use tonic::{Request, Response, Status};

use super::InternalApi;
use crate::ids::OrderId;
use crate::reservation;

#[tonic::async_trait]
impl CouponReservationService for InternalApi {
    async fn reserve(
        &self,
        request: Request<proto::ReserveRequest>,
    ) -> Result<Response<proto::ReserveResponse>, Status> {
        let request = request.into_inner();
        let (order, user) = order_and_user(&request.order_id, &request.user_id)?;
        let coupon = wire::id(&request.user_coupon_id, "user_coupon_id")?;
        let amount = Money::from_minor(request.amount_minor);
        if amount <= Money::ZERO {
            return Err(Refusal::invalid("amount").into());
        }
        let reserved = reservation::reserve(&self.0, order, user, coupon, amount).await?;
        Ok(Response::new(reserved.into()))
    }

    async fn redeem(
        &self,
        request: Request<proto::RedeemRequest>,
    ) -> Result<Response<proto::RedeemResponse>, Status> {
        let request = request.into_inner();
        let (order, user) = order_and_user(&request.order_id, &request.user_id)?;
        reservation::redeem(&self.0, order, user).await?;
        Ok(Response::new(proto::RedeemResponse {}))
    }

    async fn release(
        &self,
        request: Request<proto::ReleaseRequest>,
    ) -> Result<Response<proto::ReleaseResponse>, Status> {
        let request = request.into_inner();
        let (order, user) = order_and_user(&request.order_id, &request.user_id)?;
        reservation::release(&self.0, order, user).await?;
        Ok(Response::new(proto::ReleaseResponse {}))
    }

    async fn get_redeemed_total(
        &self,
        _: Request<proto::GetRedeemedTotalRequest>,
    ) -> Result<Response<proto::GetRedeemedTotalResponse>, Status> {
        let totals = reservation::totals(&self.0).await?;
        Ok(Response::new(proto::GetRedeemedTotalResponse {
            redeemed_minor: totals.redeemed.minor(),
            reserved_minor: totals.reserved.minor(),
        }))
    }
}

/// Both ids are made by other services, so a text that is no id is the caller's mistake, not something unknown.
fn order_and_user(order: &str, user: &str) -> Result<(OrderId, UserId), Refusal> {
    let order = order.parse().map_err(|_| Refusal::invalid("order_id"))?;
    let user = user.parse().map_err(|_| Refusal::invalid("user_id"))?;
    Ok((order, user))
}
