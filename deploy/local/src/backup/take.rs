//! Backing up a running system.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context as _, Result, bail, ensure};
use chrono::Utc;
use tokio::time::timeout;
use tracing::info;
use url::Url;

use super::files;
use super::manifest::{self, Manifest, POSTGRES, UPLOADS};
use crate::component::{Component, Service};
use crate::databases::{Home, SUPERUSER};
use crate::layout::Layout;
use crate::process::{Launch, run_to_end};
use crate::servers::postgres;
use crate::stack::Description;

/// A base backup that takes longer is stuck.
const COPY_LIMIT: Duration = Duration::from_hours(6);

/// The suffix of an unfinished backup.
const UNFINISHED: &str = ".part";

/// A finished backup.
#[derive(Debug)]
pub(crate) struct Taken {
    pub(crate) folder: PathBuf,
    pub(crate) manifest: Manifest,
}

/// Backs up the stack running on `layout` into a new folder below `to`.
pub(crate) async fn take(layout: &Layout, to: &Path) -> Result<Taken> {
    let stack = running(layout)?;
    fs::create_dir_all(to).with_context(|| format!("cannot create {}", to.display()))?;
    let to = to
        .canonicalize()
        .with_context(|| format!("cannot open {}", to.display()))?;
    let _only = only_one(&to)?;
    remove_unfinished(&to)?;
    let name = Utc::now().format("%Y%m%dT%H%M%SZ").to_string();
    let folder = to.join(&name);
    ensure!(!folder.exists(), "{} already exists", folder.display());
    let draft = to.join(format!(".{name}{UNFINISHED}"));
    let written = write(layout, &stack, &draft).await;
    if written.is_err() {
        // The first error matters.
        let _ = files::remove(&draft);
    }
    let manifest = written?;
    fs::rename(&draft, &folder).with_context(|| format!("cannot create {}", folder.display()))?;
    files::flush(&to)?;
    Ok(Taken { folder, manifest })
}

fn running(layout: &Layout) -> Result<Description> {
    ensure!(
        layout.supervisor().is_some(),
        "nothing runs below {}: only a running system can be backed up",
        layout.root().display()
    );
    let text = fs::read(layout.description()).context("the system is just starting")?;
    let stack: Description =
        serde_json::from_slice(&text).context("the system is just starting")?;
    ensure!(
        stack.has(Component::Postgres),
        "the databases are in another PostgreSQL (DATABASE_URL): back it up where it runs"
    );
    Ok(stack)
}

/// Two backups at a time would remove each other's drafts.
fn only_one(to: &Path) -> Result<File> {
    let path = to.join(".lock");
    let file = File::options()
        .create(true)
        .truncate(false)
        .write(true)
        .open(&path)
        .with_context(|| format!("cannot write {}", path.display()))?;
    if file.try_lock().is_err() {
        bail!("another backup is being written to {}", to.display());
    }
    Ok(file)
}

/// Removes unfinished backups.
fn remove_unfinished(to: &Path) -> Result<()> {
    for entry in fs::read_dir(to).with_context(|| format!("cannot read {}", to.display()))? {
        let entry = entry?;
        let name = entry.file_name();
        let name = name.to_string_lossy();
        if name.starts_with('.') && name.ends_with(UNFINISHED) {
            files::remove(&entry.path())?;
        }
    }
    Ok(())
}

async fn write(layout: &Layout, stack: &Description, draft: &Path) -> Result<Manifest> {
    let home = Home::private(layout, stack.ports.postgres)?;
    let services = Service::ALL.map(|service| stack.has(service).then_some(service));
    let services: Vec<Service> = services.into_iter().flatten().collect();
    let about = manifest::describe(home.base_url(), &services).await?;
    files::make_private(draft, None)?;

    let began_at = Utc::now();
    info!("copying the databases");
    let programs = postgres::programs_of(about.0.major)?;
    base_backup(&programs, layout, home.base_url(), draft).await?;
    let ended_at = Utc::now();

    let (layout, draft) = (layout.clone(), draft.to_owned());
    tokio::task::spawn_blocking(move || {
        let uploads = layout.folder(UPLOADS);
        let uploads = if uploads.exists() {
            info!("copying the uploads");
            files::copy(&uploads, &draft.join(UPLOADS), None, is_whole_upload)?
        } else {
            files::Digests::new()
        };
        let times = (began_at, ended_at);
        let manifest = Manifest::write(&draft, &layout.secrets(), times, about, uploads)?;
        files::flush(&draft)?;
        Ok(manifest)
    })
    .await?
}

/// Includes the WAL written meanwhile, up to the point at which the backup is consistent.
async fn base_backup(programs: &Path, layout: &Layout, url: &Url, draft: &Path) -> Result<()> {
    let (host, port) = (
        url.host_str().unwrap_or_default(),
        url.port().unwrap_or_default(),
    );
    let password = url.password().unwrap_or_default();
    // By file: the environment and the arguments of a process are read by others who see the process.
    let line = format!("{host}:{port}:*:{SUPERUSER}:{password}");
    let launch = Launch::new(programs.join("pg_basebackup"), draft)
        .env("PGPASSFILE", layout.write_secret("pgpass", &line)?)
        .args(["--host".to_owned(), host.to_owned()])
        .args(["--port".to_owned(), port.to_string()])
        .args(["--username", SUPERUSER, "--no-password"])
        .args(["--pgdata".into(), draft.join(POSTGRES).into_os_string()])
        .args(["--format=plain", "--wal-method=stream", "--checkpoint=fast"])
        .args(["--manifest-checksums=SHA256", "--label=adfolio"]);
    timeout(COPY_LIMIT, run_to_end(&launch))
        .await
        .with_context(|| format!("the copy takes longer than {COPY_LIMIT:?}"))?
}

/// A finished upload is renamed; before that its name contains a number sign.
fn is_whole_upload(name: &str) -> bool {
    !name.contains('#')
}
