//! The private PostgreSQL, whose roles log in with passwords.

mod closed;
mod pair;

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context as _, Result, bail};
use nix::sys::signal::Signal;
use sha2::{Digest as _, Sha256};
use tokio::time::timeout;

pub(crate) use self::closed::Closed;
pub use self::pair::PostgresPair;
use crate::component::Component;
use crate::databases::{Home, SUPERUSER, secret_name};
use crate::layout::Layout;
use crate::ports::Ports;
use crate::probe::Probe;
use crate::process::{Account, Launch, Unit, run_to_end};

const PROGRAMS: &str = "/usr/lib/postgresql";
const STOP_LIMIT: Duration = Duration::from_secs(20);

/// Limit of the start that sets a password: it may have to recover what was written before a crash.
const PASSWORD_LIMIT: Duration = Duration::from_mins(5);

/// The file in the data folder that says who may log in. A restore leaves it out.
pub(crate) const ACCESS_FILE: &str = "pg_hba.conf";

/// The form of what the databases hold. It changes when migrations are replaced by others, which they may be until the
/// first release; a data folder of another form cannot be migrated.
const FORM: &str = "3";

/// The file in the data folder that names its form. Backups contain it.
const FORM_FILE: &str = "adfolio-form";

/// How the superuser logs in. The services' roles always need their passwords.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Superuser {
    /// With the password.
    Password,
    /// Without: hashing it takes longer than most tests, which log in thousands of times.
    Anybody,
}

/// Creates the data folder if it is missing and describes the server.
pub(crate) async fn prepare(
    layout: &Layout,
    ports: &Ports,
    durable: bool,
    superuser: Superuser,
) -> Result<Unit> {
    let data = layout.folder(Component::Postgres.name());
    let account = Account::for_postgres()?;
    let existing = fs::read_to_string(data.join("PG_VERSION")).ok();
    let programs = find_programs(existing.as_deref().map(str::trim))?;
    let home = Home::private(layout, ports.postgres)?;
    let password = home.base_url().password().unwrap_or_default();
    let access = access(password, superuser);
    if existing.is_none() {
        initialise(layout, &data, &programs, account.as_ref(), durable).await?;
        write_access(&data, account.as_ref(), &access)?;
    }
    require_present_form(&data)?;
    // Its owner is gone (leftovers are killed before a start), but its pid may have been reused.
    let _ = fs::remove_file(data.join("postmaster.pid"));
    if fs::read_to_string(data.join(ACCESS_FILE)).unwrap_or_default() != access {
        set_password(layout, &programs, &data, password).await?;
        write_access(&data, account.as_ref(), &access)?;
    }
    Ok(Unit {
        component: Component::Postgres,
        launch: launch(&programs, &data, ports.postgres, durable)?,
        probe: ports.listener(Component::Postgres, layout)?.1,
        // A fast shutdown: open sessions are rolled back and closed.
        stop_signal: Signal::SIGINT,
        stop_limit: STOP_LIMIT,
    })
}

/// A server on a data folder, with a stack's settings. Arguments may be added.
pub(crate) fn launch(programs: &Path, data: &Path, port: u16, durable: bool) -> Result<Launch> {
    let mut launch = Launch::new(programs.join("postgres"), data)
        .args(["-D".into(), data.as_os_str().to_owned()]);
    for setting in settings(port, durable) {
        launch = launch.args(["-c".to_owned(), setting]);
    }
    launch.account = Account::for_postgres()?;
    Ok(launch)
}

/// Folder of the programs of the newest version.
pub(crate) fn newest_programs() -> Result<PathBuf> {
    find_programs(None)
}

/// Folder of the programs of a major version.
pub(crate) fn programs_of(major: u32) -> Result<PathBuf> {
    find_programs(Some(&major.to_string()))
}

fn require_present_form(data: &Path) -> Result<()> {
    let form = fs::read_to_string(data.join(FORM_FILE)).unwrap_or_default();
    if form.trim() == FORM {
        return Ok(());
    }
    let folder = data.parent().unwrap_or(data);
    bail!(
        "{} holds data from before the migrations were replaced: delete it and start again",
        folder.display()
    )
}

/// Who may log in. The digest tells whether the superuser's password is the one in the secrets. It is another one after
/// a restore beside other secrets, and data from before there were passwords have none.
fn access(password: &str, superuser: Superuser) -> String {
    let method = match superuser {
        Superuser::Password => "scram-sha-256",
        Superuser::Anybody => "trust",
    };
    let digest = hex::encode(Sha256::digest(password));
    // The logins of services under test, for the same reason. Their names are those of adfolio-testkit.
    let of_tests = match superuser {
        Superuser::Password => "",
        Superuser::Anybody => "host all adfolio_test,adfolio_test_migrate 127.0.0.1/32 trust\n",
    };
    format!(
        "# Written by adfolio-local, which sets the password with the SHA-256 {digest}.\n\
         host all         {SUPERUSER} 127.0.0.1/32 {method}\n\
         host replication {SUPERUSER} 127.0.0.1/32 {method}\n\
         {of_tests}\
         host all         all 127.0.0.1/32 scram-sha-256\n"
    )
}

/// Atomically: a crash in between leaves a file that says another password, or none.
fn write_access(data: &Path, account: Option<&Account>, access: &str) -> Result<()> {
    let (path, draft) = (data.join(ACCESS_FILE), data.join("pg_hba.conf.new"));
    fs::write(&draft, access).context("cannot write who may log in")?;
    if let Some(account) = account {
        account.own(&draft)?;
    }
    fs::rename(&draft, &path).with_context(|| format!("cannot write {}", path.display()))
}

async fn set_password(layout: &Layout, programs: &Path, data: &Path, password: &str) -> Result<()> {
    let mut closed = Closed::start(layout, programs, data, &[]).await?;
    let url = closed.url()?;
    let probe = Probe::Postgres(url.clone());
    timeout(PASSWORD_LIMIT, closed.during(layout, probe.wait()))
        .await
        .with_context(|| format!("the databases are not ready within {PASSWORD_LIMIT:?}"))??;
    crate::databases::set_password(&url, SUPERUSER, password).await?;
    closed.stop().await
}

async fn initialise(
    layout: &Layout,
    data: &Path,
    programs: &Path,
    account: Option<&Account>,
    durable: bool,
) -> Result<()> {
    // Made elsewhere and renamed once complete: an interrupted start leaves nothing half done.
    let draft = layout.folder("postgres.new");
    if draft.exists() {
        fs::remove_dir_all(&draft).with_context(|| format!("cannot remove {}", draft.display()))?;
    }
    fs::create_dir(&draft).with_context(|| format!("cannot create {}", draft.display()))?;
    if let Some(account) = account {
        account.own(&draft)?;
    }
    let mut launch = Launch::new(programs.join("initdb"), &draft)
        .args(["-D".into(), draft.clone().into_os_string()])
        .args([
            "-U",
            "postgres",
            "--auth=scram-sha-256",
            "--encoding=UTF8",
            "--locale=C",
        ])
        .args([
            "--pwfile".into(),
            layout
                .random_secret(&secret_name(SUPERUSER))?
                .into_os_string(),
        ]);
    if !durable {
        launch = launch.args(["--no-sync"]);
    }
    launch.account = account.cloned();
    run_to_end(&launch).await?;
    fs::write(draft.join(FORM_FILE), FORM).context("cannot write the form of the data")?;
    fs::rename(&draft, data).with_context(|| format!("cannot create {}", data.display()))
}

fn settings(port: u16, durable: bool) -> Vec<String> {
    let mut settings = vec![
        "listen_addresses=127.0.0.1".to_owned(),
        format!("port={port}"),
        // TCP only: a socket folder would be one more thing to keep apart from other servers.
        "unix_socket_directories=".to_owned(),
        // Tests start many systems beside one another, each with the pools of six services. The same for all servers:
        // a backup is not recovered where fewer are allowed.
        "max_connections=800".to_owned(),
        "shared_buffers=128MB".to_owned(),
    ];
    settings.extend(shared_settings(durable));
    settings
}

/// The settings of all servers, a stack's own and those of a cluster.
pub(crate) fn shared_settings(durable: bool) -> Vec<String> {
    let mut settings = [
        // Queries are short; compiling them costs more than it gains.
        "jit=off",
        "timezone=UTC",
        "log_timezone=UTC",
        "log_line_prefix=%m [%p] %d ",
        "log_min_messages=warning",
        "logging_collector=off",
    ]
    .map(str::to_owned)
    .to_vec();
    if !durable {
        // The server of a test run may lose everything at a power loss. A killed process still
        // loses nothing, because every commit reaches the kernel: `synchronous_commit` must stay on
        // for that.
        settings.extend(
            [
                "fsync=off",
                "full_page_writes=off",
                // Without durability a long WAL only takes room.
                "max_wal_size=256MB",
                // In the data folder, so that a killed server leaves nothing behind once the folder
                // is removed.
                "dynamic_shared_memory_type=mmap",
            ]
            .map(str::to_owned),
        );
    }
    settings
}

/// Folder of the server's programs: of the version that made the data, else of the newest version.
fn find_programs(version: Option<&str>) -> Result<PathBuf> {
    let major = |folder: &Path| -> Option<u32> { folder.file_name()?.to_str()?.parse().ok() };
    let mut versions: Vec<PathBuf> = fs::read_dir(PROGRAMS)
        .into_iter()
        .flatten()
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|folder| {
            major(folder).is_some()
                && folder.join("bin/postgres").exists()
                && folder.join("bin/initdb").exists()
        })
        .collect();
    versions.sort_by_key(|folder| major(folder));
    let Some(version) = version else {
        return match versions.pop() {
            Some(newest) => Ok(newest.join("bin")),
            None => bail!("PostgreSQL is not installed below {PROGRAMS}: `make up` installs it"),
        };
    };
    match versions.iter().find(|folder| folder.ends_with(version)) {
        Some(folder) => Ok(folder.join("bin")),
        None => bail!(
            "the data were made by PostgreSQL {version}, which is not installed below {PROGRAMS}"
        ),
    }
}
