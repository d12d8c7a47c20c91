//! The configuration of `up`.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use anyhow::Result;
use clap::Args;
use clap::builder::{BoolishValueParser, TypedValueParser};
use url::Url;

use crate::builder::{DEMO_ADMIN_PASSWORD, StackBuilder, Visitors, repository};
use crate::ports::{FIRST_ADMIN_PORT, FIRST_LISTEN_PORT, Ports, Reservation, service_block};
use crate::stack::Stack;

const DEFAULT_HTTP_PORT: u16 = 8080;

/// Where the log and the click rates lie beside a checkout of the developers.
fn default_traffic() -> OsString {
    repository().join("../shared/data/bandit").into()
}

/// The data directory of a command.
#[derive(Debug, Args)]
pub(super) struct DataOptions {
    /// The data directory that `up` uses.
    #[arg(long = "data", env = "ADFOLIO_DATA", default_value = ".data")]
    pub(super) data: PathBuf,
}

/// The ports of nginx and of the services.
#[derive(Debug, Args)]
pub(super) struct ServiceOptions {
    /// Port of the web client and the API.
    #[arg(long, env = "ADFOLIO_PORT", default_value_t = DEFAULT_HTTP_PORT)]
    port: u16,
    /// First of the seven admin ports. Default 8100, or the next free block if another stack is
    /// running.
    #[arg(long, env = "ADFOLIO_ADMIN_PORT")]
    admin_port: Option<u16>,
    /// First of the seven gRPC ports. Default 8200, or the next free block if another stack is
    /// running.
    #[arg(long, env = "ADFOLIO_GRPC_PORT")]
    grpc_port: Option<u16>,
}

/// The ports and data of the stack.
#[derive(Debug, Args)]
pub(super) struct StackOptions {
    /// Folder for all data.
    #[arg(long = "data", env = "ADFOLIO_DATA", default_value = ".data")]
    pub(super) data: PathBuf,
    #[command(flatten)]
    services: ServiceOptions,
    /// Port of the private RabbitMQ.
    #[arg(long, env = "ADFOLIO_AMQP_PORT", default_value_t = 8072)]
    amqp_port: u16,
    /// Port of the private PostgreSQL.
    #[arg(long, env = "ADFOLIO_PG_PORT", default_value_t = 8032)]
    pg_port: u16,
    #[command(flatten)]
    content: ContentOptions,
    /// Folder with the log and the click rates of the simulated network's visitors, which runs beside the demo data;
    /// empty for no such network.
    #[arg(long, env = "ADFOLIO_TRAFFIC", default_value_os_t = default_traffic())]
    traffic: OsString,
    /// Use this PostgreSQL instead of a private one; its account must be allowed to create
    /// databases.
    #[arg(long, env = "DATABASE_URL", hide_env_values = true)]
    database_url: Option<Url>,
    /// Use this RabbitMQ instead of a private one.
    #[arg(long, env = "AMQP_URL", hide_env_values = true)]
    amqp_url: Option<String>,
}

/// The initial data of the stack.
#[derive(Debug, Args)]
pub(super) struct ContentOptions {
    /// Load the demo data; 0 starts with only the admin.
    #[arg(long, env = "ADFOLIO_DEMO", default_value = "1", action = clap::ArgAction::Set, value_parser = switch())]
    demo: Switch,
    /// Password of the staff account `admin`.
    #[arg(long, env = "ADFOLIO_ADMIN_PASSWORD", hide_env_values = true, default_value = DEMO_ADMIN_PASSWORD)]
    pub(super) admin_password: String,
    /// Mutual TLS between the services, with certificates made for this stack; 0 switches it off.
    #[arg(long, env = "ADFOLIO_TLS", default_value = "1", num_args = 0..=1, default_missing_value = "1", require_equals = true, action = clap::ArgAction::Set, value_parser = switch())]
    tls: Switch,
}

/// A yes or no that takes a value (`1`, `0`, `yes`, `off` …), unlike a flag.
#[derive(Clone, Copy, Debug)]
pub(super) struct Switch(bool);

impl Switch {
    pub(super) fn is_on(self) -> bool {
        self.0
    }
}

/// Reads a [`Switch`].
pub(super) fn switch() -> impl TypedValueParser<Value = Switch> {
    BoolishValueParser::new().map(Switch)
}

impl ContentOptions {
    pub(super) fn demo(&self) -> bool {
        self.demo.0
    }

    pub(super) fn tls(&self) -> bool {
        self.tls.0
    }
}

impl StackOptions {
    pub(super) fn demo(&self) -> bool {
        self.content.demo()
    }

    pub(super) fn admin_password(&self) -> &str {
        &self.content.admin_password
    }

    /// The simulated network's visitors, none if it is not wanted, or the file that is missing.
    pub(super) fn simnet(&self) -> Result<Option<Visitors>, PathBuf> {
        if self.traffic.is_empty() {
            return Ok(None);
        }
        Visitors::of(Path::new(&self.traffic)).map(Some)
    }

    pub(super) fn into_builder(self) -> Result<StackBuilder> {
        let ports = self.ports()?;
        let simnet = self.simnet().ok().flatten().filter(|_| self.demo());
        let mut builder = Stack::builder()
            .ports(ports)
            .demo(self.demo())
            .tls(self.content.tls())
            .durable(true)
            .data_dir(self.data)
            .admin_password(self.content.admin_password);
        if let Some(visitors) = simnet {
            builder = builder.simnet(visitors);
        }
        if let Some(url) = self.database_url {
            builder = builder.database_url(url);
        }
        if let Some(url) = self.amqp_url {
            builder = builder.amqp_url(url);
        }
        Ok(builder)
    }

    fn ports(&self) -> Result<Ports> {
        let mut ports = self.services.ports()?;
        ports.amqp = self.amqp_port;
        ports.postgres = self.pg_port;
        Ok(ports)
    }
}

impl ServiceOptions {
    /// The ports of a stack; those of its servers are any free ones.
    pub(super) fn ports(&self) -> Result<Ports> {
        // A second stack only configures its main ports; its service ports move out of the way of
        // the first.
        let beside_another = self.port != DEFAULT_HTTP_PORT;
        let block = |given: Option<u16>, default| match given {
            Some(first) => service_block(first, false),
            None => service_block(default, beside_another),
        };
        let mut internal = Reservation::default();
        Ok(Ports {
            http: self.port,
            amqp: internal.free_port()?,
            postgres: internal.free_port()?,
            admin: block(self.admin_port, FIRST_ADMIN_PORT)?,
            listen: block(self.grpc_port, FIRST_LISTEN_PORT)?,
            further: Vec::new(),
            epmd: internal.free_port()?,
            erlang: internal.free_port()?,
        })
    }
}
