//! The services, and runs of the program against them.

use std::process::Stdio;
use std::time::Duration;

use adfolio_kit::client::{self, Channel, ClientOptions, outgoing};
use adfolio_kit::four_eyes::FourEyesArgs;
use adfolio_kit::identity::{Caller, StaffRole, UserId};
use adfolio_kit::shutdown::Shutdown;
use adfolio_plan::ImportRelease;
use adfolio_proto::auth::v1::auth_admin_service_client::AuthAdminServiceClient;
use adfolio_proto::auth::v1::auth_service_client::AuthServiceClient;
use adfolio_proto::auth::v1::{CreateStaffRequest, RegisterRequest, StaffRole as StaffRoleOnWire};
use adfolio_proto::plan::v1::ListOperatorsRequest;
use adfolio_proto::plan::v1::plan_admin_service_client::PlanAdminServiceClient;
use adfolio_testkit::{
    RunningService, TestBroker, TestDatabase, eventually, free_listener, server_flags,
    spawn_service,
};
use clap::Parser;
use tempfile::TempDir;
use tokio::io::AsyncWriteExt as _;
use tokio::net::TcpListener;
use tokio::process::Command;
use tokio::task::JoinHandle;
use uuid::Uuid;

const CALL_LIMIT: Duration = Duration::from_secs(20);

/// A run of the program, when it has ended.
#[derive(Debug)]
pub struct Ended {
    pub code: i32,
    pub output: String,
    pub errors: String,
}

/// A run of the program with these variables and arguments.
pub async fn run(variables: &[(&str, String)], arguments: &[&str], input: &str) -> Ended {
    let mut child = Command::new(env!("CARGO_BIN_EXE_adfolioctl"))
        .args(arguments)
        .envs(variables.iter().map(|(name, value)| (name, value)))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    // A program that does not read its input has closed it already.
    let _ = stdin.write_all(input.as_bytes()).await;
    drop(stdin);
    let ended = tokio::time::timeout(Duration::from_mins(2), child.wait_with_output());
    let ended = ended.await.expect("the program ends in time").unwrap();
    Ended {
        code: ended.status.code().unwrap_or(-1),
        output: String::from_utf8(ended.stdout).unwrap(),
        errors: String::from_utf8(ended.stderr).unwrap(),
    }
}

/// Auth's arguments: staff may work without a second factor.
const SECOND_FACTOR: [&str; 6] = [
    "--second-factor",
    "optional",
    "--adfolio-demo",
    "1",
    "--second-factor-key",
    "5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e",
];

/// Auth alone.
pub struct AuthAlone {
    service: RunningService,
    _database: TestDatabase,
    _broker: TestBroker,
}

impl AuthAlone {
    pub async fn start() -> Self {
        let (database, broker) = (
            TestDatabase::create(&adfolio_auth::SCHEMA).await,
            TestBroker::namespace(),
        );
        let service = spawn_auth(&database, &broker).await;
        Self {
            service,
            _database: database,
            _broker: broker,
        }
    }

    pub fn channel(&self) -> Channel {
        self.service.channel()
    }

    pub async fn run(&self, arguments: &[&str], input: &str) -> Ended {
        run(&[("AUTH_URL", self.service.url())], arguments, input).await
    }

    /// The first run whose outcome is as wanted.
    pub async fn run_until(&self, arguments: &[&str], wanted: impl Fn(&Ended) -> bool) -> Ended {
        eventually(&format!("{arguments:?} answers as wanted"), async || {
            let ended = self.run(arguments, "").await;
            wanted(&ended).then_some(ended)
        })
        .await
    }

    /// The id of a new user.
    pub async fn register(&self, username: &str, key: &str) -> String {
        let message = RegisterRequest {
            username: username.to_owned(),
            password: "correct horse battery".to_owned(),
            email: format!("{username}@shop.example"),
            phone: "+4915112345678".to_owned(),
            license_key: key.to_owned(),
            older_form: true,
            ..RegisterRequest::default()
        };
        let answer = AuthServiceClient::new(self.channel())
            .register(anonymous(message))
            .await
            .unwrap();
        answer.into_inner().session.unwrap().user.unwrap().id
    }
}

/// Auth alone, behind a listener that exists before it does.
pub struct LateAuth {
    shutdown: Shutdown,
    task: JoinHandle<anyhow::Result<()>>,
    _database: TestDatabase,
    _broker: TestBroker,
}

impl LateAuth {
    pub async fn start_on(listener: TcpListener) -> Self {
        let (database, broker) = (
            TestDatabase::create(&adfolio_auth::SCHEMA).await,
            TestBroker::namespace(),
        );
        let config = adfolio_testkit::config(&database, &broker, &SECOND_FACTOR);
        let shutdown = Shutdown::manual();
        Self {
            task: tokio::spawn(adfolio_auth::run(config, listener, shutdown.clone())),
            shutdown,
            _database: database,
            _broker: broker,
        }
    }
}

impl Drop for LateAuth {
    fn drop(&mut self) {
        self.shutdown.trigger();
        self.task.abort();
    }
}

async fn spawn_auth(database: &TestDatabase, broker: &TestBroker) -> RunningService {
    let config = adfolio_testkit::config(database, broker, &SECOND_FACTOR);
    spawn_service(|listener, shutdown| adfolio_auth::run(config, listener, shutdown)).await
}

/// A service's database and its configuration with it and the broker; further arguments say where others are.
macro_rules! configured {
    ($service:ident, $($config:ident)::+, $broker:expr, $($argument:expr),+) => {{
        let database = TestDatabase::create(&$service::SCHEMA).await;
        let own: &[&str] = &[$($argument),+];
        let servers = server_flags(&database, &$broker);
        let all = ["service"].into_iter().chain(own.iter().copied());
        let config = $service::$($config)::+::parse_from(all.chain(servers.iter().map(String::as_str)));
        (database, config)
    }};
}

/// All six services.
pub struct Stack {
    auth: RunningService,
    wallet: RunningService,
    coupon: RunningService,
    notification: RunningService,
    acceptor: RunningService,
    plan_url: String,
    plan_shutdown: Shutdown,
    plan_task: JoinHandle<anyhow::Result<()>>,
    databases: Vec<TestDatabase>,
    /// Mail as files.
    pub mail: TempDir,
    _broker: TestBroker,
}

impl Drop for Stack {
    fn drop(&mut self) {
        self.plan_shutdown.trigger();
        self.plan_task.abort();
    }
}

impl Stack {
    pub async fn start() -> Self {
        Self::start_above(FourEyesArgs::off()).await
    }

    /// Where staff postings above an amount take two.
    pub async fn start_with_four_eyes(above: &str) -> Self {
        Self::start_above(FourEyesArgs::above(above.parse().unwrap())).await
    }

    #[allow(clippy::too_many_lines, reason = "six services, one after another")]
    async fn start_above(four_eyes: FourEyesArgs) -> Self {
        let broker = TestBroker::namespace();
        let auth_database = TestDatabase::create(&adfolio_auth::SCHEMA).await;
        let auth = spawn_auth(&auth_database, &broker).await;

        let auth_url = auth.url();
        let (coupon_database, mut config) =
            configured!(adfolio_coupon, Config, broker, "--auth-url", &auth_url);
        config.four_eyes = four_eyes;
        let coupon = spawn_service(|on, end| adfolio_coupon::run(config, on, end)).await;
        let mail = tempfile::tempdir().unwrap();
        let mail_dir = mail.path().display().to_string();
        let (notification_database, config) = configured!(
            adfolio_notification,
            Config,
            broker,
            "--auth-url",
            &auth_url,
            "--mail-transport",
            "files",
            "--mail-dir",
            &mail_dir,
            "--mail-from",
            "Adfolio <no-reply@adfolio.example>"
        );
        let notification =
            spawn_service(|on, end| adfolio_notification::run(config, on, end)).await;

        // Wallet and plan call each other, so wallet gets plan's address before plan runs.
        let plan_listener = free_listener().await;
        let plan_url = format!("http://{}", plan_listener.local_addr().unwrap());
        let (coupon_url, card_key) = (coupon.url(), "7e".repeat(32));
        let (wallet_database, mut config) = configured!(
            adfolio_wallet,
            Config,
            broker,
            "--pay-password-pepper",
            "the pepper of every test",
            "--card-key",
            &card_key,
            "--auth-url",
            &auth_url,
            "--coupon-url",
            &coupon_url,
            "--plan-url",
            &plan_url
        );
        config.four_eyes = four_eyes;
        let wallet = spawn_service(|on, end| adfolio_wallet::run(config, on, end)).await;
        let wallet_url = wallet.url();
        let peers = ["--auth-url", &auth_url, "--wallet-url", &wallet_url];
        let [auth_flag, auth_at, wallet_flag, wallet_at] = peers;
        let (acceptor_database, mut config) = configured!(
            adfolio_acceptor,
            Config,
            broker,
            auth_flag,
            auth_at,
            wallet_flag,
            wallet_at
        );
        config.four_eyes = four_eyes;
        let acceptor = spawn_service(|on, end| adfolio_acceptor::run(config, on, end)).await;
        let (plan_database, mut config) = configured!(
            adfolio_plan,
            Config,
            broker,
            auth_flag,
            auth_at,
            wallet_flag,
            wallet_at,
            "--coupon-url",
            &coupon_url
        );
        config.four_eyes = four_eyes;
        // Rounds that a test can wait for.
        config.allotment_interval_seconds = 5;
        if four_eyes.adfolio_demo {
            config.import_release = ImportRelease::Single;
        }
        let plan_shutdown = Shutdown::manual();
        let plan_task = tokio::spawn(adfolio_plan::run(
            config,
            plan_listener,
            plan_shutdown.clone(),
        ));

        let databases = vec![
            auth_database,
            coupon_database,
            notification_database,
            acceptor_database,
            wallet_database,
            plan_database,
        ];
        let stack = Self {
            auth,
            wallet,
            coupon,
            notification,
            acceptor,
            plan_url,
            plan_shutdown,
            plan_task,
            databases,
            mail,
            _broker: broker,
        };
        let plan = PlanAdminServiceClient::new(stack.plan());
        eventually("plan answers", || {
            let mut plan = plan.clone();
            async move {
                plan.list_operators(as_admin(ListOperatorsRequest::default()))
                    .await
                    .is_ok()
            }
        })
        .await;
        stack
    }

    /// Creates an admin who was made by nobody, as the founders of an installation are; their staff id.
    pub async fn founder(&self, username: &str) -> Uuid {
        #[allow(clippy::needless_update, reason = "of a second founder none")]
        let message = CreateStaffRequest {
            username: username.to_owned(),
            password: "correct horse battery".to_owned(),
            role: StaffRoleOnWire::Admin.into(),
            ..CreateStaffRequest::default()
        };
        let answer = AuthAdminServiceClient::new(self.auth())
            .create_staff(as_admin(message))
            .await;
        let id = answer.unwrap().into_inner().staff.unwrap().id;
        sqlx::query("UPDATE staff SET made_by = NULL WHERE username = $1")
            .bind(username)
            .execute(&self.databases[0].pool())
            .await
            .unwrap();
        id.parse().unwrap()
    }

    pub async fn run(&self, arguments: &[&str]) -> Ended {
        let variables = [
            ("AUTH_URL", self.auth.url()),
            ("PLAN_URL", self.plan_url.clone()),
            ("WALLET_URL", self.wallet.url()),
            ("COUPON_URL", self.coupon.url()),
            ("NOTIFICATION_URL", self.notification.url()),
            ("ACCEPTOR_URL", self.acceptor.url()),
        ];
        run(&variables, arguments, "").await
    }

    pub fn auth(&self) -> Channel {
        self.auth.channel()
    }

    pub fn plan(&self) -> Channel {
        client::connect(&self.plan_url, ClientOptions::default()).unwrap()
    }

    pub fn wallet(&self) -> Channel {
        self.wallet.channel()
    }

    pub fn coupon(&self) -> Channel {
        self.coupon.channel()
    }

    pub fn notification(&self) -> Channel {
        self.notification.channel()
    }

    pub fn acceptor(&self) -> Channel {
        self.acceptor.channel()
    }

    /// The rows of every table that is neither bookkeeping of messages nor written from them a moment later, over all services.
    pub async fn row_counts(&self) -> Vec<(String, i64)> {
        let mut counts = Vec::new();
        for database in &self.databases {
            let pool = database.pool();
            let tables: Vec<String> = sqlx::query_scalar(
                "SELECT tablename::text FROM pg_tables WHERE schemaname = 'public'
                 AND tablename NOT LIKE 'outbox%' AND tablename NOT IN ('inbox', 'idempotency_keys', 'audit_log', 'audit_seals', 'audit_unsealed', 'report_seals', 'unsealed_batches', 'notifications', 'unread_counters', 'mails', 'mail_links') ORDER BY 1",
            )
            .fetch_all(&pool)
            .await
            .unwrap();
            for table in tables {
                let query = format!("SELECT count(*) FROM \"{table}\"");
                let count: i64 = sqlx::query_scalar(sqlx::AssertSqlSafe(query))
                    .fetch_one(&pool)
                    .await
                    .unwrap();
                counts.push((table, count));
            }
        }
        counts
    }

    /// The database of notification, to spoil it.
    pub fn notification_pool(&self) -> sqlx::PgPool {
        self.databases[2].pool()
    }

    /// The wallet's database, to spoil it.
    pub fn wallet_pool(&self) -> sqlx::PgPool {
        self.databases[4].pool()
    }
}

pub fn as_admin<M>(message: M) -> tonic::Request<M> {
    as_staff(Uuid::from_u128(7), message)
}

pub fn as_staff<M>(id: Uuid, message: M) -> tonic::Request<M> {
    let caller = Caller::staff(id, StaffRole::Admin);
    outgoing(&caller, message, CALL_LIMIT)
}

pub fn as_user<M>(user: &str, message: M) -> tonic::Request<M> {
    outgoing(
        &Caller::user(UserId(user.parse().unwrap())),
        message,
        CALL_LIMIT,
    )
}

pub fn anonymous<M>(message: M) -> tonic::Request<M> {
    outgoing(&Caller::system(), message, CALL_LIMIT)
}
