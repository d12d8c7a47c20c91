//! A running acceptor service and the people who use it.

use std::ops::{Deref, DerefMut};
use std::time::Duration;

use adfolio_acceptor::Config;
use adfolio_kit::client::Channel;
use adfolio_kit::db::Schema;
use adfolio_kit::identity::{Caller, StaffRole};
use adfolio_kit::refusal::Refusal;
use adfolio_proto::acceptor::v1 as pb;
use adfolio_proto::acceptor::v1::acceptor_admin_service_client::AcceptorAdminServiceClient;
use adfolio_proto::acceptor::v1::acceptor_service_client::AcceptorServiceClient;
use adfolio_proto::common::v1::PageRequest;
use adfolio_testkit::{Builder, Environment, Run, TestService, Tested};

use crate::services::{self, RIGHT, Wallet};

pub use adfolio_testkit::callers::{call, refused, staff, user, user_id, why, with_key};
pub use adfolio_testkit::directory::NOBODY;

/// The service with its own database, broker namespace and clock, beside a stand-in for wallet.
pub struct Acceptor {
    pub wallet: Wallet,
    service: TestService<Config>,
}

impl Tested for Acceptor {
    type Config = Config;
    type Peers = Wallet;
    const SCHEMA: &'static Schema = &adfolio_acceptor::SCHEMA;
    const RUN: Run<Config> = adfolio_acceptor::run;

    async fn set_up(environment: &Environment) -> (Config, Wallet) {
        let wallet = Wallet::default();
        let config = Config {
            exchange_min: "5.00".parse().unwrap(),
            exchange_max: "900.00".parse().unwrap(),
            exchange_order_ttl_seconds: 3_600,
            exchange_sweep_interval_ms: 100,
            recovery_after_ms: 4_000,
            clock: environment.clock.clone(),
            ..environment.config(&[
                "--auth-url",
                &environment.directory.url,
                "--wallet-url",
                &services::serve_wallet(&wallet).await,
                // Most tests complete as one person.
                "--adfolio-demo",
                "1",
                "--four-eyes-above",
                "off",
            ])
        };
        (config, wallet)
    }

    fn assemble(service: TestService<Config>, wallet: Wallet) -> Self {
        Self { wallet, service }
    }
}

impl Deref for Acceptor {
    type Target = TestService<Config>;

    fn deref(&self) -> &Self::Target {
        &self.service
    }
}

impl DerefMut for Acceptor {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.service
    }
}

impl Acceptor {
    pub fn builder() -> Builder<Self> {
        Builder::default()
    }

    pub async fn spawn() -> Self {
        Self::builder().spawn().await
    }

    /// Ends all replicas in the middle of whatever they do, and starts others. Those take up at once what was leased,
    /// not when the leases have run out.
    pub async fn crash(&mut self) {
        self.service.crash().await;
        self.hasten().await;
    }

    /// Makes every postponed or leased order due at once.
    pub async fn hasten(&self) {
        sqlx::query(
            "UPDATE exchanges SET lease_until = '-infinity', next_attempt_at = '-infinity'",
        )
        .execute(&self.db.pool())
        .await
        .unwrap();
    }

    pub fn staff(&self) -> AcceptorAdminServiceClient<Channel> {
        AcceptorAdminServiceClient::new(self.channel())
    }

    pub async fn try_acceptor(
        &self,
        caller: &Caller,
        request: pb::CreateAcceptorRequest,
    ) -> Result<pb::Acceptor, Refusal> {
        let answer = self
            .staff()
            .create_acceptor(call(caller, request))
            .await
            .map_err(refused)?;
        Ok(answer.into_inner().acceptor.expect("the acceptor"))
    }

    pub async fn acceptor(&self, kind: pb::AcceptorKind) -> pb::Acceptor {
        let request = pb::CreateAcceptorRequest {
            kind: kind.into(),
            name: "Ada".to_owned(),
            rating_tenths: 47,
        };
        self.try_acceptor(&finance(), request)
            .await
            .expect("an acceptor")
    }

    pub async fn try_code(
        &self,
        caller: &Caller,
        request: pb::CreateAcceptanceCodeRequest,
    ) -> Result<pb::CreateAcceptanceCodeResponse, Refusal> {
        Ok(self
            .staff()
            .create_acceptance_code(call(caller, request))
            .await
            .map_err(refused)?
            .into_inner())
    }

    /// A random code of a personal acceptor, for anyone, good for a day.
    pub async fn code(&self) -> pb::CreateAcceptanceCodeResponse {
        let acceptor = self.acceptor(pb::AcceptorKind::Personal).await;
        self.try_code(&finance(), self.request(&acceptor))
            .await
            .expect("a code")
    }

    /// A request for such a code.
    pub fn request(&self, acceptor: &pb::Acceptor) -> pb::CreateAcceptanceCodeRequest {
        let offer = pb::Offer {
            direction: pb::ExchangeDirection::WalletToCurrency.into(),
            currency: "EUR".to_owned(),
            rate: "0.92150".to_owned(),
            min_minor: 1_000,
            max_minor: 100_000,
            expires_at: Some((self.clock.now() + Duration::from_hours(24)).into()),
            ..pb::Offer::default()
        };
        pb::CreateAcceptanceCodeRequest {
            acceptor_id: acceptor.id.clone(),
            offer: Some(offer),
            ..pb::CreateAcceptanceCodeRequest::default()
        }
    }

    /// A code of a personal acceptor for exchanges in this direction.
    pub async fn code_for(&self, direction: pb::ExchangeDirection) -> String {
        let acceptor = self.acceptor(pb::AcceptorKind::Personal).await;
        let mut request = self.request(&acceptor);
        if let Some(offer) = &mut request.offer {
            offer.direction = direction.into();
        }
        self.try_code(&finance(), request)
            .await
            .expect("a code")
            .code
    }

    pub fn users(&self) -> AcceptorServiceClient<Channel> {
        AcceptorServiceClient::new(self.channel())
    }

    pub async fn exchange(
        &self,
        caller: &Caller,
        code: &str,
        amount_minor: i64,
    ) -> Result<pb::Exchange, Refusal> {
        self.exchange_request(caller, exchange_of(code, amount_minor))
            .await
    }

    pub async fn exchange_request(
        &self,
        caller: &Caller,
        request: pb::CreateExchangeRequest,
    ) -> Result<pb::Exchange, Refusal> {
        let answer = self.users().create_exchange(call(caller, request)).await;
        let answer = answer.map_err(refused)?.into_inner();
        Ok(answer.exchange.expect("the order"))
    }

    pub async fn cancel(&self, caller: &Caller, id: &str) -> Result<pb::Exchange, Refusal> {
        let request = pb::CancelExchangeRequest {
            exchange_id: id.to_owned(),
        };
        let answer = self.users().cancel_exchange(call(caller, request)).await;
        let answer = answer.map_err(refused)?.into_inner();
        Ok(answer.exchange.expect("the order"))
    }

    pub async fn decide(
        &self,
        caller: &Caller,
        id: &str,
        decision: pb::ExchangeDecision,
    ) -> Result<pb::Exchange, Refusal> {
        let request = pb::DecideExchangeRequest {
            exchange_id: id.to_owned(),
            decision: decision.into(),
            reason: "seen".to_owned(),
        };
        let answer = self.staff().decide_exchange(call(caller, request)).await;
        let answer = answer.map_err(refused)?.into_inner();
        Ok(answer.exchange.expect("the order"))
    }

    pub async fn exchanges(&self, caller: &Caller) -> Vec<pb::Exchange> {
        let request = pb::ListExchangesRequest {
            page: Some(PageRequest {
                cursor: String::new(),
                limit: 100,
            }),
        };
        let answer = self.users().list_exchanges(call(caller, request)).await;
        answer.expect("a list").into_inner().items
    }

    /// The states of all orders, the inner ones included, oldest first.
    pub async fn states(&self) -> Vec<String> {
        sqlx::query_scalar("SELECT state FROM exchanges ORDER BY id")
            .fetch_all(&self.db.pool())
            .await
            .unwrap()
    }

    pub async fn look_up(
        &self,
        caller: &Caller,
        kind: pb::AcceptorKind,
        code: &str,
    ) -> Result<pb::GetAcceptorDetailResponse, Refusal> {
        let request = pb::GetAcceptorDetailRequest {
            kind: kind.into(),
            code: code.to_owned(),
        };
        Ok(self
            .users()
            .get_acceptor_detail(call(caller, request))
            .await
            .map_err(refused)?
            .into_inner())
    }
}

pub fn finance() -> Caller {
    staff(StaffRole::Finance)
}

/// A request with the right transaction password.
pub fn exchange_of(code: &str, amount_minor: i64) -> pb::CreateExchangeRequest {
    pb::CreateExchangeRequest {
        kind: pb::AcceptorKind::Personal.into(),
        code: code.to_owned(),
        amount_minor,
        password: RIGHT.to_owned(),
    }
}
