//! The configuration of the process.

use std::time::Duration;

use adfolio_kit::clock::Clock;
use adfolio_kit::config::{ProcessArgs, ServiceArgs};
use adfolio_kit::four_eyes::FourEyesArgs;
use adfolio_kit::service::ProcessConfig;
use adfolio_money::Money;
use chrono::TimeDelta;
use clap::Parser;

/// Acceptors of foreign exchange, their acceptance codes, and exchange orders
#[derive(Clone, Debug, Parser)]
#[command(name = "adfolio-acceptor", version)]
pub struct Config {
    /// Ports, database, broker and logs.
    #[command(flatten)]
    pub args: ServiceArgs,
    /// Address of wallet, for example http://127.0.0.1:8203
    #[arg(long, env = "WALLET_URL")]
    pub wallet_url: String,
    /// Address of auth, which knows the users
    #[arg(long, env = "AUTH_URL")]
    pub auth_url: String,
    /// Lowest wallet amount of an exchange
    #[arg(long, env = "EXCHANGE_MIN", default_value = "1.00")]
    pub exchange_min: Money,
    /// Highest wallet amount of an exchange
    #[arg(long, env = "EXCHANGE_MAX", default_value = "50000.00")]
    pub exchange_max: Money,
    /// Seconds after which an undecided exchange order expires
    #[arg(long, env = "EXCHANGE_ORDER_TTL_SECONDS", default_value_t = 86_400, value_parser = clap::value_parser!(u32).range(1..=31_536_000))]
    pub exchange_order_ttl_seconds: u32,
    /// Milliseconds between two sweeps for orders that have expired
    #[arg(long, env = "EXCHANGE_SWEEP_INTERVAL_MS", default_value_t = 2_000, value_parser = clap::value_parser!(u64).range(50..=600_000))]
    pub exchange_sweep_interval_ms: u64,
    /// Milliseconds without progress after which any replica takes over an unfinished order
    #[arg(long, env = "RECOVERY_AFTER_MS", default_value_t = 6_000, value_parser = clap::value_parser!(u64).range(200..=60_000))]
    pub recovery_after_ms: u64,
    /// What takes two members of staff.
    #[command(flatten)]
    pub four_eyes: FourEyesArgs,
    /// The service's time; tests move it.
    #[arg(skip)]
    pub clock: Clock,
}

impl Config {
    /// Time between two runs of recovery.
    pub fn recovery_interval(&self) -> Duration {
        Duration::from_millis(self.recovery_after_ms / 4)
    }

    /// Time between two sweeps for expired orders.
    pub fn sweep_interval(&self) -> Duration {
        Duration::from_millis(self.exchange_sweep_interval_ms)
    }
}

impl ProcessConfig for Config {
    fn process(&self) -> &ProcessArgs {
        &self.args.process
    }
}

/// The lowest and the highest wallet amount of an exchange.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExchangeLimit {
    pub min: Money,
    pub max: Money,
}

impl ExchangeLimit {
    /// Whether an amount lies within, both ends included.
    pub fn covers(&self, amount: Money) -> bool {
        self.min <= amount && amount <= self.max
    }
}

/// The settings of use cases.
#[derive(Clone, Copy, Debug)]
pub struct Rules {
    /// The platform's limit.
    pub exchange_limit: ExchangeLimit,
    /// From the opening of an order to its expiry.
    pub order_ttl: TimeDelta,
    /// A drive without progress loses its lease after this.
    pub recovery_after: Duration,
}

impl Rules {
    /// The rules of a configuration; none if its limits leave no amount.
    pub fn of(config: &Config) -> Option<Self> {
        let (min, max) = (config.exchange_min, config.exchange_max);
        (min > Money::ZERO && min <= max).then(|| Self {
            exchange_limit: ExchangeLimit { min, max },
            order_ttl: TimeDelta::seconds(i64::from(config.exchange_order_ttl_seconds)),
            recovery_after: Duration::from_millis(config.recovery_after_ms),
        })
    }

    /// The time that one step of a drive waits for wallet: less than the lease, so that no lease runs out under a drive
    /// that merely waits.
    pub fn step_limit(&self) -> Duration {
        self.recovery_after / 5 * 4
    }
}
