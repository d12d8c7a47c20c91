//! The bare path: nginx → axum → tonic → sqlx, one row by its key, with the least code that these
//! libraries allow. It is what the architecture of `GET /user/property` costs before Adfolio adds
//! sessions, limits, deadlines, metrics and access logs of its own.
//!
//! Gateway and service are this program again, as processes of their own, so that their processor
//! time is counted apart from the benchmark's.

pub mod gateway;
mod nginx;
pub mod service;

use std::process::Stdio;
use std::time::Duration;

use adfolio_local::{Stack, StackBuilder};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use sqlx::{Connection as _, Executor as _, PgConnection};
use tempfile::TempDir;
use tokio::process::{Child, Command};
use url::Url;
use uuid::Uuid;

use crate::api::{Api, CALLERS};
use crate::processes::Processes;
use crate::property;
use crate::rounds::Measurement;

/// The argument with which this program becomes the gateway.
pub const GATEWAY: &str = "bare-gateway";

/// The argument with which this program becomes the service.
pub const SERVICE: &str = "bare-service";

/// As many rows as there are wallets in the measurement of postings.
const SCHEMA: &str = "
    CREATE TABLE wallets (
        user_id uuid PRIMARY KEY,
        available bigint NOT NULL,
        to_be_consumed bigint NOT NULL,
        to_be_settled bigint NOT NULL,
        withdrawing bigint NOT NULL,
        discount bigint NOT NULL,
        start_up_funds bigint NOT NULL
    );
    INSERT INTO wallets SELECT gen_random_uuid(), 100000000, 0, 0, 0, 0, 0 FROM generate_series(1, 20000);
    ANALYZE wallets";

/// Starts the bare path, whose processes run until the measurement is dropped.
pub async fn prepare(stack: &Stack, processes: &mut Processes) -> Measurement {
    let bare = Bare::start(stack).await;
    processes.add(&bare.processes());
    // The same call as to the stack; the user's id is the token.
    let mut called = property::measurement("bare", Api::at(&bare.url), bare.users.clone());
    Measurement::new("bare", move |duration| {
        // Owned by the measurement, to live as long.
        let _running = &bare;
        called.run(duration)
    })
}

/// The running processes of the bare path.
struct Bare {
    nginx: Child,
    gateway: Child,
    service: Child,
    url: String,
    users: Vec<String>,
    _folder: TempDir,
    /// Reserves the ports.
    _ports: StackBuilder,
}

impl Bare {
    /// Starts it on the stack's PostgreSQL. Its response gets as many bytes as the stack's.
    async fn start(stack: &Stack) -> Self {
        let (database_url, users) = create_database(stack).await;
        let mut builder = Stack::builder();
        let ports = builder.pick_ports().unwrap();
        let address = |port: u16| format!("127.0.0.1:{port}");
        let service_address = address(ports.listen[0]);
        let gateway_address = address(ports.listen[1]);
        let edge_address = address(ports.http);
        let service = start(
            own_program()
                .arg(SERVICE)
                .env(service::DATABASE_URL, database_url.as_str())
                .env(service::LISTEN, &service_address),
        );
        wait_until_open(&service_address).await;
        let response_bytes = size_of_property(stack).await;
        let gateway = start(
            own_program()
                .arg(GATEWAY)
                .env(gateway::SERVICE_URL, format!("http://{service_address}"))
                .env(gateway::LISTEN, &gateway_address)
                .env(gateway::RESPONSE_BYTES, response_bytes.to_string()),
        );
        wait_until_open(&gateway_address).await;
        let folder = tempfile::tempdir().unwrap();
        let nginx = start(&mut nginx::command(
            folder.path(),
            &edge_address,
            &gateway_address,
        ));
        wait_until_open(&edge_address).await;
        let url = format!("http://{edge_address}");
        let answered_bytes = Api::at(&url).size(property::PATH, &users[0]).await;
        assert_eq!(answered_bytes, response_bytes, "the answers are not alike");
        Self {
            nginx,
            gateway,
            service,
            url,
            users,
            _folder: folder,
            _ports: builder,
        }
    }

    /// The names and ids of its processes.
    fn processes(&self) -> [(&'static str, u32); 3] {
        [
            ("bare nginx", self.nginx.id().unwrap()),
            ("bare gateway", self.gateway.id().unwrap()),
            ("bare service", self.service.id().unwrap()),
        ]
    }
}

impl Drop for Bare {
    fn drop(&mut self) {
        const POLLS: usize = 250;
        const POLL: Duration = Duration::from_millis(20);
        let Some(pid) = self.nginx.id() else {
            return;
        };
        // The master stops its workers on this signal. The SIGKILL of a dropped child would orphan
        // them, so wait until it is gone.
        let _ = kill(Pid::from_raw(pid.cast_signed()), Signal::SIGTERM);
        for _ in 0..POLLS {
            if !matches!(self.nginx.try_wait(), Ok(None)) {
                break;
            }
            std::thread::sleep(POLL);
        }
    }
}

/// A database with the wallets, and as many of their users as there are callers.
async fn create_database(stack: &Stack) -> (Url, Vec<String>) {
    let mut url: Url = stack.database_base_url().parse().unwrap();
    let mut connection = PgConnection::connect(url.as_str()).await.unwrap();
    connection.execute("CREATE DATABASE bare").await.unwrap();
    url.set_path("bare");
    let mut connection = PgConnection::connect(url.as_str()).await.unwrap();
    connection.execute(SCHEMA).await.unwrap();
    let users: Vec<Uuid> = sqlx::query_scalar("SELECT user_id FROM wallets LIMIT $1")
        .bind(i64::try_from(CALLERS).unwrap())
        .fetch_all(&mut connection)
        .await
        .unwrap();
    (url, users.iter().map(Uuid::to_string).collect())
}

async fn size_of_property(stack: &Stack) -> usize {
    let api = Api::new(stack);
    let admin = api.admin().await;
    let (token, _) = api.advertiser(&admin, "bare").await;
    api.size(property::PATH, &token).await
}

fn own_program() -> Command {
    tied(
        std::env::current_exe().unwrap().to_str().unwrap(),
        Signal::SIGKILL,
    )
}

/// A command whose process gets a signal when the benchmark ends, however it ends: when the thread
/// ends that starts it, which therefore must be the main one.
fn tied(program: &str, death_signal: Signal) -> Command {
    let mut command = Command::new("setpriv");
    let signal = death_signal.as_str().trim_start_matches("SIG");
    command.args(["--pdeathsig", signal, "--", program]);
    command
}

fn start(command: &mut Command) -> Child {
    command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .kill_on_drop(true)
        .spawn()
        .unwrap()
}

async fn wait_until_open(address: &str) {
    adfolio_testkit::eventually("the bare path listens", || async {
        tokio::net::TcpStream::connect(address).await.is_ok()
    })
    .await;
}

fn variable(name: &str) -> String {
    std::env::var(name).unwrap_or_else(|_| panic!("{name} is not set"))
}
