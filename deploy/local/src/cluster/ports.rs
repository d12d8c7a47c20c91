//! Where the parts of a cluster listen.
//!
//! Every machine has an address of its own and the same ports. Without networks of their own the machines share the
//! loopback interface, whose addresses are all of 127.0.0.0/8.

use std::fs;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::Path;

use anyhow::{Context as _, Result, bail};
use serde::{Deserialize, Serialize};

use super::MachineId;
use crate::ports::Reservation;

/// First of the ports by default.
pub(crate) const FIRST_PORT: u16 = 8300;

/// Names the ports in the folder of a cluster.
const FILE: &str = "ports.json";

/// The last byte of the first machine's address on the loopback interface, minus one.
const LOOPBACK_BASE: u8 = 10;

/// The ports of a cluster: the first two on 127.0.0.1, the others on the address of every machine.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClusterPorts {
    /// haproxy: leads to the primary.
    pub primary: u16,
    /// haproxy: leads to a standby.
    pub standbys: u16,
    /// PostgreSQL.
    pub postgres: u16,
    /// Patroni's REST interface.
    pub patroni: u16,
    /// etcd's clients.
    pub etcd: u16,
    /// etcd's members.
    pub etcd_peer: u16,
    /// RabbitMQ.
    pub amqp: u16,
    /// Erlang's distribution. One for each machine: RabbitMQ refuses one that its port mapper knows already, and machines
    /// on the loopback interface share a port mapper.
    pub erlang: [u16; 3],
    /// Erlang's port mapper.
    pub epmd: u16,
}

impl ClusterPorts {
    /// Consecutive ports.
    pub fn from(first: u16) -> Result<Self> {
        const COUNT: u16 = 11;
        let mut free = first..first.saturating_add(COUNT);
        Self::each(|| {
            free.next()
                .filter(|port| *port < u16::MAX)
                .with_context(|| format!("there are no {COUNT} ports from {first} on"))
        })
    }

    pub(super) fn free(reservation: &mut Reservation) -> Result<Self> {
        Self::each(|| reservation.free_port())
    }

    fn each(mut port: impl FnMut() -> Result<u16>) -> Result<Self> {
        Ok(Self {
            primary: port()?,
            standbys: port()?,
            postgres: port()?,
            patroni: port()?,
            etcd: port()?,
            etcd_peer: port()?,
            amqp: port()?,
            erlang: [port()?, port()?, port()?],
            epmd: port()?,
        })
    }

    /// The ports of the cluster in this folder.
    pub(super) fn kept(folder: &Path) -> Option<Self> {
        serde_json::from_slice(&fs::read(folder.join(FILE)).ok()?).ok()
    }

    /// Fails if the cluster in this folder was made with other ports: its members know one another by their addresses.
    pub(super) fn keep(&self, folder: &Path) -> Result<()> {
        let Some(kept) = Self::kept(folder) else {
            let text = serde_json::to_vec_pretty(self)?;
            let file = folder.join(FILE);
            return fs::write(&file, text).context("cannot write the cluster's ports");
        };
        if kept != *self {
            bail!(
                "the cluster below {} has the ports from {} on, which cannot change",
                folder.display(),
                kept.primary
            );
        }
        Ok(())
    }

    /// Fails if anything listens on one of the ports already.
    pub(super) fn check_free(&self) -> Result<()> {
        let of_machines = [
            self.postgres,
            self.patroni,
            self.etcd,
            self.etcd_peer,
            self.amqp,
            self.epmd,
        ];
        let machines = MachineId::ALL.map(|machine| IpAddr::V4(loopback_of(machine)));
        let shared = [self.primary, self.standbys].map(|port| (LOCALHOST, port));
        let of_machines = of_machines
            .into_iter()
            .flat_map(|port| machines.map(|machine| (machine, port)));
        let erlang = machines.into_iter().zip(self.erlang);
        for (address, port) in shared.into_iter().chain(of_machines).chain(erlang) {
            let address = SocketAddr::new(address, port);
            if std::net::TcpListener::bind(address).is_err() {
                bail!(
                    "{address} is in use: stop what listens there, or choose other ports with ADFOLIO_CLUSTER_PORT"
                );
            }
        }
        Ok(())
    }
}

const LOCALHOST: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);

/// The address of a machine that has no network of its own.
pub(super) fn loopback_of(machine: MachineId) -> Ipv4Addr {
    Ipv4Addr::new(127, 0, 0, LOOPBACK_BASE + machine.number())
}

#[cfg(test)]
mod tests {
    use super::ClusterPorts;

    #[test]
    fn a_cluster_keeps_its_ports() {
        let folder = tempfile::tempdir().unwrap();
        let ports = ClusterPorts::from(8300).unwrap();
        assert_eq!((ports.primary, ports.epmd), (8300, 8310));
        ports.keep(folder.path()).unwrap();
        ports.keep(folder.path()).unwrap();
        let others = ClusterPorts::from(9300).unwrap();
        let refused = others.keep(folder.path()).unwrap_err().to_string();
        assert!(refused.contains("from 8300 on"), "{refused}");
        assert!(ClusterPorts::from(65_530).is_err());
    }
}
