//! The services that plan calls: the real wallet and coupon, each behind a link that can be cut.

use adfolio_kit::config::{ServerArgs, ServiceArgs, TelemetryArgs};
use adfolio_testkit::{Environment, Proxy, RunningService, TestDatabase, spawn_service};

/// A service that plan calls.
pub struct Peer {
    pub service: RunningService,
    pub db: TestDatabase,
    link: Proxy,
}

impl Peer {
    pub async fn wallet(environment: &Environment) -> Self {
        let db = TestDatabase::create(&[&adfolio_wallet::MIGRATOR]).await;
        let config = adfolio_wallet::config::WalletConfig {
            server: ServerArgs::default(),
            database: db.args(),
            broker: environment.broker.args(),
            telemetry: TelemetryArgs::default(),
            posting: adfolio_wallet::config::PostingArgs::default(),
            peers: adfolio_wallet::config::PeerArgs {
                auth_url: environment.directory.url.clone(),
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
        let service = spawn_service(|on, end| adfolio_wallet::run(config, on, end)).await;
        Self::linked(service, db).await
    }

    pub async fn coupon(environment: &Environment) -> Self {
        let db = TestDatabase::create(&[&adfolio_coupon::MIGRATOR]).await;
        let config = adfolio_coupon::Config {
            args: ServiceArgs::new(db.args(), environment.broker.args()),
            auth_url: environment.directory.url.clone(),
            expiry_sweep_seconds: 60,
            clock: environment.clock.clone(),
        };
        let service = spawn_service(|on, end| adfolio_coupon::run(config, on, end)).await;
        Self::linked(service, db).await
    }

    async fn linked(service: RunningService, db: TestDatabase) -> Self {
        let link = Proxy::start(&service.address.to_string()).await;
        Self { service, db, link }
    }

    /// Its address behind the link.
    pub fn url(&self) -> String {
        format!("http://{}", self.link.address())
    }

    /// Cuts plan off, as if the service were dead.
    pub fn cut(&self) {
        self.link.refuse(true);
        self.link.cut();
    }

    /// Lets plan reach the service again.
    pub fn reach(&self) {
        self.link.refuse(false);
    }
}
