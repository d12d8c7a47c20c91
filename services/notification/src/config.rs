//! The configuration of the process.

use adfolio_kit::clock::Clock;
use adfolio_kit::config::{ProcessArgs, ServiceArgs};
use adfolio_kit::service::ProcessConfig;
use clap::Parser;

use crate::mail::config::MailArgs;
use crate::push::config::PushArgs;

/// The users' inbox, announcements, feedback and the texts that staff edit
#[derive(Clone, Debug, Parser)]
#[command(name = "adfolio-notification", version)]
pub struct Config {
    /// Ports, database, broker and logs.
    #[command(flatten)]
    pub args: ServiceArgs,
    /// Address of auth, which knows the users, for example http://127.0.0.1:8201
    #[arg(long, env = "AUTH_URL")]
    pub auth_url: String,
    /// Mail to users.
    #[command(flatten)]
    pub mail: MailArgs,
    /// Push messages to their browsers.
    #[command(flatten)]
    pub push: PushArgs,
    /// The service's time; tests move it.
    #[arg(skip)]
    pub clock: Clock,
}

impl ProcessConfig for Config {
    fn process(&self) -> &ProcessArgs {
        &self.args.process
    }
}
