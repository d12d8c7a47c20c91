//! The configuration of the process.

use std::time::Duration;

use adfolio_kit::clock::Clock;
use adfolio_kit::config::{BrokerArgs, DatabaseArgs, ServerArgs, TelemetryArgs};
use adfolio_kit::service::ProcessConfig;
use adfolio_money::Money;
use chrono::TimeDelta;
use clap::Parser;

/// Acceptors of foreign exchange, their acceptance codes, and exchange orders
#[derive(Clone, Debug, Parser)]
#[command(name = "adfolio-acceptor", version)]
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
    /// How it logs.
    #[command(flatten)]
    pub telemetry: TelemetryArgs,
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
    /// Seconds after which an exchange order that nobody has decided expires
    #[arg(long, env = "EXCHANGE_ORDER_TTL_SECONDS", default_value_t = 86_400, value_parser = clap::value_parser!(u32).range(1..=31_536_000))]
    pub exchange_order_ttl_seconds: u32,
    /// Milliseconds between two looks for orders that have expired
    #[arg(long, env = "EXCHANGE_SWEEP_INTERVAL_MS", default_value_t = 2_000, value_parser = clap::value_parser!(u64).range(50..=600_000))]
    pub exchange_sweep_interval_ms: u64,
    /// Milliseconds without progress after which an unfinished order is taken up again, here or by another replica
    #[arg(long, env = "RECOVERY_AFTER_MS", default_value_t = 6_000, value_parser = clap::value_parser!(u64).range(200..=60_000))]
    pub recovery_after_ms: u64,
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

/// The least and the highest wallet amount of an exchange.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExchangeLimit {
    /// The least.
    pub min: Money,
    /// The highest.
    pub max: Money,
}

impl ExchangeLimit {
    /// Whether an amount lies within, both ends included.
    pub fn covers(&self, amount: Money) -> bool {
        self.min <= amount && amount <= self.max
    }
}

/// What use cases need of the configuration.
#[derive(Clone, Copy, Debug)]
pub struct Rules {
    /// The platform's limit.
    pub exchange_limit: ExchangeLimit,
    /// From the opening of an order to its expiry.
    pub order_ttl: TimeDelta,
    /// How long a drive may hold its lease without progress.
    pub recovery_after: Duration,
}

impl Rules {
    /// The rules that `config` sets; none when its limits leave no amount.
    pub fn of(config: &Config) -> Option<Self> {
        let (min, max) = (config.exchange_min, config.exchange_max);
        (min > Money::ZERO && min <= max).then(|| Self {
            exchange_limit: ExchangeLimit { min, max },
            order_ttl: TimeDelta::seconds(i64::from(config.exchange_order_ttl_seconds)),
            recovery_after: Duration::from_millis(config.recovery_after_ms),
        })
    }

    /// The most that one step of a drive waits for wallet: less than the lease, so that a lease does not run out under a
    /// drive that is merely waiting.
    pub fn step_limit(&self) -> Duration {
        self.recovery_after / 5 * 4
    }
}
