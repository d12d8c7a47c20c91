//! The parts of a stack and their names.

use std::fmt;
use std::net::SocketAddr;

use anyhow::{Context as _, Result};

use crate::ports::{Ports, loopback};
use crate::probe::Probe;
use crate::servers::postgres;

/// One of Adfolio's own processes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Service {
    /// The HTTP gateway.
    Gateway,
    /// Users, staff and sessions.
    Auth,
    /// Products, plans and delivery reports.
    Plan,
    /// The ledger.
    Wallet,
    /// Coupons.
    Coupon,
    /// Inbox and announcements.
    Notification,
    /// Acceptors and exchange.
    Acceptor,
}

impl Service {
    /// All of them, in the order of their ports.
    pub const ALL: [Self; 7] = [
        Self::Gateway,
        Self::Auth,
        Self::Plan,
        Self::Wallet,
        Self::Coupon,
        Self::Notification,
        Self::Acceptor,
    ];

    /// The service's name, as in `.data/run/<name>.pid`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Gateway => "gateway",
            Self::Auth => "auth",
            Self::Plan => "plan",
            Self::Wallet => "wallet",
            Self::Coupon => "coupon",
            Self::Notification => "notification",
            Self::Acceptor => "acceptor",
        }
    }

    /// The name of its second replica.
    const fn second_name(self) -> &'static str {
        match self {
            Self::Gateway => "gateway-2",
            Self::Auth => "auth-2",
            Self::Plan => "plan-2",
            Self::Wallet => "wallet-2",
            Self::Coupon => "coupon-2",
            Self::Notification => "notification-2",
            Self::Acceptor => "acceptor-2",
        }
    }

    /// The name of its third replica.
    const fn third_name(self) -> &'static str {
        match self {
            Self::Gateway => "gateway-3",
            Self::Auth => "auth-3",
            Self::Plan => "plan-3",
            Self::Wallet => "wallet-3",
            Self::Coupon => "coupon-3",
            Self::Notification => "notification-3",
            Self::Acceptor => "acceptor-3",
        }
    }

    /// Position among the ports: the gateway has the first of each range.
    pub(crate) const fn index(self) -> usize {
        self as usize
    }

    /// The gateway holds no business data.
    pub(crate) const fn has_database(self) -> bool {
        !matches!(self, Self::Gateway)
    }

    /// Name of the service's database and of the role that owns it.
    pub(crate) fn database(self) -> String {
        format!("adfolio_{}", self.name())
    }

    /// File name of the service's program.
    pub(crate) fn program(self) -> String {
        format!("adfolio-{}", self.name())
    }

    /// The variable in which others find this service, like `WALLET_URL`.
    pub(crate) fn url_variable(self) -> String {
        format!("{}_URL", self.name().to_uppercase())
    }
}

impl fmt::Display for Service {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

/// Anything that a stack supervises.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Component {
    /// The private PostgreSQL.
    Postgres,
    /// Erlang's port mapper: RabbitMQ would leave a shared one running behind, so each stack has its own.
    Epmd,
    /// The private RabbitMQ.
    Rabbitmq,
    /// One of Adfolio's own processes.
    Service(Service),
    /// Its second replica, in a stack that has several of each.
    Second(Service),
    /// Its third replica, in a stack that has three of each.
    Third(Service),
    /// The edge.
    Nginx,
}

impl Component {
    /// The component's name, as in `.data/run/<name>.pid` and `.data/log/<name>.log`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Postgres => "postgres",
            Self::Epmd => "epmd",
            Self::Rabbitmq => "rabbitmq",
            Self::Service(service) => service.name(),
            Self::Second(service) => service.second_name(),
            Self::Third(service) => service.third_name(),
            Self::Nginx => "nginx",
        }
    }

    pub(crate) fn all() -> impl Iterator<Item = Self> {
        [Self::Postgres, Self::Epmd, Self::Rabbitmq]
            .into_iter()
            .chain(Service::ALL.map(Self::Service))
            .chain(Service::ALL.map(Self::Second))
            .chain(Service::ALL.map(Self::Third))
            .chain([Self::Nginx])
    }

    /// Its number among the replicas of the same service.
    pub(crate) const fn replica(self) -> u8 {
        match self {
            Self::Second(_) => 2,
            Self::Third(_) => 3,
            _ => 1,
        }
    }

    /// Which of Adfolio's own processes it is, if it is one.
    pub const fn service(self) -> Option<Service> {
        match self {
            Self::Service(service) | Self::Second(service) | Self::Third(service) => Some(service),
            Self::Postgres | Self::Epmd | Self::Rabbitmq | Self::Nginx => None,
        }
    }

    /// Addresses of the listener and of the admin port of one of Adfolio's own processes.
    pub(crate) fn addresses(self, ports: &Ports) -> Result<(SocketAddr, SocketAddr)> {
        match self {
            Self::Service(service) => {
                Some((ports.listen_address(service), ports.admin_address(service)))
            }
            Self::Second(service) => ports.further_addresses(0, service),
            Self::Third(service) => ports.further_addresses(1, service),
            Self::Postgres | Self::Epmd | Self::Rabbitmq | Self::Nginx => None,
        }
        .with_context(|| format!("{self} has no ports of a service"))
    }
}

impl Component {
    /// The port a part is reached at, and how to see that it is ready.
    pub(crate) fn listener(self, ports: &Ports) -> Result<(u16, Probe)> {
        Ok(match self {
            Self::Postgres => (
                ports.postgres,
                Probe::Postgres(postgres::superuser_url(ports.postgres)?),
            ),
            Self::Epmd => (ports.epmd, Probe::Tcp(loopback(ports.epmd))),
            Self::Rabbitmq => (ports.amqp, Probe::Amqp(loopback(ports.amqp))),
            Self::Service(_) | Self::Second(_) | Self::Third(_) => {
                let (listener, admin) = self.addresses(ports)?;
                (listener.port(), Probe::Http(admin, "/readyz"))
            }
            Self::Nginx => (ports.http, Probe::Tcp(loopback(ports.http))),
        })
    }
}

impl From<Service> for Component {
    fn from(service: Service) -> Self {
        Self::Service(service)
    }
}

impl fmt::Display for Component {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}
