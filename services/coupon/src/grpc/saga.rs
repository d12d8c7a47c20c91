//! The coupon's part in the put saga. The order in the request says whose it is; there is no caller to check.

use adfolio_kit::identity::UserId;
use adfolio_kit::refusal::Refusal;
use adfolio_kit::wire;
use adfolio_money::Money;
use adfolio_proto::coupon::v1 as pb;
use adfolio_proto::coupon::v1::coupon_reservation_service_server::CouponReservationService;
use tonic::{Request, Response, Status};

use super::convert;
use crate::ids::{CouponId, OrderId};
use crate::reservation::Reservations;

/// The calls of the plan service.
#[derive(Debug)]
pub struct SagaCalls {
    reservations: Reservations,
}

impl SagaCalls {
    /// On these use cases.
    pub fn new(reservations: Reservations) -> Self {
        Self { reservations }
    }
}

#[tonic::async_trait]
impl CouponReservationService for SagaCalls {
    async fn reserve(
        &self,
        request: Request<pb::ReserveRequest>,
    ) -> Result<Response<pb::ReserveResponse>, Status> {
        let request = request.into_inner();
        let (order, user) = order_and_user(&request.order_id, &request.user_id)?;
        let coupon = CouponId(wire::id(&request.user_coupon_id, "user_coupon_id")?);
        let amount = Money::from_minor(request.amount_minor);
        if amount <= Money::ZERO {
            return Err(Refusal::invalid("amount").into());
        }
        let reserved = self
            .reservations
            .reserve(order, user, coupon, amount)
            .await
            .map_err(|error| error.into_status("reserve"))?;
        let (mode, _, _) = convert::benefit_fields(reserved.coupon.terms.benefit);
        Ok(Response::new(pb::ReserveResponse {
            mode: mode.into(),
            discount_minor: reserved.discount.minor(),
            coupon_name: reserved.coupon.terms.name,
        }))
    }

    async fn redeem(
        &self,
        request: Request<pb::RedeemRequest>,
    ) -> Result<Response<pb::RedeemResponse>, Status> {
        let request = request.into_inner();
        let (order, user) = order_and_user(&request.order_id, &request.user_id)?;
        self.reservations
            .redeem(order, user)
            .await
            .map_err(|error| error.into_status("redeem"))?;
        Ok(Response::new(pb::RedeemResponse {}))
    }

    async fn release(
        &self,
        request: Request<pb::ReleaseRequest>,
    ) -> Result<Response<pb::ReleaseResponse>, Status> {
        let request = request.into_inner();
        let (order, user) = order_and_user(&request.order_id, &request.user_id)?;
        self.reservations
            .release(order, user)
            .await
            .map_err(|error| error.into_status("release"))?;
        Ok(Response::new(pb::ReleaseResponse {}))
    }

    async fn get_redeemed_total(
        &self,
        _: Request<pb::GetRedeemedTotalRequest>,
    ) -> Result<Response<pb::GetRedeemedTotalResponse>, Status> {
        let totals = self
            .reservations
            .totals()
            .await
            .map_err(|error| error.into_status("get_redeemed_total"))?;
        Ok(Response::new(pb::GetRedeemedTotalResponse {
            redeemed_minor: totals.redeemed.minor(),
            reserved_minor: totals.reserved.minor(),
        }))
    }
}

/// Both are made by other services, so a text that is no id is a mistake of the caller, not something unknown.
fn order_and_user(order: &str, user: &str) -> Result<(OrderId, UserId), Refusal> {
    let order = order.parse().map_err(|_| Refusal::invalid("order_id"))?;
    let user = user.parse().map_err(|_| Refusal::invalid("user_id"))?;
    Ok((OrderId(order), UserId(user)))
}
