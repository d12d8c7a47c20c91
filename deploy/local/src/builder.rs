//! The description of a stack before it starts.

use std::collections::HashMap;
use std::fs::Permissions;
use std::net::SocketAddr;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use nix::sys::statvfs::statvfs;
use tempfile::TempDir;
use url::Url;

use crate::certificates::scheme;
use crate::component::{Component, Service};
use crate::databases::Tables;
use crate::ports::{Ports, Reservation};
use crate::servers::adfolio::built_programs;

/// Harmless: everything listens on loopback only.
pub(crate) const DEMO_ADMIN_PASSWORD: &str = "adfolio-admin";

/// Tells a service whether it runs in a demonstration.
pub(crate) const DEMO_VARIABLE: &str = "ADFOLIO_DEMO";

/// Tells auth whether staff must have a second factor.
pub(crate) const SECOND_FACTOR_VARIABLE: &str = "SECOND_FACTOR";

/// The services with acts that take two members of staff.
pub(crate) const FOUR_EYES: [Service; 4] = [
    Service::Wallet,
    Service::Acceptor,
    Service::Coupon,
    Service::Plan,
];

/// What a new stack holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Content {
    OneAdmin,
    TwoAdmins,
    /// Two admins and the demo data.
    Demo,
}

/// Free bytes that an in-memory file system must have for a stack's data; the tests use a third.
const MEMORY_WANTED: u64 = 1 << 30;

/// The number of replicas of each service and of the gateway: one to three.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Replicas {
    /// Replicas whose addresses are configured.
    known: u8,
    /// Replicas that are started with the stack.
    started: u8,
}

impl Replicas {
    const MAX: u8 = 3;

    fn include(self, component: Component) -> bool {
        component.replica() <= self.known
    }

    pub(crate) fn start(self, component: Component) -> bool {
        component.replica() <= self.started
    }
}

/// Describes a stack; [`StackBuilder::start`] starts it.
///
/// Default: all services, free ports, a temporary data directory, no demo data, servers that do not
/// wait for the disk.
#[derive(Debug)]
#[must_use]
pub struct StackBuilder {
    pub(crate) ports: Option<Ports>,
    /// Reserves the ports of [`StackBuilder::pick_ports`].
    pub(crate) reservation: Reservation,
    pub(crate) data: Option<PathBuf>,
    pub(crate) services: Vec<Service>,
    pub(crate) replicas: Replicas,
    pub(crate) content: Content,
    pub(crate) durable: bool,
    pub(crate) admin_password: String,
    pub(crate) programs: Option<PathBuf>,
    pub(crate) web: Option<PathBuf>,
    pub(crate) extra: HashMap<Service, Vec<(String, String)>>,
    pub(crate) database_url: Option<Url>,
    pub(crate) amqp_url: Option<String>,
    pub(crate) database_at: Option<SocketAddr>,
    pub(crate) broker_at: Vec<SocketAddr>,
    pub(crate) database_addresses: HashMap<Service, Vec<SocketAddr>>,
    pub(crate) read_addresses: HashMap<Service, Vec<SocketAddr>>,
    pub(crate) broker_addresses: HashMap<Service, SocketAddr>,
    pub(crate) tls: bool,
    pub(crate) signed_identities: bool,
    pub(crate) tables: Tables,
    pub(crate) frame_ancestors: String,
    pub(crate) proxies_in_front: Option<String>,
    pub(crate) simnet: Option<Visitors>,
}

/// The files that the simulated network takes its visitors from.
#[derive(Clone, Debug)]
pub struct Visitors {
    /// Log of impressions: when they come.
    pub traffic: PathBuf,
    /// Click rates by item.
    pub prior: PathBuf,
}

impl Visitors {
    /// Those of a folder with `bts-men.csv` and `prior-men.json`, or the file that it lacks.
    pub(crate) fn of(folder: &Path) -> Result<Self, PathBuf> {
        let file = |name: &str| {
            let file = folder.join(name);
            // The network runs in another working directory.
            file.canonicalize().map_err(|_| file)
        };
        Ok(Self {
            traffic: file("bts-men.csv")?,
            prior: file("prior-men.json")?,
        })
    }
}

impl StackBuilder {
    pub(crate) fn new() -> Self {
        Self {
            ports: None,
            reservation: Reservation::default(),
            data: None,
            services: Service::ALL.to_vec(),
            replicas: Replicas {
                known: 1,
                started: 1,
            },
            content: Content::OneAdmin,
            durable: false,
            admin_password: DEMO_ADMIN_PASSWORD.to_owned(),
            programs: None,
            web: None,
            extra: HashMap::new(),
            database_url: None,
            amqp_url: None,
            database_at: None,
            broker_at: Vec::new(),
            database_addresses: HashMap::new(),
            read_addresses: HashMap::new(),
            broker_addresses: HashMap::new(),
            tls: false,
            signed_identities: true,
            tables: Tables::OfOwner,
            frame_ancestors: "'none'".to_owned(),
            proxies_in_front: None,
            simnet: None,
        }
    }

    /// Listens on ports that are free now and outside of the range of outgoing connections. The
    /// default.
    pub fn free_ports(mut self) -> Self {
        self.ports = None;
        self
    }

    /// Listens on exactly these ports.
    pub fn ports(mut self, ports: Ports) -> Self {
        self.ports = Some(ports);
        self
    }

    /// Picks free ports now instead of at the start, for a caller that must know them first, such
    /// as a proxy in front of a component.
    pub fn pick_ports(&mut self) -> Result<Ports> {
        let ports = self.reservation.free_stack()?;
        self.ports = Some(ports.clone());
        Ok(ports)
    }

    /// Keeps all data below this folder instead of a temporary one.
    pub fn data_dir(mut self, folder: impl Into<PathBuf>) -> Self {
        self.data = Some(folder.into());
        self
    }

    /// Runs only these services. nginx runs if the gateway does; PostgreSQL and RabbitMQ always do.
    pub fn services(mut self, services: impl IntoIterator<Item = Service>) -> Self {
        self.services = services.into_iter().collect();
        self.services.sort_unstable();
        self.services.dedup();
        self
    }

    /// Runs every service and the gateway twice. All processes know both replicas, and nginx both
    /// gateways; the second is [`Component::Second`].
    pub fn two_replicas(mut self) -> Self {
        self.replicas = Replicas {
            known: 2,
            started: 2,
        };
        self
    }

    /// Configures three replicas of every service and of the gateway, and starts two;
    /// [`Stack::add`](crate::Stack::add) starts the third, [`Component::Third`].
    pub fn two_of_three_replicas(mut self) -> Self {
        self.replicas = Replicas {
            known: Replicas::MAX,
            started: 2,
        };
        self
    }

    /// Loads the demo data once everything is ready.
    pub fn demo(mut self, demo: bool) -> Self {
        self.content = if demo {
            Content::Demo
        } else {
            Content::OneAdmin
        };
        self
    }

    /// Runs a simulated network with these visitors once everything is ready. Only a demonstration may.
    pub fn simnet(mut self, visitors: Visitors) -> Self {
        self.simnet = Some(visitors);
        self
    }

    /// Whether PostgreSQL waits for the disk at every commit, as it must wherever measurements or
    /// data matter.
    pub fn durable(mut self, durable: bool) -> Self {
        self.durable = durable;
        self
    }

    /// Password of the first member of staff.
    pub fn admin_password(mut self, password: impl Into<String>) -> Self {
        self.admin_password = password.into();
        self
    }

    /// Folder of the services' programs, if they were not built together with the running program.
    pub fn programs(mut self, folder: impl Into<PathBuf>) -> Self {
        self.programs = Some(folder.into());
        self
    }

    /// Folder of the built web client; `web/dist` by default.
    pub fn web(mut self, folder: impl Into<PathBuf>) -> Self {
        self.web = Some(folder.into());
        self
    }

    /// Who may show the client in a frame, as in `frame-ancestors` of its policy; nobody by
    /// default.
    pub fn frame_ancestors(mut self, sources: impl Into<String>) -> Self {
        self.frame_ancestors = sources.into();
        self
    }

    /// Network (`10.0.0.0/8`) of trusted proxies in front of the edge, which may report the
    /// client's address; none by default.
    pub fn proxies_in_front(mut self, network: impl Into<String>) -> Self {
        self.proxies_in_front = Some(network.into());
        self
    }

    /// Sets an environment variable of one service, in all its replicas.
    pub fn extra_env(
        mut self,
        service: Service,
        name: impl Into<String>,
        value: impl Into<String>,
    ) -> Self {
        self.extra
            .entry(service)
            .or_default()
            .push((name.into(), value.into()));
        self
    }

    /// Creates the demo's second admin besides the first one, without demo data.
    pub fn two_admins(mut self, two: bool) -> Self {
        self.content = if two {
            Content::TwoAdmins
        } else {
            Content::OneAdmin
        };
        self
    }

    /// Lets one member of staff do what elsewhere takes two, as only a demonstration may. For callers
    /// that have one.
    pub fn without_four_eyes(mut self) -> Self {
        for service in FOUR_EYES {
            self = self.extra_env(service, DEMO_VARIABLE, "1").extra_env(
                service,
                "FOUR_EYES_ABOVE",
                "off",
            );
        }
        self.extra_env(Service::Plan, "IMPORT_RELEASE", "single")
    }

    /// Lets staff work without a second factor, as only a demonstration may.
    pub fn without_second_factor(self) -> Self {
        self.extra_env(Service::Auth, DEMO_VARIABLE, "1").extra_env(
            Service::Auth,
            SECOND_FACTOR_VARIABLE,
            "optional",
        )
    }

    /// Uses this PostgreSQL instead of a private one; its account must be allowed to create
    /// databases.
    pub fn database_url(mut self, url: Url) -> Self {
        self.database_url = Some(url);
        self
    }

    /// Uses this RabbitMQ instead of a private one.
    pub fn amqp_url(mut self, url: impl Into<String>) -> Self {
        self.amqp_url = Some(url.into());
        self
    }

    /// Uses the PostgreSQL at this address of the machine instead of a private one. It must know the
    /// superuser `postgres`, and let all logins in without their passwords.
    pub fn database_at(mut self, address: SocketAddr) -> Self {
        self.database_at = Some(address);
        self
    }

    /// Uses the RabbitMQ with nodes at these addresses instead of a private one. It must know the users of a stack, with
    /// the passwords in the data folder.
    pub(crate) fn broker_at(mut self, addresses: impl IntoIterator<Item = SocketAddr>) -> Self {
        self.broker_at = addresses.into_iter().collect();
        self
    }

    /// Lets one service reach the PostgreSQL at other addresses, such as a proxy's, with the same
    /// role. One of several is the primary.
    pub fn database_addresses(
        mut self,
        service: Service,
        addresses: impl IntoIterator<Item = SocketAddr>,
    ) -> Self {
        let addresses = addresses.into_iter().collect();
        self.database_addresses.insert(service, addresses);
        self
    }

    /// Lets one service read at the standbys among these addresses.
    pub fn read_addresses(
        mut self,
        service: Service,
        addresses: impl IntoIterator<Item = SocketAddr>,
    ) -> Self {
        let addresses = addresses.into_iter().collect();
        self.read_addresses.insert(service, addresses);
        self
    }

    /// Lets one service reach the private RabbitMQ at another address, such as a proxy, with the
    /// same user.
    pub fn broker_address(mut self, service: Service, address: SocketAddr) -> Self {
        self.broker_addresses.insert(service, address);
        self
    }

    /// Makes certificates and enables mutual TLS between the services. They then believe identities by auth's signature
    /// alone.
    pub fn tls(mut self, tls: bool) -> Self {
        self.tls = tls;
        self
    }

    /// Lets services believe identities without auth's signature, as they must while a gateway or an auth of the release
    /// before runs. Auth signs them nevertheless.
    pub fn unsigned_identities(mut self) -> Self {
        self.signed_identities = false;
        self
    }

    /// Lets the services own their tables, as in the release before. They then migrate by themselves, until
    /// [`Stack::hand_over_tables`](crate::Stack::hand_over_tables).
    pub fn services_as_owners(mut self) -> Self {
        self.tables = Tables::OfService;
        self
    }

    /// The scheme of a service's URL.
    pub fn scheme(&self) -> &'static str {
        scheme(self.tls)
    }

    /// Where the service reaches the PostgreSQL; empty if where it is.
    pub(crate) fn database_addresses_of(&self, service: Service) -> &[SocketAddr] {
        let addresses = self.database_addresses.get(&service);
        addresses.map_or(&[], Vec::as_slice)
    }

    /// Where the standbys are at which the service reads; empty if it reads at the primary.
    pub(crate) fn read_addresses_of(&self, service: Service) -> &[SocketAddr] {
        let addresses = self.read_addresses.get(&service);
        addresses.map_or(&[], Vec::as_slice)
    }

    pub(crate) fn has_private_database(&self) -> bool {
        self.database_url.is_none() && self.database_at.is_none()
    }

    pub(crate) fn has_private_broker(&self) -> bool {
        self.amqp_url.is_none() && self.broker_at.is_empty()
    }

    pub(crate) fn components(&self) -> Vec<Component> {
        let private_database = self.has_private_database();
        let private_broker = self.has_private_broker();
        Component::all()
            .filter(|component| match component {
                Component::Postgres => private_database,
                Component::Epmd | Component::Rabbitmq => private_broker,
                Component::Service(service) => self.services.contains(service),
                Component::Second(service) | Component::Third(service) => {
                    self.replicas.include(*component) && self.services.contains(service)
                }
                Component::Nginx => self.services.contains(&Service::Gateway),
                Component::Simnet => self.simnet.is_some(),
                Component::Etcd | Component::Patroni | Component::Haproxy => false,
            })
            .collect()
    }

    pub(crate) fn resolve_ports(&self, reservation: &mut Reservation) -> Result<Ports> {
        let mut ports = match &self.ports {
            Some(ports) => ports.clone(),
            None => reservation.free_stack()?,
        };
        while ports.further.len() < usize::from(self.replicas.known.saturating_sub(1)) {
            ports.further.push(reservation.free_replica()?);
        }
        Ok(ports)
    }

    pub(crate) fn resolve_data(&self) -> Result<(PathBuf, Option<TempDir>)> {
        if let Some(folder) = &self.data {
            return Ok((folder.clone(), None));
        }
        let folder = tempfile::Builder::new()
            .prefix("adfolio-")
            // PostgreSQL may run under another account and must be able to pass.
            .permissions(Permissions::from_mode(0o755))
            .tempdir_in(self.temporary_parent())
            .context("cannot create a temporary folder")?;
        Ok((folder.path().to_owned(), Some(folder)))
    }

    /// The folder in `TMPDIR`; else in memory, if there is room and no data must survive the
    /// machine: tests create and drop databases of hundreds of files each, for which ext4 takes
    /// more time than PostgreSQL.
    fn temporary_parent(&self) -> PathBuf {
        let memory = Path::new("/dev/shm");
        let has_room = statvfs(memory).is_ok_and(|about| {
            // Their types differ between systems.
            let available =
                u128::from(about.blocks_available()) * u128::from(about.fragment_size());
            available >= u128::from(MEMORY_WANTED)
        });
        if std::env::var_os("TMPDIR").is_none() && !self.durable && has_room {
            memory.to_owned()
        } else {
            std::env::temp_dir()
        }
    }

    pub(crate) fn resolve_programs(&self) -> Result<PathBuf> {
        let folder = self.programs.clone().map_or_else(built_programs, Ok)?;
        // The services run in another working directory.
        folder
            .canonicalize()
            .with_context(|| format!("cannot open {}", folder.display()))
    }

    pub(crate) fn resolve_web(&self) -> PathBuf {
        let folder = self
            .web
            .clone()
            .unwrap_or_else(|| repository().join("web/dist"));
        std::path::absolute(&folder).unwrap_or(folder)
    }
}

/// The repository that this program was built from.
pub(crate) fn repository() -> PathBuf {
    let own = Path::new(env!("CARGO_MANIFEST_DIR"));
    own.ancestors().nth(2).unwrap_or(own).to_owned()
}
