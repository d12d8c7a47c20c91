//! The other services: wallet, coupon, auth. Every call here may be repeated, because each carries the order's id.

use std::collections::HashSet;
use std::future::Future;
use std::time::Duration;

use adfolio_kit::client::{
    Channel, ClientOptions, RetryPolicy, call_with_retry, connect_to, outgoing,
};
use adfolio_kit::config::ConfigError;
use adfolio_kit::deadline::Deadline;
use adfolio_kit::identity::Caller;
use adfolio_kit::refusal::{Reason, Refusal};
use adfolio_kit::tls::Tls;
use adfolio_proto::auth::v1::LookUpUsersRequest;
use adfolio_proto::auth::v1::user_directory_service_client::UserDirectoryServiceClient;
use adfolio_proto::coupon::v1::coupon_reservation_service_client::CouponReservationServiceClient;
use adfolio_proto::coupon::v1::{
    RedeemRequest, ReleaseRequest as ReleaseCouponRequest, ReserveRequest, ReserveResponse,
};
use adfolio_proto::wallet::v1::ledger_service_client::LedgerServiceClient;
use adfolio_proto::wallet::v1::{
    HoldRequest, RecordDeliveryRequest, ReleaseRequest, SettleRequest, SettleResponse,
};
use tonic::{Response, Status};
use uuid::Uuid;

use crate::config::PlanConfig;
use crate::error::PlanError;

/// A look-up of users in auth may take this long.
const LOOK_UP_LIMIT: Duration = Duration::from_secs(3);

/// Clients of the other services. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Peers {
    ledger: LedgerServiceClient<Channel>,
    coupons: CouponReservationServiceClient<Channel>,
    users: UserDirectoryServiceClient<Channel>,
    step_limit: Duration,
}

impl Peers {
    /// Clients for the configured addresses. Nothing is connected yet.
    pub fn connect(
        config: &PlanConfig,
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
            users: UserDirectoryServiceClient::new(open("auth", &config.auth_url)?),
            step_limit,
        })
    }

    /// Refuses users that do not exist.
    pub async fn check_users(&self, caller: &Caller, user_ids: &[Uuid]) -> Result<(), PlanError> {
        let ids: Vec<String> = user_ids.iter().map(Uuid::to_string).collect();
        let request = LookUpUsersRequest {
            user_ids: ids.clone(),
        };
        let answer = call_with_retry(RetryPolicy::within(caller.deadline), || {
            let mut users = self.users.clone();
            let request = outgoing(caller, request.clone(), LOOK_UP_LIMIT);
            async move { users.look_up_users(request).await }
        })
        .await
        .map_err(|status| failed("auth", status))?
        .into_inner();
        let known: HashSet<String> = answer.users.into_iter().map(|user| user.user_id).collect();
        if ids.iter().all(|id| known.contains(id)) {
            Ok(())
        } else {
            Err(Refusal::not_found("user_ids").into())
        }
    }

    /// Reserves a coupon for an order.
    pub async fn reserve(&self, request: ReserveRequest) -> Result<ReserveResponse, PlanError> {
        self.repeated("coupon", |caller| {
            let mut coupons = self.coupons.clone();
            let request = outgoing(caller, request.clone(), self.step_limit);
            async move { coupons.reserve(request).await }
        })
        .await
    }

    /// Tells coupon that a reservation was used.
    pub async fn redeem(&self, reservation_id: Uuid, user_id: Uuid) -> Result<(), PlanError> {
        let request = RedeemRequest {
            order_id: reservation_id.to_string(),
            user_id: user_id.to_string(),
        };
        self.repeated("coupon", |caller| {
            let mut coupons = self.coupons.clone();
            let request = outgoing(caller, request.clone(), self.step_limit);
            async move { coupons.redeem(request).await }
        })
        .await
        .map(|_| ())
    }

    /// Gives a coupon back.
    pub async fn release_coupon(
        &self,
        reservation_id: Uuid,
        user_id: Uuid,
    ) -> Result<(), PlanError> {
        let request = ReleaseCouponRequest {
            order_id: reservation_id.to_string(),
            user_id: user_id.to_string(),
        };
        self.repeated("coupon", |caller| {
            let mut coupons = self.coupons.clone();
            let request = outgoing(caller, request.clone(), self.step_limit);
            async move { coupons.release(request).await }
        })
        .await
        .map(|_| ())
    }

    /// Holds the money of an order: one attempt, because the caller must know whether an earlier one is still on its way.
    pub async fn hold(&self, request: HoldRequest) -> Result<(), PlanError> {
        let caller = self.caller();
        let request = outgoing(&caller, request, self.step_limit);
        self.ledger
            .clone()
            .hold(request)
            .await
            .map(|_| ())
            .map_err(|status| failed("wallet", status))
    }

    /// Gives back what an order holds and closes it for good.
    pub async fn release_hold(&self, order_id: Uuid, user_id: Uuid) -> Result<(), PlanError> {
        let request = ReleaseRequest {
            order_id: order_id.to_string(),
            user_id: user_id.to_string(),
        };
        self.repeated("wallet", |caller| {
            let mut ledger = self.ledger.clone();
            let request = outgoing(caller, request.clone(), self.step_limit);
            async move { ledger.release(request).await }
        })
        .await
        .map(|_| ())
    }

    /// Brings the ledger to an order's totals; answers the version that stands.
    pub async fn record_delivery(&self, request: RecordDeliveryRequest) -> Result<i64, PlanError> {
        self.repeated("wallet", |caller| {
            let mut ledger = self.ledger.clone();
            let request = outgoing(caller, request.clone(), self.step_limit);
            async move { ledger.record_delivery(request).await }
        })
        .await
        .map(|answer| answer.version)
    }

    /// Pays out what an order earned.
    pub async fn settle(&self, request: SettleRequest) -> Result<SettleResponse, PlanError> {
        self.repeated("wallet", |caller| {
            let mut ledger = self.ledger.clone();
            let request = outgoing(caller, request.clone(), self.step_limit);
            async move { ledger.settle(request).await }
        })
        .await
    }

    /// The system calls on its own behalf: a saga must not end with the deadline of whoever began it.
    fn caller(&self) -> Caller {
        Caller {
            deadline: Deadline::after(self.step_limit),
            ..Caller::system()
        }
    }

    async fn repeated<T, F, Fut>(&self, peer: &'static str, call: F) -> Result<T, PlanError>
    where
        F: Fn(&Caller) -> Fut,
        Fut: Future<Output = Result<Response<T>, Status>>,
    {
        let caller = self.caller();
        let answer = call_with_retry(RetryPolicy::within(caller.deadline), || call(&caller)).await;
        answer
            .map(Response::into_inner)
            .map_err(|status| failed(peer, status))
    }
}

/// A peer's refusal is the business' word; everything else only says that it could not be asked now.
fn failed(peer: &'static str, status: Status) -> PlanError {
    let transient = [
        Reason::Internal,
        Reason::Unavailable,
        Reason::TooManyAttempts,
        Reason::NotAuthenticated,
        Reason::Forbidden,
    ];
    match Refusal::from_status(&status) {
        Some(refusal) if !transient.contains(&refusal.reason) => refusal.into(),
        _ => PlanError::Peer {
            peer,
            source: Box::new(status),
        },
    }
}
