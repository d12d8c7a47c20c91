//! The configuration of the process.

use std::time::Duration;

use adfolio_kit::clock::Clock;
use adfolio_kit::config::{ProcessArgs, ServiceArgs};
use adfolio_kit::four_eyes::FourEyesArgs;
use adfolio_kit::service::ProcessConfig;
use clap::Parser;

/// Coupon campaigns, coupons of users, and their part in placing a plan
#[derive(Clone, Debug, Parser)]
#[command(name = "adfolio-coupon", version)]
pub struct Config {
    /// Ports, database, broker and logs.
    #[command(flatten)]
    pub args: ServiceArgs,
    /// Address of auth, which knows the users
    #[arg(long, env = "AUTH_URL")]
    pub auth_url: String,
    /// Seconds between two sweeps that mark expired coupons
    #[arg(long, env = "EXPIRY_SWEEP_SECONDS", default_value_t = 30, value_parser = clap::value_parser!(u64).range(1..=3600))]
    pub expiry_sweep_seconds: u64,
    /// What takes two members of staff.
    #[command(flatten)]
    pub four_eyes: FourEyesArgs,
    /// The service's time; tests move it.
    #[arg(skip)]
    pub clock: Clock,
}

impl Config {
    /// Time between two sweeps.
    pub fn expiry_sweep_interval(&self) -> Duration {
        Duration::from_secs(self.expiry_sweep_seconds)
    }
}

impl ProcessConfig for Config {
    fn process(&self) -> &ProcessArgs {
        &self.args.process
    }
}
