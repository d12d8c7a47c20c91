//! What auth said before a session ended is not believed afterwards: with the event at once, without it after a second.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use adfolio_gateway::config::GatewayConfig;
use adfolio_kit::config::BrokerArgs;
use adfolio_kit::shutdown::Shutdown;
use adfolio_proto::auth::v1::auth_service_server::{AuthService, AuthServiceServer};
use adfolio_proto::auth::v1::{
    Entry, GetUserRequest, GetUserResponse, LoginRequest, LoginResponse, LogoutRequest,
    LogoutResponse, OpenStoreRequest, OpenStoreResponse, RegisterRequest, RegisterResponse,
    UserState, VerifySessionRequest, VerifySessionResponse,
};
use adfolio_proto::events::v1::SessionsRevoked;
use adfolio_testkit::{TestBroker, eventually, free_listener, publish_event};
use clap::Parser;
use serde_json::Value;
use tokio::sync::Semaphore;
use tokio::time::{Instant, sleep_until};
use tokio_stream::wrappers::TcpListenerStream;
use tonic::{Request, Response, Status};

const USER: &str = "0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e2f";
const WITNESS: &str = "0193e3a4-7c1e-7a4b-9d4e-2f6b8c0d1e30";
const NOWHERE: &str = "http://127.0.0.1:1";

/// What is promised where no event comes: the default of the gateway.
const BELIEVED_FOR: Duration = Duration::from_secs(1);

/// Verifies every token; that of USER says what held when it was asked, but only once it is let.
#[derive(Clone)]
struct SlowAuth {
    disabled: Arc<AtomicBool>,
    asked_for_user: Arc<AtomicUsize>,
    asked_for_witness: Arc<AtomicUsize>,
    gate: Arc<Semaphore>,
}

#[tonic::async_trait]
impl AuthService for SlowAuth {
    async fn verify_session(
        &self,
        request: Request<VerifySessionRequest>,
    ) -> Result<Response<VerifySessionResponse>, Status> {
        let user = request.into_inner().token;
        let disabled = self.disabled.load(Ordering::SeqCst);
        let state = if disabled {
            UserState::Disabled
        } else {
            UserState::Active
        };
        if user == USER {
            self.asked_for_user.fetch_add(1, Ordering::SeqCst);
            let _passed = self.gate.acquire().await.unwrap();
        } else {
            self.asked_for_witness.fetch_add(1, Ordering::SeqCst);
        }
        Ok(Response::new(VerifySessionResponse {
            session_id: user.clone(),
            user_id: user,
            state: state.into(),
            entry: Entry::Register.into(),
            lang: String::new(),
            expires_at: Some((chrono::Utc::now() + chrono::Duration::hours(1)).into()),
            ..VerifySessionResponse::default()
        }))
    }

    async fn register(
        &self,
        _: Request<RegisterRequest>,
    ) -> Result<Response<RegisterResponse>, Status> {
        Err(Status::unimplemented("not asked here"))
    }

    async fn login(&self, _: Request<LoginRequest>) -> Result<Response<LoginResponse>, Status> {
        Err(Status::unimplemented("not asked here"))
    }

    async fn logout(&self, _: Request<LogoutRequest>) -> Result<Response<LogoutResponse>, Status> {
        Err(Status::unimplemented("not asked here"))
    }

    async fn open_store(
        &self,
        _: Request<OpenStoreRequest>,
    ) -> Result<Response<OpenStoreResponse>, Status> {
        Err(Status::unimplemented("not asked here"))
    }

    async fn get_user(
        &self,
        _: Request<GetUserRequest>,
    ) -> Result<Response<GetUserResponse>, Status> {
        Err(Status::unimplemented("not asked here"))
    }
}

impl SlowAuth {
    async fn start() -> (Self, String) {
        let auth = Self {
            disabled: Arc::default(),
            asked_for_user: Arc::default(),
            asked_for_witness: Arc::default(),
            gate: Arc::new(Semaphore::new(0)),
        };
        let listener = free_listener().await;
        let url = format!("http://{}", listener.local_addr().unwrap());
        let server =
            tonic::transport::Server::builder().add_service(AuthServiceServer::new(auth.clone()));
        tokio::spawn(server.serve_with_incoming(TcpListenerStream::new(listener)));
        (auth, url)
    }
}

/// A gateway that believes for a minute, so that what is felt earlier was felt by event.
async fn gateway(auth_url: &str, broker: &TestBroker) -> String {
    gateway_with(auth_url, broker.args(), &["--session-cache-seconds", "60"]).await
}

/// A gateway that no event ever reaches.
async fn deaf_gateway(auth_url: &str) -> String {
    let nowhere = TestBroker::namespace().args_at("amqp://127.0.0.1:1");
    gateway_with(auth_url, nowhere, &[]).await
}

async fn gateway_with(auth_url: &str, broker: BrokerArgs, further: &[&str]) -> String {
    let mut arguments = vec!["gateway", "--auth-url", auth_url];
    arguments.extend(further);
    for url in [
        "--plan-url",
        "--wallet-url",
        "--coupon-url",
        "--notification-url",
        "--acceptor-url",
    ] {
        arguments.extend([url, NOWHERE]);
    }
    let mut config = GatewayConfig::parse_from(arguments);
    // Nobody uploads anything here.
    config.upload_dir = std::env::temp_dir();
    config.broker = broker;
    let listener = free_listener().await;
    let url = format!("http://{}/api/user/info", listener.local_addr().unwrap());
    tokio::spawn(adfolio_gateway::run(config, listener, Shutdown::manual()));
    url
}

async fn call(url: &str, token: &str) -> i64 {
    let request = reqwest::Client::new().get(url).header("X-CT", token);
    let envelope: Value = request.send().await.unwrap().json().await.unwrap();
    envelope["code"].as_i64().unwrap()
}

async fn revoke(broker: &TestBroker, user: &str) {
    let event = SessionsRevoked {
        user_id: user.to_owned(),
        session_ids: vec![],
        all: true,
    };
    publish_event(
        &broker.broker(),
        "adfolio.auth.v1.SessionsRevoked",
        user,
        &event,
    )
    .await;
}

/// Revokes the witness' sessions until a call shows that the gateway heard of it, and with it of everything before.
async fn wait_until_heard(auth: &SlowAuth, broker: &TestBroker, url: &str) {
    call(url, WITNESS).await;
    let before = auth.asked_for_witness.load(Ordering::SeqCst);
    eventually("revocations are heard", || async {
        revoke(broker, WITNESS).await;
        call(url, WITNESS).await;
        auth.asked_for_witness.load(Ordering::SeqCst) > before
    })
    .await;
}

#[tokio::test]
async fn an_answer_from_before_a_revocation_is_asked_for_again() {
    let broker = TestBroker::namespace();
    let (auth, auth_url) = SlowAuth::start().await;
    let url = gateway(&auth_url, &broker).await;
    wait_until_heard(&auth, &broker, &url).await;

    let on_its_way = tokio::spawn({
        let url = url.clone();
        async move { call(&url, USER).await }
    });
    eventually("the verification is on its way", || async {
        auth.asked_for_user.load(Ordering::SeqCst) == 1
    })
    .await;
    // It will say that the account is active, which is over now.
    auth.disabled.store(true, Ordering::SeqCst);
    revoke(&broker, USER).await;
    wait_until_heard(&auth, &broker, &url).await;
    auth.gate.add_permits(100);
    assert_eq!(on_its_way.await.unwrap(), 403);
    assert_eq!(call(&url, USER).await, 403);
    assert_eq!(auth.asked_for_user.load(Ordering::SeqCst), 2);
}

#[tokio::test]
async fn without_a_message_a_token_lives_no_longer_than_a_second() {
    let (auth, auth_url) = SlowAuth::start().await;
    auth.gate.add_permits(100);
    let url = deaf_gateway(&auth_url).await;
    assert_ne!(call(&url, USER).await, 403);
    auth.disabled.store(true, Ordering::SeqCst);
    let ended = Instant::now();
    eventually("the token is refused", || async {
        let began = Instant::now();
        let refused = call(&url, USER).await == 403;
        assert!(
            refused || began < ended + BELIEVED_FOR,
            "a call that began {:?} after the end was answered",
            began - ended
        );
        refused
    })
    .await;
}

#[tokio::test]
async fn what_auth_says_too_late_counts_only_for_who_waited_for_it() {
    let (auth, auth_url) = SlowAuth::start().await;
    let url = deaf_gateway(&auth_url).await;
    let waiting = tokio::spawn({
        let url = url.clone();
        async move { call(&url, USER).await }
    });
    eventually("the verification is on its way", || async {
        auth.asked_for_user.load(Ordering::SeqCst) == 1
    })
    .await;
    auth.disabled.store(true, Ordering::SeqCst);
    // What passes here is the time for which an answer is believed.
    sleep_until(Instant::now() + BELIEVED_FOR).await;
    // Joins the question of the first call, which is too old for it.
    let joining = tokio::spawn({
        let url = url.clone();
        async move { call(&url, USER).await }
    });
    auth.gate.add_permits(100);
    assert_ne!(waiting.await.unwrap(), 403, "it began before the end");
    assert_eq!(joining.await.unwrap(), 403);
    assert_eq!(call(&url, USER).await, 403);
}
