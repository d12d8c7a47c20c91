//! RabbitMQ, a stack's own or a node of a cluster, and the port mapper that it requires.

use std::ffi::OsString;
use std::fs;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::Path;
use std::time::Duration;

use anyhow::{Context as _, Result, bail};
use nix::sys::signal::Signal;

use crate::component::Component;
use crate::layout::Layout;
use crate::ports::{Ports, loopback};
use crate::probe::Probe;
use crate::process::{Launch, Unit, find_program};

use super::rabbitmq_home;

/// Erlang's own script; the package's program in PATH requires the accounts root or rabbitmq.
const PROGRAM: &str = "/usr/lib/rabbitmq/bin/rabbitmq-server";
/// Unique thanks to the stack's own port mapper, and the same in every run because the data are
/// bound to it.
const NODE_NAME: &str = "adfolio@localhost";
/// The broker's schedulers sleep while idle: by default they busy-wait, which on a few shared cores
/// takes time from the processes that the broker serves.
const ERLANG_ARGUMENTS: &str = "+sbwt none +sbwtdcpu none +sbwtdio none";
const STOP_LIMIT: Duration = Duration::from_secs(20);
const EPMD_STOP_LIMIT: Duration = Duration::from_secs(2);

/// Describes a stack's port mapper.
pub(crate) fn epmd(layout: &Layout, ports: &Ports) -> Result<Unit> {
    port_mapper(layout, ports.epmd, &[IpAddr::V4(Ipv4Addr::LOCALHOST)])
}

/// Describes Erlang's port mapper at these addresses. By default RabbitMQ would start a daemon that outlives it.
pub(crate) fn port_mapper(layout: &Layout, port: u16, addresses: &[IpAddr]) -> Result<Unit> {
    let Some(program) = find_program("epmd") else {
        bail!("Erlang is not installed (no epmd): `make up` installs it with RabbitMQ");
    };
    let first = *addresses
        .first()
        .context("a port mapper needs an address")?;
    let addresses: Vec<String> = addresses.iter().map(IpAddr::to_string).collect();
    let launch = Launch::new(program, layout.root())
        .args(["-port".to_owned(), port.to_string()])
        .args(["-address".to_owned(), addresses.join(",")]);
    Ok(Unit {
        component: Component::Epmd,
        launch,
        probe: Probe::Tcp(SocketAddr::new(first, port)),
        stop_signal: Signal::SIGTERM,
        stop_limit: EPMD_STOP_LIMIT,
    })
}

/// A node of a broker: its name and where it listens.
#[derive(Clone, Debug)]
pub(crate) struct Node {
    /// `name@host`.
    pub(crate) name: String,
    /// The host of the name is an address, or has a domain.
    pub(crate) is_long_name: bool,
    pub(crate) amqp: SocketAddr,
    pub(crate) erlang: u16,
    pub(crate) epmd: u16,
}

impl Node {
    /// What a program of RabbitMQ must know to reach the node.
    pub(crate) fn environment(&self) -> Vec<(&'static str, OsString)> {
        vec![
            ("RABBITMQ_NODENAME", self.name.clone().into()),
            (
                "RABBITMQ_USE_LONGNAME",
                if self.is_long_name { "true" } else { "false" }.into(),
            ),
            ("ERL_EPMD_PORT", self.epmd.to_string().into()),
        ]
    }

    fn erlang_arguments(&self) -> String {
        let address = self.amqp.ip().to_string().replace('.', ",");
        format!("-kernel inet_dist_use_interface {{{address}}} {ERLANG_ARGUMENTS}")
    }
}

/// Writes the configuration and describes a stack's broker.
pub(crate) fn prepare(layout: &Layout, ports: &Ports, definitions: &Path) -> Result<Unit> {
    let node = Node {
        name: NODE_NAME.to_owned(),
        is_long_name: false,
        amqp: loopback(ports.amqp),
        erlang: ports.erlang,
        epmd: ports.epmd,
    };
    let footprint = "# A small footprint: this broker shares the machine with everything else.\n\
                     vm_memory_high_watermark.absolute = 512MiB\n\
                     disk_free_limit.absolute = 50MB\n\
                     raft.wal_max_size_bytes = 33554432\n\
                     log.console.level = warning\n";
    describe(layout, &node, definitions, footprint)
}

/// Writes the configuration of a node and describes it; `settings` are further lines of the configuration.
pub(crate) fn describe(
    layout: &Layout,
    node: &Node,
    definitions: &Path,
    settings: &str,
) -> Result<Unit> {
    if !Path::new(PROGRAM).exists() {
        bail!("RabbitMQ is not installed (no {PROGRAM}): `make up` installs it");
    }
    let folder = layout.folder(Component::Rabbitmq.name());
    let home = folder.join("home");
    fs::create_dir_all(&home).with_context(|| format!("cannot create {}", home.display()))?;
    let write = |name: &str, text: &str| -> Result<OsString> {
        let path = folder.join(name);
        fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))?;
        Ok(path.into_os_string())
    };
    let configuration = write("rabbitmq.conf", &configuration(node, definitions, settings))?;
    let plugins = write("enabled_plugins", "[].\n")?;
    let scripts = rabbitmq_home::prepare(Path::new(PROGRAM), &folder.join("server"))?;
    // Named explicitly, so that the machine's own file is not read.
    let environment = write("rabbitmq-env.conf", "")?;
    let mut launch = Launch::new(PROGRAM, &folder)
        // With the switch below, the script becomes the server instead of waiting for it: its pid
        // is the broker's.
        .args(["-noinput"])
        .env("RABBITMQ_ALLOW_INPUT", "1")
        .env("HOME", &home)
        .env("RABBITMQ_SCRIPTS_DIR", scripts)
        .env("RABBITMQ_CONFIG_FILE", configuration)
        .env("RABBITMQ_CONF_ENV_FILE", environment)
        .env("RABBITMQ_ENABLED_PLUGINS_FILE", plugins)
        .env("RABBITMQ_MNESIA_BASE", folder.join("mnesia"))
        .env("RABBITMQ_LOG_BASE", folder.join("log"))
        .env("RABBITMQ_PID_FILE", folder.join("rabbitmq.pid"))
        // Standard output is the component's log.
        .env("RABBITMQ_LOGS", "-")
        .env("RABBITMQ_DIST_PORT", node.erlang.to_string())
        .env("ERL_EPMD_ADDRESS", node.amqp.ip().to_string())
        .env(
            "RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS",
            node.erlang_arguments(),
        );
    for (name, value) in node.environment() {
        launch = launch.env(name, value);
    }
    Ok(Unit {
        component: Component::Rabbitmq,
        launch,
        probe: Probe::Amqp(node.amqp),
        stop_signal: Signal::SIGTERM,
        stop_limit: STOP_LIMIT,
    })
}

fn configuration(node: &Node, definitions: &Path, settings: &str) -> String {
    let listener = node.amqp;
    let definitions = definitions.display();
    format!(
        "listeners.tcp.1 = {listener}\n\
         # Users and what they may do, at every start.\n\
         load_definitions = {definitions}\n\
         log.console = true\n\
         log.file = false\n\
         {settings}"
    )
}
