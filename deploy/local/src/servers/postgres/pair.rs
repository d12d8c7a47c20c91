//! A primary and its synchronous standby, for tests: they take the part of a cluster manager, and decide who is the
//! primary and when.
//!
//! A commit is acknowledged once the standby has it on its disk. After a promotion the new primary commits alone until
//! the other server has joined it ([`PostgresPair::rejoin`]).

use std::fs::{self, Permissions};
use std::net::SocketAddr;
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context as _, Result};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use sqlx::postgres::PgConnectOptions;
use sqlx::{AssertSqlSafe, ConnectOptions as _, Connection as _, PgConnection};
use tempfile::TempDir;
use tokio::process::Child;
use tokio::time::{sleep, timeout};

use super::{find_programs, launch};
use crate::component::Component;
use crate::databases::SUPERUSER;
use crate::layout::Layout;
use crate::ports::{Reservation, loopback};
use crate::process::{Account, Launch, kill_leftovers, kill_marked, run_to_end, signal_marked};

/// Limit of every step: a start, a promotion, a copy of the databases.
const STEP_LIMIT: Duration = Duration::from_mins(1);

const POLL: Duration = Duration::from_millis(20);

/// The servers are reached from this machine alone, and their data are a test's.
const ACCESS: &str = "host all all 127.0.0.1/32 trust\nhost replication all 127.0.0.1/32 trust\n";

/// Two servers, of which one is the primary. Dropping them kills both.
#[derive(Debug)]
pub struct PostgresPair {
    servers: [Server; 2],
    /// The index of the primary.
    primary: usize,
    programs: PathBuf,
    _reservation: Reservation,
    _folder: TempDir,
}

#[derive(Debug)]
struct Server {
    layout: Layout,
    port: u16,
    process: Option<Child>,
}

impl PostgresPair {
    /// Two running servers on free ports.
    pub async fn start() -> Result<Self> {
        let folder = tempfile::Builder::new()
            .prefix("adfolio-pair-")
            .permissions(Permissions::from_mode(0o755))
            .tempdir()
            .context("cannot create a temporary folder")?;
        let mut reservation = Reservation::default();
        let mut server = |name: &str| -> Result<Server> {
            Ok(Server {
                layout: Layout::create(&folder.path().join(name))?,
                port: reservation.free_port()?,
                process: None,
            })
        };
        let servers = [server("first")?, server("second")?];
        let mut pair = Self {
            servers,
            primary: 0,
            programs: find_programs(None)?,
            _reservation: reservation,
            _folder: folder,
        };
        pair.initialise().await?;
        pair.launch(0).await?;
        pair.rejoin().await?;
        Ok(pair)
    }

    /// The addresses of both, in an order that never changes.
    pub fn addresses(&self) -> [SocketAddr; 2] {
        [0, 1].map(|index: usize| loopback(self.servers[index].port))
    }

    /// The primary's address.
    pub fn primary_address(&self) -> SocketAddr {
        loopback(self.servers[self.primary].port)
    }

    /// The standby's address.
    pub fn standby_address(&self) -> SocketAddr {
        loopback(self.servers[self.standby()].port)
    }

    /// Kills the primary, like `kill -9` of its machine.
    pub async fn kill_primary(&mut self) {
        self.kill(self.primary).await;
    }

    /// Freezes the primary with all its connections, until it joins the other server.
    pub fn freeze_primary(&self) {
        self.signal(self.primary, Signal::SIGSTOP);
    }

    /// Stops the primary in order: the standby gets everything.
    pub async fn stop_primary(&mut self) -> Result<()> {
        let server = &mut self.servers[self.primary];
        let mut process = server.process.take().context("the primary does not run")?;
        let pid = process.id().context("the primary has ended")?;
        kill(Pid::from_raw(i32::try_from(pid)?), Signal::SIGINT)?;
        timeout(STEP_LIMIT, process.wait())
            .await
            .context("the primary does not stop")??;
        Ok(())
    }

    /// Makes the primary read-only; its connections stay open. This is how a managed server hands over.
    pub async fn make_primary_read_only(&self) -> Result<()> {
        let statements = [
            "ALTER SYSTEM SET default_transaction_read_only = on",
            "SELECT pg_reload_conf()",
        ];
        self.execute(self.primary, &statements).await
    }

    /// Makes the standby the primary. It commits alone until the other server joins it.
    pub async fn promote(&mut self) -> Result<()> {
        let standby = self.standby();
        let statements = [
            "ALTER SYSTEM SET synchronous_standby_names = ''",
            "SELECT pg_reload_conf()",
            "SELECT pg_promote(wait => true)",
        ];
        self.execute(standby, &statements).await?;
        self.primary = standby;
        Ok(())
    }

    /// Freezes the standby with all its connections: from now on no commit is acknowledged.
    pub fn freeze_standby(&self) {
        self.signal(self.standby(), Signal::SIGSTOP);
    }

    /// Lets the standby run on.
    pub fn thaw_standby(&self) {
        self.signal(self.standby(), Signal::SIGCONT);
    }

    /// Lets the standby fall behind: it keeps the log, but shows nothing of it.
    pub async fn pause_replay(&self) -> Result<()> {
        let statements = ["SELECT pg_wal_replay_pause()"];
        self.execute(self.standby(), &statements).await
    }

    /// Lets the standby catch up.
    pub async fn resume_replay(&self) -> Result<()> {
        let statements = ["SELECT pg_wal_replay_resume()"];
        self.execute(self.standby(), &statements).await
    }

    /// Kills the standby: from now on no commit is acknowledged.
    pub async fn kill_standby(&mut self) {
        self.kill(self.standby()).await;
    }

    /// Starts the standby again, and waits until commits are acknowledged.
    pub async fn start_standby(&mut self) -> Result<()> {
        self.launch(self.standby()).await?;
        self.wait_for_standby().await
    }

    /// Makes the server that is not the primary a standby of the primary, with a fresh copy, and has commits wait for it
    /// again.
    pub async fn rejoin(&mut self) -> Result<()> {
        let index = self.standby();
        self.kill(index).await;
        let server = &self.servers[index];
        let data = server.data();
        if data.exists() {
            fs::remove_dir_all(&data).context("cannot remove the former primary's data")?;
        }
        self.make_folder(index)?;
        let port = self.servers[self.primary].port.to_string();
        let copy = [
            "--host=127.0.0.1",
            "--username=postgres",
            "--checkpoint=fast",
            "--write-recovery-conf",
            "--no-sync",
        ];
        let copy = Launch::new(self.programs.join("pg_basebackup"), &data)
            .args(copy)
            .args(["--port", port.as_str(), "--pgdata"])
            .args([data.clone()]);
        self.run(copy).await?;
        self.launch(index).await?;
        let statements = [
            "ALTER SYSTEM SET synchronous_standby_names = '*'",
            "SELECT pg_reload_conf()",
        ];
        self.execute(self.primary, &statements).await?;
        self.wait_for_standby().await
    }

    fn standby(&self) -> usize {
        1 - self.primary
    }

    async fn initialise(&self) -> Result<()> {
        self.make_folder(0)?;
        let data = self.servers[0].data();
        let options = [
            "--auth=trust",
            "--username=postgres",
            "--encoding=UTF8",
            "--locale=C",
            "--no-sync",
            "--pgdata",
        ];
        let initdb = Launch::new(self.programs.join("initdb"), &data)
            .args(options)
            .args([data.clone()]);
        self.run(initdb).await?;
        fs::write(data.join(super::ACCESS_FILE), ACCESS).context("cannot write who may log in")
    }

    fn make_folder(&self, index: usize) -> Result<()> {
        let data = self.servers[index].data();
        fs::create_dir(&data).with_context(|| format!("cannot create {}", data.display()))?;
        fs::set_permissions(&data, Permissions::from_mode(0o700))?;
        match Account::for_postgres()? {
            Some(account) => account.own(&data),
            None => Ok(()),
        }
    }

    async fn run(&self, mut command: Launch) -> Result<()> {
        command.account = Account::for_postgres()?;
        timeout(STEP_LIMIT, run_to_end(&command))
            .await
            .context("a program of PostgreSQL takes too long")?
    }

    /// Starts a server and waits until it answers.
    async fn launch(&mut self, index: usize) -> Result<()> {
        let server = &mut self.servers[index];
        let data = server.data();
        let _ = fs::remove_file(data.join("postmaster.pid"));
        // Without waiting for the disk: nobody switches the machine off here, and a killed server loses nothing.
        let launch = launch(&self.programs, &data, server.port, false)?
            // A standby whose primary is gone would be promoted only after its next attempt to reach it.
            .args(["-c", "wal_retrieve_retry_interval=100ms"])
            // As in production: reads at a standby hold the log up for a moment only.
            .args(["-c", "hot_standby_feedback=on"])
            .args(["-c", "max_standby_streaming_delay=2s"]);
        let process = launch.spawn(Component::Postgres, &server.layout).await?;
        server.process = Some(process);
        let answers = async {
            while self.connect(index).await.is_err() {
                sleep(POLL).await;
            }
        };
        timeout(STEP_LIMIT, answers).await.with_context(|| {
            let log = self.servers[index].layout.log_tail("postgres");
            format!("a server does not start:\n{log}")
        })
    }

    async fn kill(&mut self, index: usize) {
        let server = &mut self.servers[index];
        kill_leftovers(&server.layout, Component::Postgres).await;
        server.process = None;
    }

    fn signal(&self, index: usize, signal: Signal) {
        signal_marked(&self.servers[index].layout, Component::Postgres, signal);
    }

    /// Waits until the primary has a synchronous standby.
    async fn wait_for_standby(&self) -> Result<()> {
        const SYNCHRONOUS: &str = "SELECT count(*) > 0 FROM pg_stat_replication WHERE state = 'streaming' AND sync_state <> 'async'";
        let mut connection = self.connect(self.primary).await?;
        let joined = async {
            loop {
                if sqlx::query_scalar(SYNCHRONOUS)
                    .fetch_one(&mut connection)
                    .await?
                {
                    return Ok::<_, sqlx::Error>(());
                }
                sleep(POLL).await;
            }
        };
        let joined = timeout(STEP_LIMIT, joined).await;
        Ok(joined.context("the standby does not join")??)
    }

    async fn execute(&self, index: usize, statements: &[&'static str]) -> Result<()> {
        let mut connection = self.connect(index).await?;
        for statement in statements {
            sqlx::query(AssertSqlSafe(*statement))
                .execute(&mut connection)
                .await
                .with_context(|| format!("cannot run {statement}"))?;
        }
        connection
            .close()
            .await
            .context("cannot close the connection")
    }

    async fn connect(&self, index: usize) -> Result<PgConnection, sqlx::Error> {
        PgConnectOptions::new_without_pgpass()
            .host("127.0.0.1")
            .port(self.servers[index].port)
            .username(SUPERUSER)
            .database(SUPERUSER)
            .connect()
            .await
    }
}

impl Drop for PostgresPair {
    fn drop(&mut self) {
        for server in &self.servers {
            kill_marked(&server.layout, None);
        }
    }
}

impl Server {
    fn data(&self) -> PathBuf {
        // Where its processes are recognised, since PostgreSQL writes its titles over its environment.
        self.layout.folder(Component::Postgres.name())
    }
}
