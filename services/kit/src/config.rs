//! Configuration shared by all processes: clap structs to flatten, read from flags and the
//! environment.
//!
//! Everything is parsed before anything binds. An invalid value is reported in one line and ends
//! the process with code 2.

use std::ffi::OsString;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use clap::{Args, Parser, ValueEnum};
use secrecy::{ExposeSecret, SecretString};

use crate::hosts::each_host;
use crate::identity_token::IdentityArgs;
use crate::shutdown::EndPlan;

/// The exit code for invalid configuration.
pub const EXIT_CONFIGURATION: i32 = 2;

/// An invalid configuration value.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// Neither the value nor the file is set.
    #[error("{0} or {0}_FILE must be set")]
    Missing(&'static str),
    /// The secret's file could not be read.
    #[error("cannot read {path}")]
    Unreadable {
        /// The file named by the configuration.
        path: PathBuf,
        /// Why it could not be read.
        #[source]
        source: std::io::Error,
    },
    /// A value has the wrong form. It is not repeated: it may be a secret.
    #[error("{name} is not {expected}")]
    Invalid {
        /// The variable's name.
        name: &'static str,
        /// The expected form.
        expected: &'static str,
    },
    /// A value that only a demonstration may have.
    #[error("{0} is for demonstrations: it needs ADFOLIO_DEMO=1")]
    DemoOnly(&'static str),
    /// A file has the wrong content.
    #[error("{name} ({path}) is not {expected}")]
    UnusableFile {
        /// The variable's name.
        name: &'static str,
        /// The file named by the configuration.
        path: PathBuf,
        /// The expected content.
        expected: &'static str,
    },
    /// Some, but not all, TLS files are set.
    #[error("TLS_CERT_FILE, TLS_KEY_FILE and TLS_CA_FILE must be set together, or none of them")]
    IncompleteTls,
    /// The URL of a service needs TLS, but this process has no certificate.
    #[error("the address of {0} is https, which needs TLS_CERT_FILE, TLS_KEY_FILE and TLS_CA_FILE")]
    NeedsTls(&'static str),
    /// The URL of a service is unencrypted, but this process has a certificate.
    #[error("the address of {0} is http, but with TLS_CERT_FILE it must be https")]
    NotTls(&'static str),
}

/// Parses the command line and environment, or ends the process with one line and code 2.
pub fn parse_or_exit<T: Parser>() -> T {
    parse_args_or_exit(std::env::args_os())
}

/// Like [`parse_or_exit`], with the given arguments; the first is the program's name.
pub fn parse_args_or_exit<T, I>(args: I) -> T
where
    T: Parser,
    I: IntoIterator,
    I::Item: Into<OsString> + Clone,
{
    match T::try_parse_from(args) {
        Ok(config) => config,
        // --help and --version are not errors: clap prints them and exits with 0.
        Err(error) if !error.use_stderr() => error.exit(),
        Err(error) => exit_with(&first_line(&error.to_string())),
    }
}

/// Ends the process with one line on standard error and the exit code for invalid configuration.
pub fn exit_with(message: &str) -> ! {
    eprintln!("{message}");
    std::process::exit(EXIT_CONFIGURATION)
}

/// clap's messages have several lines (the names, then usage); the indented names belong to the
/// first sentence.
fn first_line(message: &str) -> String {
    let paragraph = message.split("\n\n").next().unwrap_or(message);
    paragraph.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A secret given directly or as the path of its file; a trailing line break of the file is
/// removed.
pub fn secret_from(
    name: &'static str,
    value: Option<&SecretString>,
    file: Option<&Path>,
) -> Result<SecretString, ConfigError> {
    if let Some(path) = file {
        let text = std::fs::read_to_string(path).map_err(|source| ConfigError::Unreadable {
            path: path.to_owned(),
            source,
        })?;
        return Ok(SecretString::from(text.trim_end_matches(['\r', '\n'])));
    }
    value.cloned().ok_or(ConfigError::Missing(name))
}

/// A secret that need not be there, likewise.
pub fn optional_secret_from(
    name: &'static str,
    value: Option<&SecretString>,
    file: Option<&Path>,
) -> Result<Option<SecretString>, ConfigError> {
    match secret_from(name, value, file) {
        Ok(secret) => Ok(Some(secret)),
        Err(ConfigError::Missing(_)) => Ok(None),
        Err(error) => Err(error),
    }
}

/// The certificates of a process: all three files or none. Without them nothing is encrypted and
/// every caller may do everything.
#[derive(Args, Clone, Debug, Default)]
#[allow(
    clippy::struct_field_names,
    reason = "fields are named like their flags and variables"
)]
pub struct TlsArgs {
    /// PEM file of this process's certificate, whose DNS name is the service's (wallet). Set with
    /// TLS_KEY_FILE and TLS_CA_FILE, it enables mutual TLS between the services
    #[arg(long, env = "TLS_CERT_FILE", global = true)]
    pub tls_cert_file: Option<PathBuf>,
    /// PEM file of the certificate's private key
    #[arg(long, env = "TLS_KEY_FILE", global = true)]
    pub tls_key_file: Option<PathBuf>,
    /// PEM file of the certificate authority of all services
    #[arg(long, env = "TLS_CA_FILE", global = true)]
    pub tls_ca_file: Option<PathBuf>,
}

/// Where a process listens and how it ends.
#[derive(Args, Clone, Debug)]
pub struct ServerArgs {
    /// Address to listen on; port 0 picks a free one
    #[arg(long, env = "LISTEN_ADDR", default_value = "127.0.0.1:0")]
    pub listen_addr: SocketAddr,
    /// Address of the admin port (/healthz, /readyz, /metrics); no admin port if unset
    #[arg(long, env = "ADMIN_ADDR")]
    pub admin_addr: Option<SocketAddr>,
    /// Seconds from SIGTERM to the end of the process; most of them are for running work
    #[arg(long, env = "DRAIN_LIMIT_SECONDS", default_value_t = 20, value_parser = clap::value_parser!(u64).range(1..=600))]
    pub drain_limit_seconds: u64,
    /// Serve gRPC reflection
    #[arg(long, env = "GRPC_REFLECTION", default_value_t = false, action = clap::ArgAction::Set)]
    pub grpc_reflection: bool,
    /// Certificates for mutual TLS between the services
    #[command(flatten)]
    pub tls: TlsArgs,
}

impl ServerArgs {
    /// The time limits of each part of the shutdown.
    pub fn end_plan(&self) -> EndPlan {
        EndPlan::within(Duration::from_secs(self.drain_limit_seconds))
    }
}

impl Default for ServerArgs {
    fn default() -> Self {
        Self {
            listen_addr: SocketAddr::from(([127, 0, 0, 1], 0)),
            admin_addr: None,
            drain_limit_seconds: 20,
            grpc_reflection: false,
            tls: TlsArgs::default(),
        }
    }
}

/// The service's PostgreSQL database.
#[derive(Args, Clone, Debug)]
pub struct DatabaseArgs {
    /// PostgreSQL URL of this service's own database
    #[arg(long, env = "DATABASE_URL", hide_env_values = true)]
    pub database_url: Option<SecretString>,
    /// File that holds the PostgreSQL URL
    #[arg(long, env = "DATABASE_URL_FILE")]
    pub database_url_file: Option<PathBuf>,
    /// PostgreSQL URL of the login that migrates the database: a member of the role that owns it.
    /// Without it, a login that may act as the owner migrates at its start, and any other waits
    /// until the schema is current
    #[arg(long, env = "DATABASE_MIGRATION_URL", hide_env_values = true)]
    pub database_migration_url: Option<SecretString>,
    /// File that holds the URL of the login that migrates
    #[arg(long, env = "DATABASE_MIGRATION_URL_FILE")]
    pub database_migration_url_file: Option<PathBuf>,
    /// URL of standbys, which may name several hosts: lists, figures and proofs are read there, and
    /// everything while there is no primary; at the primary if unset
    #[arg(long, env = "DATABASE_READ_URL", hide_env_values = true)]
    pub database_read_url: Option<SecretString>,
    /// File that holds the URL of standbys
    #[arg(long, env = "DATABASE_READ_URL_FILE")]
    pub database_read_url_file: Option<PathBuf>,
    /// Most connections of this process
    #[arg(long, env = "DATABASE_MAX_CONNECTIONS", default_value_t = 16, value_parser = clap::value_parser!(u32).range(1..=500))]
    pub database_max_connections: u32,
    /// Milliseconds to wait for a free connection
    #[arg(long, env = "DATABASE_ACQUIRE_TIMEOUT_MS", default_value_t = 3000, value_parser = clap::value_parser!(u64).range(1..=60_000))]
    pub database_acquire_timeout_ms: u64,
    /// Minutes to keep sent events at least; they are sent again after a restore. Must be far longer
    /// than any consumer's lag, and shorter than the 7 days for which inboxes remember events
    #[arg(long, env = "SENT_EVENTS_KEPT_MINUTES", default_value_t = 60, value_parser = clap::value_parser!(u32).range(1..=9_960))]
    pub sent_events_kept_minutes: u32,
}

impl DatabaseArgs {
    /// Arguments with this URL and default values.
    pub fn for_url(url: impl Into<String>) -> Self {
        Self {
            database_url: Some(SecretString::from(url.into())),
            database_url_file: None,
            database_migration_url: None,
            database_migration_url_file: None,
            database_read_url: None,
            database_read_url_file: None,
            database_max_connections: 16,
            database_acquire_timeout_ms: 3000,
            sent_events_kept_minutes: 60,
        }
    }

    /// How long sent events are kept.
    pub fn sent_events_kept(&self) -> Duration {
        Duration::from_mins(self.sent_events_kept_minutes.into())
    }

    /// The URL, from the value or the file.
    pub fn url(&self) -> Result<SecretString, ConfigError> {
        secret_from(
            "DATABASE_URL",
            self.database_url.as_ref(),
            self.database_url_file.as_deref(),
        )
    }

    /// The URL of the login that migrates, if there is one of its own.
    pub fn migration_url(&self) -> Result<Option<SecretString>, ConfigError> {
        let (value, file) = (
            self.database_migration_url.as_ref(),
            self.database_migration_url_file.as_deref(),
        );
        optional_secret_from("DATABASE_MIGRATION_URL", value, file)
    }

    /// The URL of standbys, if there are any.
    pub fn read_url(&self) -> Result<Option<SecretString>, ConfigError> {
        let (value, file) = (
            self.database_read_url.as_ref(),
            self.database_read_url_file.as_deref(),
        );
        optional_secret_from("DATABASE_READ_URL", value, file)
    }
}

/// The message broker.
#[derive(Args, Clone, Debug)]
pub struct BrokerArgs {
    /// AMQP URL of the broker
    #[arg(long, env = "AMQP_URL", hide_env_values = true)]
    pub amqp_url: Option<SecretString>,
    /// File that holds the AMQP URL
    #[arg(long, env = "AMQP_URL_FILE")]
    pub amqp_url_file: Option<PathBuf>,
    /// Prefix of every exchange and queue
    #[arg(long, env = "AMQP_NAMESPACE", default_value = "adfolio", value_parser = parse_namespace)]
    pub amqp_namespace: String,
    /// Delete queues that are unused for this many seconds; never if unset. For tests and
    /// demonstrations
    #[arg(long, env = "AMQP_QUEUE_EXPIRES_SECONDS", value_parser = clap::value_parser!(u32).range(1..=2_000_000))]
    pub amqp_queue_expires_seconds: Option<u32>,
}

impl BrokerArgs {
    /// Arguments with this URL and namespace.
    pub fn new(url: impl Into<String>, namespace: impl Into<String>) -> Self {
        Self {
            amqp_url: Some(SecretString::from(url.into())),
            amqp_url_file: None,
            amqp_namespace: namespace.into(),
            amqp_queue_expires_seconds: None,
        }
    }

    /// The URL of each node, from the value or the file; their form is checked.
    pub fn urls(&self) -> Result<Arc<[SecretString]>, ConfigError> {
        let url = secret_from(
            "AMQP_URL",
            self.amqp_url.as_ref(),
            self.amqp_url_file.as_deref(),
        )?;
        let urls = each_host(url.expose_secret()).filter(|urls| {
            urls.iter()
                .all(|url| url.parse::<lapin::uri::AMQPUri>().is_ok())
        });
        let urls = urls.ok_or(ConfigError::Invalid {
            name: "AMQP_URL",
            expected: "an amqp:// URL with at most 8 hosts",
        })?;
        Ok(urls.into_iter().map(SecretString::from).collect())
    }
}

/// Namespaces become part of queue names, whose length AMQP limits to 255 bytes.
fn parse_namespace(text: &str) -> Result<String, String> {
    let fits = (1..=64).contains(&text.len());
    let plain = text
        .bytes()
        .all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte));
    if fits && plain {
        Ok(text.to_owned())
    } else {
        Err("1 to 64 letters, digits, '-', '_' or '.'".to_owned())
    }
}

/// The format of log lines.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum LogFormat {
    /// For people at a terminal.
    #[default]
    Human,
    /// One JSON object per line, for collectors.
    Json,
}

/// Logs and traces.
#[derive(Args, Clone, Debug, Default)]
pub struct TelemetryArgs {
    /// Format of log lines; RUST_LOG sets the level
    #[arg(long, env = "LOG_FORMAT", value_enum, default_value_t = LogFormat::Human)]
    pub log_format: LogFormat,
    /// OTLP/gRPC endpoint for traces; no traces are exported if unset or empty
    #[arg(long, env = "OTEL_EXPORTER_OTLP_ENDPOINT")]
    pub otel_exporter_otlp_endpoint: Option<String>,
}

impl TelemetryArgs {
    /// The endpoint for traces, if any. A compose file can only express "unset" as an empty value.
    pub fn traces_endpoint(&self) -> Option<&str> {
        self.otel_exporter_otlp_endpoint
            .as_deref()
            .map(str::trim)
            .filter(|endpoint| !endpoint.is_empty())
    }
}

/// What every process needs: ports, shutdown and logs.
#[derive(Args, Clone, Debug, Default)]
pub struct ProcessArgs {
    /// Ports, certificates and the drain limit
    #[command(flatten)]
    pub server: ServerArgs,
    /// Logs and traces
    #[command(flatten)]
    pub telemetry: TelemetryArgs,
}

/// What every service needs: a process with a database and the broker.
#[derive(Args, Clone, Debug)]
pub struct ServiceArgs {
    /// The process
    #[command(flatten)]
    pub process: ProcessArgs,
    /// The service's own database
    #[command(flatten)]
    pub database: DatabaseArgs,
    /// The message broker
    #[command(flatten)]
    pub broker: BrokerArgs,
    /// What identities are believed by
    #[command(flatten)]
    pub identity: IdentityArgs,
}

impl ServiceArgs {
    /// These servers, with default values for the rest.
    pub fn new(database: DatabaseArgs, broker: BrokerArgs) -> Self {
        Self {
            process: ProcessArgs::default(),
            database,
            broker,
            identity: IdentityArgs::default(),
        }
    }
}
