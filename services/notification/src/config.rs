//! The configuration of the process.

use adfolio_kit::clock::Clock;
use adfolio_kit::config::{BrokerArgs, DatabaseArgs, ServerArgs, TelemetryArgs};
use adfolio_kit::service::ProcessConfig;
use clap::Parser;

/// The users' inbox, announcements, feedback and the texts that staff edit
#[derive(Clone, Debug, Parser)]
#[command(name = "adfolio-notification", version)]
pub struct Config {
    /// Where it listens and how it ends.
    #[command(flatten)]
    pub server: ServerArgs,
    /// Its database.
    #[command(flatten)]
    pub database: DatabaseArgs,
    /// The broker.
    #[command(flatten)]
    pub broker: BrokerArgs,
    /// Address of auth, which knows the users, for example http://127.0.0.1:8201
    #[arg(long, env = "AUTH_URL")]
    pub auth_url: String,
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
