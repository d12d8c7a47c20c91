//! A running acceptor service and the people who use it.

use std::time::Duration;

use adfolio_acceptor::{Config, MIGRATOR};
use adfolio_kit::client::{Channel, outgoing};
use adfolio_kit::clock::Clock;
use adfolio_kit::config::{ServerArgs, TelemetryArgs};
use adfolio_kit::identity::{Caller, StaffRole, UserId};
use adfolio_kit::refusal::{Reason, Refusal};
use adfolio_proto::acceptor::v1 as pb;
use adfolio_proto::acceptor::v1::acceptor_admin_service_client::AcceptorAdminServiceClient;
use adfolio_proto::acceptor::v1::acceptor_service_client::AcceptorServiceClient;
use adfolio_proto::common::v1::PageRequest;
use adfolio_testkit::{RunningService, TestBroker, TestDatabase, fixed_clock, spawn_service};
use tonic::{Request, Status};
use uuid::Uuid;

use crate::services::{self, RIGHT, Wallet};

const CALL_LIMIT: Duration = Duration::from_secs(10);

/// The service with its own database, broker namespace and clock, beside a stand-in for wallet.
pub struct Stack {
    pub clock: Clock,
    pub service: RunningService,
    pub wallet: Wallet,
    pub broker: TestBroker,
    pub db: TestDatabase,
    config: Config,
}

impl Stack {
    pub async fn start() -> Self {
        let db = TestDatabase::create(&[&MIGRATOR]).await;
        let clock = fixed_clock("2026-11-20T10:00:00Z");
        let broker = TestBroker::namespace();
        let wallet = Wallet::default();
        let config = Config {
            server: ServerArgs::default(),
            database: db.args(),
            broker: broker.args(),
            telemetry: TelemetryArgs::default(),
            wallet_url: services::serve_wallet(&wallet).await,
            auth_url: services::serve_directory().await,
            exchange_min: "5.00".parse().unwrap(),
            exchange_max: "900.00".parse().unwrap(),
            exchange_order_ttl_seconds: 3_600,
            exchange_sweep_interval_ms: 100,
            recovery_after_ms: 4_000,
            clock: clock.clone(),
        };
        let service = start_service(&config).await;
        Self {
            clock,
            service,
            wallet,
            broker,
            db,
            config,
        }
    }

    /// Another process on the same database, instead of the first.
    pub async fn restart(mut self) -> Self {
        let fresh = start_service(&self.config).await;
        let old = std::mem::replace(&mut self.service, fresh);
        old.stop().await.expect("an orderly end");
        self
    }

    /// Another process on the same database, instead of the first, which ends in the middle of whatever it does. What it
    /// had leased is taken up at once, not when the lease has run out.
    pub async fn crash(mut self) -> Self {
        let fresh = start_service(&self.config).await;
        std::mem::replace(&mut self.service, fresh).kill().await;
        self.hasten().await;
        self
    }

    /// A second replica.
    pub async fn replica(&self) -> RunningService {
        start_service(&self.config).await
    }

    /// Lets recovery take up at once what waits for its time.
    pub async fn hasten(&self) {
        sqlx::query(
            "UPDATE exchanges SET lease_until = '-infinity', next_attempt_at = '-infinity'",
        )
        .execute(&self.db.pool())
        .await
        .unwrap();
    }

    pub fn staff(&self) -> AcceptorAdminServiceClient<Channel> {
        AcceptorAdminServiceClient::new(self.service.channel())
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
        AcceptorServiceClient::new(self.service.channel())
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
        let mut client = AcceptorServiceClient::new(self.service.channel());
        let request = pb::GetAcceptorDetailRequest {
            kind: kind.into(),
            code: code.to_owned(),
        };
        Ok(client
            .get_acceptor_detail(call(caller, request))
            .await
            .map_err(refused)?
            .into_inner())
    }
}

async fn start_service(config: &Config) -> RunningService {
    let config = config.clone();
    spawn_service(|listener, shutdown| adfolio_acceptor::run(config, listener, shutdown)).await
}

pub fn call<T>(caller: &Caller, message: T) -> Request<T> {
    outgoing(caller, message, CALL_LIMIT)
}

pub fn user() -> Caller {
    Caller::user(UserId(Uuid::now_v7()))
}

pub fn finance() -> Caller {
    staff(StaffRole::Finance)
}

pub fn staff(role: StaffRole) -> Caller {
    Caller::staff(Uuid::now_v7(), role)
}

/// The refusal in a status; any other status fails the test.
#[allow(clippy::needless_pass_by_value, reason = "goes into map_err")]
pub fn refused(status: Status) -> Refusal {
    Refusal::from_status(&status).unwrap_or_else(|| panic!("no refusal: {status:?}"))
}

/// Reason and field of a refused call.
pub fn why<T: std::fmt::Debug>(outcome: Result<T, Refusal>) -> (Reason, Option<String>) {
    let refusal = outcome.expect_err("a refusal");
    (refusal.reason, refusal.field)
}

pub fn keyed(caller: &Caller, key: &str) -> Caller {
    caller.clone().with_key(Some(key.parse().unwrap()))
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
