//! Configuration of the auth process.

use adfolio_kit::config::{BrokerArgs, DatabaseArgs, ServerArgs, TelemetryArgs};
use adfolio_kit::service::ProcessConfig;
use chrono::TimeDelta;
use clap::{Args, Parser};

use crate::attempt::{Limit, Limits};
use crate::context::SessionSettings;

/// Users, login, sessions, licence keys, account states and staff accounts of Adfolio.
#[derive(Clone, Debug, Parser)]
#[command(name = "adfolio-auth", version)]
pub struct AuthConfig {
    /// Where the process listens.
    #[command(flatten)]
    pub server: ServerArgs,
    /// Its database.
    #[command(flatten)]
    pub database: DatabaseArgs,
    /// The message broker.
    #[command(flatten)]
    pub broker: BrokerArgs,
    /// Logs and traces.
    #[command(flatten)]
    pub telemetry: TelemetryArgs,
    /// Sessions and login.
    #[command(flatten)]
    pub access: AccessArgs,
}

impl ProcessConfig for AuthConfig {
    fn server(&self) -> &ServerArgs {
        &self.server
    }

    fn telemetry(&self) -> &TelemetryArgs {
        &self.telemetry
    }
}

/// Sessions and login.
#[derive(Args, Clone, Debug)]
pub struct AccessArgs {
    /// Seconds after its last use that a user's session dies
    #[arg(long, env = "SESSION_TTL_SECONDS", default_value_t = 7 * 86_400, value_parser = clap::value_parser!(i64).range(300..=31_536_000))]
    pub session_ttl_seconds: i64,
    /// Seconds after its last use that a staff session dies
    #[arg(long, env = "STAFF_SESSION_TTL_SECONDS", default_value_t = 8 * 3600, value_parser = clap::value_parser!(i64).range(300..=2_592_000))]
    pub staff_session_ttl_seconds: i64,
    /// Live sessions that one user or staff member may have; a further one ends the one not seen for longest
    #[arg(long, env = "MAX_SESSIONS", default_value_t = 20, value_parser = clap::value_parser!(i64).range(1..=1000))]
    pub max_sessions: i64,
    /// Failed logins of one account from all addresses after which it is locked
    #[arg(long, env = "LOGIN_FAILURES_PER_ACCOUNT", default_value_t = 10, value_parser = clap::value_parser!(i32).range(1..=10_000))]
    pub login_failures_per_account: i32,
    /// Failed logins of one account from one address after which it is locked for that address
    #[arg(long, env = "LOGIN_FAILURES_PER_ADDRESS", default_value_t = 10, value_parser = clap::value_parser!(i32).range(1..=10_000))]
    pub login_failures_per_address: i32,
    /// Seconds that such a lock lasts
    #[arg(long, env = "LOGIN_LOCK_SECONDS", default_value_t = 1800, value_parser = clap::value_parser!(i64).range(1..=86_400))]
    pub login_lock_seconds: i64,
    /// Password evaluations that may run or wait at once; whoever comes on top is told to come back
    #[arg(long, env = "PASSWORD_QUEUE", default_value_t = 128, value_parser = clap::value_parser!(u16).range(1..=4096))]
    pub password_queue: u16,
}

impl Default for AccessArgs {
    fn default() -> Self {
        Self {
            session_ttl_seconds: 7 * 86_400,
            staff_session_ttl_seconds: 8 * 3600,
            max_sessions: 20,
            login_failures_per_account: 10,
            login_failures_per_address: 10,
            login_lock_seconds: 1800,
            password_queue: 128,
        }
    }
}

impl AccessArgs {
    /// Limits of login.
    pub fn login_limits(&self) -> Limits {
        let lock = TimeDelta::seconds(self.login_lock_seconds);
        Limits {
            account: Limit {
                failures: self.login_failures_per_account,
                lock,
            },
            address: Limit {
                failures: self.login_failures_per_address,
                lock,
            },
        }
    }

    /// Limits of sessions.
    pub fn session_settings(&self) -> SessionSettings {
        SessionSettings {
            user_ttl: TimeDelta::seconds(self.session_ttl_seconds),
            staff_ttl: TimeDelta::seconds(self.staff_session_ttl_seconds),
            most_per_owner: self.max_sessions,
        }
    }
}
