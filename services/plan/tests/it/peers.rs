//! The services that plan calls: the real wallet and coupon, each behind a link that can be cut.

use adfolio_kit::config::ServiceArgs;
use adfolio_kit::four_eyes::FourEyesArgs;
use adfolio_testkit::{Environment, Proxy, RunningService, TestDatabase, config, spawn_service};

/// The address of a peer that wallet does not need here.
const NOWHERE: &str = "http://127.0.0.1:1";

/// A service that plan calls.
pub struct Peer {
    pub service: RunningService,
    pub db: TestDatabase,
    link: Proxy,
}

impl Peer {
    pub async fn wallet(environment: &Environment) -> Self {
        let db = TestDatabase::create(&adfolio_wallet::SCHEMA).await;
        let card_key = "7e".repeat(32);
        let flags = [
            "--auth-url",
            &environment.directory.url,
            "--plan-url",
            NOWHERE,
            "--coupon-url",
            NOWHERE,
            "--pay-password-pepper",
            "the pepper of every test",
            "--card-key",
            &card_key,
            "--reconcile-interval-seconds",
            "86400",
            "--adfolio-demo",
            "1",
            "--four-eyes-above",
            "off",
        ];
        let config = config(&db, &environment.broker, &flags);
        let service = spawn_service(|on, end| adfolio_wallet::run(config, on, end)).await;
        Self::linked(service, db).await
    }

    pub async fn coupon(environment: &Environment) -> Self {
        let db = TestDatabase::create(&adfolio_coupon::SCHEMA).await;
        let config = adfolio_coupon::Config {
            args: ServiceArgs::new(db.args(), environment.broker.args()),
            auth_url: environment.directory.url.clone(),
            expiry_sweep_seconds: 60,
            four_eyes: FourEyesArgs::off(),
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
