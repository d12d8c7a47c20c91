//! etcd on a machine: the members agree in it on who is the primary.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt as _;
use std::time::Duration;

use anyhow::{Context as _, Result};
use nix::sys::signal::Signal;

use super::machine::{Machine, installed};
use super::parameters::{ETCD_ELECTION_MS, ETCD_HEARTBEAT_MS};
use super::ports::ClusterPorts;
use crate::component::Component;
use crate::probe::Probe;
use crate::process::{Launch, Unit};

const STOP_LIMIT: Duration = Duration::from_secs(10);

/// Makes the data folder and describes the member.
pub(super) fn prepare(
    machine: &Machine,
    machines: &[Machine; 3],
    ports: &ClusterPorts,
) -> Result<Unit> {
    let data = machine.layout.folder(Component::Etcd.name());
    fs::create_dir_all(&data).with_context(|| format!("cannot create {}", data.display()))?;
    fs::set_permissions(&data, Permissions::from_mode(0o700))?;
    let peer = |machine: &Machine| format!("http://{}", machine.at(ports.etcd_peer));
    let members: Vec<String> = machines
        .iter()
        .map(|member| format!("{}={}", member.id, peer(member)))
        .collect();
    let clients = format!("http://{}", machine.at(ports.etcd));
    let options = [
        ("--name", machine.id.to_string()),
        ("--data-dir", data.display().to_string()),
        ("--listen-client-urls", clients.clone()),
        ("--advertise-client-urls", clients),
        ("--listen-peer-urls", peer(machine)),
        ("--initial-advertise-peer-urls", peer(machine)),
        ("--initial-cluster", members.join(",")),
        ("--heartbeat-interval", ETCD_HEARTBEAT_MS.to_string()),
        ("--election-timeout", ETCD_ELECTION_MS.to_string()),
        // A member that was cut off must not cost the others an election when it is back.
        ("--pre-vote", "true".to_owned()),
        // See the configuration of Patroni.
        ("--enable-v2", "true".to_owned()),
        ("--log-level", "warn".to_owned()),
        ("--logger", "zap".to_owned()),
    ];
    let mut launch = Launch::new(installed("etcd")?, machine.layout.root());
    for (name, value) in options {
        // Its Boolean options take their value only so.
        launch = launch.args([format!("{name}={value}")]);
    }
    launch.network.clone_from(&machine.network);
    Ok(Unit {
        component: Component::Etcd,
        launch,
        probe: Probe::Http(machine.at(ports.etcd), super::rest::ETCD_HEALTH),
        stop_signal: Signal::SIGTERM,
        stop_limit: STOP_LIMIT,
    })
}
