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
use adfolio_testkit::{RunningService, TestDatabase, fixed_clock, spawn_service};
use tonic::{Request, Status};
use uuid::Uuid;

const CALL_LIMIT: Duration = Duration::from_secs(10);

/// The service with its own database and clock.
pub struct Stack {
    pub clock: Clock,
    pub service: RunningService,
    pub db: TestDatabase,
}

impl Stack {
    pub async fn start() -> Self {
        let db = TestDatabase::create(&[&MIGRATOR]).await;
        let clock = fixed_clock("2026-11-20T10:00:00Z");
        let service = start_service(&db, &clock).await;
        Self { clock, service, db }
    }

    /// Another process on the same database, instead of the first.
    pub async fn restart(self) -> Self {
        let Self { clock, service, db } = self;
        service.stop().await.expect("an orderly end");
        let service = start_service(&db, &clock).await;
        Self { clock, service, db }
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

async fn start_service(db: &TestDatabase, clock: &Clock) -> RunningService {
    let config = Config {
        server: ServerArgs::default(),
        database: db.args(),
        telemetry: TelemetryArgs::default(),
        clock: clock.clone(),
    };
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
