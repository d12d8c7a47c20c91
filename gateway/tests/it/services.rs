//! The real services, in this process.

use std::collections::BTreeMap;

use adfolio_auth::SecondFactorPolicy;
use adfolio_gateway::config::GatewayConfig;
use adfolio_kit::client::{Channel, ClientOptions, connect};
use adfolio_kit::four_eyes::FourEyesArgs;
use adfolio_kit::shutdown::Shutdown;
use adfolio_notification::{MailArgs, PushArgs};
use adfolio_testkit::{
    IdentityKeys, RunningService, TestBroker, TestDatabase, eventually, free_listener,
    server_flags, spawn_service,
};
use clap::Parser;
use rcgen::{KeyPair, PKCS_ECDSA_P256_SHA256};
use tempfile::{NamedTempFile, TempDir};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;
use tonic_health::pb::HealthCheckRequest;
use tonic_health::pb::health_check_response::ServingStatus;
use tonic_health::pb::health_client::HealthClient;

/// The console's address: passkeys belong to it.
pub const CONSOLE_ORIGIN: &str = "https://console.example";

/// The six services with their databases.
pub struct Services {
    pub auth: RunningService,
    pub coupon: RunningService,
    pub wallet: RunningService,
    pub notification: RunningService,
    pub acceptor: RunningService,
    pub databases: BTreeMap<&'static str, TestDatabase>,
    /// The services believe no identity without a token of this key.
    pub identity: Box<IdentityKeys>,
    plan_url: String,
    uploads: TempDir,
    _push_key: NamedTempFile,
    _plan: Ending,
}

/// Where browsers of tests take messages: nobody answers there.
pub const PUSH_SERVICE: &str = "https://push.invalid";

/// Every test comes from one address, and the console has one.
fn for_tests(config: &mut adfolio_auth::Config) {
    config.second_factor.console_origin = Some(CONSOLE_ORIGIN.parse().unwrap());
    config.guesses.login_guesses_per_address = 100_000;
    config.guesses.login_guesses_per_network = 100_000;
    config.guesses.license_guesses_per_address = 100_000;
    config.guesses.license_guesses_per_network = 100_000;
}

fn push_args(key: &NamedTempFile) -> PushArgs {
    PushArgs {
        vapid_key_file: Some(key.path().to_owned()),
        vapid_subject: Some("mailto:ops@adfolio.example".parse().unwrap()),
        push_services: vec![PUSH_SERVICE.parse().unwrap()],
    }
}

/// A file with a key that signs requests to push services.
fn push_key() -> NamedTempFile {
    let key = KeyPair::generate_for(&PKCS_ECDSA_P256_SHA256).unwrap();
    let file = NamedTempFile::new().unwrap();
    std::fs::write(file.path(), key.serialize_pem()).unwrap();
    file
}

/// A service that ends with this.
pub struct Ending {
    pub shutdown: Shutdown,
    pub task: JoinHandle<anyhow::Result<()>>,
}

impl Drop for Ending {
    fn drop(&mut self) {
        self.shutdown.trigger();
        self.task.abort();
    }
}

/// A service's configuration with its database and the broker; further arguments say where others are.
macro_rules! configured {
    ($config:ty, $name:literal, $given:expr $(, $argument:expr)*) => {{
        let own: &[&str] = &[$($argument),*];
        let (databases, broker, identity) = $given;
        let servers = server_flags(&databases[$name], broker);
        let all = ["service"].into_iter().chain(own.iter().copied());
        let mut config = <$config>::parse_from(all.chain(servers.iter().map(String::as_str)));
        config.args.identity = identity.args();
        config
    }};
}

impl Services {
    pub async fn start(broker: &TestBroker) -> Self {
        let optional = SecondFactorPolicy::Optional;
        let mail = MailArgs::default();
        Self::start_with(broker, optional, FourEyesArgs::off(), mail, |_| {}).await
    }

    /// With whether staff need a second factor, what takes two members of staff, where mail goes, and changes to
    /// wallet's configuration.
    pub async fn start_with(
        broker: &TestBroker,
        second_factor: SecondFactorPolicy,
        four_eyes: FourEyesArgs,
        mail: MailArgs,
        change: impl FnOnce(&mut adfolio_wallet::Config),
    ) -> Self {
        let databases = databases().await;
        let identity = Box::new(IdentityKeys::new(7));
        let given = (&databases, broker, &identity);
        let second_factor_key = "5e".repeat(32);
        let mut config = configured!(
            adfolio_auth::Config,
            "auth",
            given,
            "--adfolio-demo",
            "1",
            "--second-factor-key",
            &second_factor_key
        );
        config.second_factor.second_factor = second_factor;
        config.identity_key_file = Some(identity.private_file());
        for_tests(&mut config);
        let auth = spawn_service(|on, end| adfolio_auth::run(config, on, end)).await;
        let mut config = configured!(
            adfolio_coupon::Config,
            "coupon",
            given,
            "--auth-url",
            &auth.url()
        );
        config.four_eyes = four_eyes;
        let coupon = spawn_service(|on, end| adfolio_coupon::run(config, on, end)).await;
        let mut config = configured!(
            adfolio_notification::Config,
            "notification",
            given,
            "--auth-url",
            &auth.url()
        );
        config.mail = mail;
        let push_key = push_key();
        config.push = push_args(&push_key);
        let notification =
            spawn_service(|on, end| adfolio_notification::run(config, on, end)).await;

        // wallet and plan ask each other, so one of them must know an address where nobody answers yet.
        let plan_listener = free_listener().await;
        let plan_url = format!("http://{}", plan_listener.local_addr().unwrap());
        let mut config = configured!(
            adfolio_wallet::Config,
            "wallet",
            given,
            "--auth-url",
            &auth.url(),
            "--coupon-url",
            &coupon.url(),
            "--plan-url",
            &plan_url,
            "--pay-password-pepper",
            "the pepper of every test",
            "--card-key",
            &"7e".repeat(32)
        );
        config.four_eyes = four_eyes;
        change(&mut config);
        let wallet = spawn_service(|on, end| adfolio_wallet::run(config, on, end)).await;
        let mut config = configured!(
            adfolio_acceptor::Config,
            "acceptor",
            given,
            "--auth-url",
            &auth.url(),
            "--wallet-url",
            &wallet.url()
        );
        config.four_eyes = four_eyes;
        let acceptor = spawn_service(|on, end| adfolio_acceptor::run(config, on, end)).await;
        let mut config = configured!(
            adfolio_plan::Config,
            "plan",
            given,
            "--auth-url",
            &auth.url(),
            "--coupon-url",
            &coupon.url(),
            "--wallet-url",
            &wallet.url()
        );
        config.four_eyes = four_eyes;
        if four_eyes.adfolio_demo {
            config.import_release = adfolio_plan::ImportRelease::Single;
        }
        let plan = spawn_at(plan_listener, |on, end| adfolio_plan::run(config, on, end)).await;
        Self {
            auth,
            coupon,
            wallet,
            notification,
            acceptor,
            databases,
            identity,
            plan_url,
            uploads: TempDir::new().unwrap(),
            _push_key: push_key,
            _plan: plan,
        }
    }

    /// A channel to the service of a package of the contract.
    pub fn channel(&self, package: &str) -> Channel {
        let url = match package {
            "adfolio.auth.v1" => self.auth.url(),
            "adfolio.coupon.v1" => self.coupon.url(),
            "adfolio.wallet.v1" => self.wallet.url(),
            "adfolio.notification.v1" => self.notification.url(),
            "adfolio.acceptor.v1" => self.acceptor.url(),
            "adfolio.plan.v1" => self.plan_url.clone(),
            other => panic!("no service has the package {other}"),
        };
        connect(&url, ClientOptions::default()).unwrap()
    }

    /// A gateway in front of them, without flood limits.
    pub fn gateway_config(&self) -> GatewayConfig {
        GatewayConfig::parse_from([
            "gateway",
            "--auth-url",
            &self.auth.url(),
            "--plan-url",
            &self.plan_url,
            "--wallet-url",
            &self.wallet.url(),
            "--coupon-url",
            &self.coupon.url(),
            "--notification-url",
            &self.notification.url(),
            "--acceptor-url",
            &self.acceptor.url(),
            "--upload-dir",
            self.uploads.path().to_str().unwrap(),
            "--flood-limit-per-second",
            "0",
            "--flood-limit-session-per-second",
            "0",
            // Nobody is in front.
            "--notice-seconds",
            "0",
        ])
    }
}

async fn databases() -> BTreeMap<&'static str, TestDatabase> {
    let schemas = [
        ("auth", &adfolio_auth::SCHEMA),
        ("coupon", &adfolio_coupon::SCHEMA),
        ("notification", &adfolio_notification::SCHEMA),
        ("acceptor", &adfolio_acceptor::SCHEMA),
        ("plan", &adfolio_plan::SCHEMA),
        ("wallet", &adfolio_wallet::SCHEMA),
    ];
    let mut databases = BTreeMap::new();
    for (name, schema) in schemas {
        databases.insert(name, TestDatabase::create(schema).await);
    }
    databases
}

/// Runs a service on an address that others know already, and waits until it is ready.
async fn spawn_at<F, Fut>(listener: TcpListener, run: F) -> Ending
where
    F: FnOnce(TcpListener, Shutdown) -> Fut,
    Fut: Future<Output = anyhow::Result<()>> + Send + 'static,
{
    let url = format!("http://{}", listener.local_addr().unwrap());
    let shutdown = Shutdown::manual();
    let task = tokio::spawn(run(listener, shutdown.clone()));
    let channel = connect(&url, ClientOptions::default()).unwrap();
    eventually("the service is ready", || {
        let mut health = HealthClient::new(channel.clone());
        async move {
            let answer = health.check(HealthCheckRequest::default()).await;
            answer.is_ok_and(|answer| answer.into_inner().status() == ServingStatus::Serving)
        }
    })
    .await;
    Ending { shutdown, task }
}
