//! The services around plan: the real wallet and coupon, and a stand-in for auth.

use adfolio_kit::clock::Clock;
use adfolio_kit::config::{ServerArgs, TelemetryArgs};
use adfolio_plan::config::PlanConfig;
use adfolio_proto::auth::v1 as auth;
use adfolio_proto::auth::v1::user_directory_service_server::{
    UserDirectoryService, UserDirectoryServiceServer,
};
use adfolio_testkit::{RunningService, TestBroker, TestDatabase, free_listener, spawn_service};
use tokio_stream::wrappers::TcpListenerStream;
use tonic::{Request, Response, Status};

/// The user whom nobody knows.
pub const NOBODY: &str = "00000000-0000-7000-8000-00000000dead";

/// Stands in for auth, which knows everybody but [`NOBODY`].
struct Directory;

#[tonic::async_trait]
impl UserDirectoryService for Directory {
    async fn look_up_users(
        &self,
        request: Request<auth::LookUpUsersRequest>,
    ) -> Result<Response<auth::LookUpUsersResponse>, Status> {
        let known = request
            .into_inner()
            .user_ids
            .into_iter()
            .filter(|id| id != NOBODY);
        let users = known
            .map(|user_id| auth::UserSummary {
                user_id,
                ..Default::default()
            })
            .collect();
        Ok(Response::new(auth::LookUpUsersResponse { users }))
    }
}

pub async fn serve_directory() -> String {
    let listener = free_listener().await;
    let url = format!("http://{}", listener.local_addr().unwrap());
    let served = tonic::transport::Server::builder()
        .add_service(UserDirectoryServiceServer::new(Directory))
        .serve_with_incoming(TcpListenerStream::new(listener));
    tokio::spawn(served);
    url
}

pub async fn start_plan(config: &PlanConfig) -> RunningService {
    let config = config.clone();
    spawn_service(|listener, shutdown| adfolio_plan::run(config, listener, shutdown)).await
}

pub async fn start_wallet(
    db: &TestDatabase,
    broker: &TestBroker,
    auth_url: &str,
) -> RunningService {
    let config = adfolio_wallet::config::WalletConfig {
        server: ServerArgs::default(),
        database: db.args(),
        broker: broker.args(),
        telemetry: TelemetryArgs::default(),
        posting: adfolio_wallet::config::PostingArgs::default(),
        peers: adfolio_wallet::config::PeerArgs {
            auth_url: auth_url.into(),
            plan_url: "http://127.0.0.1:1".into(),
            coupon_url: "http://127.0.0.1:1".into(),
        },
        secrets: adfolio_wallet::config::SecretArgs::new(
            "the pepper of every test",
            "7e".repeat(32),
        ),
        withdrawals: adfolio_wallet::config::WithdrawalArgs::default(),
        four_eyes: adfolio_wallet::config::FourEyesArgs::default(),
        events_stream: adfolio_wallet::config::EVENTS_STREAM.to_owned(),
        reconcile_interval_seconds: 86_400,
    };
    spawn_service(|listener, shutdown| adfolio_wallet::run(config, listener, shutdown)).await
}

pub async fn start_coupon(
    db: &TestDatabase,
    broker: &TestBroker,
    clock: &Clock,
    auth_url: &str,
) -> RunningService {
    let config = adfolio_coupon::Config {
        server: ServerArgs::default(),
        database: db.args(),
        broker: broker.args(),
        telemetry: TelemetryArgs::default(),
        auth_url: auth_url.into(),
        expiry_sweep_seconds: 60,
        clock: clock.clone(),
    };
    spawn_service(|listener, shutdown| adfolio_coupon::run(config, listener, shutdown)).await
}
