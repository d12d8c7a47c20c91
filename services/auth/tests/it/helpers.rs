//! A running auth service and the people who use it.

use std::ops::Deref;
use std::time::Duration;

use adfolio_auth::Config;
use adfolio_kit::client::{Channel, outgoing};
use adfolio_kit::db::Schema;
use adfolio_kit::identity::{Caller, StaffRole, UserId};
use adfolio_kit::refusal::{Reason, Refusal};
use adfolio_proto::auth::v1::auth_admin_service_client::AuthAdminServiceClient;
use adfolio_proto::auth::v1::auth_service_client::AuthServiceClient;
use adfolio_proto::auth::v1::{
    CreateLicenseKeysRequest, LoginRequest, LogoutRequest, OpenStoreRequest, RegisterRequest,
    Session, SetUserStateRequest, UserState, VerifySessionRequest, VerifySessionResponse,
};
use adfolio_testkit::{Builder, Environment, Run, TestDatabase, TestService, Tested};
use chrono::{DateTime, TimeDelta};
use tokio::sync::{RwLock, RwLockReadGuard, RwLockWriteGuard};
use tonic::Status;
use uuid::Uuid;

pub use adfolio_testkit::NOW;

pub const PASSWORD: &str = "correct horse battery";

/// A support member's id; their account need not exist for calls that the gateway has let through.
pub const SUPPORT: Uuid = Uuid::from_u128(7);

/// Staff may work without a second factor, except where a test says otherwise.
pub const SECOND_FACTOR: [&str; 6] = [
    "--second-factor",
    "optional",
    "--adfolio-demo",
    "1",
    "--second-factor-key",
    "5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e",
];

/// The count of evaluations belongs to the process: a test that counts them is alone with its service, also where the
/// tests of this program share a process.
static COUNTED: RwLock<()> = RwLock::const_new(());

pub enum Turn {
    Any(#[allow(dead_code, reason = "held")] RwLockReadGuard<'static, ()>),
    Alone(#[allow(dead_code, reason = "held")] RwLockWriteGuard<'static, ()>),
}

/// The service with its own database, broker namespace and clock.
pub struct Auth {
    service: TestService<Config>,
    turn: Option<Turn>,
}

impl Tested for Auth {
    type Config = Config;
    type Peers = Turn;
    const SCHEMA: &'static Schema = &adfolio_auth::SCHEMA;
    const RUN: Run<Config> = adfolio_auth::run;

    async fn set_up(environment: &Environment) -> (Config, Turn) {
        for consumer in ["membership", "audit", "security"] {
            environment.broker.clean_up("auth", consumer);
        }
        let config = Config {
            clock: environment.clock.clone(),
            ..environment.config(&SECOND_FACTOR)
        };
        (config, Turn::Any(COUNTED.read().await))
    }

    fn assemble(service: TestService<Config>, turn: Turn) -> Self {
        Self {
            service,
            turn: Some(turn),
        }
    }
}

impl Deref for Auth {
    type Target = TestService<Config>;

    fn deref(&self) -> &Self::Target {
        &self.service
    }
}

impl Auth {
    pub fn builder() -> Builder<Self> {
        Builder::default()
    }

    pub async fn spawn() -> Self {
        Self::builder().spawn().await
    }

    /// For tests that count [`evaluations`]: waits until no other test of this process has a service.
    pub async fn alone(mut self) -> Self {
        adfolio_kit::telemetry::install_metrics("auth").unwrap();
        self.turn = None;
        self.turn = Some(Turn::Alone(COUNTED.write().await));
        self
    }

    pub async fn restart(mut self) -> Self {
        self.service.restart().await;
        self
    }

    pub fn users(&self) -> AuthServiceClient<Channel> {
        AuthServiceClient::new(self.channel())
    }

    pub fn admin(&self) -> AuthAdminServiceClient<Channel> {
        AuthAdminServiceClient::new(self.channel())
    }

    /// A fresh licence key.
    pub async fn key(&self, activate: bool) -> String {
        let message = CreateLicenseKeysRequest {
            count: 1,
            note: String::new(),
            activate,
            codes: Vec::new(),
        };
        let answer = self
            .admin()
            .create_license_keys(support(message))
            .await
            .expect("keys")
            .into_inner();
        answer.items.first().expect("a key").code.clone()
    }

    /// A registered user.
    pub async fn register(&self, username: &str) -> Session {
        let key = self.key(true).await;
        self.try_register(registration(username, &key))
            .await
            .expect("registered")
    }

    pub async fn try_register(&self, message: RegisterRequest) -> Result<Session, Status> {
        let answer = self.users().register(anonymous(message)).await?;
        Ok(answer.into_inner().session.expect("a session"))
    }

    pub async fn login(&self, username: &str, password: &str) -> Result<Session, Status> {
        self.login_from(username, password, "192.0.2.1").await
    }

    pub async fn login_from(
        &self,
        username: &str,
        password: &str,
        address: &str,
    ) -> Result<Session, Status> {
        self.login_on("", username, password, address).await
    }

    /// From the device of this token.
    pub async fn login_on(
        &self,
        device: &str,
        username: &str,
        password: &str,
        address: &str,
    ) -> Result<Session, Status> {
        let message = LoginRequest {
            username: username.to_owned(),
            password: password.to_owned(),
            client_address: address.to_owned(),
            user_agent: "Test/1.0".to_owned(),
            device_token: device.to_owned(),
        };
        let answer = self.users().login(anonymous(message)).await?;
        Ok(answer.into_inner().session.expect("a session"))
    }

    pub async fn verify(&self, token: &str) -> Result<VerifySessionResponse, Status> {
        let message = VerifySessionRequest {
            token: token.to_owned(),
        };
        Ok(self
            .users()
            .verify_session(anonymous(message))
            .await?
            .into_inner())
    }

    pub async fn logout(&self, token: &str) {
        self.users()
            .logout(anonymous(LogoutRequest {
                token: token.to_owned(),
            }))
            .await
            .expect("logged out");
    }

    pub async fn open_store(&self, user: &str, code: &str) -> Result<Session, Status> {
        self.open_store_with(user, "", code).await
    }

    pub async fn open_store_with(
        &self,
        user: &str,
        token: &str,
        code: &str,
    ) -> Result<Session, Status> {
        let message = OpenStoreRequest {
            code: code.to_owned(),
            client_address: String::new(),
            user_agent: String::new(),
            token: token.to_owned(),
        };
        let answer = self.users().open_store(as_user(user, message)).await?;
        Ok(answer.into_inner().session.expect("a session"))
    }

    pub async fn set_state(&self, user: &str, state: UserState) -> Result<(), Status> {
        let message = SetUserStateRequest {
            user_id: user.to_owned(),
            state: state.into(),
            reason: "test".to_owned(),
        };
        self.admin()
            .set_user_state(support(message))
            .await
            .map(|_| ())
    }
}

/// A full registration.
pub fn registration(username: &str, key: &str) -> RegisterRequest {
    RegisterRequest {
        username: username.to_owned(),
        nickname: String::new(),
        password: PASSWORD.to_owned(),
        confirm_password: PASSWORD.to_owned(),
        email: "user@shop.example".to_owned(),
        phone: "+49 30 1234567".to_owned(),
        license_key: key.to_owned(),
        older_form: false,
        client_address: "192.0.2.1".to_owned(),
        user_agent: "Test/1.0".to_owned(),
    }
}

pub fn anonymous<M>(message: M) -> tonic::Request<M> {
    outgoing(&Caller::system(), message, Duration::from_secs(30))
}

pub fn as_user<M>(user: &str, message: M) -> tonic::Request<M> {
    let id = UserId(user.parse().expect("a user's id"));
    outgoing(&Caller::user(id), message, Duration::from_secs(30))
}

/// A call of a user who registered a moment ago.
pub fn as_newcomer<M>(auth: &Auth, user: &str, message: M) -> tonic::Request<M> {
    let now = auth.clock.now();
    let session = adfolio_kit::identity::Session {
        opened_at: now,
        fresh_until: now + TimeDelta::minutes(15),
        is_registration: true,
    };
    let id = UserId(user.parse().expect("a user's id"));
    let caller = Caller::user(id).in_session(session);
    outgoing(&caller, message, Duration::from_secs(30))
}

/// A call in the session of this token, as the gateway makes it.
pub async fn in_session<M>(auth: &Auth, token: &str, message: M) -> tonic::Request<M> {
    let verified = auth.verify(token).await.expect("a live session");
    let time = |seconds| DateTime::from_timestamp(seconds, 0).expect("a time");
    let session = adfolio_kit::identity::Session {
        opened_at: time(verified.opened_at.expect("a time").seconds),
        fresh_until: time(verified.fresh_until.expect("a time").seconds),
        is_registration: verified.is_registration,
    };
    let id = UserId(verified.user_id.parse().expect("a user's id"));
    let caller = Caller::user(id).in_session(session);
    outgoing(&caller, message, Duration::from_secs(30))
}

/// A call of support that gives a reason.
pub fn support<M>(message: M) -> tonic::Request<M> {
    let caller = Caller {
        reason: "agreed by phone".to_owned(),
        ..Caller::staff(SUPPORT, StaffRole::Support)
    };
    outgoing(&caller, message, Duration::from_secs(30))
}

pub fn as_staff<M>(role: StaffRole, message: M) -> tonic::Request<M> {
    outgoing(
        &Caller::staff(SUPPORT, role),
        message,
        Duration::from_secs(30),
    )
}

pub fn user_id(session: &Session) -> &str {
    &session.user.as_ref().expect("a user").id
}

/// The reason of a refused call.
pub fn reason<T: std::fmt::Debug>(outcome: Result<T, Status>) -> Reason {
    refusal(outcome).reason
}

/// The refusal of a refused call.
pub fn refusal<T: std::fmt::Debug>(outcome: Result<T, Status>) -> Refusal {
    let status = outcome.expect_err("the call should have been refused");
    Refusal::from_status(&status).unwrap_or_else(|| panic!("no refusal in {status:?}"))
}

/// Every text in every table, to search for what must not be there.
pub async fn dump(db: &TestDatabase) -> String {
    let pool = db.pool();
    let tables: Vec<String> = sqlx::query_scalar(
        "SELECT tablename::text FROM pg_tables WHERE schemaname = 'public' ORDER BY 1",
    )
    .fetch_all(&pool)
    .await
    .expect("tables");
    let mut text = String::new();
    for table in tables {
        let query =
            format!("SELECT coalesce(string_agg(row::text, chr(10)), '') FROM \"{table}\" AS row");
        let rows: String = sqlx::query_scalar(sqlx::AssertSqlSafe(query))
            .fetch_one(&pool)
            .await
            .expect("rows");
        text.push_str(&rows);
    }
    text
}

/// How many password evaluations this process has done; for tests that are [`Auth::alone`].
pub fn evaluations() -> u64 {
    let metrics = adfolio_kit::telemetry::render_metrics();
    let line = metrics
        .lines()
        .find(|line| line.starts_with("auth_password_evaluations_total"));
    line.and_then(|line| line.rsplit(' ').next())
        .and_then(|number| number.parse().ok())
        .unwrap_or(0)
}
