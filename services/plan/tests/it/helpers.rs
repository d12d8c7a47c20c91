//! A running plan service, with the real wallet and coupon, and the people who use it.

use std::collections::HashMap;
use std::ops::{Deref, DerefMut};
use std::time::Duration;

use adfolio_kit::client::{Channel, outgoing};
use adfolio_kit::db::Schema;
use adfolio_kit::identity::{Caller, StaffRole};
use adfolio_kit::refusal::{Reason, Refusal};
use adfolio_plan::Config;
use adfolio_proto::common::v1::PageRequest;
use adfolio_proto::coupon::v1 as coupon;
use adfolio_proto::coupon::v1::coupon_admin_service_client::CouponAdminServiceClient;
use adfolio_proto::coupon::v1::coupon_service_client::CouponServiceClient;
use adfolio_proto::plan::v1 as pb;
use adfolio_proto::plan::v1::import_delivery_request::Part;
use adfolio_proto::plan::v1::plan_admin_service_client::PlanAdminServiceClient;
use adfolio_proto::plan::v1::plan_reconcile_service_client::PlanReconcileServiceClient;
use adfolio_proto::plan::v1::plan_service_client::PlanServiceClient;
use adfolio_proto::plan::v1::put_plan_request::Target;
use adfolio_proto::plan::v1::*;
use adfolio_proto::wallet::v1 as wallet;
use adfolio_proto::wallet::v1::wallet_admin_service_client::WalletAdminServiceClient;
use adfolio_testkit::{Builder, Environment, Run, TestService, Tested};
use uuid::Uuid;

use crate::peers::Peer;

pub use adfolio_testkit::callers::{call, refused, staff, user, user_id, why, with_key};
pub use adfolio_testkit::directory::NOBODY;

const IMPORT_LIMIT: Duration = Duration::from_mins(1);

/// The service with its own database, broker namespace and clock; wallet and coupon can be cut off.
pub struct Plan {
    service: TestService<Config>,
    pub wallet: Peer,
    pub coupon: Peer,
}

/// Money of a user, in minor units.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Money {
    pub available: i64,
    pub to_be_consumed: i64,
    pub to_be_settled: i64,
}

/// Coupons of a user.
#[derive(Debug, PartialEq, Eq)]
pub struct CouponCounts {
    pub unused: i64,
    pub used: i64,
}

impl Tested for Plan {
    type Config = Config;
    type Peers = (Peer, Peer);
    const SCHEMA: &'static Schema = &adfolio_plan::SCHEMA;
    const RUN: Run<Config> = adfolio_plan::run;

    async fn set_up(environment: &Environment) -> (Config, (Peer, Peer)) {
        environment.broker.clean_up("coupon", "plans");
        environment.broker.clean_up("plan", "delivery");
        let wallet = Peer::wallet(environment).await;
        let coupon = Peer::coupon(environment).await;
        let config = Config {
            clock: environment.clock.clone(),
            ..environment.config(&[
                "--auth-url",
                &environment.directory.url,
                "--wallet-url",
                &wallet.url(),
                "--coupon-url",
                &coupon.url(),
                "--recovery-after-ms",
                "4000",
                "--sweep-interval-ms",
                "100",
            ])
        };
        (config, (wallet, coupon))
    }

    fn assemble(service: TestService<Config>, (wallet, coupon): (Peer, Peer)) -> Self {
        Self {
            service,
            wallet,
            coupon,
        }
    }
}

impl Deref for Plan {
    type Target = TestService<Config>;

    fn deref(&self) -> &Self::Target {
        &self.service
    }
}

impl DerefMut for Plan {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.service
    }
}

impl Plan {
    pub fn builder() -> Builder<Self> {
        Builder::default()
    }

    pub async fn spawn() -> Self {
        Self::builder().spawn().await
    }

    pub fn users(&self) -> PlanServiceClient<Channel> {
        PlanServiceClient::new(self.channel())
    }

    pub fn staff(&self) -> PlanAdminServiceClient<Channel> {
        PlanAdminServiceClient::new(self.channel())
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
        let finance = staff(StaffRole::Finance);
        let request = wallet::DepositRequest {
            user_id: user_id(caller),
            amount_minor: minor,
            remark: "test".into(),
        };
        WalletAdminServiceClient::new(self.wallet.service.channel())
            .deposit(call(&finance, request))
            .await
            .unwrap();
    }

    pub async fn property(&self, caller: &Caller) -> wallet::Property {
        let finance = staff(StaffRole::Finance);
        let request = wallet::GetUserPropertyRequest {
            user_id: user_id(caller),
        };
        let answer = WalletAdminServiceClient::new(self.wallet.service.channel())
            .get_user_property(call(&finance, request))
            .await;
        answer.unwrap().into_inner().property.unwrap()
    }

    pub async fn money(&self, caller: &Caller) -> Money {
        let property = self.property(caller).await;
        Money {
            available: property.available_minor,
            to_be_consumed: property.to_be_consumed_minor,
            to_be_settled: property.to_be_settled_minor,
        }
    }

    pub async fn put(
        &self,
        caller: &Caller,
        product: &Product,
        minor: i64,
    ) -> Result<pb::Plan, Refusal> {
        self.put_request(caller, put_into(product, minor)).await
    }

    pub async fn put_request(
        &self,
        caller: &Caller,
        request: PutPlanRequest,
    ) -> Result<pb::Plan, Refusal> {
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
        let answer = CouponAdminServiceClient::new(self.coupon.service.channel())
            .create_campaign(call(&operator(), request))
            .await;
        let campaign_id = answer.unwrap().into_inner().campaign.unwrap().id;
        let request = coupon::ReceiveCouponRequest { campaign_id };
        let answer = CouponServiceClient::new(self.coupon.service.channel())
            .receive_coupon(call(caller, request))
            .await;
        answer.unwrap().into_inner().coupon.unwrap()
    }

    pub async fn coupon_counts(&self, caller: &Caller) -> CouponCounts {
        let request = coupon::ListCouponsRequest::default();
        let answer = CouponServiceClient::new(self.coupon.service.channel())
            .list_coupons(call(caller, request))
            .await;
        let counts = answer.unwrap().into_inner().counts;
        let of = |state: coupon::CouponState| {
            counts
                .iter()
                .find(|count| count.state() == state)
                .map_or(0, |count| count.count)
        };
        CouponCounts {
            unused: of(coupon::CouponState::Unused),
            used: of(coupon::CouponState::Used),
        }
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

    pub async fn plan(&self, caller: &Caller, id: &str) -> pb::Plan {
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
            user_ids: users.iter().map(|user| user_id(user)).collect(),
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

    /// Imports a file in pieces small enough to cut its lines; a second operator releases it.
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
            dry_run: false,
            signature: Vec::new(),
        };
        let mut answer = self.propose(caller, header, file).await?;
        if answer.state() == ImportState::Proposed {
            let rules = answer.notable.iter().map(|notable| notable.rule.as_str());
            let reason = format!("as reported: {}", rules.collect::<Vec<_>>().join(", "));
            let import = self
                .decide(
                    &operator(),
                    &answer.import_id,
                    ImportDecision::Released,
                    &reason,
                )
                .await?;
            answer.applied = import.applied;
            answer.restated = import.restated;
            answer.repeated_rows += import.repeated_rows;
            answer.rejected.extend(import.rejected);
            answer.rejected.sort_by_key(|row| row.line);
            answer.rejected_count += import.rejected_count;
            answer.state = import.state;
        }
        Ok(answer)
    }

    pub async fn decide(
        &self,
        caller: &Caller,
        import_id: &str,
        decision: ImportDecision,
        reason: &str,
    ) -> Result<DeliveryImport, Refusal> {
        let request = DecideDeliveryImportRequest {
            import_id: import_id.to_owned(),
            decision: decision.into(),
            reason: reason.to_owned(),
        };
        let answer = self
            .staff()
            .decide_delivery_import(call(caller, request))
            .await;
        Ok(answer.map_err(refused)?.into_inner().import.unwrap())
    }

    /// The newest imports in a state, or in any that staff see.
    pub async fn imports(&self, state: ImportState) -> Vec<DeliveryImport> {
        let request = ListDeliveryImportsRequest {
            state: state.into(),
            page: Some(PageRequest::default()),
        };
        let answer = self
            .staff()
            .list_delivery_imports(call(&operator(), request))
            .await;
        answer.unwrap().into_inner().items
    }

    /// Sends a file, in pieces small enough to cut its lines.
    pub async fn propose(
        &self,
        caller: &Caller,
        header: ImportHeader,
        file: &[u8],
    ) -> Result<ImportDeliveryResponse, Refusal> {
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

    pub async fn cancel(&self, caller: &Caller, id: &str) -> Result<pb::Plan, Refusal> {
        let request = CancelPlanRequest { plan_id: id.into() };
        let answer = self.users().cancel_plan(call(caller, request)).await;
        Ok(answer.map_err(refused)?.into_inner().plan.unwrap())
    }

    pub async fn finish(&self, id: &str, outcome: FinishOutcome) -> Result<pb::Plan, Refusal> {
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

    /// Two operators settle a plan.
    pub async fn settle(&self, id: &str) -> Result<pb::Plan, Refusal> {
        match self.settle_as(&operator(), id).await {
            Err(refusal) if refusal.reason == Reason::ApprovalRequired => {
                self.settle_as(&operator(), id).await
            }
            outcome => outcome,
        }
    }

    pub async fn settle_as(&self, caller: &Caller, id: &str) -> Result<pb::Plan, Refusal> {
        let request = SettlePlanRequest { plan_id: id.into() };
        Ok(self
            .staff()
            .settle_plan(call(caller, request))
            .await
            .map_err(refused)?
            .into_inner()
            .plan
            .unwrap())
    }

    pub async fn holds(&self) -> HashMap<String, HoldBook> {
        let request = ListHoldsRequest::default();
        let answer = PlanReconcileServiceClient::new(self.channel())
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

pub fn operator() -> Caller {
    staff(StaffRole::Operator)
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

pub fn id_of(staff: &Caller) -> String {
    staff.staff.expect("a member of staff").id.to_string()
}
