//! haproxy: leads clients to the primary or to a standby, as Patroni says.

use std::fmt::Write as _;
use std::fs;
use std::time::Duration;

use anyhow::{Context as _, Result};
use nix::sys::signal::Signal;

use super::machine::{Machine, installed};
use super::parameters::{
    CHECK_INTERVAL_MS, CHECK_LIMIT_MS, CHECKS_TO_FALL, CHECKS_TO_RISE, PROXY_CONNECTIONS,
};
use super::ports::ClusterPorts;
use crate::component::Component;
use crate::layout::Layout;
use crate::ports::loopback;
use crate::probe::Probe;
use crate::process::{Launch, Unit};

const STOP_LIMIT: Duration = Duration::from_secs(3);

/// Writes the configuration and describes the proxy.
pub(super) fn prepare(
    layout: &Layout,
    machines: &[Machine; 3],
    ports: &ClusterPorts,
) -> Result<Unit> {
    let file = layout.folder("haproxy.cfg");
    fs::write(&file, configuration(machines, ports))
        .with_context(|| format!("cannot write {}", file.display()))?;
    let launch = Launch::new(installed("haproxy")?, layout.root())
        // In the foreground, in one process.
        .args(["-db".into(), "-f".into(), file.into_os_string()]);
    Ok(Unit {
        component: Component::Haproxy,
        launch,
        probe: Probe::Tcp(loopback(ports.primary)),
        stop_signal: Signal::SIGUSR1,
        stop_limit: STOP_LIMIT,
    })
}

fn configuration(machines: &[Machine; 3], ports: &ClusterPorts) -> String {
    let mut text = format!(
        "global\n    maxconn {}\n\
         defaults\n    mode tcp\n    timeout connect 1s\n    timeout check {CHECK_LIMIT_MS}ms\n    \
         # Connections of pools may be idle for as long as they like.\n    \
         timeout client 1d\n    timeout server 1d\n    option clitcpka\n    option srvtcpka\n",
        2 * PROXY_CONNECTIONS
    );
    for (name, port, path) in [
        ("primary", ports.primary, "/primary"),
        ("standbys", ports.standbys, "/replica"),
    ] {
        let listener = loopback(port);
        // Writing to a string cannot fail.
        let _ = write!(
            text,
            "listen {name}\n    bind {listener}\n    maxconn {PROXY_CONNECTIONS}\n    \
             option httpchk OPTIONS {path}\n    http-check expect status 200\n    \
             # Sessions with a server that is not the primary any more are ended.\n    \
             default-server inter {CHECK_INTERVAL_MS}ms fall {CHECKS_TO_FALL} rise {CHECKS_TO_RISE} \
             on-marked-down shutdown-sessions\n"
        );
        for machine in machines {
            let (server, check) = (machine.at(ports.postgres), ports.patroni);
            let _ = writeln!(
                text,
                "    server {} {server} check port {check}",
                machine.id
            );
        }
    }
    text
}
