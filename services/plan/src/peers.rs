//! Calls to wallet and coupon. Each may be repeated, because it carries the order's id.

use std::time::Duration;

use adfolio_kit::call;
use adfolio_kit::client::{Call, Channel, ClientOptions, connect_to};
use adfolio_kit::config::ConfigError;
use adfolio_kit::deadline::Deadline;
use adfolio_kit::error::CoreError;
use adfolio_kit::identity::{Caller, UserId};
use adfolio_kit::tls::Tls;
use adfolio_money::Money;
use adfolio_proto::coupon::v1 as coupon;
use adfolio_proto::coupon::v1::coupon_reservation_service_client::CouponReservationServiceClient;
use adfolio_proto::wallet::v1 as wallet;
use adfolio_proto::wallet::v1::ledger_service_client::LedgerServiceClient;
use tonic::Status;

use crate::config::Config;
use crate::ids::{CouponId, OrderId, ReservationId};
use crate::order::entity::Order;
use crate::put::entity::{Effect, Worth};

/// Clients of the other services. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Peers {
    ledger: LedgerServiceClient<Channel>,
    coupons: CouponReservationServiceClient<Channel>,
    step_limit: Duration,
}

impl Peers {
    /// Clients for the configured addresses. Nothing is connected yet.
    pub fn connect(
        config: &Config,
        step_limit: Duration,
        tls: Option<&Tls>,
    ) -> Result<Self, ConfigError> {
        let options = ClientOptions {
            call_limit: step_limit,
        };
        let open = |service, url: &str| connect_to(service, url, options, tls);
        Ok(Self {
            ledger: LedgerServiceClient::new(open("wallet", &config.wallet_url)?),
            coupons: CouponReservationServiceClient::new(open("coupon", &config.coupon_url)?),
            step_limit,
        })
    }

    /// Reserves a coupon for an order, and answers what it is worth there.
    pub async fn reserve(
        &self,
        reservation: ReservationId,
        user: UserId,
        coupon: CouponId,
        amount: Money,
    ) -> Result<Worth, CoreError> {
        let request = coupon::ReserveRequest {
            order_id: reservation.to_string(),
            user_id: user.to_string(),
            user_coupon_id: coupon.to_string(),
            amount_minor: amount.minor(),
        };
        let caller = self.caller();
        let answer = call!(self.coupons, reserve, request, self.repeated(&caller))
            .await
            .map_err(coupon_error)?;
        Ok(answer.into())
    }

    /// Reports to coupon that a reservation was used.
    pub async fn redeem(&self, reservation: ReservationId, user: UserId) -> Result<(), CoreError> {
        let request = coupon::RedeemRequest {
            order_id: reservation.to_string(),
            user_id: user.to_string(),
        };
        let caller = self.caller();
        call!(self.coupons, redeem, request, self.repeated(&caller))
            .await
            .map_err(coupon_error)?;
        Ok(())
    }

    /// Returns a coupon.
    pub async fn release_coupon(
        &self,
        reservation: ReservationId,
        user: UserId,
    ) -> Result<(), CoreError> {
        let request = coupon::ReleaseRequest {
            order_id: reservation.to_string(),
            user_id: user.to_string(),
        };
        let caller = self.caller();
        call!(self.coupons, release, request, self.repeated(&caller))
            .await
            .map_err(coupon_error)?;
        Ok(())
    }

    /// Holds the money of an order. One attempt, because the saga must know whether an earlier one
    /// may still arrive.
    pub async fn hold(
        &self,
        order: OrderId,
        user: UserId,
        paid: Money,
        discount: Money,
    ) -> Result<(), CoreError> {
        let request = wallet::HoldRequest {
            order_id: order.to_string(),
            user_id: user.to_string(),
            paid_minor: paid.minor(),
            discount_minor: discount.minor(),
        };
        let caller = self.caller();
        let once = Call::once(&caller, self.step_limit);
        call!(self.ledger, hold, request, once)
            .await
            .map_err(wallet_error)?;
        Ok(())
    }

    /// Returns what an order holds, and closes the order for good.
    pub async fn release_hold(&self, order: OrderId, user: UserId) -> Result<(), CoreError> {
        let request = wallet::ReleaseRequest {
            order_id: order.to_string(),
            user_id: user.to_string(),
        };
        let caller = self.caller();
        call!(self.ledger, release, request, self.repeated(&caller))
            .await
            .map_err(wallet_error)?;
        Ok(())
    }

    /// Brings the ledger to an order's totals; answers the version that the ledger has.
    pub async fn record_delivery(&self, order: &Order) -> Result<i64, CoreError> {
        let request = wallet::RecordDeliveryRequest {
            order_id: order.id.to_string(),
            user_id: order.user_id.to_string(),
            version: order.version,
            consumed_total_minor: order.consumed().minor(),
            revenue_total_minor: order.revenue().minor(),
        };
        let caller = self.caller();
        let call = self.repeated(&caller);
        let answer = call!(self.ledger, record_delivery, request, call)
            .await
            .map_err(wallet_error)?;
        Ok(answer.version)
    }

    /// Pays out what an order earned; answers the amount.
    pub async fn settle(&self, order: &Order, platform_share: Money) -> Result<Money, CoreError> {
        let request = wallet::SettleRequest {
            order_id: order.id.to_string(),
            user_id: order.user_id.to_string(),
            consumed_total_minor: order.consumed().minor(),
            revenue_total_minor: order.revenue().minor(),
            platform_share_minor: platform_share.minor(),
        };
        let caller = self.caller();
        let answer = call!(self.ledger, settle, request, self.repeated(&caller))
            .await
            .map_err(wallet_error)?;
        Ok(Money::from_minor(answer.paid_out_minor))
    }

    /// The system itself: a saga must not end with the deadline of the caller who began it. All
    /// attempts of a call end within the step's limit.
    fn caller(&self) -> Caller {
        Caller {
            deadline: Deadline::after(self.step_limit),
            ..Caller::system()
        }
    }

    fn repeated<'a>(&self, caller: &'a Caller) -> Call<'a> {
        Call::repeated(caller, self.step_limit)
    }
}

impl From<coupon::ReserveResponse> for Worth {
    fn from(answer: coupon::ReserveResponse) -> Self {
        let effect = match answer.mode() {
            coupon::CouponMode::Addition => Effect::AddsOn,
            _ => Effect::TakesOff,
        };
        Self {
            effect,
            amount: Money::from_minor(answer.discount_minor),
            coupon_name: answer.coupon_name,
        }
    }
}

fn coupon_error(status: Status) -> CoreError {
    CoreError::from_peer("coupon", status)
}

fn wallet_error(status: Status) -> CoreError {
    CoreError::from_peer("wallet", status)
}
