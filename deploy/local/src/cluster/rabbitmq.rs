//! A node of RabbitMQ on a machine.

use std::fmt::Write as _;
use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;

use anyhow::{Context as _, Result};

use super::machine::{Machine, installed};
use super::parameters::RABBITMQ;
use super::ports::ClusterPorts;
use crate::component::Component;
use crate::probe::{Probe, count_nodes};
use crate::process::{Launch, Unit};
use crate::servers::rabbitmq::{self, Node};

/// The program that asks a node.
const CONTROL: &str = "/usr/lib/rabbitmq/bin/rabbitmqctl";

/// The node of a machine.
pub(super) fn node(machine: &Machine, ports: &ClusterPorts) -> Node {
    Node {
        // Nodes that share a port mapper need different names.
        name: format!("{}@{}", machine.id, machine.address),
        is_long_name: true,
        amqp: machine.at(ports.amqp),
        erlang: ports.erlang[machine.id.index()],
        epmd: ports.epmd,
    }
}

/// Writes the configuration and describes the node.
pub(super) fn prepare(
    machine: &Machine,
    machines: &[Machine; 3],
    ports: &ClusterPorts,
    definitions: &Path,
    cookie: &str,
) -> Result<Unit> {
    let mut settings = String::new();
    for (name, value) in RABBITMQ {
        // Writing to a string cannot fail.
        let _ = writeln!(settings, "{name} = {value}");
    }
    settings.push_str("cluster_formation.peer_discovery_backend = classic_config\n");
    for (index, member) in (1..).zip(machines) {
        let name = node(member, ports).name;
        let _ = writeln!(
            settings,
            "cluster_formation.classic_config.nodes.{index} = {name}"
        );
    }
    write_cookie(machine, cookie)?;
    let mut unit = rabbitmq::describe(
        &machine.layout,
        &node(machine, ports),
        definitions,
        &settings,
    )?;
    unit.launch.network.clone_from(&machine.network);
    let partitions = question(machine, ports, "rabbit_node_monitor partitions []")?;
    unit.probe = Probe::BrokerNode(machine.at(ports.amqp), Box::new(partitions));
    Ok(unit)
}

/// Describes a run of `rabbitmqctl` for the node of a machine.
pub(super) fn control<const N: usize>(
    machine: &Machine,
    ports: &ClusterPorts,
    arguments: [&str; N],
) -> Launch {
    let folder = machine.layout.folder(Component::Rabbitmq.name());
    let mut launch = Launch::new(CONTROL, &folder)
        .args(arguments)
        .env("HOME", folder.join("home"))
        .env("RABBITMQ_CONF_ENV_FILE", folder.join("rabbitmq-env.conf"));
    for (name, value) in node(machine, ports).environment() {
        launch = launch.env(name, value);
    }
    launch.network.clone_from(&machine.network);
    launch
}

/// The number of nodes that run, as the node of a machine sees it.
pub(super) async fn running_nodes(machine: &Machine, ports: &ClusterPorts) -> Result<usize> {
    let question = question(machine, ports, "rabbit_mnesia cluster_nodes [running]")?;
    count_nodes(&question).await
}

/// Describes a question to the node of a machine. Erlang's own program answers within milliseconds; rabbitmqctl needs
/// seconds of the processor to start.
fn question(machine: &Machine, ports: &ClusterPorts, call: &str) -> Result<Launch> {
    let node = node(machine, ports);
    let home = machine
        .layout
        .folder(Component::Rabbitmq.name())
        .join("home");
    let mut launch = Launch::new(installed("erl_call")?, &home)
        .args(["-timeout", "2", "-name", node.name.as_str(), "-a", call])
        .env("HOME", &home)
        .env("ERL_EPMD_PORT", node.epmd.to_string());
    launch.network.clone_from(&machine.network);
    Ok(launch)
}

/// The secret that nodes and `rabbitmqctl` prove themselves with, where Erlang looks for it.
fn write_cookie(machine: &Machine, cookie: &str) -> Result<()> {
    let home = machine
        .layout
        .folder(Component::Rabbitmq.name())
        .join("home");
    fs::create_dir_all(&home).with_context(|| format!("cannot create {}", home.display()))?;
    let file = home.join(".erlang.cookie");
    if file.exists() {
        return Ok(());
    }
    let mut file = OpenOptions::new()
        .create_new(true)
        .write(true)
        // Erlang refuses one that others may read.
        .mode(0o400)
        .open(&file)
        .with_context(|| format!("cannot write {}", file.display()))?;
    file.write_all(cookie.as_bytes())
        .context("cannot write Erlang's cookie")
}
