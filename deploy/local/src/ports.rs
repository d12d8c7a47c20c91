//! The ports of a stack.

use std::collections::HashSet;
use std::net::{Ipv4Addr, SocketAddr, TcpListener};

use anyhow::{Context as _, Result, bail};
use serde::{Deserialize, Serialize};

use crate::component::{Component, Service};
use crate::databases::Home;
use crate::layout::Layout;
use crate::probe::Probe;

/// First of the seven admin ports by default.
pub(crate) const FIRST_ADMIN_PORT: u16 = 8100;
/// First of the seven gRPC ports (the gateway's is HTTP) by default.
pub(crate) const FIRST_LISTEN_PORT: u16 = 8200;

/// Distance to the next block of service ports that is tried if the default one is taken.
const BLOCK_STEP: u16 = 10;
/// Free ports are picked from here up to the kernel's range for outgoing connections: a port in
/// that range could be taken while its owner restarts.
const FREE_RANGE_START: u16 = 12_000;
const FREE_ATTEMPTS: usize = 2_000;

/// The ports of one stack, all on 127.0.0.1.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Ports {
    /// nginx.
    pub http: u16,
    /// RabbitMQ.
    pub amqp: u16,
    /// PostgreSQL.
    pub postgres: u16,
    /// Admin ports in the order of [`Service::ALL`].
    pub admin: [u16; 7],
    /// Service ports in the order of [`Service::ALL`].
    pub listen: [u16; 7],
    /// Ports of the second and third replicas, if the stack has them.
    #[serde(default)]
    pub further: Vec<ReplicaPorts>,
    /// Erlang's port mapper, internal.
    pub epmd: u16,
    /// Erlang's distribution port, internal.
    pub erlang: u16,
}

/// The ports of one more replica of each, in the order of [`Service::ALL`].
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ReplicaPorts {
    /// Admin ports.
    pub admin: [u16; 7],
    /// Service ports.
    pub listen: [u16; 7],
}

impl Ports {
    /// Address of a service's gRPC (the gateway's HTTP) listener.
    pub fn listen_address(&self, service: Service) -> SocketAddr {
        loopback(self.listen[service.index()])
    }

    /// Address of a service's admin listener.
    pub fn admin_address(&self, service: Service) -> SocketAddr {
        loopback(self.admin[service.index()])
    }

    /// Addresses of the listener and of the admin port of one of Adfolio's own processes.
    pub(crate) fn addresses(&self, component: Component) -> Result<(SocketAddr, SocketAddr)> {
        match component {
            Component::Service(service) => {
                Some((self.listen_address(service), self.admin_address(service)))
            }
            Component::Second(service) => self.further_addresses(0, service),
            Component::Third(service) => self.further_addresses(1, service),
            Component::Postgres
            | Component::Epmd
            | Component::Rabbitmq
            | Component::Nginx
            | Component::Simnet
            | Component::Etcd
            | Component::Patroni
            | Component::Haproxy => None,
        }
        .with_context(|| format!("{component} is not a service"))
    }

    fn further_addresses(
        &self,
        replica: usize,
        service: Service,
    ) -> Option<(SocketAddr, SocketAddr)> {
        let ports = self.further.get(replica)?;
        let (listen, admin) = (ports.listen[service.index()], ports.admin[service.index()]);
        Some((loopback(listen), loopback(admin)))
    }

    /// The port of a component, if it listens, and its readiness probe.
    pub(crate) fn listener(
        &self,
        component: Component,
        layout: &Layout,
    ) -> Result<(Option<u16>, Probe)> {
        let (port, probe) = match component {
            Component::Postgres => {
                let home = Home::private(layout, self.postgres)?;
                (self.postgres, Probe::Postgres(home.base_url().clone()))
            }
            Component::Epmd => (self.epmd, Probe::Tcp(loopback(self.epmd))),
            Component::Rabbitmq => (self.amqp, Probe::Amqp(loopback(self.amqp))),
            Component::Service(_) | Component::Second(_) | Component::Third(_) => {
                let (listener, admin) = self.addresses(component)?;
                (listener.port(), Probe::Http(admin, "/readyz"))
            }
            Component::Nginx => (self.http, Probe::Tcp(loopback(self.http))),
            Component::Simnet => return Ok((None, Probe::Running)),
            Component::Etcd | Component::Patroni | Component::Haproxy => {
                bail!("{component} is a part of a cluster")
            }
        };
        Ok((Some(port), probe))
    }

    /// The listeners of all replicas of a service.
    pub(crate) fn listen_addresses(&self, service: Service) -> Vec<SocketAddr> {
        let further = self.further.iter().map(|ports| ports.listen);
        [self.listen]
            .into_iter()
            .chain(further)
            .map(|ports| loopback(ports[service.index()]))
            .collect()
    }

    /// The admin listeners of all replicas of a service.
    pub(crate) fn admin_addresses(&self, service: Service) -> Vec<SocketAddr> {
        let further = self.further.iter().map(|ports| ports.admin);
        [self.admin]
            .into_iter()
            .chain(further)
            .map(|ports| loopback(ports[service.index()]))
            .collect()
    }

    /// Fails with one line that names the taken port, its component, and the variable to choose
    /// another.
    pub(crate) fn check_free(&self, components: &[Component]) -> Result<()> {
        for (port, owner, variable) in self.needed(components) {
            if !is_free(port) {
                bail!(
                    "port {port} for {owner} is in use: stop what listens there, or choose another with {variable}"
                );
            }
        }
        Ok(())
    }

    fn needed(&self, components: &[Component]) -> Vec<(u16, String, &'static str)> {
        let mut needed = Vec::new();
        for component in components {
            match component {
                Component::Nginx => {
                    needed.push((self.http, "nginx".to_owned(), "ADFOLIO_PORT"));
                }
                Component::Rabbitmq => {
                    needed.push((self.amqp, "RabbitMQ".to_owned(), "ADFOLIO_AMQP_PORT"));
                }
                Component::Postgres => {
                    needed.push((self.postgres, "PostgreSQL".to_owned(), "ADFOLIO_PG_PORT"));
                }
                Component::Service(service) => {
                    let (admin, listen) =
                        (self.admin[service.index()], self.listen[service.index()]);
                    needed.push((
                        admin,
                        format!("{service}'s admin port"),
                        "ADFOLIO_ADMIN_PORT",
                    ));
                    needed.push((listen, service.to_string(), "ADFOLIO_GRPC_PORT"));
                }
                // Their ports are picked free and cannot be configured; the network has none.
                Component::Epmd
                | Component::Second(_)
                | Component::Third(_)
                | Component::Simnet
                | Component::Etcd
                | Component::Patroni
                | Component::Haproxy => {}
            }
        }
        needed
    }
}

/// Reserves ports as long as it lives.
///
/// Each is marked by something that the kernel releases with the process: two test processes that pick
/// at the same time never pick the same port.
#[derive(Debug, Default)]
pub(crate) struct Reservation {
    marks: Vec<Mark>,
    taken: HashSet<u16>,
}

impl Reservation {
    /// A set of free ports for a whole stack.
    pub(crate) fn free_stack(&mut self) -> Result<Ports> {
        let (admin, listen) = (self.free_block()?, self.free_block()?);
        Ok(Ports {
            http: self.free_port()?,
            amqp: self.free_port()?,
            postgres: self.free_port()?,
            admin,
            listen,
            further: Vec::new(),
            epmd: self.free_port()?,
            erlang: self.free_port()?,
        })
    }

    /// Free ports for one more replica of everything in a stack.
    pub(crate) fn free_replica(&mut self) -> Result<ReplicaPorts> {
        Ok(ReplicaPorts {
            admin: self.free_block()?,
            listen: self.free_block()?,
        })
    }

    fn free_block(&mut self) -> Result<[u16; 7]> {
        let mut block = [0; 7];
        for port in &mut block {
            *port = self.free_port()?;
        }
        Ok(block)
    }

    /// A port that nothing listens on and nobody else has reserved.
    pub(crate) fn free_port(&mut self) -> Result<u16> {
        let end = outgoing_range_start().max(FREE_RANGE_START + 1_000);
        for _ in 0..FREE_ATTEMPTS {
            let port = rand::random_range(FREE_RANGE_START..end);
            if self.taken.contains(&port) || !is_free(port) {
                continue;
            }
            if let Ok(mark) = mark(&format!("adfolio-local-port-{port}")) {
                self.marks.push(mark);
                self.taken.insert(port);
                return Ok(port);
            }
        }
        bail!("no free port between {FREE_RANGE_START} and {end}")
    }
}

/// An abstract unix socket.
#[cfg(target_os = "linux")]
pub(crate) type Mark = std::os::unix::net::UnixListener;

/// A locked file: other systems have no abstract sockets.
#[cfg(not(target_os = "linux"))]
pub(crate) type Mark = std::fs::File;

/// Fails while another process, or this one, has it.
#[cfg(target_os = "linux")]
pub(crate) fn mark(name: &str) -> std::io::Result<Mark> {
    use std::os::linux::net::SocketAddrExt as _;
    use std::os::unix::net::SocketAddr;
    Mark::bind_addr(&SocketAddr::from_abstract_name(name)?)
}

/// Fails while another process, or this one, has it.
#[cfg(not(target_os = "linux"))]
pub(crate) fn mark(name: &str) -> std::io::Result<Mark> {
    let file = Mark::create(std::env::temp_dir().join(name))?;
    file.try_lock()?;
    Ok(file)
}

/// Seven consecutive ports from `first`, or from the next free block if `may_move` and one of them
/// is taken.
pub(crate) fn service_block(first: u16, may_move: bool) -> Result<[u16; 7]> {
    const BLOCKS: u16 = 9;
    for step in 0..BLOCKS {
        let block = block_from(first, step * BLOCK_STEP)?;
        if !may_move || block.iter().copied().all(is_free) {
            return Ok(block);
        }
    }
    block_from(first, 0)
}

fn block_from(first: u16, offset: u16) -> Result<[u16; 7]> {
    let mut block = [0; 7];
    for (index, port) in (0_u16..).zip(&mut block) {
        *port = first
            .checked_add(offset + index)
            .with_context(|| format!("there are no seven ports from {first} on"))?;
    }
    Ok(block)
}

pub(crate) const fn loopback(port: u16) -> SocketAddr {
    SocketAddr::new(std::net::IpAddr::V4(Ipv4Addr::LOCALHOST), port)
}

fn is_free(port: u16) -> bool {
    TcpListener::bind(loopback(port)).is_ok()
}

fn outgoing_range_start() -> u16 {
    const USUAL: u16 = 32_768;
    std::fs::read_to_string("/proc/sys/net/ipv4/ip_local_port_range")
        .ok()
        .and_then(|range| range.split_whitespace().next()?.parse().ok())
        .unwrap_or(USUAL)
}
