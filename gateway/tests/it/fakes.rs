//! The gateway before services that say what a test tells them to, for what concerns the gateway alone.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use adfolio_gateway::config::GatewayConfig;
use adfolio_kit::identity::{Caller, StaffRole};
use adfolio_kit::refusal::{Reason, Refusal};
use adfolio_kit::shutdown::Shutdown;
use adfolio_proto::acceptor::v1::acceptor_service_server::{
    AcceptorService, AcceptorServiceServer,
};
use adfolio_proto::acceptor::v1::{GetExchangeLimitRequest, GetExchangeLimitResponse};
use adfolio_proto::auth::v1::auth_admin_service_server::{
    AuthAdminService, AuthAdminServiceServer,
};
use adfolio_proto::auth::v1::auth_service_server::{AuthService, AuthServiceServer};
use adfolio_proto::auth::v1::{
    Entry, LoginRequest, LoginResponse, LogoutRequest, LogoutResponse, SetUserStateRequest,
    SetUserStateResponse, Staff, UserState, VerifySessionRequest, VerifySessionResponse,
    VerifyStaffSessionRequest, VerifyStaffSessionResponse,
};
use adfolio_proto::notification::v1::notification_service_server::{
    NotificationService, NotificationServiceServer,
};
use adfolio_proto::notification::v1::{
    CountUnreadRequest, CountUnreadResponse, DepositMethod, Faq, GetPublicContentRequest,
    GetPublicContentResponse, LegalText, ServiceEntry,
};
use adfolio_proto::plan::v1::network_service_server::NetworkServiceServer;
use adfolio_proto::plan::v1::plan_service_server::{PlanService, PlanServiceServer};
use adfolio_proto::plan::v1::{
    GetPutRangeRequest, GetPutRangeResponse, PutPlanRequest, PutPlanResponse,
};
use adfolio_proto::wallet::v1::wallet_service_server::{WalletService, WalletServiceServer};
use adfolio_proto::wallet::v1::{
    CheckPayPasswordRequest, CheckPayPasswordResponse, GetWithdrawalMethodsRequest,
    GetWithdrawalMethodsResponse, ListWithdrawalsRequest, ListWithdrawalsResponse, WithdrawRequest,
    WithdrawResponse, WithdrawalMethod, WithdrawalTerms,
};
use adfolio_testkit::{TestBroker, free_listener};
use clap::Parser;
use reqwest::header::HeaderMap;
use serde_json::Value;
use tempfile::TempDir;
use tokio::task::JoinHandle;
use tokio_stream::wrappers::TcpListenerStream;
use tonic::{Request, Response, Status};
use uuid::Uuid;

use crate::network::Heard;

/// Begins the tokens of staff, before the id; every other token is the user's id.
const STAFF_TOKEN: &str = "staff-";

/// What the services say, and what they were told.
#[derive(Debug)]
pub struct Said {
    /// State of every account.
    pub state: UserState,
    /// Users whose sessions have ended.
    pub ended: Vec<Uuid>,
    /// The operating rules; the language is added.
    pub rules: String,
    /// Whether everything but auth is away.
    pub away: bool,
    /// Reasons of staff, call by call.
    pub reasons: Vec<String>,
    /// Calls for the public content.
    pub content_calls: usize,
    /// Calls that are always answered UNAVAILABLE, by method.
    pub unavailable_calls: BTreeMap<&'static str, usize>,
    /// What plan heard of networks.
    pub networks: Heard,
}

/// All services in one.
#[derive(Clone, Debug)]
pub struct Fakes(Arc<Mutex<Said>>);

impl Fakes {
    pub fn said(&self) -> std::sync::MutexGuard<'_, Said> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn unless_away<T>(&self, answer: T) -> Result<Response<T>, Status> {
        if self.said().away {
            return Err(Status::unavailable("away"));
        }
        Ok(Response::new(answer))
    }

    fn unavailable<T>(&self, method: &'static str) -> Result<Response<T>, Status> {
        *self.said().unavailable_calls.entry(method).or_default() += 1;
        Err(Status::unavailable("always"))
    }
}

#[tonic::async_trait]
impl AuthService for Fakes {
    async fn verify_session(
        &self,
        request: Request<VerifySessionRequest>,
    ) -> Result<Response<VerifySessionResponse>, Status> {
        let token = request.into_inner().token;
        let user: Uuid = token
            .parse()
            .map_err(|_| Refusal::new(Reason::NotAuthenticated))?;
        let said = self.said();
        if said.ended.contains(&user) {
            let over = Reason::SessionExpired;
            return Err(Refusal::new(over).into());
        }
        Ok(Response::new(VerifySessionResponse {
            session_id: token.clone(),
            user_id: token,
            state: said.state.into(),
            entry: Entry::Register.into(),
            lang: String::new(),
            expires_at: Some((chrono::Utc::now() + chrono::Duration::hours(1)).into()),
            ..VerifySessionResponse::default()
        }))
    }

    async fn login(&self, _: Request<LoginRequest>) -> Result<Response<LoginResponse>, Status> {
        let locked = Refusal::new(Reason::TooManyAttempts);
        Err(locked.retry_after(Duration::from_mins(30)).into())
    }

    async fn logout(
        &self,
        request: Request<LogoutRequest>,
    ) -> Result<Response<LogoutResponse>, Status> {
        let user = request.into_inner().token.parse().unwrap();
        self.said().ended.push(user);
        Ok(Response::new(LogoutResponse::default()))
    }
}

#[tonic::async_trait]
impl AuthAdminService for Fakes {
    async fn verify_staff_session(
        &self,
        request: Request<VerifyStaffSessionRequest>,
    ) -> Result<Response<VerifyStaffSessionResponse>, Status> {
        let token = request.into_inner().token;
        let Some(id) = token.strip_prefix(STAFF_TOKEN) else {
            return Err(Refusal::new(Reason::NotAuthenticated).into());
        };
        let id: Uuid = id.parse().unwrap();
        if self.said().ended.contains(&id) {
            return Err(Refusal::new(Reason::SessionExpired).into());
        }
        let staff = Staff {
            id: id.to_string(),
            username: "admin".to_owned(),
            role: adfolio_proto::auth::v1::StaffRole::Admin.into(),
            ..Staff::default()
        };
        Ok(Response::new(VerifyStaffSessionResponse {
            staff: Some(staff),
            ..VerifyStaffSessionResponse::default()
        }))
    }

    async fn set_user_state(
        &self,
        request: Request<SetUserStateRequest>,
    ) -> Result<Response<SetUserStateResponse>, Status> {
        let caller = Caller::from_request(&request);
        caller.require_staff(&[StaffRole::Support])?;
        self.said().reasons.push(caller.reason);
        Err(Refusal::not_found("id").into())
    }
}

#[tonic::async_trait]
impl NotificationService for Fakes {
    async fn get_public_content(
        &self,
        request: Request<GetPublicContentRequest>,
    ) -> Result<Response<GetPublicContentResponse>, Status> {
        let lang = Caller::from_request(&request).lang;
        let rules = {
            let mut said = self.said();
            said.content_calls += 1;
            format!("{} {lang}", said.rules)
        };
        let entry = ServiceEntry {
            id: "entry-1".to_owned(),
            r#type: 1,
            url: "https://support.example.com/chat".to_owned(),
            label: "Chat".to_owned(),
            hours: "Always".to_owned(),
            answer_time: String::new(),
        };
        self.unless_away(GetPublicContentResponse {
            customer_service: vec![entry.clone()],
            recharge_customer_service: vec![entry],
            faq: vec![Faq {
                id: "faq-1".to_owned(),
                title: "How long does learning take?".to_owned(),
                content: "A week. ".repeat(200),
            }],
            operating_rules: rules,
            activity_rules: "One coupon each.".to_owned(),
            marketing_headline: String::new(),
            deposit_methods: vec![DepositMethod {
                id: "method-1".to_owned(),
                name: "Bank transfer".to_owned(),
                min_minor: Some(1_000),
                max_minor: None,
                fee: "No fee".to_owned(),
                arrival: "Within a day".to_owned(),
            }],
            legal: vec![LegalText::Terms.into()],
        })
    }

    async fn count_unread(
        &self,
        _: Request<CountUnreadRequest>,
    ) -> Result<Response<CountUnreadResponse>, Status> {
        self.unless_away(CountUnreadResponse {
            unread_total: 3,
            sequence: 12,
        })
    }
}

#[tonic::async_trait]
impl WalletService for Fakes {
    async fn get_withdrawal_methods(
        &self,
        _: Request<GetWithdrawalMethodsRequest>,
    ) -> Result<Response<GetWithdrawalMethodsResponse>, Status> {
        self.unless_away(GetWithdrawalMethodsResponse {
            items: vec![WithdrawalTerms {
                method: WithdrawalMethod::BankCard.into(),
                enabled: true,
                min_minor: 1_000,
                max_minor: 5_000_000,
                fee_minor: 150,
            }],
            cooling_off_hours: 36,
            day_max_minor: 50_000_000,
            destination_max_minor: 20_000_000,
        })
    }

    async fn list_withdrawals(
        &self,
        _: Request<ListWithdrawalsRequest>,
    ) -> Result<Response<ListWithdrawalsResponse>, Status> {
        self.unavailable("list_withdrawals")
    }

    async fn withdraw(
        &self,
        _: Request<WithdrawRequest>,
    ) -> Result<Response<WithdrawResponse>, Status> {
        self.unavailable("withdraw")
    }

    async fn check_pay_password(
        &self,
        _: Request<CheckPayPasswordRequest>,
    ) -> Result<Response<CheckPayPasswordResponse>, Status> {
        self.unavailable("check_pay_password")
    }
}

#[tonic::async_trait]
impl PlanService for Fakes {
    async fn get_put_range(
        &self,
        _: Request<GetPutRangeRequest>,
    ) -> Result<Response<GetPutRangeResponse>, Status> {
        self.unless_away(GetPutRangeResponse {
            min_minor: 10_000,
            max_minor: 500_000,
        })
    }

    async fn put_plan(
        &self,
        _: Request<PutPlanRequest>,
    ) -> Result<Response<PutPlanResponse>, Status> {
        self.unavailable("put_plan")
    }
}

#[tonic::async_trait]
impl AcceptorService for Fakes {
    async fn get_exchange_limit(
        &self,
        _: Request<GetExchangeLimitRequest>,
    ) -> Result<Response<GetExchangeLimitResponse>, Status> {
        self.unless_away(GetExchangeLimitResponse {
            min_minor: 5_000,
            max_minor: 900_000,
        })
    }
}

/// A gateway before fakes. Dropping it ends it.
pub struct Front {
    pub fakes: Fakes,
    pub broker: TestBroker,
    pub url: String,
    pub shutdown: Shutdown,
    pub task: JoinHandle<anyhow::Result<()>>,
    pub http: reqwest::Client,
    _uploads: TempDir,
}

impl Drop for Front {
    fn drop(&mut self) {
        self.shutdown.trigger();
    }
}

/// An answer with its status, headers and body.
#[derive(Debug)]
pub struct Answer {
    pub http: u16,
    pub headers: HeaderMap,
    pub body: bytes::Bytes,
}

impl Answer {
    #[track_caller]
    pub fn envelope(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|_| panic!("no envelope: {self:?}"))
    }

    #[track_caller]
    pub fn data(&self) -> Value {
        let envelope = self.envelope();
        assert_eq!(
            (self.http, &envelope["code"]),
            (200, &200.into()),
            "{envelope}"
        );
        envelope["data"].clone()
    }

    /// HTTP status, envelope code and reason.
    #[track_caller]
    pub fn refusal(&self) -> (u16, i64, String) {
        let envelope = self.envelope();
        let reason = envelope["data"]["reason"].as_str().unwrap_or("OK");
        (
            self.http,
            envelope["code"].as_i64().unwrap(),
            reason.to_owned(),
        )
    }

    pub fn header(&self, name: &str) -> &str {
        let value = self.headers.get(name);
        value
            .and_then(|value| value.to_str().ok())
            .unwrap_or_default()
    }
}

impl Front {
    pub async fn start() -> Self {
        Self::start_with(|_| {}).await
    }

    pub async fn start_with(change: impl FnOnce(&mut GatewayConfig)) -> Self {
        let fakes = Fakes(Arc::new(Mutex::new(Said {
            state: UserState::Active,
            ended: Vec::new(),
            rules: "Rules in".to_owned(),
            away: false,
            reasons: Vec::new(),
            content_calls: 0,
            unavailable_calls: BTreeMap::new(),
            networks: Heard::default(),
        })));
        let behind = serve(&fakes).await;
        let uploads = TempDir::new().unwrap();
        // Nobody is in front who would have to notice that it ends.
        let mut arguments = vec![
            "gateway",
            "--flood-limit-per-second",
            "0",
            "--notice-seconds",
            "0",
        ];
        for flag in [
            "--auth-url",
            "--plan-url",
            "--wallet-url",
            "--coupon-url",
            "--notification-url",
            "--acceptor-url",
        ] {
            arguments.extend([flag, &behind]);
        }
        let mut config = GatewayConfig::parse_from(arguments);
        let broker = TestBroker::namespace();
        config.broker = broker.args();
        config.upload_dir = uploads.path().to_owned();
        change(&mut config);
        let listener = free_listener().await;
        let url = format!("http://{}/api", listener.local_addr().unwrap());
        let shutdown = Shutdown::manual();
        let task = tokio::spawn(adfolio_gateway::run(config, listener, shutdown.clone()));
        Self {
            fakes,
            broker,
            url,
            shutdown,
            task,
            http: reqwest::Client::new(),
            _uploads: uploads,
        }
    }

    /// A GET, to be changed further and sent with [`Front::send`].
    pub fn get(&self, path: &str) -> reqwest::RequestBuilder {
        self.http.get(format!("{}{path}", self.url))
    }

    /// A POST, to be changed further and sent with [`Front::send`].
    pub fn post(&self, path: &str, token: &str) -> reqwest::RequestBuilder {
        let request = self.http.post(format!("{}{path}", self.url));
        request.header("X-CT", token)
    }

    pub async fn send(&self, request: reqwest::RequestBuilder) -> Answer {
        let response = request.send().await.expect("the gateway answers");
        let (http, headers) = (response.status().as_u16(), response.headers().clone());
        Answer {
            http,
            headers,
            body: response.bytes().await.unwrap(),
        }
    }
}

/// A token of staff.
pub fn staff_token() -> String {
    token_of_staff(Uuid::now_v7())
}

/// A token of this member of staff.
pub fn token_of_staff(id: Uuid) -> String {
    format!("{STAFF_TOKEN}{id}")
}

async fn serve(fakes: &Fakes) -> String {
    let listener = free_listener().await;
    let url = format!("http://{}", listener.local_addr().unwrap());
    let server = tonic::transport::Server::builder()
        .add_service(AuthServiceServer::new(fakes.clone()))
        .add_service(AuthAdminServiceServer::new(fakes.clone()))
        .add_service(NotificationServiceServer::new(fakes.clone()))
        .add_service(WalletServiceServer::new(fakes.clone()))
        .add_service(PlanServiceServer::new(fakes.clone()))
        .add_service(NetworkServiceServer::new(fakes.clone()))
        .add_service(AcceptorServiceServer::new(fakes.clone()));
    tokio::spawn(server.serve_with_incoming(TcpListenerStream::new(listener)));
    url
}
