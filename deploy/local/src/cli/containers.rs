//! Preparing a system in containers.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Result;
use clap::Args;
use tracing::info;

use super::options::Switch;
use crate::builder::DEMO_ADMIN_PASSWORD;
use crate::provision::{Consumers, prepare, provision};
use crate::staff::SECOND_ADMIN_PASSWORD;

/// The output of `provision`.
#[derive(Debug, Args)]
pub(super) struct ProvisionOptions {
    /// Folder that gets a folder for each consumer; created if missing.
    #[arg(long)]
    out: PathBuf,
    /// Account that Adfolio's programs run as; their files are given to it if this account may do
    /// so.
    #[arg(long, default_value_t = 10_001)]
    owner: u32,
    /// Host and port of PostgreSQL, as the services reach it.
    #[arg(long, default_value = "postgres:5432")]
    database_host: String,
    /// Host and port of RabbitMQ, as the services reach it.
    #[arg(long, default_value = "rabbitmq:5672")]
    broker_host: String,
    /// Password of the first member of staff. If empty, the existing one is kept; a new one is the
    /// demo's, or random without demo data.
    #[arg(
        long,
        env = "ADFOLIO_ADMIN_PASSWORD",
        hide_env_values = true,
        default_value = ""
    )]
    admin_password: String,
    /// Whether demo data will be loaded.
    #[arg(long, env = "ADFOLIO_DEMO", default_value = "1", action = clap::ArgAction::Set, value_parser = super::options::switch())]
    demo: Switch,
}

impl ProvisionOptions {
    pub(super) fn run(self) -> Result<ExitCode> {
        let consumers = Consumers {
            owner: self.owner,
            database_host: self.database_host,
            broker_host: self.broker_host,
            admin_password: Some(self.admin_password).filter(|password| !password.is_empty()),
            first_admin_password: self.demo.is_on().then(|| DEMO_ADMIN_PASSWORD.to_owned()),
            second_admin_password: self.demo.is_on().then(|| SECOND_ADMIN_PASSWORD.to_owned()),
        };
        let changed = provision(&self.out, &consumers)?;
        if changed.is_empty() {
            info!("everything is there");
        }
        for file in changed {
            info!("made {}", file.display());
        }
        Ok(ExitCode::SUCCESS)
    }
}

/// The secrets of the servers, from `provision`.
#[derive(Debug, Args)]
pub(super) struct PrepareOptions {
    /// The folder `servers` in the output of `provision`.
    #[arg(long)]
    secrets: PathBuf,
}

impl PrepareOptions {
    pub(super) async fn run(self) -> Result<ExitCode> {
        prepare(&self.secrets).await?;
        info!("databases and exchanges are there");
        Ok(ExitCode::SUCCESS)
    }
}
