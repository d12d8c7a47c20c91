//! `backup` and `restore`.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context as _, Result};
use chrono::SecondsFormat;
use clap::Args;

use super::DataOptions;
use crate::backup::{self, Restored, Taken};
use crate::layout::Layout;

#[derive(Debug, Args)]
pub(super) struct BackupOptions {
    #[command(flatten)]
    data: DataOptions,
    /// The folder below which each backup gets a folder of its own.
    #[arg(long, env = "ADFOLIO_BACKUPS", default_value = ".backups")]
    to: PathBuf,
}

#[derive(Debug, Args)]
pub(super) struct RestoreOptions {
    #[command(flatten)]
    data: DataOptions,
    /// The folder of the backup.
    #[arg(long, value_name = "BACKUP")]
    from: PathBuf,
    /// Restore although the secrets that the backed up wallet encrypted with are not there: bank cards and transaction passwords
    /// are lost.
    #[arg(long)]
    accept_lost_secrets: bool,
}

/// Backs up what `up` runs.
pub(super) async fn take(options: BackupOptions) -> Result<ExitCode> {
    let layout = Layout::at(&options.data.data)
        .context("nothing runs there: a backup is made of a running system")?;
    let Taken { folder, manifest } = backup::take(&layout, &options.to).await?;
    let mebibytes = manifest.bytes.div_ceil(1024 * 1024);
    println!("backed up to {}", folder.display());
    println!(
        "  point      {} of the log, reached between {} and {}",
        manifest.point_lsn,
        manifest.began_at.to_rfc3339_opts(SecondsFormat::Secs, true),
        manifest.ended_at.to_rfc3339_opts(SecondsFormat::Secs, true)
    );
    println!(
        "  contents   {mebibytes} MiB: six databases, {} files of uploads",
        manifest.uploads()
    );
    println!();
    println!("NOT in it, keep it elsewhere and apart from backups:");
    for name in manifest.secrets() {
        println!("  {}", layout.secrets().join(name).display());
    }
    println!("Without these no bank card can be read and no transaction password be checked.");
    println!(
        "Nor are RabbitMQ's dead letters: `adfolioctl dead list` shows whether there are any."
    );
    Ok(ExitCode::SUCCESS)
}

/// Puts a backup in place of what `up` runs on.
pub(super) async fn restore(options: RestoreOptions) -> Result<ExitCode> {
    let Restored {
        manifest,
        replaced,
        last_commit,
    } = backup::restore(
        &options.data.data,
        &options.from,
        options.accept_lost_secrets,
    )
    .await?;
    println!(
        "restored {} to {} of the log; the backup ended at {}",
        options.data.data.display(),
        manifest.point_lsn,
        manifest.ended_at.to_rfc3339_opts(SecondsFormat::Secs, true)
    );
    if let Some(time) = last_commit {
        println!(
            "  last transaction  {}",
            time.to_rfc3339_opts(SecondsFormat::Millis, true)
        );
    }
    if let Some(folder) = replaced {
        println!("  what was there    {}", folder.display());
    }
    println!();
    println!(
        "RabbitMQ begins empty (one that AMQP_URL names must be emptied by hand, before anything starts). After `make up` the\n\
         services send again what may have been lost with it; then prove the books:"
    );
    println!("  adfolioctl wallet reconcile && adfolioctl wallet verify");
    Ok(ExitCode::SUCCESS)
}
