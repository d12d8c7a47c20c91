//! The `main` of every service: configuration, telemetry, listener, `run`, exit code.

use std::process::ExitCode;
use std::time::Duration;

use anyhow::Context as _;
use clap::Parser;
use tokio::net::TcpListener;
use tracing::error;

use super::Running;
use crate::config::{
    ConfigError, EXIT_CONFIGURATION, ProcessArgs, ServerArgs, exit_with, parse_or_exit,
};
use crate::db::{Schema, command};
use crate::refusal::chain;
use crate::shutdown::Shutdown;
use crate::{healthcheck, telemetry};

/// What `main` needs of a process's configuration.
pub trait ProcessConfig {
    /// Ports, shutdown and logs.
    fn process(&self) -> &ProcessArgs;
}

/// The `main` of a service with a database. With `migrate` as the first argument it only applies
/// the migrations and grants the serving login its rights.
pub async fn main_with_database<C>(
    name: &'static str,
    schema: &Schema,
    run: impl FnOnce(C, TcpListener, Shutdown) -> Running,
) -> ExitCode
where
    C: Parser + ProcessConfig,
{
    if std::env::args().nth(1).as_deref() == Some(command::COMMAND) {
        return command::main(name, schema).await;
    }
    main(name, run).await
}

/// The `main` of every process: configuration, telemetry, listener, `run`, exit code. With
/// `healthcheck` as the first argument it only asks the running process whether it is ready, and
/// needs none of that.
pub async fn main<C>(
    name: &'static str,
    run: impl FnOnce(C, TcpListener, Shutdown) -> Running,
) -> ExitCode
where
    C: Parser + ProcessConfig,
{
    if std::env::args().nth(1).as_deref() == Some(healthcheck::COMMAND) {
        return healthcheck::main().await;
    }
    let config: C = parse_or_exit();
    let guard = match telemetry::init(name, &config.process().telemetry) {
        Ok(guard) => guard,
        Err(error) => exit_with(&format!("{error:#}")),
    };
    let outcome = match listen(config.process().server.clone()).await {
        Ok((listener, shutdown)) => run(config, listener, shutdown).await,
        Err(problem) => Err(problem),
    };
    if let Err(problem) = &outcome {
        report(problem);
    }
    drop(guard);
    // Returning from main would wait for blocking threads (a look-up, a hash) that nobody needs any
    // more.
    std::process::exit(outcome.map_or_else(|problem| exit_code(&problem), |()| 0))
}

/// Invalid configuration is reported in one line without a log prefix, even if it was detected
/// after parsing.
fn report(problem: &anyhow::Error) {
    if let Some(wrong) = problem.downcast_ref::<ConfigError>() {
        eprintln!("{}", chain(wrong));
    } else {
        error!(error = format!("{problem:#}"), "service failed");
    }
}

fn exit_code(problem: &anyhow::Error) -> i32 {
    if problem.is::<ConfigError>() {
        EXIT_CONFIGURATION
    } else {
        1
    }
}

/// The service's port, and the shutdown on signals.
async fn listen(args: ServerArgs) -> anyhow::Result<(TcpListener, Shutdown)> {
    let shutdown = Shutdown::on_signals().context("cannot listen for signals")?;
    exit_when_overdue(shutdown.clone(), args.end_plan().exit);
    let address = args.listen_addr;
    let listener = TcpListener::bind(address)
        .await
        .with_context(|| format!("cannot listen on {address}"))?;
    Ok((listener, shutdown))
}

/// The last resort: exits when the limit is over.
fn exit_when_overdue(shutdown: Shutdown, limit: Duration) {
    tokio::spawn(async move {
        shutdown.cancelled().await;
        tokio::time::sleep(limit).await;
        error!("the process did not end in time");
        std::process::exit(1);
    });
}
