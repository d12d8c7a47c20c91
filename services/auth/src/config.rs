//! The configuration of the process.

use std::path::PathBuf;

use adfolio_kit::clock::Clock;
use adfolio_kit::config::{
    ConfigError, ProcessArgs, ServiceArgs, optional_secret_from, secret_from,
};
use adfolio_kit::service::ProcessConfig;
use chrono::TimeDelta;
use clap::builder::BoolishValueParser;
use clap::{Args, Parser};
use secrecy::SecretString;
use url::Url;

use crate::attempt::entity::{Limit, Limits};
use crate::attempt::guess;
use crate::session::entity::SessionRules;
use crate::staff::factor::{self, Keys, Policy};

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
    /// Guesses over many names or codes.
    #[command(flatten)]
    pub guesses: GuessArgs,
    /// The second factor of staff.
    #[command(flatten)]
    pub second_factor: SecondFactorArgs,
    /// PEM file of the private key (Ed25519) that signs identity tokens; no tokens without it
    #[arg(long, env = "IDENTITY_KEY_FILE")]
    pub identity_key_file: Option<PathBuf>,
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
    /// Failed logins of one account from unknown devices, from all addresses, that lock it for these
    #[arg(long, env = "LOGIN_FAILURES_PER_ACCOUNT", default_value_t = 10, value_parser = clap::value_parser!(i32).range(1..=10_000))]
    pub login_failures_per_account: i32,
    /// Failed logins of one account from unknown devices at one address that lock it for these
    #[arg(long, env = "LOGIN_FAILURES_PER_ADDRESS", default_value_t = 10, value_parser = clap::value_parser!(i32).range(1..=10_000))]
    pub login_failures_per_address: i32,
    /// Failed logins of one account from one of its known devices that lock it for that device, and wrong passwords and
    /// codes in one session that lock them for that session
    #[arg(long, env = "LOGIN_FAILURES_PER_DEVICE", default_value_t = 10, value_parser = clap::value_parser!(i32).range(1..=10_000))]
    pub login_failures_per_device: i32,
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
            device: limit(self.login_failures_per_device),
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

/// Guesses over many names or codes, within an hour.
#[derive(Args, Clone, Debug)]
pub struct GuessArgs {
    /// Failed logins from one address (of IPv6 from one /64), whatever the names, after which unknown devices there
    /// wait for the end of the hour
    #[arg(long, env = "LOGIN_GUESSES_PER_ADDRESS", default_value_t = 50, value_parser = clap::value_parser!(i32).range(1..=1_000_000))]
    pub login_guesses_per_address: i32,
    /// Failed logins from one network (/24, of IPv6 /48), whatever the names, after which unknown devices there wait
    /// for the end of the hour
    #[arg(long, env = "LOGIN_GUESSES_PER_NETWORK", default_value_t = 250, value_parser = clap::value_parser!(i32).range(1..=1_000_000))]
    pub login_guesses_per_network: i32,
    /// Wrong authorisation codes from one address, after which further ones wait for the end of the hour
    #[arg(long, env = "LICENSE_GUESSES_PER_ADDRESS", default_value_t = 50, value_parser = clap::value_parser!(i32).range(1..=1_000_000))]
    pub license_guesses_per_address: i32,
    /// Wrong authorisation codes from one network, after which further ones wait for the end of the hour
    #[arg(long, env = "LICENSE_GUESSES_PER_NETWORK", default_value_t = 250, value_parser = clap::value_parser!(i32).range(1..=1_000_000))]
    pub license_guesses_per_network: i32,
    /// Wrong authorisation codes that one account tries to open with, after which it waits for the end of the hour
    #[arg(long, env = "LICENSE_GUESSES_PER_ACCOUNT", default_value_t = 10, value_parser = clap::value_parser!(i32).range(1..=1_000_000))]
    pub license_guesses_per_account: i32,
}

impl GuessArgs {
    /// Limits of guesses.
    pub fn limits(&self) -> guess::entity::Limits {
        guess::entity::Limits {
            logins: guess::entity::Limit {
                address: self.login_guesses_per_address,
                network: self.login_guesses_per_network,
            },
            licenses: guess::entity::Limit {
                address: self.license_guesses_per_address,
                network: self.license_guesses_per_network,
            },
            licenses_per_account: self.license_guesses_per_account,
        }
    }
}

/// The second factor of staff.
#[derive(Args, Clone, Debug)]
pub struct SecondFactorArgs {
    /// Whether staff must have a second factor; `optional` is accepted only with ADFOLIO_DEMO=1
    #[arg(long, env = "SECOND_FACTOR", default_value = "required")]
    pub second_factor: Policy,
    /// 1 in a demonstration, where staff may work without a second factor
    #[arg(long, env = "ADFOLIO_DEMO", default_value = "0", action = clap::ArgAction::Set, value_parser = BoolishValueParser::new())]
    pub adfolio_demo: bool,
    /// Key that encrypts the secrets of second factors and makes the codes of mail: 32 bytes in hex
    #[arg(long, env = "SECOND_FACTOR_KEY", hide_env_values = true)]
    pub second_factor_key: Option<SecretString>,
    /// File that holds it
    #[arg(long, env = "SECOND_FACTOR_KEY_FILE")]
    pub second_factor_key_file: Option<PathBuf>,
    /// Previous key, during a rotation: what it encrypted is decrypted and encrypted with the current one
    #[arg(long, env = "SECOND_FACTOR_KEY_PREVIOUS", hide_env_values = true)]
    pub second_factor_key_previous: Option<SecretString>,
    /// File that holds it
    #[arg(long, env = "SECOND_FACTOR_KEY_PREVIOUS_FILE")]
    pub second_factor_key_previous_file: Option<PathBuf>,
    /// Origin of the staff console, such as `https://console.example`: passkeys belong to its host name. No passkeys
    /// without it
    #[arg(long, env = "CONSOLE_ORIGIN")]
    pub console_origin: Option<Url>,
}

impl SecondFactorArgs {
    /// Whether staff may work without a second factor, or why these values do not go together.
    pub fn policy(&self) -> Result<Policy, ConfigError> {
        match self.second_factor {
            Policy::Optional if !self.adfolio_demo => {
                Err(ConfigError::DemoOnly("SECOND_FACTOR=optional"))
            }
            policy => Ok(policy),
        }
    }

    /// What encrypts secrets and makes the codes of mail: the current key and, during a rotation, the previous one.
    pub fn keys(&self) -> Result<Keys, ConfigError> {
        let current = secret_from(
            factor::KEY,
            self.second_factor_key.as_ref(),
            self.second_factor_key_file.as_deref(),
        );
        let previous = optional_secret_from(
            factor::PREVIOUS_KEY,
            self.second_factor_key_previous.as_ref(),
            self.second_factor_key_previous_file.as_deref(),
        );
        Keys::read(&current?, previous?.as_ref())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn args(flags: &[&str]) -> SecondFactorArgs {
        #[derive(Parser)]
        struct Program {
            #[command(flatten)]
            args: SecondFactorArgs,
        }
        let program = ["program"].into_iter();
        Program::parse_from(program.chain(flags.iter().copied())).args
    }

    #[test]
    fn a_second_factor_is_required_outside_of_demonstrations() {
        assert_eq!(args(&[]).policy().expect("a policy"), Policy::Required);
        let optional = ["--second-factor", "optional"];
        let refused = args(&optional).policy().expect_err("no demonstration");
        assert_eq!(
            refused.to_string(),
            "SECOND_FACTOR=optional is for demonstrations: it needs ADFOLIO_DEMO=1"
        );
        let demo = [&optional[..], &["--adfolio-demo", "1"]].concat();
        assert_eq!(args(&demo).policy().expect("a policy"), Policy::Optional);
        assert!(args(&[]).keys().is_err(), "no key");
    }
}
