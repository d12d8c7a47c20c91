//! The commands of `adfolio-local`.

mod backup;
mod cluster;
mod containers;
mod options;
mod signals;
mod with;

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context as _, Result, bail};
use clap::{Parser, Subcommand};
use nix::sys::signal::{Signal, kill};
use nix::sys::stat::{Mode, umask};
use nix::unistd::Pid;
use tokio::time::{Instant, sleep};
use tracing::info;

use self::containers::{PrepareOptions, ProvisionOptions};
use self::options::{DataOptions, StackOptions};
use self::signals::Interrupts;
use self::with::{CommandLine, with_servers, with_stack};
use crate::builder::Visitors;
use crate::component::Component;
use crate::layout::Layout;
use crate::process::kill_marked;
use crate::stack::{Description, Stack};
use crate::staff::{ADMIN_USERNAME, SECOND_ADMIN_PASSWORD, SECOND_ADMIN_USERNAME};

/// Adfolio on this machine without containers, and the preparation of a system in containers.
#[derive(Debug, Parser)]
#[command(version)]
pub struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Start everything and keep it running until Ctrl-C or `down`.
    Up(StackOptions),
    /// Start everything on a cluster of three machines, two replicas of each service, and keep it running until Ctrl-C.
    ClusterUp(cluster::ClusterOptions),
    /// Stop what `cluster-up` started.
    ClusterDown(cluster::ClusterData),
    /// Show the members of the cluster and the running components.
    ClusterStatus(cluster::ClusterData),
    /// Stop what `up` started.
    Down(DataOptions),
    /// Show the running components.
    Status(DataOptions),
    /// Back up all databases, at one point in time, and the uploads of the running system.
    Backup(backup::BackupOptions),
    /// Replace the data by a backup, while nothing is running. The replaced data are kept.
    Restore(backup::RestoreOptions),
    /// Run a command with a private PostgreSQL and RabbitMQ (`DATABASE_URL`, `AMQP_URL`).
    WithServers(CommandLine),
    /// Make certificates, passwords and their files for a system in containers: a folder for each
    /// consumer. Run again, it keeps what exists and renews certificates that expire soon.
    Provision(ProvisionOptions),
    /// Wait for PostgreSQL and RabbitMQ, and make what the services may not make themselves:
    /// databases and exchanges.
    Prepare(PrepareOptions),
    /// Run a command with a whole stack on free ports (`ADFOLIO_URL` and the services' addresses).
    WithStack(with::StackCommand),
}

/// Runs one command.
pub async fn run(cli: Cli) -> Result<ExitCode> {
    match cli.command {
        Command::Up(options) => up(options).await,
        Command::ClusterUp(options) => cluster::up(options).await,
        Command::ClusterDown(options) => cluster::down(&options).await,
        Command::ClusterStatus(options) => cluster::status(&options).await,
        Command::Down(options) => down(&options.data).await,
        Command::Status(options) => status(&options.data).await,
        Command::Backup(options) => backup::take(options).await,
        Command::Restore(options) => backup::restore(options).await,
        Command::Provision(options) => options.run(),
        Command::Prepare(options) => options.run().await,
        Command::WithServers(command) => with_servers(command).await,
        Command::WithStack(command) => with_stack(command).await,
    }
}

async fn up(options: StackOptions) -> Result<ExitCode> {
    // What this process and its children write is for their account alone.
    umask(Mode::S_IRWXG | Mode::S_IRWXO);
    let mut interrupts = Interrupts::listen()?;
    let admin_password = options.admin_password().to_owned();
    let demo = options.demo();
    let simnet = options.simnet();
    info!("starting Adfolio below {}", options.data.display());
    let stack = tokio::select! {
        stack = options.into_builder()?.start() => stack?,
        // Dropping the start kills what it had started.
        () = interrupts.next() => return Ok(ExitCode::from(signals::INTERRUPTED)),
    };
    announce(&stack, &admin_password, demo, simnet);
    println!("  Ctrl-C or `make down` stops it.");
    println!();
    interrupts.next().await;
    info!("stopping (Ctrl-C again kills at once)");
    tokio::select! {
        () = stack.stop() => info!("stopped"),
        () = interrupts.next() => {}
    }
    Ok(ExitCode::SUCCESS)
}

fn announce(
    stack: &Stack,
    admin_password: &str,
    demo: bool,
    simnet: Result<Option<Visitors>, PathBuf>,
) {
    println!();
    println!("  Adfolio is ready: {}", stack.url());
    println!();
    println!("  staff       {ADMIN_USERNAME} / {admin_password}");
    if demo {
        println!("              {SECOND_ADMIN_USERNAME} / {SECOND_ADMIN_PASSWORD}");
        println!("  advertiser  demo / adfolio-demo-1   (transaction password 246810)");
        println!("  licences    DEMO-LICENSE-0001 … DEMO-LICENSE-0020");
        match simnet {
            Ok(None) => {}
            Ok(Some(_)) => println!("  network     simulated"),
            Err(missing) => println!("  network     none: there is no {}", missing.display()),
        }
    }
    println!("  events      {}", stack.reader_amqp_url());
    if let Some(files) = stack.tls_files("adfolioctl") {
        println!("  TLS         {}", files.certificate.display());
    }
    println!("  logs        {}", stack.data_dir().join("log").display());
    println!();
}

/// Longer than the sum of the limits of an ordered stop.
const DOWN_LIMIT: Duration = Duration::from_secs(75);
const DOWN_POLL: Duration = Duration::from_millis(100);

async fn down(data: &Path) -> Result<ExitCode> {
    let Ok(layout) = Layout::at(data) else {
        println!("nothing runs: there is no {}", data.display());
        return Ok(ExitCode::SUCCESS);
    };
    let Some(supervisor) = layout.supervisor() else {
        let killed = kill_marked(&layout, None);
        println!(
            "nothing runs below {}{}",
            layout.root().display(),
            leftovers_note(killed)
        );
        return Ok(ExitCode::SUCCESS);
    };
    let pid = Pid::from_raw(i32::try_from(supervisor)?);
    kill(pid, Signal::SIGTERM).with_context(|| format!("cannot stop process {supervisor}"))?;
    let deadline = Instant::now() + DOWN_LIMIT;
    while layout.supervisor() == Some(supervisor) {
        if Instant::now() >= deadline {
            kill(pid, Signal::SIGKILL)?;
            kill_marked(&layout, None);
            bail!("it did not stop within {DOWN_LIMIT:?} and was killed");
        }
        sleep(DOWN_POLL).await;
    }
    println!("stopped");
    Ok(ExitCode::SUCCESS)
}

fn leftovers_note(killed: usize) -> String {
    match killed {
        0 => String::new(),
        killed => format!(" ({killed} leftover processes ended)"),
    }
}

async fn status(data: &Path) -> Result<ExitCode> {
    let running = Layout::at(data)
        .ok()
        .filter(|layout| layout.supervisor().is_some());
    let Some(layout) = running else {
        println!("not running");
        return Ok(ExitCode::FAILURE);
    };
    let description = std::fs::read(layout.description()).context("the stack is just starting")?;
    let description: Description = serde_json::from_slice(&description)?;
    for component in Component::all().filter(|component| description.has(*component)) {
        let pid = std::fs::read_to_string(layout.pid_file(component)).unwrap_or_default();
        let (port, probe) = description.ports.listener(component, &layout)?;
        let state = if probe.holds().await {
            "ready"
        } else {
            "not ready"
        };
        let port = port.map_or_else(String::new, |port| format!("port {port}"));
        println!(
            "{:<14} {:>8}  {port:<11} {state}",
            component.to_string(),
            pid.trim()
        );
    }
    Ok(ExitCode::SUCCESS)
}
