//! Three machines on this one: each runs a member of etcd, PostgreSQL under Patroni, and a node of RabbitMQ.
//!
//! Patroni decides with etcd who is the primary. haproxy asks every Patroni and leads clients to the primary, on an
//! address that never changes, and to the standbys on another one. A commit is acknowledged when a standby has it on its
//! disk; without a standby, commits wait.
//!
//! Machines are addresses: of the loopback interface, or, for root, in networks of their own, from which they can be cut
//! off ([`ClusterBuilder::networks`]).

mod etcd;
mod faults;
mod guard;
mod haproxy;
mod machine;
mod network;
mod parameters;
mod patroni;
mod ports;
mod rabbitmq;
mod rest;
mod state;

use std::fs;
use std::net::{IpAddr, SocketAddr};
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context as _, Result, ensure};
use futures::future::join_all;
use tempfile::TempDir;
use tokio::process::Child;
use tokio::time::Instant;
use tracing::info;

use self::machine::Machine;
pub use self::machine::{MachineId, Part};
pub use self::network::Cut;
use self::network::Networks;
use self::patroni::Passwords;
pub use self::ports::ClusterPorts;
pub(crate) use self::ports::FIRST_PORT;
pub use self::state::{Member, Role};
use crate::broker_users::{self, BrokerAccess};
use crate::builder::StackBuilder;
use crate::component::{Component, Service};
use crate::databases::{Home, SUPERUSER, secret_name};
use crate::layout::{Layout, Lock};
use crate::ports::{Reservation, loopback};
use crate::process::{Supervised, Unit, kill_marked};
use crate::stack::Stack;

/// The number of machines.
pub(crate) const MACHINES: usize = MachineId::ALL.len();

/// From the start of the first process to a cluster that serves: a copy of the data for each standby, and three brokers
/// that find one another. More than twice what a loaded two-core machine needed.
const START_LIMIT: Duration = Duration::from_mins(3);

/// The folder of the machines in the data folder, whose other folders belong to the services.
pub(crate) const FOLDER: &str = "servers";

/// Describes a cluster; [`ClusterBuilder::start`] starts it.
///
/// Default: free ports, a temporary data directory, servers that do not wait for the disk, machines on the loopback
/// interface.
#[derive(Debug, Default)]
#[must_use]
pub struct ClusterBuilder {
    data: Option<PathBuf>,
    ports: Option<ClusterPorts>,
    durable: bool,
    networks: bool,
    lease: Option<Duration>,
}

impl ClusterBuilder {
    /// Keeps all data below this folder instead of a temporary one.
    pub fn data_dir(mut self, folder: impl Into<PathBuf>) -> Self {
        self.data = Some(folder.into());
        self
    }

    /// Listens on exactly these ports.
    pub fn ports(mut self, ports: ClusterPorts) -> Self {
        self.ports = Some(ports);
        self
    }

    /// Whether PostgreSQL waits for the disk at every commit.
    pub fn durable(mut self, durable: bool) -> Self {
        self.durable = durable;
        self
    }

    /// How long a machine may be silent before another one takes its place, in whole seconds; 20 s by default, 7 s at
    /// least. Runs with many faults want a short one.
    pub fn lease(mut self, lease: Duration) -> Self {
        self.lease = Some(lease);
        self
    }

    /// Gives each machine a network of its own, so that it can be cut off. Only root can, and only for a temporary
    /// cluster, because the addresses differ from run to run.
    pub fn networks(mut self) -> Self {
        self.networks = true;
        self
    }

    /// Starts everything and returns when the cluster is healthy. On failure, or if the returned future is dropped,
    /// everything that was started is ended.
    pub async fn start(self) -> Result<Cluster> {
        let mut cluster = Cluster::prepare(self)?;
        cluster.start_all().await?;
        Ok(cluster)
    }
}

/// A running cluster. [`Cluster::stop`] stops it in order; dropping it kills everything.
#[derive(Debug)]
pub struct Cluster {
    /// Of the services' stack; has the secrets.
    data: Layout,
    /// Of haproxy and of what the machines share.
    layout: Layout,
    ports: ClusterPorts,
    passwords: Passwords,
    machines: [Machine; 3],
    shared: Vec<Supervised>,
    shared_units: Vec<Unit>,
    lease: Duration,
    stopped: bool,
    // Released after everything has ended, in this order.
    guard: Option<Child>,
    networks: Option<Networks>,
    _lock: Lock,
    _reservation: Reservation,
    _temporary: Option<TempDir>,
}

impl Cluster {
    /// A builder of a cluster.
    pub fn builder() -> ClusterBuilder {
        ClusterBuilder::default()
    }

    fn prepare(builder: ClusterBuilder) -> Result<Self> {
        let lease = builder.lease.unwrap_or(parameters::LEASE);
        ensure!(
            lease >= parameters::SHORTEST_LEASE,
            "a lease of {lease:?} is too short"
        );
        let mut folder = Stack::builder().durable(builder.durable);
        if let Some(data) = builder.data {
            folder = folder.data_dir(data);
        }
        let (data, temporary) = folder.resolve_data()?;
        let data = Layout::create(&data)?;
        let layout = Layout::create(&data.folder(FOLDER))?;
        let lock = layout.lock()?;
        let networks = builder.networks.then(Networks::create).transpose()?;
        let mut reservation = Reservation::default();
        let ports = match builder.ports {
            Some(ports) => ports,
            None => ClusterPorts::free(&mut reservation)?,
        };
        ports.keep(layout.root())?;
        let machine = |id: MachineId| -> Result<Machine> {
            let address = networks
                .as_ref()
                .map_or_else(|| ports::loopback_of(id), |networks| networks.address(id));
            let network = networks.as_ref().map(|networks| networks.namespace(id));
            let layout = Layout::create(&layout.folder(&id.to_string()))?;
            Ok(Machine::new(id, IpAddr::V4(address), layout, network))
        };
        let [first, second, third] = MachineId::ALL;
        let machines = [machine(first)?, machine(second)?, machine(third)?];
        let secret = |name: &str| -> Result<String> {
            fs::read_to_string(data.random_secret(name)?).context("cannot read a secret")
        };
        let passwords = Passwords {
            superuser: secret(&secret_name(SUPERUSER))?,
            replicator: secret("cluster-replicator")?,
            operator: secret("cluster-operator")?,
        };
        let cookie = secret("cluster-erlang-cookie")?;
        let mut cluster = Self {
            data,
            layout,
            ports,
            passwords,
            machines,
            shared: Vec::new(),
            shared_units: Vec::new(),
            lease,
            stopped: false,
            guard: None,
            networks,
            _lock: lock,
            _reservation: reservation,
            _temporary: temporary,
        };
        // What an earlier supervisor of the same folder left behind.
        cluster.clear();
        if cluster.networks.is_none() {
            cluster.ports.check_free()?;
        }
        cluster.describe(&cookie, builder.durable)?;
        Ok(cluster)
    }

    /// Writes all configurations.
    fn describe(&mut self, cookie: &str, durable: bool) -> Result<()> {
        let definitions = broker_users::write_definitions(&self.data)?;
        let (machines, ports) = (&self.machines, &self.ports);
        let settings = patroni::Settings {
            passwords: &self.passwords,
            durable,
            lease: self.lease,
        };
        let mut all = Vec::new();
        for machine in machines {
            let mut units = vec![
                etcd::prepare(machine, machines, ports)?,
                patroni::prepare(machine, machines, ports, &settings)?,
                rabbitmq::prepare(machine, machines, ports, &definitions, cookie)?,
            ];
            if self.networks.is_some() {
                units.push(port_mapper(machine, ports)?);
            }
            all.push(units);
        }
        self.shared_units = vec![haproxy::prepare(&self.layout, machines, ports)?];
        if self.networks.is_none() {
            // A port mapper always listens at 127.0.0.1 as well, so machines on the loopback interface share one.
            let addresses = machines.each_ref().map(|machine| machine.address);
            let mapper =
                crate::servers::rabbitmq::port_mapper(&self.layout, ports.epmd, &addresses);
            self.shared_units.push(mapper?);
        }
        for (machine, units) in self.machines.iter_mut().zip(all) {
            machine.units = units;
        }
        Ok(())
    }

    async fn start_all(&mut self) -> Result<()> {
        let began = Instant::now();
        self.guard = Some(guard::start(&self.machines)?);
        for unit in self.shared_units.clone() {
            self.shared.push(Supervised::start(unit, &self.layout));
        }
        for component in [
            Component::Epmd,
            Component::Etcd,
            Component::Patroni,
            Component::Rabbitmq,
        ] {
            for machine in &mut self.machines {
                machine.start(component);
            }
        }
        self.wait_healthy(START_LIMIT).await?;
        self.set_parameters().await?;
        info!(
            "the cluster is healthy after {:.1} s",
            began.elapsed().as_secs_f32()
        );
        Ok(())
    }

    /// A stack of two replicas of everything, which keeps its data in this cluster and reads at the standbys.
    pub fn stack(&self) -> StackBuilder {
        let mut builder = Stack::builder()
            .two_replicas()
            .data_dir(self.data.root())
            .database_at(self.primary_address())
            .broker_at(self.broker_addresses());
        for service in Service::ALL {
            builder = builder.read_addresses(service, [self.standbys_address()]);
        }
        builder
    }

    /// Where haproxy leads to the primary.
    pub fn primary_address(&self) -> SocketAddr {
        loopback(self.ports.primary)
    }

    /// Where haproxy leads to a standby.
    pub fn standbys_address(&self) -> SocketAddr {
        loopback(self.ports.standbys)
    }

    /// The PostgreSQL of every machine.
    pub fn database_addresses(&self) -> [SocketAddr; 3] {
        self.machines
            .each_ref()
            .map(|machine| machine.at(self.ports.postgres))
    }

    /// The REST interface of every machine's Patroni.
    pub fn patroni_addresses(&self) -> [SocketAddr; 3] {
        self.machines
            .each_ref()
            .map(|machine| machine.at(self.ports.patroni))
    }

    /// The RabbitMQ of every machine.
    pub fn broker_addresses(&self) -> [SocketAddr; 3] {
        self.machines
            .each_ref()
            .map(|machine| machine.at(self.ports.amqp))
    }

    /// URL of a database for the superuser, with these servers.
    pub fn database_url(&self, addresses: &[SocketAddr], database: &str) -> String {
        let hosts: Vec<String> = addresses.iter().map(SocketAddr::to_string).collect();
        let password = &self.passwords.superuser;
        format!(
            "postgres://{SUPERUSER}:{password}@{}/{database}",
            hosts.join(",")
        )
    }

    /// URL of the brokers for the administrator.
    pub fn amqp_url(&self) -> Result<String> {
        let access = BrokerAccess::Private {
            addresses: self.broker_addresses().to_vec(),
            passwords: broker_users::passwords(&self.data),
        };
        access.administrator_url()
    }

    /// The members of the cluster in a data folder, if one runs there.
    pub(crate) async fn members_of(data: &Path) -> Option<Vec<Member>> {
        let ports = ClusterPorts::kept(&data.join(FOLDER))?;
        let addresses = MachineId::ALL.map(|id| IpAddr::V4(ports::loopback_of(id)));
        state::members_at(addresses.map(|address| SocketAddr::new(address, ports.patroni))).await
    }

    /// The file that tells `patronictl` where the cluster is.
    pub fn patronictl_file(&self) -> PathBuf {
        patroni::configuration_file(&self.machines[0])
    }

    /// The folder that holds everything.
    pub fn data_dir(&self) -> &Path {
        self.data.root()
    }

    /// Stops everything in order: brokers and databases, then what they need.
    pub async fn stop(mut self) {
        for components in [
            &[Component::Rabbitmq, Component::Patroni][..],
            &[Component::Etcd, Component::Epmd],
        ] {
            let stops = self.machines.iter_mut().map(|machine| async move {
                for component in components {
                    machine.stop(*component).await;
                }
            });
            join_all(stops).await;
        }
        for child in std::mem::take(&mut self.shared) {
            child.stop().await;
        }
        self.clear();
        self.stopped = true;
    }

    fn home(&self) -> Result<Home> {
        Home::private(&self.data, self.ports.primary)
    }

    fn machine(&self, id: MachineId) -> &Machine {
        &self.machines[id.index()]
    }

    /// Kills everything, children included. Bounded: each round kills what it finds.
    fn clear(&mut self) {
        const ROUNDS: usize = 100;
        const PAUSE: Duration = Duration::from_millis(20);
        self.shared.clear();
        for _ in 0..ROUNDS {
            let killed: usize = self.machines.iter_mut().map(Machine::clear).sum();
            if killed + kill_marked(&self.layout, None) == 0 {
                break;
            }
            std::thread::sleep(PAUSE);
        }
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        if !self.stopped {
            self.clear();
        }
    }
}

/// The port mapper of a machine with a network of its own.
fn port_mapper(machine: &Machine, ports: &ClusterPorts) -> Result<Unit> {
    let mut unit =
        crate::servers::rabbitmq::port_mapper(&machine.layout, ports.epmd, &[machine.address])?;
    unit.launch.network.clone_from(&machine.network);
    Ok(unit)
}
