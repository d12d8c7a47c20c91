//! The configuration of the process.

use std::time::Duration;

use adfolio_kit::clock::Clock;
use adfolio_kit::config::{ConfigError, ProcessArgs, ServiceArgs};
use adfolio_kit::four_eyes::{FourEyesArgs, Threshold};
use adfolio_kit::service::ProcessConfig;
use adfolio_money::Micros;
use chrono::TimeDelta;
use clap::{Args, Parser, ValueEnum};

use crate::delivery::proposal::{Notable, Totals};

/// Rounds of allotments begin at the same minutes of each hour.
const SECONDS_PER_HOUR: u32 = 3_600;

/// Products, plans and their life, delivery reports and statistics
#[derive(Clone, Debug, Parser)]
#[command(name = "adfolio-plan", version)]
pub struct Config {
    /// Ports, database, broker and logs.
    #[command(flatten)]
    pub args: ServiceArgs,
    /// Address of wallet, for example http://127.0.0.1:8203
    #[arg(long, env = "WALLET_URL")]
    pub wallet_url: String,
    /// Address of coupon
    #[arg(long, env = "COUPON_URL")]
    pub coupon_url: String,
    /// Address of auth, which knows the users
    #[arg(long, env = "AUTH_URL")]
    pub auth_url: String,
    /// Seconds between the end of delivery and automatic settlement, in which networks may restate
    #[arg(long, env = "SETTLEMENT_DELAY_SECONDS", default_value_t = 259_200, value_parser = clap::value_parser!(u32).range(0..=31_536_000))]
    pub settlement_delay_seconds: u32,
    /// Days after the put at which delivery ends automatically
    #[arg(long, env = "PUT_WINDOW_DAYS", default_value_t = 30, value_parser = clap::value_parser!(u32).range(1..=3650))]
    pub put_window_days: u32,
    /// Days after its push at which a waiting plan expires
    #[arg(long, env = "PUSH_EXPIRY_DAYS", default_value_t = 7, value_parser = clap::value_parser!(u32).range(1..=365))]
    pub push_expiry_days: u32,
    /// Hundredths of a percent of a plan's revenue that the platform keeps at settlement
    #[arg(long, env = "PLATFORM_SHARE_BASIS_POINTS", default_value_t = 0, value_parser = clap::value_parser!(u32).range(0..=10_000))]
    pub platform_share_basis_points: u32,
    /// Milliseconds without progress after which any replica takes over an unfinished put or ending
    #[arg(long, env = "RECOVERY_AFTER_MS", default_value_t = 6_000, value_parser = clap::value_parser!(u64).range(200..=60_000))]
    pub recovery_after_ms: u64,
    /// Milliseconds between two searches for plans whose time is over
    #[arg(long, env = "SWEEP_INTERVAL_MS", default_value_t = 2_000, value_parser = clap::value_parser!(u64).range(50..=600_000))]
    pub sweep_interval_ms: u64,
    /// Seconds for which plans' budgets are allotted to networks at a time; a divisor of an hour
    #[arg(long, env = "ALLOTMENT_INTERVAL_SECONDS", default_value_t = 300, value_parser = clap::value_parser!(u32).range(5..=3_600))]
    pub allotment_interval_seconds: u32,
    /// Seconds between two postings of a running plan whose reports name placements; 0 to post each at once
    #[arg(long, env = "POSTING_PACE_SECONDS", default_value_t = 3_600, value_parser = clap::value_parser!(u32).range(0..=86_400))]
    pub posting_pace_seconds: u32,
    /// What takes two members of staff.
    #[command(flatten)]
    pub four_eyes: FourEyesArgs,
    /// Who releases a file of delivery reports; `single` is accepted only with ADFOLIO_DEMO=1
    #[arg(long, env = "IMPORT_RELEASE", default_value = "second")]
    pub import_release: ImportRelease,
    /// Simulated delivery, for demonstrations.
    #[command(flatten)]
    pub simulator: SimulatorArgs,
    /// The service's time; tests move it.
    #[arg(skip)]
    pub clock: Clock,
}

/// Who releases a file of delivery reports
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ImportRelease {
    /// A second member of staff
    Second,
    /// Nobody, unless something stands out or it brings more than FOUR_EYES_ABOVE
    Single,
}

/// The simulator: it reports delivery of running plans, marked as simulated.
#[derive(Args, Clone, Copy, Debug)]
pub struct SimulatorArgs {
    /// Whether plans get simulated delivery; never where real money is
    #[arg(long = "simulator-enabled", env = "SIMULATOR_ENABLED", default_value_t = false, action = clap::ArgAction::Set)]
    pub enabled: bool,
    /// Seconds between two simulated reports of a plan
    #[arg(long = "simulator-interval-seconds", env = "SIMULATOR_INTERVAL_SECONDS", default_value_t = 60, value_parser = clap::value_parser!(u32).range(1..=86_400))]
    pub interval_seconds: u32,
    /// The same seed makes the same reports
    #[arg(long = "simulator-seed", env = "SIMULATOR_SEED", default_value_t = 1)]
    pub seed: u64,
}

impl Config {
    /// Time between two searches for plans whose time is over.
    pub fn sweep_interval(&self) -> Duration {
        Duration::from_millis(self.sweep_interval_ms)
    }

    /// Time between two searches for unfinished puts.
    pub fn recovery_interval(&self) -> Duration {
        Duration::from_millis(self.recovery_after_ms / 4)
    }
}

impl SimulatorArgs {
    /// Time between two simulated reports of a plan.
    pub fn interval(&self) -> Duration {
        Duration::from_secs(self.interval_seconds.into())
    }
}

impl ProcessConfig for Config {
    fn process(&self) -> &ProcessArgs {
        &self.args.process
    }
}

/// What of imports is taken without a second person.
#[derive(Clone, Copy, Debug)]
pub struct Release {
    /// The amount of four eyes.
    pub threshold: Threshold,
    is_single: bool,
}

impl Release {
    /// Whether an import needs nobody else.
    pub fn passes(&self, totals: &Totals, notable: &[Notable]) -> bool {
        let is_above = |amount: Micros| self.threshold.is_exceeded_by(amount.to_money_half_even());
        self.is_single && notable.is_empty() && !is_above(totals.spend) && !is_above(totals.revenue)
    }
}

/// What use cases need of the configuration.
#[derive(Clone, Copy, Debug)]
pub struct Rules {
    /// From the end of delivery to automatic settlement.
    pub settlement_delay: TimeDelta,
    /// From the put to the automatic end of delivery.
    pub put_window: TimeDelta,
    /// From the push of a plan to its expiry.
    pub push_expiry: TimeDelta,
    /// The platform's share of revenue.
    pub platform_share_basis_points: u32,
    /// How long a drive may hold its lease without progress.
    pub recovery_after: Duration,
    /// How long a round of allotments is: a divisor of an hour.
    pub allotment_interval: TimeDelta,
    /// Between two postings of a running plan whose reports name placements.
    pub posting_pace: Duration,
    /// What of imports is taken without a second person.
    pub release: Release,
    /// Whether staff settle before the time only by two.
    pub settling_takes_two: bool,
    /// Whether staff set prices only by two.
    pub pricing_takes_two: bool,
}

impl TryFrom<&Config> for Rules {
    type Error = ConfigError;

    fn try_from(config: &Config) -> Result<Self, ConfigError> {
        let threshold = config.four_eyes.threshold()?;
        let is_single = config.import_release == ImportRelease::Single;
        if is_single && !config.four_eyes.adfolio_demo {
            return Err(ConfigError::DemoOnly("IMPORT_RELEASE=single"));
        }
        let interval = config.allotment_interval_seconds;
        if !SECONDS_PER_HOUR.is_multiple_of(interval) {
            return Err(ConfigError::Invalid {
                name: "ALLOTMENT_INTERVAL_SECONDS",
                expected: "a divisor of 3600",
            });
        }
        Ok(Self {
            allotment_interval: TimeDelta::seconds(interval.into()),
            settlement_delay: TimeDelta::seconds(i64::from(config.settlement_delay_seconds)),
            put_window: TimeDelta::days(i64::from(config.put_window_days)),
            push_expiry: TimeDelta::days(i64::from(config.push_expiry_days)),
            platform_share_basis_points: config.platform_share_basis_points,
            recovery_after: Duration::from_millis(config.recovery_after_ms),
            posting_pace: Duration::from_secs(config.posting_pace_seconds.into()),
            release: Release {
                threshold,
                is_single,
            },
            settling_takes_two: threshold.is_set(),
            pricing_takes_two: threshold.is_set(),
        })
    }
}

impl Rules {
    /// The longest that one step of a drive waits for another service: less than the lease, which
    /// must not run out while a drive waits.
    pub fn step_limit(&self) -> Duration {
        self.recovery_after / 5 * 4
    }
}
