//! The configuration of the process.

use adfolio_kit::clock::Clock;
use adfolio_kit::config::{ProcessArgs, ServiceArgs};
use adfolio_kit::service::ProcessConfig;
use chrono::TimeDelta;
use clap::{Args, Parser};

use crate::attempt::entity::{Limit, Limits};
use crate::session::entity::SessionRules;

/// Users, login, sessions, licence keys, account states and staff accounts
#[derive(Clone, Debug, Parser)]
#[command(name = "adfolio-auth", version)]
pub struct Config {
    /// Ports, database, broker and logs.
    #[command(flatten)]
    pub args: ServiceArgs,
    /// Sessions and login.
    #[command(flatten)]
    pub access: AccessArgs,
    /// The service's time; tests move it.
    #[arg(skip)]
    pub clock: Clock,
}

impl ProcessConfig for Config {
    fn process(&self) -> &ProcessArgs {
        &self.args.process
    }
}

/// Sessions and login.
#[derive(Args, Clone, Debug)]
pub struct AccessArgs {
    /// Seconds after its last use when a user's session expires
    #[arg(long, env = "SESSION_TTL_SECONDS", default_value_t = 7 * 86_400, value_parser = clap::value_parser!(i64).range(300..=31_536_000))]
    pub session_ttl_seconds: i64,
    /// Seconds after its last use when a staff session expires
    #[arg(long, env = "STAFF_SESSION_TTL_SECONDS", default_value_t = 8 * 3600, value_parser = clap::value_parser!(i64).range(300..=2_592_000))]
    pub staff_session_ttl_seconds: i64,
    /// Seconds after its opening when a user's session ends, however much it is used
    #[arg(long, env = "SESSION_MAX_SECONDS", default_value_t = 30 * 86_400, value_parser = clap::value_parser!(i64).range(300..=31_536_000))]
    pub session_max_seconds: i64,
    /// Seconds after its opening when a staff session ends, however much it is used
    #[arg(long, env = "STAFF_SESSION_MAX_SECONDS", default_value_t = 12 * 3600, value_parser = clap::value_parser!(i64).range(300..=2_592_000))]
    pub staff_session_max_seconds: i64,
    /// Live sessions per user or member of staff; one more ends the one not used for longest
    #[arg(long, env = "MAX_SESSIONS", default_value_t = 20, value_parser = clap::value_parser!(i64).range(1..=1000))]
    pub max_sessions: i64,
    /// Failed logins of one account, from all addresses, that lock it
    #[arg(long, env = "LOGIN_FAILURES_PER_ACCOUNT", default_value_t = 10, value_parser = clap::value_parser!(i32).range(1..=10_000))]
    pub login_failures_per_account: i32,
    /// Failed logins of one account from one address that lock it for that address
    #[arg(long, env = "LOGIN_FAILURES_PER_ADDRESS", default_value_t = 10, value_parser = clap::value_parser!(i32).range(1..=10_000))]
    pub login_failures_per_address: i32,
    /// Seconds that such a lock lasts
    #[arg(long, env = "LOGIN_LOCK_SECONDS", default_value_t = 1800, value_parser = clap::value_parser!(i64).range(1..=86_400))]
    pub login_lock_seconds: i64,
    /// Password evaluations that may run or wait at once; further ones are refused with TOO_MANY_ATTEMPTS
    #[arg(long, env = "PASSWORD_QUEUE", default_value_t = 128, value_parser = clap::value_parser!(u16).range(1..=4096))]
    pub password_queue: u16,
}

impl AccessArgs {
    /// Limits of login.
    pub fn login_limits(&self) -> Limits {
        let lock = TimeDelta::seconds(self.login_lock_seconds);
        let limit = |failures| Limit { failures, lock };
        Limits {
            account: limit(self.login_failures_per_account),
            address: limit(self.login_failures_per_address),
        }
    }

    /// How long sessions live and how many there may be.
    pub fn session_rules(&self) -> SessionRules {
        SessionRules {
            user_ttl: TimeDelta::seconds(self.session_ttl_seconds),
            staff_ttl: TimeDelta::seconds(self.staff_session_ttl_seconds),
            user_max: TimeDelta::seconds(self.session_max_seconds),
            staff_max: TimeDelta::seconds(self.staff_session_max_seconds),
            max_per_owner: self.max_sessions,
        }
    }
}
