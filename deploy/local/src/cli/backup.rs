//! `backup` and `restore`.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context as _, Result};
use chrono::SecondsFormat;
use clap::Args;

use super::options::DataOptions;
use crate::backup::{self, Restored, Taken};
use crate::layout::Layout;

#[derive(Debug, Args)]
pub(super) struct BackupOptions {
    #[command(flatten)]
    data: DataOptions,
    /// The folder in which each backup gets its own folder.
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
    /// Restore even if the secrets of the backed-up wallet are missing: bank cards and transaction
    /// passwords are lost.
    #[arg(long)]
    accept_lost_secrets: bool,
}

/// Backs up the running system.
pub(super) async fn take(options: BackupOptions) -> Result<ExitCode> {
    let layout = Layout::at(&options.data.data)
        .context("nothing runs there: only a running system can be backed up")?;
    let Taken { folder, manifest } = backup::take(&layout, &options.to).await?;
    let mebibytes = manifest.bytes.div_ceil(1024 * 1024);
    println!("backed up to {}", folder.display());
    println!(
        "  point      {} of the WAL, reached between {} and {}",
        manifest.point_lsn,
        manifest.began_at.to_rfc3339_opts(SecondsFormat::Secs, true),
        manifest.ended_at.to_rfc3339_opts(SecondsFormat::Secs, true)
    );
    println!(
        "  contents   {mebibytes} MiB: six databases, {} uploads",
        manifest.uploads()
    );
    println!();
    println!("NOT included; keep these elsewhere, apart from backups:");
    for name in manifest.secrets() {
        println!("  {}", layout.secrets().join(name).display());
    }
    println!("Without them no bank card can be decrypted and no transaction password verified.");
    println!("RabbitMQ's dead letters are not included either: `adfolioctl dead list` shows them.");
    Ok(ExitCode::SUCCESS)
}

/// Restores a backup.
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
        "restored {} to {} of the WAL; the backup ended at {}",
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
        println!("  replaced data     {}", folder.display());
    }
    println!();
    println!(
        "RabbitMQ starts empty (empty one named by AMQP_URL by hand before anything starts). After \
         `make up`\nthe services send again the events that it may have lost; then verify the books:"
    );
    println!("  adfolioctl wallet reconcile && adfolioctl wallet verify");
    Ok(ExitCode::SUCCESS)
}
