//! A running coupon service and the people who use it.

use std::ops::Deref;

use adfolio_coupon::Config;
use adfolio_kit::client::Channel;
use adfolio_kit::db::Schema;
use adfolio_kit::identity::{Caller, StaffRole};
use adfolio_kit::refusal::Refusal;
use adfolio_proto::common::v1::PageRequest;
use adfolio_proto::coupon::v1 as pb;
use adfolio_proto::coupon::v1::coupon_admin_service_client::CouponAdminServiceClient;
use adfolio_proto::coupon::v1::coupon_reservation_service_client::CouponReservationServiceClient;
use adfolio_proto::coupon::v1::coupon_service_client::CouponServiceClient;
use adfolio_testkit::{Builder, Environment, Run, TestService, Tested};
use uuid::Uuid;

pub use adfolio_testkit::callers::{call, in_zone, refused, staff, user, user_id, why, with_key};
pub use adfolio_testkit::directory::NOBODY;

pub const PLAN_STATUS_CHANGED: &str = "adfolio.plan.v1.PlanStatusChanged";

/// The service with its own database, broker namespace and clock.
pub struct Coupon(TestService<Config>);

impl Tested for Coupon {
    type Config = Config;
    type Peers = ();
    const SCHEMA: &'static Schema = &adfolio_coupon::SCHEMA;
    const RUN: Run<Config> = adfolio_coupon::run;

    async fn set_up(environment: &Environment) -> (Config, ()) {
        environment
            .broker
            .declare_queue("coupon", "plans", &[PLAN_STATUS_CHANGED])
            .await;
        let config = Config {
            clock: environment.clock.clone(),
            ..environment.config(&[
                "--auth-url",
                &environment.directory.url,
                "--expiry-sweep-seconds",
                "1",
                // Most tests make campaigns as one person.
                "--adfolio-demo",
                "1",
                "--four-eyes-above",
                "off",
            ])
        };
        (config, ())
    }

    fn assemble(service: TestService<Config>, (): ()) -> Self {
        Self(service)
    }
}

impl Deref for Coupon {
    type Target = TestService<Config>;

    fn deref(&self) -> &Self::Target {
        &self.0
    }
}

impl Coupon {
    pub fn builder() -> Builder<Self> {
        Builder::default()
    }

    pub async fn spawn() -> Self {
        Self::builder().spawn().await
    }

    pub fn users(&self) -> CouponServiceClient<Channel> {
        CouponServiceClient::new(self.channel())
    }

    pub fn saga(&self) -> CouponReservationServiceClient<Channel> {
        CouponReservationServiceClient::new(self.channel())
    }

    pub fn staff(&self) -> CouponAdminServiceClient<Channel> {
        CouponAdminServiceClient::new(self.channel())
    }

    /// Makes a campaign as an operator.
    pub async fn campaign(&self, campaign: pb::Campaign) -> pb::Campaign {
        self.try_campaign(&operator(), campaign)
            .await
            .expect("a campaign")
    }

    pub async fn try_campaign(
        &self,
        caller: &Caller,
        campaign: pb::Campaign,
    ) -> Result<pb::Campaign, Refusal> {
        let request = pb::CreateCampaignRequest {
            campaign: Some(campaign),
        };
        let answer = self
            .staff()
            .create_campaign(call(caller, request))
            .await
            .map_err(refused)?;
        Ok(answer.into_inner().campaign.expect("the campaign"))
    }

    pub async fn claim(&self, caller: &Caller, campaign: &str) -> Result<pb::Coupon, Refusal> {
        let request = pb::ReceiveCouponRequest {
            campaign_id: campaign.to_owned(),
        };
        let answer = self
            .users()
            .receive_coupon(call(caller, request))
            .await
            .map_err(refused)?;
        Ok(answer.into_inner().coupon.expect("the coupon"))
    }

    pub async fn grant(
        &self,
        caller: &Caller,
        campaign: &str,
        user_id: &str,
    ) -> Result<pb::Coupon, Refusal> {
        let request = pb::GrantCouponRequest {
            campaign_id: campaign.to_owned(),
            user_id: user_id.to_owned(),
        };
        let answer = self
            .staff()
            .grant_coupon(call(caller, request))
            .await
            .map_err(refused)?;
        Ok(answer.into_inner().coupon.expect("the coupon"))
    }

    /// A user with a fresh coupon worth 5.00 on puts from 10.00.
    pub async fn user_with_coupon(&self) -> (Caller, pb::Coupon) {
        let campaign = self
            .campaign(periodic(&format!("Boost {}", Uuid::now_v7())))
            .await;
        let user = user();
        let coupon = self.claim(&user, &campaign.id).await.expect("a coupon");
        (user, coupon)
    }

    pub async fn list(&self, caller: &Caller, state: pb::CouponState) -> pb::ListCouponsResponse {
        self.list_page(caller, state, "", 100)
            .await
            .expect("a list")
    }

    pub async fn list_page(
        &self,
        caller: &Caller,
        state: pb::CouponState,
        cursor: &str,
        limit: u32,
    ) -> Result<pb::ListCouponsResponse, Refusal> {
        let page = Some(PageRequest {
            cursor: cursor.to_owned(),
            limit,
        });
        let request = pb::ListCouponsRequest {
            state: state.into(),
            page,
        };
        Ok(self
            .users()
            .list_coupons(call(caller, request))
            .await
            .map_err(refused)?
            .into_inner())
    }

    /// A user's coupons as the service counts them.
    pub async fn counts(&self, caller: &Caller) -> Counts {
        let counts = self.list(caller, pb::CouponState::Unused).await.counts;
        let of = |state: pb::CouponState| {
            counts
                .iter()
                .find(|count| count.state() == state)
                .map(|count| count.count)
                .expect("every state is counted")
        };
        Counts {
            unused: of(pb::CouponState::Unused),
            used: of(pb::CouponState::Used),
            expired: of(pb::CouponState::Expired),
        }
    }

    pub async fn reserve(
        &self,
        order: Uuid,
        caller: &Caller,
        coupon: &str,
        amount_minor: i64,
    ) -> Result<pb::ReserveResponse, Refusal> {
        let request = pb::ReserveRequest {
            order_id: order.to_string(),
            user_id: user_id(caller),
            user_coupon_id: coupon.to_owned(),
            amount_minor,
        };
        Ok(self
            .saga()
            .reserve(call(&Caller::system(), request))
            .await
            .map_err(refused)?
            .into_inner())
    }

    pub async fn redeem(&self, order: Uuid, caller: &Caller) -> Result<(), Refusal> {
        let request = pb::RedeemRequest {
            order_id: order.to_string(),
            user_id: user_id(caller),
        };
        self.saga()
            .redeem(call(&Caller::system(), request))
            .await
            .map(|_| ())
            .map_err(refused)
    }

    pub async fn release(&self, order: Uuid, caller: &Caller) -> Result<(), Refusal> {
        let request = pb::ReleaseRequest {
            order_id: order.to_string(),
            user_id: user_id(caller),
        };
        self.saga()
            .release(call(&Caller::system(), request))
            .await
            .map(|_| ())
            .map_err(refused)
    }

    /// The cost of all coupons.
    pub async fn totals(&self) -> Totals {
        let request = call(&Caller::system(), pb::GetRedeemedTotalRequest {});
        let totals = self
            .saga()
            .get_redeemed_total(request)
            .await
            .expect("the totals")
            .into_inner();
        Totals {
            redeemed: totals.redeemed_minor,
            reserved: totals.reserved_minor,
        }
    }
}

/// How many coupons a user has: `Counts::NONE.unused(2).used(1)`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Counts {
    unused: i64,
    used: i64,
    expired: i64,
}

impl Counts {
    pub const NONE: Self = Self {
        unused: 0,
        used: 0,
        expired: 0,
    };

    pub fn unused(self, unused: i64) -> Self {
        Self { unused, ..self }
    }

    pub fn used(self, used: i64) -> Self {
        Self { used, ..self }
    }

    pub fn expired(self, expired: i64) -> Self {
        Self { expired, ..self }
    }
}

/// The cost of coupons in minor units; `redeemed` includes what is only `reserved`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Totals {
    pub redeemed: i64,
    pub reserved: i64,
}

pub fn operator() -> Caller {
    staff(StaffRole::Operator)
}

/// A periodic campaign: 5.00 off puts from 10.00, valid for a week.
pub fn periodic(name: &str) -> pb::Campaign {
    pb::Campaign {
        name: name.to_owned(),
        r#type: pb::CouponType::FixedAmount.into(),
        mode: pb::CouponMode::Deduction.into(),
        value_minor: 500,
        amount_requirement_minor: 1_000,
        kind: pb::CampaignKind::Periodic.into(),
        valid_days: 7,
        ..pb::Campaign::default()
    }
}

pub fn new_user(name: &str) -> pb::Campaign {
    pb::Campaign {
        kind: pb::CampaignKind::NewUser.into(),
        ..periodic(name)
    }
}
