//! The other services that wallet asks: auth about users, plan and coupon about their books.

use std::time::Duration;

use adfolio_kit::client::{
    Channel, ClientOptions, RetryPolicy, call_with_retry, connect_to, outgoing,
};
use adfolio_kit::config::ConfigError;
use adfolio_kit::identity::Caller;
use adfolio_kit::refusal::Refusal;
use adfolio_kit::tls::Tls;
use adfolio_proto::auth::v1::user_directory_service_client::UserDirectoryServiceClient;
use adfolio_proto::auth::v1::{GrantMembershipRequest, LookUpUsersRequest};
use adfolio_proto::coupon::v1::coupon_reservation_service_client::CouponReservationServiceClient;
use adfolio_proto::coupon::v1::{GetRedeemedTotalRequest, GetRedeemedTotalResponse};
use adfolio_proto::plan::v1::plan_reconcile_service_client::PlanReconcileServiceClient;
use adfolio_proto::plan::v1::{HoldBook, ListHoldsRequest};
use tonic::Status;
use tracing::warn;
use uuid::Uuid;

use crate::config::PeerArgs;
use crate::error::WalletError;

/// A call to another service may take this long.
const CALL_LIMIT: Duration = Duration::from_secs(3);

/// Clients of the other services. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Peers {
    users: UserDirectoryServiceClient<Channel>,
    plans: PlanReconcileServiceClient<Channel>,
    coupons: CouponReservationServiceClient<Channel>,
}

impl Peers {
    /// Clients for the configured addresses. Nothing is connected yet.
    pub fn connect(args: &PeerArgs, tls: Option<&Tls>) -> Result<Self, ConfigError> {
        let open = |service, url: &str| connect_to(service, url, ClientOptions::default(), tls);
        Ok(Self {
            users: UserDirectoryServiceClient::new(open("auth", &args.auth_url)?),
            plans: PlanReconcileServiceClient::new(open("plan", &args.plan_url)?),
            coupons: CouponReservationServiceClient::new(open("coupon", &args.coupon_url)?),
        })
    }

    /// NOT_FOUND of `user_id` unless the user exists.
    pub async fn require_user(&self, caller: &Caller, user_id: Uuid) -> Result<(), WalletError> {
        let message = LookUpUsersRequest {
            user_ids: vec![user_id.to_string()],
        };
        let answer = call_with_retry(RetryPolicy::within(caller.deadline), || {
            let mut users = self.users.clone();
            let request = outgoing(caller, message.clone(), CALL_LIMIT);
            async move { users.look_up_users(request).await }
        })
        .await
        .map_err(|status| failed("auth", status))?;
        if answer.into_inner().users.is_empty() {
            Err(Refusal::not_found("user_id").into())
        } else {
            Ok(())
        }
    }

    /// Makes a user a member at once. Whoever cannot be reached now learns it from the event.
    pub async fn grant_membership(&self, caller: &Caller, user_id: Uuid) {
        let message = GrantMembershipRequest {
            user_id: user_id.to_string(),
        };
        let answer = call_with_retry(RetryPolicy::within(caller.deadline), || {
            let mut users = self.users.clone();
            let request = outgoing(caller, message.clone(), CALL_LIMIT);
            async move { users.grant_membership(request).await }
        })
        .await;
        if let Err(status) = answer {
            warn!(%user_id, code = ?status.code(), "membership is granted by its event later");
        }
    }

    /// What plan's books say of the orders that hold money, in order of id, behind `after`.
    pub async fn list_holds(
        &self,
        after: Option<Uuid>,
        limit: u32,
    ) -> Result<Vec<HoldBook>, WalletError> {
        let message = ListHoldsRequest {
            after_order_id: after.map(|id| id.to_string()).unwrap_or_default(),
            limit,
        };
        let caller = Caller::system();
        let answer = call_with_retry(RetryPolicy::within(caller.deadline), || {
            let mut plans = self.plans.clone();
            let request = outgoing(&caller, message.clone(), CALL_LIMIT);
            async move { plans.list_holds(request).await }
        })
        .await
        .map_err(|status| failed("plan", status))?;
        Ok(answer.into_inner().items)
    }

    /// What coupon's books say that coupons cost.
    pub async fn redeemed_total(&self) -> Result<GetRedeemedTotalResponse, WalletError> {
        let caller = Caller::system();
        let answer = call_with_retry(RetryPolicy::within(caller.deadline), || {
            let mut coupons = self.coupons.clone();
            let request = outgoing(&caller, GetRedeemedTotalRequest {}, CALL_LIMIT);
            async move { coupons.get_redeemed_total(request).await }
        })
        .await
        .map_err(|status| failed("coupon", status))?;
        Ok(answer.into_inner())
    }
}

fn failed(peer: &'static str, source: Status) -> WalletError {
    WalletError::Peer {
        peer,
        source: Box::new(source),
    }
}
