//! A network for each machine, so that a machine can be cut off as a switch would do it: silently, with everything that
//! it has open.
//!
//! Each machine has a network namespace, which a bridge of this machine joins with the others. Only root can make them.

use std::net::{IpAddr, Ipv4Addr};
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result, bail, ensure};
use nix::unistd::geteuid;

use super::MachineId;
use crate::ports::{Mark, mark};

/// The networks are parts of 198.18.0.0/15, which is for measurements and not used anywhere else.
const FIRST_BYTES: [u8; 2] = [198, 18];
const OWN_LAST_BYTE: u8 = 254;

/// Owner of no interface: what is sent there is lost.
const NOWHERE: &str = "02:00:00:00:00:00";

/// The names of what was made begin with it; the id of the process that made them follows.
const PREFIX: &str = "adf";

const NAMESPACES: &str = "/run/netns";

/// How a machine is cut off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cut {
    /// From everything: the other machines, haproxy and the clients.
    FromAll,
    /// From the other machines. Clients and haproxy still reach it.
    FromPeers,
}

/// The networks of a cluster. Dropping them removes them.
#[derive(Debug)]
pub(super) struct Networks {
    /// Tells clusters apart.
    number: u8,
    _mark: Mark,
}

impl Networks {
    pub(super) fn create() -> Result<Self> {
        ensure!(
            geteuid().is_root(),
            "only root can give machines networks of their own"
        );
        remove_abandoned();
        for number in 0..=u8::MAX {
            // Another cluster, of this process or another one, may have it.
            if let Ok(mark) = mark(&format!("adfolio-local-network-{number}")) {
                let networks = Self {
                    number,
                    _mark: mark,
                };
                networks.build()?;
                return Ok(networks);
            }
        }
        bail!("there are too many clusters on this machine")
    }

    /// The address of a machine.
    pub(super) fn address(&self, machine: MachineId) -> Ipv4Addr {
        self.with_last_byte(machine.number())
    }

    /// The file that names the network of a machine.
    pub(super) fn namespace(&self, machine: MachineId) -> PathBuf {
        Path::new(NAMESPACES).join(self.namespace_name(machine))
    }

    pub(super) fn cut(&self, machine: MachineId, how: Cut) -> Result<()> {
        match how {
            // The interface stays up on both sides, so neither notices.
            Cut::FromAll => ip(&["link", "set", &self.interface(machine), "nomaster"]),
            Cut::FromPeers => {
                let namespace = self.namespace_name(machine);
                for peer in machine.others() {
                    let peer = IpAddr::V4(self.address(peer)).to_string();
                    let lost = ["neigh", "replace", &peer, "lladdr", NOWHERE, "dev", "eth0"];
                    ip(&[&["-n", &namespace], &lost[..], &["nud", "permanent"]].concat())?;
                }
                Ok(())
            }
        }
    }

    /// Ends every cut of a machine.
    pub(super) fn join(&self, machine: MachineId) -> Result<()> {
        let (interface, bridge) = (self.interface(machine), self.bridge());
        ip(&["link", "set", &interface, "master", &bridge])?;
        let namespace = self.namespace_name(machine);
        for peer in machine.others() {
            let peer = IpAddr::V4(self.address(peer)).to_string();
            // It fails if there was no cut from the peers.
            let _ = ip(&["-n", &namespace, "neigh", "del", &peer, "dev", "eth0"]);
        }
        Ok(())
    }

    fn build(&self) -> Result<()> {
        let bridge = self.bridge();
        let own = format!("{}/24", self.with_last_byte(OWN_LAST_BYTE));
        ip(&["link", "add", &bridge, "type", "bridge"])?;
        ip(&["addr", "add", &own, "dev", &bridge])?;
        ip(&["link", "set", &bridge, "up"])?;
        for machine in MachineId::ALL {
            let (namespace, interface) = (self.namespace_name(machine), self.interface(machine));
            let address = format!("{}/24", self.address(machine));
            ip(&["netns", "add", &namespace])?;
            let pair = ["type", "veth", "peer", "name", "eth0", "netns", &namespace];
            ip(&[&["link", "add", &interface], &pair[..]].concat())?;
            ip(&["link", "set", &interface, "master", &bridge, "up"])?;
            ip(&["-n", &namespace, "addr", "add", &address, "dev", "eth0"])?;
            ip(&["-n", &namespace, "link", "set", "eth0", "up"])?;
            ip(&["-n", &namespace, "link", "set", "lo", "up"])?;
        }
        Ok(())
    }

    fn with_last_byte(&self, last: u8) -> Ipv4Addr {
        let [first, second] = FIRST_BYTES;
        Ipv4Addr::new(first, second, self.number, last)
    }

    fn bridge(&self) -> String {
        name_of_bridge(std::process::id(), self.number)
    }

    fn interface(&self, machine: MachineId) -> String {
        format!("{}-{}", self.bridge(), machine.number())
    }

    fn namespace_name(&self, machine: MachineId) -> String {
        self.interface(machine)
    }
}

impl Drop for Networks {
    fn drop(&mut self) {
        for machine in MachineId::ALL {
            remove_namespace(&self.namespace_name(machine));
        }
        remove_link(&self.bridge());
    }
}

/// Names of interfaces have at most 15 bytes.
fn name_of_bridge(owner: u32, number: u8) -> String {
    format!("{PREFIX}{owner:x}-{number:x}")
}

/// Removes the networks of processes that were killed.
fn remove_abandoned() {
    for folder in [NAMESPACES, "/sys/class/net"] {
        let names = std::fs::read_dir(folder).into_iter().flatten();
        for name in names.filter_map(|entry| entry.ok()?.file_name().into_string().ok()) {
            if owner(&name).is_some_and(|pid| !Path::new("/proc").join(pid.to_string()).exists()) {
                if folder == NAMESPACES {
                    remove_namespace(&name);
                } else {
                    remove_link(&name);
                }
            }
        }
    }
}

/// The process that made something of this name.
fn owner(name: &str) -> Option<u32> {
    let (pid, _) = name.strip_prefix(PREFIX)?.split_once('-')?;
    u32::from_str_radix(pid, 16).ok()
}

fn remove_namespace(name: &str) {
    // Its interface goes with it, once no process is left in it.
    let _ = ip(&["netns", "del", name]);
}

fn remove_link(name: &str) {
    // An interface whose namespace is gone may be gone as well.
    let _ = ip(&["link", "del", name]);
}

fn ip(arguments: &[&str]) -> Result<()> {
    let output = Command::new("ip")
        .args(arguments)
        .output()
        .context("cannot run ip (package iproute2)")?;
    ensure!(
        output.status.success(),
        "ip {} failed: {}",
        arguments.join(" "),
        String::from_utf8_lossy(&output.stderr).trim_end()
    );
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::{name_of_bridge, owner};

    #[test]
    fn a_name_tells_its_owner() {
        const LARGEST_PID: u32 = 1 << 22;
        let name = name_of_bridge(LARGEST_PID, u8::MAX);
        assert!(format!("{name}-3").len() <= 15, "{name}");
        assert_eq!(owner(&name), Some(LARGEST_PID));
        assert_eq!(owner(&format!("{name}-3")), Some(LARGEST_PID));
        assert_eq!(owner("eth0"), None);
    }
}
