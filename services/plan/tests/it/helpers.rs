//! Plan with everything around it.

use std::collections::HashMap;
use std::time::Duration;

use adfolio_kit::client::{Channel, outgoing};
use adfolio_kit::clock::{Clock, Ids};
use adfolio_kit::config::{ServerArgs, TelemetryArgs};
use adfolio_kit::identity::{Caller, StaffRole, UserId};
use adfolio_kit::refusal::{Reason, Refusal};
use adfolio_plan::config::{PlanConfig, SimulatorArgs};
use adfolio_proto::coupon::v1 as coupon;
use adfolio_proto::coupon::v1::coupon_admin_service_client::CouponAdminServiceClient;
use adfolio_proto::coupon::v1::coupon_service_client::CouponServiceClient;
use adfolio_proto::plan::v1::import_delivery_request::Part;
use adfolio_proto::plan::v1::plan_admin_service_client::PlanAdminServiceClient;
use adfolio_proto::plan::v1::plan_reconcile_service_client::PlanReconcileServiceClient;
use adfolio_proto::plan::v1::plan_service_client::PlanServiceClient;
use adfolio_proto::plan::v1::put_plan_request::Target;
use adfolio_proto::plan::v1::*;
use adfolio_proto::wallet::v1 as wallet;
use adfolio_proto::wallet::v1::wallet_admin_service_client::WalletAdminServiceClient;
use adfolio_testkit::{Proxy, RunningService, TestBroker, TestDatabase, fixed_clock};
use tonic::{Request, Status};
use uuid::Uuid;

use crate::services;

const CALL_LIMIT: Duration = Duration::from_secs(10);
const IMPORT_LIMIT: Duration = Duration::from_mins(1);

/// Plan, wallet and coupon; wallet and coupon can be cut off.
pub struct Stack {
    pub clock: Clock,
    pub plan: RunningService,
    pub wallet: RunningService,
    pub coupon: RunningService,
    pub wallet_link: Proxy,
    pub coupon_link: Proxy,
    pub broker: TestBroker,
    pub db: TestDatabase,
    config: PlanConfig,
    pub wallet_db: TestDatabase,
    _coupon_db: TestDatabase,
}

impl Stack {
    /// At ten in the morning of a Friday, UTC.
    pub async fn start() -> Self {
        Self::start_at("2026-11-20T10:00:00Z").await
    }

    pub async fn start_at(now: &str) -> Self {
        Self::start_with(now, |_| {}).await
    }

    pub async fn start_with(now: &str, change: impl FnOnce(&mut PlanConfig)) -> Self {
        let broker = TestBroker::namespace();
        broker.clean_up("coupon", "plans");
        let clock = fixed_clock(now);
        let auth_url = services::serve_directory().await;
        let wallet_db = TestDatabase::create(&[&adfolio_wallet::MIGRATOR]).await;
        let coupon_db = TestDatabase::create(&[&adfolio_coupon::MIGRATOR]).await;
        let db = TestDatabase::create(&[&adfolio_plan::MIGRATOR]).await;
        let wallet = services::start_wallet(&wallet_db, &broker, &auth_url).await;
        let coupon = services::start_coupon(&coupon_db, &broker, &clock, &auth_url).await;
        let wallet_link = Proxy::start(&wallet.address.to_string()).await;
        let coupon_link = Proxy::start(&coupon.address.to_string()).await;
        let mut config = PlanConfig {
            server: ServerArgs::default(),
            telemetry: TelemetryArgs::default(),
            database: db.args(),
            broker: broker.args(),
            wallet_url: format!("http://{}", wallet_link.address()),
            coupon_url: format!("http://{}", coupon_link.address()),
            auth_url,
            settlement_delay_seconds: 3 * 86_400,
            put_window_days: 30,
            push_expiry_days: 7,
            simulator: SimulatorArgs::default(),
            platform_share_basis_points: 0,
            recovery_after_ms: 4_000,
            sweep_interval_ms: 100,
            clock: clock.clone(),
            ids: Ids::random(),
        };
        change(&mut config);
        let plan = services::start_plan(&config).await;
        Self {
            clock,
            plan,
            wallet,
            coupon,
            wallet_link,
            coupon_link,
            broker,
            db,
            config,
            wallet_db,
            _coupon_db: coupon_db,
        }
    }

    /// A second replica of plan.
    pub async fn replica(&self) -> RunningService {
        services::start_plan(&self.config).await
    }

    /// Ends plan in the middle of whatever it does.
    pub async fn restart_plan(&mut self) {
        let fresh = services::start_plan(&self.config).await;
        std::mem::replace(&mut self.plan, fresh).kill().await;
    }

    /// Cuts plan off wallet, as if it were dead.
    pub fn cut_wallet(&self) {
        self.wallet_link.refuse(true);
        self.wallet_link.cut();
    }

    pub fn reach_wallet(&self) {
        self.wallet_link.refuse(false);
    }

    pub fn users(&self) -> PlanServiceClient<Channel> {
        PlanServiceClient::new(self.plan.channel())
    }

    pub fn staff(&self) -> PlanAdminServiceClient<Channel> {
        PlanAdminServiceClient::new(self.plan.channel())
    }

    /// A product from 10.00 to 10,000.00.
    pub async fn product(&self) -> Product {
        self.create_product(&operator(), product("Runner"))
            .await
            .unwrap()
    }

    pub async fn create_product(
        &self,
        caller: &Caller,
        product: Product,
    ) -> Result<Product, Refusal> {
        let request = CreateProductRequest {
            product: Some(product),
        };
        let answer = self
            .staff()
            .create_product(call(caller, request))
            .await
            .map_err(refused)?;
        Ok(answer.into_inner().product.unwrap())
    }

    /// A user with money.
    pub async fn user_with(&self, minor: i64) -> Caller {
        let caller = user();
        self.deposit(&caller, minor).await;
        caller
    }

    pub async fn deposit(&self, caller: &Caller, minor: i64) {
        let finance = Caller::staff(Uuid::now_v7(), StaffRole::Finance);
        let request = wallet::DepositRequest {
            user_id: id_of(caller),
            amount_minor: minor,
            remark: "test".into(),
        };
        WalletAdminServiceClient::new(self.wallet.channel())
            .deposit(call(&finance, request))
            .await
            .unwrap();
    }

    pub async fn property(&self, caller: &Caller) -> wallet::Property {
        let finance = Caller::staff(Uuid::now_v7(), StaffRole::Finance);
        let request = wallet::GetUserPropertyRequest {
            user_id: id_of(caller),
        };
        let answer = WalletAdminServiceClient::new(self.wallet.channel())
            .get_user_property(call(&finance, request))
            .await;
        answer.unwrap().into_inner().property.unwrap()
    }

    /// Available, to be consumed, to be settled.
    pub async fn money(&self, caller: &Caller) -> (i64, i64, i64) {
        let property = self.property(caller).await;
        (
            property.available_minor,
            property.to_be_consumed_minor,
            property.to_be_settled_minor,
        )
    }

    pub async fn put(
        &self,
        caller: &Caller,
        product: &Product,
        minor: i64,
    ) -> Result<Plan, Refusal> {
        self.put_request(caller, put_into(product, minor)).await
    }

    pub async fn put_request(
        &self,
        caller: &Caller,
        request: PutPlanRequest,
    ) -> Result<Plan, Refusal> {
        let answer = self
            .users()
            .put_plan(call(caller, request))
            .await
            .map_err(refused)?;
        Ok(answer.into_inner().plan.unwrap())
    }

    /// A user's coupon: 5.00 off puts from 10.00, unless changed.
    pub async fn coupon(
        &self,
        caller: &Caller,
        change: impl FnOnce(&mut coupon::Campaign),
    ) -> coupon::Coupon {
        let mut campaign = coupon::Campaign {
            name: format!("Boost {}", Uuid::now_v7()),
            r#type: coupon::CouponType::Deduction.into(),
            mode: coupon::CouponMode::Deduction.into(),
            value_minor: 500,
            amount_requirement_minor: 1_000,
            kind: coupon::CampaignKind::Periodic.into(),
            valid_days: 30,
            ..Default::default()
        };
        change(&mut campaign);
        let request = coupon::CreateCampaignRequest {
            campaign: Some(campaign),
        };
        let answer = CouponAdminServiceClient::new(self.coupon.channel())
            .create_campaign(call(&operator(), request))
            .await;
        let campaign_id = answer.unwrap().into_inner().campaign.unwrap().id;
        let request = coupon::ReceiveCouponRequest { campaign_id };
        let answer = CouponServiceClient::new(self.coupon.channel())
            .receive_coupon(call(caller, request))
            .await;
        answer.unwrap().into_inner().coupon.unwrap()
    }

    /// Unused and used coupons of a user.
    pub async fn coupon_counts(&self, caller: &Caller) -> (i64, i64) {
        let request = coupon::ListCouponsRequest::default();
        let answer = CouponServiceClient::new(self.coupon.channel())
            .list_coupons(call(caller, request))
            .await;
        let counts = answer.unwrap().into_inner().counts;
        let of = |state: coupon::CouponState| {
            counts
                .iter()
                .find(|count| count.state() == state)
                .map_or(0, |count| count.count)
        };
        (
            of(coupon::CouponState::Unused),
            of(coupon::CouponState::Used),
        )
    }

    pub async fn plan_of(&self, caller: &Caller, id: &str) -> Result<GetPlanResponse, Refusal> {
        let request = GetPlanRequest {
            plan_id: id.to_owned(),
        };
        Ok(self
            .users()
            .get_plan(call(caller, request))
            .await
            .map_err(refused)?
            .into_inner())
    }

    pub async fn plan(&self, caller: &Caller, id: &str) -> Plan {
        self.plan_of(caller, id).await.unwrap().plan.unwrap()
    }

    pub async fn list(&self, caller: &Caller) -> ListPlansResponse {
        self.users()
            .list_plans(call(caller, ListPlansRequest::default()))
            .await
            .unwrap()
            .into_inner()
    }

    pub async fn push(&self, product: &Product, users: &[&Caller]) -> Vec<PushedPlan> {
        let request = PushPlanRequest {
            product_id: product.id.clone(),
            amount_minor: 5_000,
            user_ids: users.iter().map(|user| id_of(user)).collect(),
            put_content: "Video".into(),
            put_rule: "Daily".into(),
            ..Default::default()
        };
        self.try_push(request).await.unwrap()
    }

    pub async fn try_push(&self, request: PushPlanRequest) -> Result<Vec<PushedPlan>, Refusal> {
        Ok(self
            .staff()
            .push_plan(call(&operator(), request))
            .await
            .map_err(refused)?
            .into_inner()
            .items)
    }

    /// Imports a file in pieces small enough to cut its lines.
    pub async fn import(&self, source: &str, mapping: &str, file: &str) -> ImportDeliveryResponse {
        self.try_import(
            &operator(),
            ImportFormat::Csv,
            source,
            mapping,
            file.as_bytes(),
        )
        .await
        .unwrap()
    }

    pub async fn try_import(
        &self,
        caller: &Caller,
        format: ImportFormat,
        source: &str,
        mapping: &str,
        file: &[u8],
    ) -> Result<ImportDeliveryResponse, Refusal> {
        let header = ImportHeader {
            format: format.into(),
            source: source.into(),
            mapping_json: mapping.into(),
        };
        let piece_length = if file.len() > 100_000 { 65_536 } else { 37 };
        let mut parts = vec![Part::Header(header)];
        parts.extend(
            file.chunks(piece_length)
                .map(|piece| Part::Chunk(piece.to_vec())),
        );
        let messages = parts
            .into_iter()
            .map(|part| ImportDeliveryRequest { part: Some(part) });
        let request = outgoing(
            caller,
            tokio_stream::iter(messages.collect::<Vec<_>>()),
            IMPORT_LIMIT,
        );
        Ok(self
            .staff()
            .import_delivery(request)
            .await
            .map_err(refused)?
            .into_inner())
    }

    pub async fn statistics(
        &self,
        caller: &Caller,
        range: StatisticsRange,
        zone: &str,
    ) -> GetStatisticsResponse {
        let request = GetStatisticsRequest {
            range: range.into(),
            time_zone: zone.into(),
        };
        self.users()
            .get_statistics(call(caller, request))
            .await
            .unwrap()
            .into_inner()
    }

    pub async fn finish(&self, id: &str, outcome: FinishOutcome) -> Result<Plan, Refusal> {
        let request = FinishPlanRequest {
            plan_id: id.into(),
            outcome: outcome.into(),
            reason: "by hand".into(),
        };
        Ok(self
            .staff()
            .finish_plan(call(&operator(), request))
            .await
            .map_err(refused)?
            .into_inner()
            .plan
            .unwrap())
    }

    pub async fn settle(&self, id: &str) -> Result<Plan, Refusal> {
        let request = SettlePlanRequest { plan_id: id.into() };
        Ok(self
            .staff()
            .settle_plan(call(&operator(), request))
            .await
            .map_err(refused)?
            .into_inner()
            .plan
            .unwrap())
    }

    pub async fn holds(&self) -> HashMap<String, HoldBook> {
        let request = ListHoldsRequest::default();
        let answer = PlanReconcileServiceClient::new(self.plan.channel())
            .list_holds(call(&Caller::system(), request))
            .await;
        answer
            .unwrap()
            .into_inner()
            .items
            .into_iter()
            .map(|hold| (hold.order_id.clone(), hold))
            .collect()
    }
}

pub fn call<T>(caller: &Caller, message: T) -> Request<T> {
    // A caller's deadline is that of one request; a test makes many.
    let fresh = Caller {
        deadline: adfolio_kit::deadline::Deadline::after(CALL_LIMIT),
        ..caller.clone()
    };
    outgoing(&fresh, message, CALL_LIMIT)
}

pub fn user() -> Caller {
    Caller::user(UserId(Uuid::now_v7()))
}

pub fn operator() -> Caller {
    Caller::staff(Uuid::now_v7(), StaffRole::Operator)
}

pub fn id_of(caller: &Caller) -> String {
    caller.user.unwrap().to_string()
}

pub fn keyed(caller: &Caller, key: &str) -> Caller {
    caller.clone().with_key(Some(key.parse().unwrap()))
}

#[allow(clippy::needless_pass_by_value, reason = "map_err hands it over")]
pub fn refused(status: Status) -> Refusal {
    Refusal::from_status(&status).unwrap_or_else(|| panic!("not a refusal: {status:?}"))
}

pub fn reason<T: std::fmt::Debug>(outcome: Result<T, Refusal>) -> (Reason, Option<String>) {
    let refusal = outcome.unwrap_err();
    (refusal.reason, refusal.field)
}

pub fn put_into(product: &Product, minor: i64) -> PutPlanRequest {
    PutPlanRequest {
        target: Some(Target::ProductId(product.id.clone())),
        amount_minor: minor,
        user_coupon_id: String::new(),
    }
}

pub fn put_plan(id: &str, minor: i64) -> PutPlanRequest {
    PutPlanRequest {
        target: Some(Target::PlanId(id.into())),
        amount_minor: minor,
        user_coupon_id: String::new(),
    }
}

pub fn product(name: &str) -> Product {
    Product {
        name: name.into(),
        category: "Games".into(),
        description: "Run".into(),
        content_types: vec![ContentType::Video.into()],
        put_min_minor: 1_000,
        put_max_minor: 1_000_000,
        ..Default::default()
    }
}

/// Counts by status that are not zero.
pub fn counts(answer: &ListPlansResponse) -> Vec<(PlanStatus, i64)> {
    answer
        .counts
        .iter()
        .filter(|count| count.count != 0)
        .map(|count| (count.status(), count.count))
        .collect()
}
