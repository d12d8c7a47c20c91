//! The services around plan: the real wallet and coupon, and a stand-in for auth.

use adfolio_kit::clock::Clock;
use adfolio_kit::config::{ServerArgs, ServiceArgs, TelemetryArgs};
use adfolio_plan::config::PlanConfig;
use adfolio_testkit::{RunningService, TestBroker, TestDatabase, spawn_service};

pub use adfolio_testkit::directory::{NOBODY, serve_directory};

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
        args: ServiceArgs::new(db.args(), broker.args()),
        auth_url: auth_url.into(),
        expiry_sweep_seconds: 60,
        clock: clock.clone(),
    };
    spawn_service(|listener, shutdown| adfolio_coupon::run(config, listener, shutdown)).await
}
