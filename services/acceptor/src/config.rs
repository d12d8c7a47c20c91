//! The configuration of the process.

use adfolio_kit::clock::Clock;
use adfolio_kit::config::{DatabaseArgs, ServerArgs, TelemetryArgs};
use adfolio_kit::service::ProcessConfig;
use clap::Parser;

/// Acceptors of foreign exchange and their acceptance codes
#[derive(Clone, Debug, Parser)]
#[command(name = "adfolio-acceptor", version)]
pub struct Config {
    /// Where it listens and how it ends.
    #[command(flatten)]
    pub server: ServerArgs,
    /// Its database.
    #[command(flatten)]
    pub database: DatabaseArgs,
    /// How it logs.
    #[command(flatten)]
    pub telemetry: TelemetryArgs,
    /// The time that it goes by; tests move it.
    #[arg(skip)]
    pub clock: Clock,
}

impl ProcessConfig for Config {
    fn server(&self) -> &ServerArgs {
        &self.server
    }

    fn telemetry(&self) -> &TelemetryArgs {
        &self.telemetry
    }
}
