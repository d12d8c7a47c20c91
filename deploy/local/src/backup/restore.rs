//! Restoring a backup.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context as _, Result, ensure};
use chrono::{DateTime, Utc};
use tokio::time::{sleep, timeout};
use tracing::info;
use url::Url;

use super::files;
use super::manifest::{self, Manifest, POSTGRES, UPLOADS};
use crate::component::{Component, Service};
use crate::layout::Layout;
use crate::process::{Account, Launch, run_to_end};
use crate::servers::postgres::{self, Closed};
use crate::stack::clear_leftovers;

/// Limit of replaying what was written during the backup.
const RECOVERY_LIMIT: Duration = Duration::from_hours(1);
const RECOVERY_POLL: Duration = Duration::from_millis(50);

/// The name of a folder until it replaces the old one.
const DRAFT: &str = ".restoring";

/// The result of a restore.
#[derive(Debug)]
pub(crate) struct Restored {
    pub(crate) manifest: Manifest,
    /// Where the replaced data are.
    pub(crate) replaced: Option<PathBuf>,
    /// When the last transaction before the point was committed; none if there was none during the
    /// backup.
    pub(crate) last_commit: Option<DateTime<Utc>>,
}

/// Restores the backup in `from` as the data directory `data`, where nothing may be running.
/// Nothing is replaced before the restored databases have reached their point, and nothing is
/// deleted.
pub(crate) async fn restore(
    data: &Path,
    from: &Path,
    accept_lost_secrets: bool,
) -> Result<Restored> {
    let from = from
        .canonicalize()
        .with_context(|| format!("there is no backup {}", from.display()))?;
    let manifest = Manifest::read(&from)?;
    let programs = postgres::programs_of(manifest.postgres.major)?;
    if !accept_lost_secrets {
        manifest.check_secrets(&data.join("secrets")).context(
            "the secrets are not those of the backup; without them no bank card can be decrypted and no \
             transaction password verified: restore them, or pass --accept-lost-secrets",
        )?;
    }
    let layout = Layout::create(data)?;
    let _lock = layout.lock()?;
    clear_leftovers(&layout).await;

    info!("checking the backup");
    verify(&programs, &from).await?;
    let (checked, folder) = (manifest.clone(), from.clone());
    tokio::task::spawn_blocking(move || checked.check_files(&folder)).await??;

    let drafts = Drafts::of(&layout);
    drafts.remove()?;
    let prepared = prepare(&layout, &drafts, &from, &manifest, &programs).await;
    if prepared.is_err() {
        // The first error matters.
        let _ = drafts.remove();
    }
    let last_commit = prepared?;
    let replaced = swap(&layout, &drafts)?;
    Ok(Restored {
        manifest,
        replaced,
        last_commit,
    })
}

/// The folders of the data directory that a restore makes.
struct Drafts {
    postgres: PathBuf,
    uploads: PathBuf,
}

impl Drafts {
    fn of(layout: &Layout) -> Self {
        let draft = |name: &str| layout.folder(&format!("{name}{DRAFT}"));
        Self {
            postgres: draft(POSTGRES),
            uploads: draft(UPLOADS),
        }
    }

    fn remove(&self) -> Result<()> {
        files::remove(&self.postgres)?;
        files::remove(&self.uploads)
    }
}

/// Verifies PostgreSQL's files and the required WAL by their checksums.
async fn verify(programs: &Path, from: &Path) -> Result<()> {
    let base = from.join(POSTGRES);
    ensure!(
        base.is_dir(),
        "{} is no complete backup: it has no databases",
        from.display()
    );
    let launch = Launch::new(programs.join("pg_verifybackup"), from)
        .args(["--quiet".into(), base.into_os_string()]);
    run_to_end(&launch)
        .await
        .with_context(|| format!("the databases in {} are damaged", from.display()))
}

async fn prepare(
    layout: &Layout,
    drafts: &Drafts,
    from: &Path,
    manifest: &Manifest,
    programs: &Path,
) -> Result<Option<DateTime<Utc>>> {
    info!("copying");
    let account = Account::for_postgres()?;
    let (base, draft) = (from.join(POSTGRES), drafts.postgres.clone());
    let owner = account.clone();
    let uploads = manifest
        .has_uploads()
        .then(|| (from.join(UPLOADS), drafts.uploads.clone()));
    tokio::task::spawn_blocking(move || {
        // The passwords in the backup may not be those of these secrets: the next start sets them.
        files::copy(&base, &draft, owner.as_ref(), |name| {
            name != postgres::ACCESS_FILE
        })?;
        if let Some((uploads, draft)) = uploads {
            files::copy(&uploads, &draft, None, |_| true)?;
        }
        anyhow::Ok(())
    })
    .await??;

    info!("recovering the databases");
    let signal = drafts.postgres.join("recovery.signal");
    File::create(&signal).with_context(|| format!("cannot create {}", signal.display()))?;
    if let Some(account) = &account {
        account.own(&signal)?;
    }
    let last_commit = recover(layout, drafts, manifest, programs).await?;
    files::flush(layout.root())?;
    Ok(last_commit)
}

/// Lets a PostgreSQL on the draft recover to the backup's point and begin a new timeline there. The
/// new timeline makes the relays send their sent events again.
async fn recover(
    layout: &Layout,
    drafts: &Drafts,
    manifest: &Manifest,
    programs: &Path,
) -> Result<Option<DateTime<Utc>>> {
    let settings = [
        // The backup contains all required WAL.
        "restore_command=false",
        "recovery_target=immediate",
        "recovery_target_action=promote",
    ];
    let mut server = Closed::start(layout, programs, &drafts.postgres, &settings).await?;
    let url = server.url()?;
    let reached = server.during(layout, reach_point(&url));
    let last_commit = timeout(RECOVERY_LIMIT, reached).await.with_context(|| {
        format!("the databases did not reach their point within {RECOVERY_LIMIT:?}")
    })??;
    let services: Vec<Service> = Service::ALL
        .into_iter()
        .filter(|service| manifest.schemas.contains_key(service.name()))
        .collect();
    let (about, schemas) = manifest::describe(&url, &services).await?;
    ensure!(
        about.system_identifier == manifest.postgres.system_identifier
            && schemas == manifest.schemas,
        "the restored databases are not those in the manifest of the backup"
    );
    server.stop().await?;
    Ok(last_commit)
}

/// Waits until the server accepts writes; returns when its last transaction was committed.
async fn reach_point(url: &Url) -> Option<DateTime<Utc>> {
    loop {
        let asked = async {
            let mut connection = manifest::connect(url).await?;
            let row: (bool, Option<DateTime<Utc>>) =
                sqlx::query_as("SELECT pg_is_in_recovery(), pg_last_xact_replay_timestamp()")
                    .fetch_one(&mut connection)
                    .await?;
            anyhow::Ok(row)
        };
        if let Ok((false, last_commit)) = asked.await {
            return last_commit;
        }
        sleep(RECOVERY_POLL).await;
    }
}

/// Replaces the data by the drafts, and moves the old data aside. RabbitMQ's data are moved too:
/// they contain events that no longer happened. A crash in between leaves a mark that prevents any
/// start until the restore is repeated.
fn swap(layout: &Layout, drafts: &Drafts) -> Result<Option<PathBuf>> {
    let move_to = |from: &Path, to: &Path| {
        fs::rename(from, to)
            .with_context(|| format!("cannot move {} to {}", from.display(), to.display()))
    };
    let mark = layout.unfinished_restore();
    File::create(&mark).with_context(|| format!("cannot write {}", mark.display()))?;
    files::flush(layout.root())?;

    let aside = layout.folder(&format!(
        "replaced-{}",
        Utc::now().format("%Y%m%dT%H%M%S%3fZ")
    ));
    let mut replaced = None;
    for name in [POSTGRES, UPLOADS, Component::Rabbitmq.name()] {
        let folder = layout.folder(name);
        if folder.exists() {
            if replaced.is_none() {
                files::make_private(&aside, None)?;
                replaced = Some(aside.clone());
            }
            move_to(&folder, &aside.join(name))?;
        }
    }
    move_to(&drafts.postgres, &layout.folder(POSTGRES))?;
    if drafts.uploads.exists() {
        move_to(&drafts.uploads, &layout.folder(UPLOADS))?;
    }
    files::flush(layout.root())?;
    fs::remove_file(&mark).with_context(|| format!("cannot remove {}", mark.display()))?;
    files::flush(layout.root())?;
    Ok(replaced)
}
