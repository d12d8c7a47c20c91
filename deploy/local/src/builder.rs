//! What a stack consists of, said before it starts.

use std::collections::HashMap;
use std::fs::Permissions;
use std::net::SocketAddr;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use nix::sys::statvfs::statvfs;
use tempfile::TempDir;
use url::Url;

use crate::component::{Component, Service};
use crate::ports::{Ports, Reservation};
use crate::servers::adfolio::built_programs;
use crate::stack::Stack;

pub(crate) const ADMIN_USERNAME: &str = "admin";
/// Harmless because everything listens on loopback only.
pub(crate) const DEMO_ADMIN_PASSWORD: &str = "adfolio-admin";

/// Free bytes that a file system in memory must have to carry a stack's data; the tests use a third of them.
const MEMORY_WANTED: u64 = 1 << 30;

/// How many there are of each service and of the gateway: one to three.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Replicas {
    /// Everybody has the addresses of so many.
    known: u8,
    /// So many are started with the stack.
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
/// Without further words: all services, free ports, a temporary data directory, no demo data, servers that do not wait for
/// the disk.
#[derive(Debug)]
#[must_use]
pub struct StackBuilder {
    pub(crate) ports: Option<Ports>,
    /// Keeps the ports of [`StackBuilder::pick_ports`] from others.
    pub(crate) reservation: Reservation,
    pub(crate) data: Option<PathBuf>,
    pub(crate) services: Vec<Service>,
    pub(crate) replicas: Replicas,
    pub(crate) demo: bool,
    pub(crate) durable: bool,
    pub(crate) admin_password: String,
    pub(crate) programs: Option<PathBuf>,
    pub(crate) web: Option<PathBuf>,
    pub(crate) extra: HashMap<Service, Vec<(String, String)>>,
    pub(crate) database_url: Option<Url>,
    pub(crate) amqp_url: Option<String>,
    pub(crate) broker_addresses: HashMap<Service, SocketAddr>,
    pub(crate) tls: bool,
    pub(crate) frame_ancestors: String,
    pub(crate) proxies_in_front: Option<String>,
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
            demo: false,
            durable: false,
            admin_password: DEMO_ADMIN_PASSWORD.to_owned(),
            programs: None,
            web: None,
            extra: HashMap::new(),
            database_url: None,
            amqp_url: None,
            broker_addresses: HashMap::new(),
            tls: false,
            frame_ancestors: "'none'".to_owned(),
            proxies_in_front: None,
        }
    }

    /// Listens on ports that are free now and outside the range of outgoing connections. The default.
    pub fn free_ports(mut self) -> Self {
        self.ports = None;
        self
    }

    /// Listens on exactly these ports.
    pub fn ports(mut self, ports: Ports) -> Self {
        self.ports = Some(ports);
        self
    }

    /// Picks free ports now instead of at the start, for whoever must know them before: a proxy in front of a part.
    pub fn pick_ports(&mut self) -> Result<Ports> {
        let ports = self.reservation.free_stack()?;
        self.ports = Some(ports.clone());
        Ok(ports)
    }

    /// Keeps everything below this folder instead of a temporary one.
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

    /// Runs every service and the gateway twice. All find both replicas, and nginx both gateways; the second is
    /// [`Component::Second`].
    pub fn two_replicas(mut self) -> Self {
        self.replicas = Replicas {
            known: 2,
            started: 2,
        };
        self
    }

    /// Lets everybody know of three replicas of every service and of the gateway, of which two are started; the third,
    /// [`Component::Third`], by [`Stack::add`].
    pub fn two_of_three_replicas(mut self) -> Self {
        self.replicas = Replicas {
            known: Replicas::MAX,
            started: 2,
        };
        self
    }

    /// Loads the demo data once everything is ready.
    pub fn demo(mut self, demo: bool) -> Self {
        self.demo = demo;
        self
    }

    /// Whether PostgreSQL waits for the disk at every commit, as it must wherever figures or data matter.
    pub fn durable(mut self, durable: bool) -> Self {
        self.durable = durable;
        self
    }

    /// Password of the first member of staff.
    pub fn admin_password(mut self, password: impl Into<String>) -> Self {
        self.admin_password = password.into();
        self
    }

    /// Folder of the services' programs, if they were not built together with the running one.
    pub fn programs(mut self, folder: impl Into<PathBuf>) -> Self {
        self.programs = Some(folder.into());
        self
    }

    /// Folder of the built web client, `web/dist` unless said otherwise.
    pub fn web(mut self, folder: impl Into<PathBuf>) -> Self {
        self.web = Some(folder.into());
        self
    }

    /// Who may show the client in a frame, as `frame-ancestors` of its policy names them; nobody unless said otherwise.
    pub fn frame_ancestors(mut self, sources: impl Into<String>) -> Self {
        self.frame_ancestors = sources.into();
        self
    }

    /// Network (`10.0.0.0/8`) of the proxies in front of the edge, whose word on the client's address counts; none unless said
    /// otherwise.
    pub fn proxies_in_front(mut self, network: impl Into<String>) -> Self {
        self.proxies_in_front = Some(network.into());
        self
    }

    /// Sets a variable in the environment of one service, in all its replicas.
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

    /// Uses this PostgreSQL instead of a private one; its account must be allowed to create databases.
    pub fn database_url(mut self, url: Url) -> Self {
        self.database_url = Some(url);
        self
    }

    /// Uses this RabbitMQ instead of a private one.
    pub fn amqp_url(mut self, url: impl Into<String>) -> Self {
        self.amqp_url = Some(url.into());
        self
    }

    /// Lets one service reach the private RabbitMQ at another address, as the user that it is: a proxy in front of it.
    pub fn broker_address(mut self, service: Service, address: SocketAddr) -> Self {
        self.broker_addresses.insert(service, address);
        self
    }

    /// Makes certificates, and lets the services speak to each other by mutual TLS only.
    pub fn tls(mut self, tls: bool) -> Self {
        self.tls = tls;
        self
    }

    /// What the address of a service begins with.
    pub fn scheme(&self) -> &'static str {
        scheme(self.tls)
    }

    /// Starts everything and returns when all of it is ready. What was started is ended again if anything fails, or if the
    /// returned future is dropped.
    pub async fn start(self) -> Result<Stack> {
        Stack::start(self).await
    }

    pub(crate) fn components(&self) -> Vec<Component> {
        let private_database = self.database_url.is_none();
        let private_broker = self.amqp_url.is_none();
        Component::all()
            .filter(|component| match component {
                Component::Postgres => private_database,
                Component::Epmd | Component::Rabbitmq => private_broker,
                Component::Service(service) => self.services.contains(service),
                Component::Second(service) | Component::Third(service) => {
                    self.replicas.include(*component) && self.services.contains(service)
                }
                Component::Nginx => self.services.contains(&Service::Gateway),
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
            // PostgreSQL may run under another account and must get through.
            .permissions(Permissions::from_mode(0o755))
            .tempdir_in(self.temporary_parent())
            .context("cannot create a temporary folder")?;
        Ok((folder.path().to_owned(), Some(folder)))
    }

    /// Where `TMPDIR` says; else in memory, where there is room and nothing has to survive the machine: tests make and drop
    /// databases of hundreds of files each, for which ext4 takes more time than PostgreSQL.
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
        // The services are started in another working directory.
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

pub(crate) const fn scheme(tls: bool) -> &'static str {
    if tls { "https" } else { "http" }
}

/// The repository this program was built from.
pub(crate) fn repository() -> PathBuf {
    let own = Path::new(env!("CARGO_MANIFEST_DIR"));
    own.ancestors().nth(2).unwrap_or(own).to_owned()
}
