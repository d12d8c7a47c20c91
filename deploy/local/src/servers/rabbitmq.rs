//! The private RabbitMQ, and the port mapper that it requires.

use std::ffi::OsString;
use std::fs;
use std::path::Path;
use std::time::Duration;

use anyhow::{Context as _, Result, bail};
use nix::sys::signal::Signal;

use crate::component::Component;
use crate::layout::Layout;
use crate::ports::{Ports, loopback};
use crate::process::{Launch, Unit, find_program};

use super::rabbitmq_home;

/// Erlang's own script; the package's program in PATH requires the accounts root or rabbitmq.
const PROGRAM: &str = "/usr/lib/rabbitmq/bin/rabbitmq-server";
/// Unique thanks to the stack's own port mapper, and the same in every run because the data are
/// bound to it.
const NODE_NAME: &str = "adfolio@localhost";
/// The broker listens on this machine only, and its schedulers sleep while idle: by default they
/// busy-wait, which on a few shared cores takes time from the processes that the broker serves.
const ERLANG_ARGUMENTS: &str =
    "-kernel inet_dist_use_interface {127,0,0,1} +sbwt none +sbwtdcpu none +sbwtdio none";
const STOP_LIMIT: Duration = Duration::from_secs(20);
const EPMD_STOP_LIMIT: Duration = Duration::from_secs(2);

/// Describes Erlang's port mapper. By default RabbitMQ would start a daemon that outlives it.
pub(crate) fn epmd(layout: &Layout, ports: &Ports) -> Result<Unit> {
    let Some(program) = find_program("epmd") else {
        bail!("Erlang is not installed (no epmd): `make up` installs it with RabbitMQ");
    };
    let launch = Launch::new(program, layout.root())
        .args(["-port".to_owned(), ports.epmd.to_string()])
        .args(["-address", "127.0.0.1"]);
    Ok(Unit {
        component: Component::Epmd,
        launch,
        probe: ports.listener(Component::Epmd, layout)?.1,
        stop_signal: Signal::SIGTERM,
        stop_limit: EPMD_STOP_LIMIT,
    })
}

/// Writes the configuration and describes the broker.
pub(crate) fn prepare(layout: &Layout, ports: &Ports, definitions: &Path) -> Result<Unit> {
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
    let configuration = write("rabbitmq.conf", &configuration(ports, definitions))?;
    let plugins = write("enabled_plugins", "[].\n")?;
    let scripts = rabbitmq_home::prepare(Path::new(PROGRAM), &folder.join("server"))?;
    // Named explicitly, so that the machine's own file is not read.
    let environment = write("rabbitmq-env.conf", "")?;
    let launch = Launch::new(PROGRAM, &folder)
        // With the switch below, the script becomes the server instead of waiting for it: its pid
        // is the broker's.
        .args(["-noinput"])
        .env("RABBITMQ_ALLOW_INPUT", "1")
        .env("HOME", &home)
        .env("RABBITMQ_SCRIPTS_DIR", scripts)
        .env("RABBITMQ_NODENAME", NODE_NAME)
        .env("RABBITMQ_CONFIG_FILE", configuration)
        .env("RABBITMQ_CONF_ENV_FILE", environment)
        .env("RABBITMQ_ENABLED_PLUGINS_FILE", plugins)
        .env("RABBITMQ_MNESIA_BASE", folder.join("mnesia"))
        .env("RABBITMQ_LOG_BASE", folder.join("log"))
        .env("RABBITMQ_PID_FILE", folder.join("rabbitmq.pid"))
        // Standard output is the component's log.
        .env("RABBITMQ_LOGS", "-")
        .env("RABBITMQ_DIST_PORT", ports.erlang.to_string())
        .env("ERL_EPMD_PORT", ports.epmd.to_string())
        .env("ERL_EPMD_ADDRESS", "127.0.0.1")
        .env("RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS", ERLANG_ARGUMENTS);
    Ok(Unit {
        component: Component::Rabbitmq,
        launch,
        probe: ports.listener(Component::Rabbitmq, layout)?.1,
        stop_signal: Signal::SIGTERM,
        stop_limit: STOP_LIMIT,
    })
}

fn configuration(ports: &Ports, definitions: &Path) -> String {
    let listener = loopback(ports.amqp);
    let definitions = definitions.display();
    format!(
        "listeners.tcp.1 = {listener}\n\
         # Users and what they may do, at every start.\n\
         load_definitions = {definitions}\n\
         # A small footprint: this broker shares the machine with everything else.\n\
         vm_memory_high_watermark.absolute = 512MiB\n\
         disk_free_limit.absolute = 50MB\n\
         raft.wal_max_size_bytes = 33554432\n\
         log.console = true\n\
         log.console.level = warning\n\
         log.file = false\n"
    )
}
