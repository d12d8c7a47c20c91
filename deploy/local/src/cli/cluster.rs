//! `cluster-up`, `cluster-down` and `cluster-status`.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Result;
use clap::Args;
use nix::sys::stat::{Mode, umask};
use tracing::info;

use super::announce;
use super::options::{ContentOptions, ServiceOptions};
use super::signals::{INTERRUPTED, Interrupts};
use crate::cluster::{Cluster, ClusterPorts, FIRST_PORT, FOLDER};
use crate::stack::Stack;

/// The data directory of a cluster.
#[derive(Debug, Args)]
pub(super) struct ClusterData {
    /// Folder for all data of the cluster.
    #[arg(
        long = "data",
        env = "ADFOLIO_CLUSTER_DATA",
        default_value = ".data/cluster"
    )]
    data: PathBuf,
}

/// The ports and data of the cluster.
#[derive(Debug, Args)]
pub(super) struct ClusterOptions {
    #[command(flatten)]
    folder: ClusterData,
    /// First of the eleven ports of haproxy, PostgreSQL, Patroni, etcd and RabbitMQ. It cannot change later.
    #[arg(long, env = "ADFOLIO_CLUSTER_PORT", default_value_t = FIRST_PORT)]
    cluster_port: u16,
    /// Folder of the services' programs, if they were not built together with this one.
    #[arg(long, env = "ADFOLIO_PROGRAMS")]
    programs: Option<PathBuf>,
    #[command(flatten)]
    services: ServiceOptions,
    #[command(flatten)]
    content: ContentOptions,
}

impl ClusterOptions {
    async fn start(self) -> Result<(Cluster, Stack)> {
        let cluster = Cluster::builder()
            .data_dir(self.folder.data)
            .ports(ClusterPorts::from(self.cluster_port)?)
            .durable(true)
            .start()
            .await?;
        let mut builder = cluster
            .stack()
            .ports(self.services.ports()?)
            .demo(self.content.demo())
            .tls(self.content.tls())
            .admin_password(self.content.admin_password);
        if let Some(programs) = self.programs {
            builder = builder.programs(programs);
        }
        let stack = builder.start().await?;
        Ok((cluster, stack))
    }
}

/// Starts everything and keeps it running until Ctrl-C.
pub(super) async fn up(options: ClusterOptions) -> Result<ExitCode> {
    // What this process and its children write is for their account alone.
    umask(Mode::S_IRWXG | Mode::S_IRWXO);
    let mut interrupts = Interrupts::listen()?;
    let admin_password = options.content.admin_password.clone();
    let demo = options.content.demo();
    info!("starting a cluster below {}", options.folder.data.display());
    let (cluster, stack) = tokio::select! {
        started = options.start() => started?,
        // Dropping the start kills what it had started.
        () = interrupts.next() => return Ok(ExitCode::from(INTERRUPTED)),
    };
    announce(&stack, &admin_password, demo, Ok(None));
    println!("  primary     {}", cluster.primary_address());
    println!("  standbys    {}", cluster.standbys_address());
    println!("  patronictl  -c {}", cluster.patronictl_file().display());
    println!();
    println!("  Ctrl-C or `make cluster-down` stops it.");
    println!();
    interrupts.next().await;
    info!("stopping (Ctrl-C again kills at once)");
    let stopped = async {
        stack.stop().await;
        cluster.stop().await;
    };
    tokio::select! {
        () = stopped => info!("stopped"),
        () = interrupts.next() => {}
    }
    Ok(ExitCode::SUCCESS)
}

/// Stops a running cluster, whose supervisor first stops the services.
pub(super) async fn down(options: &ClusterData) -> Result<ExitCode> {
    super::down(&options.data.join(FOLDER)).await
}

/// Shows the members and the services.
pub(super) async fn status(options: &ClusterData) -> Result<ExitCode> {
    let shown = super::status(&options.data).await?;
    if let Some(members) = Cluster::members_of(&options.data).await {
        for member in members {
            println!("{member}");
        }
    }
    Ok(shown)
}
