//! `adfolio-<service> migrate`: migrates the database and ends, so that the serving process needs
//! no login that may change tables.

use std::process::ExitCode;
use std::time::Duration;

use clap::Parser;
use tracing::error;

use super::{Logins, Schema, migrate_once};
use crate::config::{DatabaseArgs, TelemetryArgs, exit_with, parse_args_or_exit};
use crate::refusal::chain;
use crate::telemetry;

/// The command: the first argument of a service.
pub(crate) const COMMAND: &str = "migrate";

/// How long failures are retried. Then the process ends with an error, and what started it tries
/// again or tells its operator.
const RETRY_LIMIT: Duration = Duration::from_secs(30);

/// Migrates the database of a service and grants the user of DATABASE_URL its rights to the tables
#[derive(Debug, Parser)]
struct MigrateConfig {
    /// Logs and traces
    #[command(flatten)]
    telemetry: TelemetryArgs,
    /// The service's own database
    #[command(flatten)]
    database: DatabaseArgs,
}

/// Runs the command; its arguments follow its name.
pub(crate) async fn main(name: &'static str, schema: &Schema) -> ExitCode {
    let MigrateConfig {
        telemetry,
        database,
    } = parse_args_or_exit(std::env::args_os().skip(1));
    let logins = match Logins::of(&database, name) {
        Ok(logins) => logins,
        Err(error) => exit_with(&chain(&error)),
    };
    let guard = match telemetry::init(name, &telemetry) {
        Ok(guard) => guard,
        Err(error) => exit_with(&format!("{error:#}")),
    };
    let outcome = migrate_once(&logins, schema, RETRY_LIMIT).await;
    if let Err(problem) = &outcome {
        error!(error = chain(problem), "cannot migrate");
    }
    drop(guard);
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE,
    }
}
