//! The components of a stack.

use std::fmt;

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
    /// All services, in the order of their ports.
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

    /// Position in the port ranges: the gateway comes first.
    pub(crate) const fn index(self) -> usize {
        self as usize
    }

    /// The gateway holds no business data.
    pub(crate) const fn has_database(self) -> bool {
        !matches!(self, Self::Gateway)
    }

    /// Name of the service's database and of its role.
    pub(crate) fn database(self) -> String {
        format!("adfolio_{}", self.name())
    }

    /// File name of the service's program.
    pub(crate) fn program(self) -> String {
        format!("adfolio-{}", self.name())
    }

    /// The variable with this service's URL, like `WALLET_URL`.
    pub(crate) fn url_variable(self) -> String {
        format!("{}_URL", self.name().to_uppercase())
    }
}

impl fmt::Display for Service {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

/// A supervised component.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Component {
    /// The private PostgreSQL.
    Postgres,
    /// Erlang's port mapper. RabbitMQ would leave a shared one running, so each stack has its own.
    Epmd,
    /// The private RabbitMQ.
    Rabbitmq,
    /// One of Adfolio's own processes.
    Service(Service),
    /// Its second replica, in a stack with several of each.
    Second(Service),
    /// Its third replica, in a stack with three of each.
    Third(Service),
    /// The edge.
    Nginx,
    /// The simulated network of a demonstration.
    Simnet,
    /// The members of a cluster agree in it on who is the primary.
    Etcd,
    /// Runs a cluster's PostgreSQL.
    Patroni,
    /// Leads clients to a cluster's primary.
    Haproxy,
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
            Self::Simnet => "simnet",
            Self::Etcd => "etcd",
            Self::Patroni => "patroni",
            Self::Haproxy => "haproxy",
        }
    }

    /// The components of a stack. A cluster has others.
    pub(crate) fn all() -> impl Iterator<Item = Self> {
        [Self::Postgres, Self::Epmd, Self::Rabbitmq]
            .into_iter()
            .chain(Service::ALL.map(Self::Service))
            .chain(Service::ALL.map(Self::Second))
            .chain(Service::ALL.map(Self::Third))
            .chain([Self::Nginx, Self::Simnet])
    }

    /// Its number among the replicas of its service.
    pub(crate) const fn replica(self) -> u8 {
        match self {
            Self::Second(_) => 2,
            Self::Third(_) => 3,
            _ => 1,
        }
    }

    /// The service, if it is one of Adfolio's own processes.
    pub const fn service(self) -> Option<Service> {
        match self {
            Self::Service(service) | Self::Second(service) | Self::Third(service) => Some(service),
            Self::Postgres
            | Self::Epmd
            | Self::Rabbitmq
            | Self::Nginx
            | Self::Simnet
            | Self::Etcd
            | Self::Patroni
            | Self::Haproxy => None,
        }
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
