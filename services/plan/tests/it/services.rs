//! The services around plan: the real wallet and coupon, and a stand-in for auth.

use adfolio_kit::clock::Clock;
use adfolio_kit::config::ServiceArgs;
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
    let nowhere = "http://127.0.0.1:1";
    let config = adfolio_testkit::config(
        db,
        broker,
        &[
            "--auth-url",
            auth_url,
            "--plan-url",
            nowhere,
            "--coupon-url",
            nowhere,
            "--pay-password-pepper",
            "the pepper of every test",
            "--card-key",
            &"7e".repeat(32),
            "--reconcile-interval-seconds",
            "86400",
        ],
    );
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
