//! A PostgreSQL that only this program reaches, for work on data whose passwords it does not know.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::time::Duration;

use anyhow::{Context as _, Result, bail, ensure};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use tempfile::TempDir;
use tokio::process::Child;
use tokio::time::timeout;
use url::Url;

use super::launch;
use crate::component::Component;
use crate::layout::Layout;
use crate::process::Account;

/// On its stop the server writes everything to the disk.
const STOP_LIMIT: Duration = Duration::from_mins(2);

/// Names the socket; no port of the machine is used.
const PORT: u16 = 5432;

const ACCESS: &str = "local all postgres trust\n";

/// A running server without a port. Its socket lies in a folder that only the server's account may enter. Dropping it
/// kills the server.
#[derive(Debug)]
pub(crate) struct Closed {
    server: Child,
    folder: TempDir,
}

impl Closed {
    /// Starts a server on a data folder, with more settings than a stack's. It need not accept connections yet.
    pub(crate) async fn start(
        layout: &Layout,
        programs: &Path,
        data: &Path,
        further: &[&str],
    ) -> Result<Self> {
        // Below the system's own folder, because the path of a socket has at most 107 bytes.
        let folder = tempfile::Builder::new()
            .prefix("adfolio-")
            .permissions(Permissions::from_mode(0o700))
            .tempdir()
            .context("cannot create a folder for a socket")?;
        let access = folder.path().join("pg_hba.conf");
        fs::write(&access, ACCESS).context("cannot write who may log in")?;
        if let Some(account) = Account::for_postgres()? {
            account.own(folder.path())?;
        }
        let mut launch = launch(programs, data, PORT, true)?;
        for setting in [
            "listen_addresses=".to_owned(),
            format!("unix_socket_directories={}", folder.path().display()),
            format!("hba_file={}", access.display()),
        ]
        .into_iter()
        .chain(further.iter().copied().map(str::to_owned))
        {
            launch = launch.args(["-c".to_owned(), setting]);
        }
        let server = launch.spawn(Component::Postgres, layout).await?;
        Ok(Self { server, folder })
    }

    /// The server's address for its superuser.
    pub(crate) fn url(&self) -> Result<Url> {
        let mut url: Url = format!("postgres://postgres@localhost:{PORT}/postgres").parse()?;
        url.query_pairs_mut()
            .append_pair("host", &self.folder.path().to_string_lossy());
        Ok(url)
    }

    /// The answer of `work`; fails with the server's last words if it ends before.
    pub(crate) async fn during<T>(
        &mut self,
        layout: &Layout,
        work: impl Future<Output = T>,
    ) -> Result<T> {
        tokio::select! {
            answer = work => Ok(answer),
            status = self.server.wait() => bail!(
                "PostgreSQL ended ({}):\n{}",
                status?,
                layout.log_tail(Component::Postgres.name())
            ),
        }
    }

    /// Stops the server in order.
    pub(crate) async fn stop(mut self) -> Result<()> {
        let pid = self.server.id().context("PostgreSQL has ended by itself")?;
        kill(Pid::from_raw(i32::try_from(pid)?), Signal::SIGINT)
            .context("cannot stop PostgreSQL")?;
        let status = timeout(STOP_LIMIT, self.server.wait())
            .await
            .with_context(|| format!("PostgreSQL does not stop within {STOP_LIMIT:?}"))??;
        ensure!(status.success(), "PostgreSQL ended with {status}");
        Ok(())
    }
}
