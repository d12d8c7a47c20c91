//! The configuration of plan.

use std::time::Duration;

use adfolio_kit::clock::{Clock, Ids};
use adfolio_kit::config::{BrokerArgs, DatabaseArgs, ServerArgs, TelemetryArgs};
use adfolio_kit::service::ProcessConfig;
use chrono::TimeDelta;
use clap::{Args, Parser};

/// Products, plans and their life, delivery reports and statistics.
#[derive(Clone, Debug, Parser)]
#[command(name = "adfolio-plan", version)]
pub struct PlanConfig {
    /// Where it listens and how it ends.
    #[command(flatten)]
    pub server: ServerArgs,
    /// How it logs.
    #[command(flatten)]
    pub telemetry: TelemetryArgs,
    /// Its database.
    #[command(flatten)]
    pub database: DatabaseArgs,
    /// The broker.
    #[command(flatten)]
    pub broker: BrokerArgs,
    /// Address of wallet, for example http://127.0.0.1:8203
    #[arg(long, env = "WALLET_URL")]
    pub wallet_url: String,
    /// Address of coupon
    #[arg(long, env = "COUPON_URL")]
    pub coupon_url: String,
    /// Address of auth, which knows the users
    #[arg(long, env = "AUTH_URL")]
    pub auth_url: String,
    /// Seconds between the end of delivery and settlement by itself, in which networks may restate
    #[arg(long, env = "SETTLEMENT_DELAY_SECONDS", default_value_t = 259_200, value_parser = clap::value_parser!(u32).range(0..=31_536_000))]
    pub settlement_delay_seconds: u32,
    /// Days after the put at which delivery ends by itself
    #[arg(long, env = "PUT_WINDOW_DAYS", default_value_t = 30, value_parser = clap::value_parser!(u32).range(1..=3650))]
    pub put_window_days: u32,
    /// Days after its push at which a pushed plan that waits expires
    #[arg(long, env = "PUSH_EXPIRY_DAYS", default_value_t = 7, value_parser = clap::value_parser!(u32).range(1..=365))]
    pub push_expiry_days: u32,
    /// Hundredths of a percent of a plan's revenue that the platform keeps at settlement
    #[arg(long, env = "PLATFORM_SHARE_BASIS_POINTS", default_value_t = 0, value_parser = clap::value_parser!(u32).range(0..=10_000))]
    pub platform_share_basis_points: u32,
    /// Milliseconds without progress after which an unfinished put or ending is taken up again, here or by another replica
    #[arg(long, env = "RECOVERY_AFTER_MS", default_value_t = 6_000, value_parser = clap::value_parser!(u64).range(200..=60_000))]
    pub recovery_after_ms: u64,
    /// Milliseconds between two looks for plans that time has ended
    #[arg(long, env = "SWEEP_INTERVAL_MS", default_value_t = 2_000, value_parser = clap::value_parser!(u64).range(50..=600_000))]
    pub sweep_interval_ms: u64,
    /// Delivery that is made up, for demonstrations.
    #[command(flatten)]
    pub simulator: SimulatorArgs,
    /// Time, so that a test can decide it.
    #[arg(skip)]
    pub clock: Clock,
    /// Identifiers, so that a test can decide them.
    #[arg(skip)]
    pub ids: Ids,
}

/// The simulator: it reports delivery for running plans, marked as simulated.
#[derive(Args, Clone, Debug)]
pub struct SimulatorArgs {
    /// Whether plans get simulated delivery; never where real money is
    #[arg(long = "simulator-enabled", env = "SIMULATOR_ENABLED", default_value_t = false, action = clap::ArgAction::Set)]
    pub enabled: bool,
    /// Seconds between two simulated reports of a plan
    #[arg(long = "simulator-interval-seconds", env = "SIMULATOR_INTERVAL_SECONDS", default_value_t = 60, value_parser = clap::value_parser!(u32).range(1..=86_400))]
    pub interval_seconds: u32,
    /// The same seed makes the same figures
    #[arg(long = "simulator-seed", env = "SIMULATOR_SEED", default_value_t = 1)]
    pub seed: u64,
}

impl Default for SimulatorArgs {
    fn default() -> Self {
        Self {
            enabled: false,
            interval_seconds: 60,
            seed: 1,
        }
    }
}

impl ProcessConfig for PlanConfig {
    fn server(&self) -> &ServerArgs {
        &self.server
    }

    fn telemetry(&self) -> &TelemetryArgs {
        &self.telemetry
    }
}

/// What use cases need of the configuration.
#[derive(Clone, Copy, Debug)]
pub struct Rules {
    /// From the end of delivery to settlement by itself.
    pub settlement_delay: TimeDelta,
    /// From the put to the end of delivery by itself.
    pub put_window: TimeDelta,
    /// From the push of a plan to its expiry.
    pub push_expiry: TimeDelta,
    /// The platform's share of revenue.
    pub platform_share_basis_points: u32,
    /// How long a drive may hold its lease without progress.
    pub recovery_after: Duration,
}

impl Rules {
    /// The rules that `config` sets.
    pub fn of(config: &PlanConfig) -> Self {
        Self {
            settlement_delay: TimeDelta::seconds(i64::from(config.settlement_delay_seconds)),
            put_window: TimeDelta::days(i64::from(config.put_window_days)),
            push_expiry: TimeDelta::days(i64::from(config.push_expiry_days)),
            platform_share_basis_points: config.platform_share_basis_points,
            recovery_after: Duration::from_millis(config.recovery_after_ms),
        }
    }

    /// The most that one step of a drive waits for a peer: less than the lease, so that a lease does not run out under a
    /// drive that is merely waiting.
    pub fn step_limit(&self) -> Duration {
        self.recovery_after / 5 * 4
    }
}
